"""Tests answers that do not fit into the system's buffers, in a network namespace whose sockets have 8 KiB to send. Needs root.

See `run`.
"""

import json
import os
import pathlib
import sys
import time

from serving import FIXTURES, ROOT, Account, Connection, Server, request

account = Account("small buffers")
JWS = (FIXTURES / "jws/transaction.jws").read_text().strip()


def half_closed(server):
    """Closes the sending half after a request, and reads later. The server must send the whole answer before it closes."""
    for count in range(8, 96):
        body = json.dumps({"signedTransactions": [JWS] * count}).encode()
        with Connection(server, receiving=4096) as connection:
            connection.send(request("POST", "/v1/verify", body, [("Content-Type", "application/json")]))
            connection.end()
            time.sleep(0.1)
            try:
                results = len(json.loads(connection.response().body)["results"])
            except EOFError as error:
                results = str(error)
            account.expect(f"results of {count} objects after the sending half was closed", results, count)


def main():
    if "SMALL_BUFFERS" not in os.environ:
        os.environ["SMALL_BUFFERS"] = "yes"
        os.execvp("unshare", ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, __file__])
    pathlib.Path("/proc/sys/net/ipv4/tcp_wmem").write_text("4096 8192 8192")
    with Server(*ROOT) as server:
        half_closed(server)
    account.end()


main()
