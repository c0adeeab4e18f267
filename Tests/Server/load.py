"""Measures health checks, memory and sizes of answers while clients send the most expensive known requests. See `run`.

One client and then 16 send each request, while another process requests /health/live every few milliseconds.
"""

import base64
import collections
import json
import multiprocessing
import os
import pathlib
import re
import select
import socket
import tempfile
import time
from functools import partial

from serving import FIXTURES, ROOT, Account, Connection, Server, chunk, flood, free_port, request, text

account = Account("load")
SECONDS = 1.5  # The duration of each load, without its last requests.
JSON = [("Content-Type", "application/json")]
# The allowed milliseconds at the 99th percentile, in addition to those of a server without load.
MOST = 50
ONES = '{"signedTransactions":[%s]}'
RECEIPT = text("receipts/two-hundred-purchases.der")
CHUNKS = b"".join(chunk(b"%c" % byte) for byte in json.dumps({"receipt-data": RECEIPT}).encode()) + chunk(b"")


def ones(count):
    return ONES % ",".join(["1"] * count)


def colliding(count):
    """Returns identifiers with the same value of an unkeyed hash, an earlier attack."""
    mask, found, state = (1 << 64) - 1, [], 1
    while len(found) < count:
        state = (state * 6364136223846793005 + 1442695040888963407) & mask
        first = state & 0x7F7F7F7F7F7F7F7F
        product = (16 ^ first) * 0x9E3779B97F4A7C15
        second = (product >> 64) ^ (product & mask)
        if not second & 0x8080808080808080:
            found.append((first.to_bytes(8, "little") + second.to_bytes(8, "little")).decode("ascii"))
    return found


def asking(**members):
    members = {"evidence": ["MAA="], "products": ["p"], **members}
    return ("/v1/eligibility", json.dumps({name: value for name, value in members.items() if value is not None}).encode(), JSON)


# Rows: the title, path, body and header fields.
WORST = [
    ("an ordinary receipt", "/verifyReceipt", json.dumps({"receipt-data": RECEIPT}).encode(), []),
    ("32,600 ones in less than 64 KiB", "/v1/verify", ones(32_600).encode(), []),
    ("eight million ones", "/v1/verify", ones(8_000_000).encode(), []),
    ("3 MB of evidence", *asking(evidence=[ones(100_000)] * 15)),
    ("7 MB of evidence", *asking(evidence=[ones(100_000)] * 36)),
    ("a thousand elements of evidence", *asking(evidence=[ones(60)] * 1000, renewal_info=[ones(60)] * 1000)),
    ("a thousand products", *asking(evidence=[RECEIPT], products=[f"p{n}" for n in range(1000)], single_group=True)),
    ("a thousand products and two hundred receipts",
     *asking(evidence=[RECEIPT] * 190, products=[f"p{n}" for n in range(1000)], single_group=True)),
    ("a catalog of identifiers that collide", *asking(catalog={"groups": {"g": colliding(15_000)}})),
    ("a catalog of a million products", *asking(catalog={"groups": {"g": [str(n) for n in range(1_000_000)]}})),
    ("a catalog of millions of offers", *asking(catalog={"subscriptionGroups": [
        {"id": "g", "subscriptions": [{"productID": "p", "winbackOffers": [{}] * 3_000_000}]}]})),
    ("renewal information of a million subscriptions",
     *asking(unsigned_renewal_info=[[{"product_id": "p"}] * 1_000_000])),
    ("latest of ones", "/verifyReceipt", json.dumps({"receipt-data": RECEIPT, "latest": [ones(100_000)] * 14}).encode(), []),
    ("a batch line of millions of ones", "/v1/batch", ones(8_000_000).encode() + b"\n", []),
    ("a batch of short lines", "/v1/batch", b"{}\n" * 20_000, []),
    ("a batch of blank lines", "/v1/batch", (b" " * 4_000_000 + b"\n") * 5, []),
    ("a batch of line feeds", "/v1/batch", b"\n" * 20_000_000, []),
    ("a batch line of quotation marks", "/v1/batch", b'"' * 15_000_000 + b"\n", []),
    ("a receipt in chunks of one byte", "/verifyReceipt", CHUNKS, [("Transfer-Encoding", "chunked")]),
    ("16 MiB of zeros in base64", "/v1/verify", base64.b64encode(bytes(16 << 20)), []),
]
# Rows with a catalog of the server, in which each signed object has a verdict on each of 10,000 products.
JWS = (FIXTURES / "jws/transaction.jws").read_text().strip()
CATALOG = {"groups": {"g": [f"com.example.product.{number:05}" for number in range(10_000)]}}
WITH_CATALOG = [
    ("a batch line of one JWS repeated", "/v1/batch", json.dumps({"receipt": ONES % ",".join([json.dumps(JWS)] * 100)}).encode() + b"\n", []),
    ("a batch of receipts", "/v1/batch", (json.dumps({"receipt": text("receipts/refund.der")}).encode() + b"\n") * 4, []),
    ("a question about ten thousand products", *asking(evidence=[text("receipts/refund.der")], products=None)),
]


def prioritize(process, value):
    """Sets the priority of every thread of a process, if permitted. The clients represent other machines, so they must not slow
    the server and the probe."""
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            os.setpriority(os.PRIO_PROCESS, int(thread), value)
        except PermissionError:
            pass


def probe(server, start, stop, results):
    """Requests /health/live until `stop` is set, and puts the milliseconds of each answer into `results`."""
    prioritize(os.getpid(), -10)
    asked, times = request("GET", "/health/live"), []
    with Connection(server) as connection:
        start.wait()
        while not stop.is_set():
            began = time.monotonic()
            connection.send(asked)
            if connection.response("GET").status != 200:
                break
            times.append((time.monotonic() - began) * 1000)
            time.sleep(0.002)
    results.put(times)


def probe_health_port(server, start, stop, results):
    """Requests /health/live as `probe` does, but on the health port, which ends each connection after its answer."""
    prioritize(os.getpid(), -10)
    times = []
    start.wait()
    while not stop.is_set():
        began = time.monotonic()
        if server.at(server.health).ask("GET", "/health/live").status != 200:
            break
        times.append((time.monotonic() - began) * 1000)
        time.sleep(0.002)
    results.put(times)


def send(connection, data):
    """Sends as much as the server reads. The server does not read the body of a refused request."""
    data, offset = memoryview(data), 0
    while offset < len(data):
        readable, _, _ = select.select([connection.socket], [connection.socket], [])
        if readable:
            return
        try:
            offset += connection.socket.send(data[offset:offset + (1 << 16)])
        except OSError:
            return


def flooding(server, data, start, end, results):
    """Sends requests without waiting for answers until `end` is set. Puts the number of received bytes into `results`."""
    prioritize(os.getpid(), 10)
    start.wait()
    received = 0
    for received in flood(server, data, 1, end):
        pass
    results.put((set(), 0, received))


def connecting(server, start, end, results, data):
    """Opens connections that send nothing until `end` is set. Puts their number into `results`."""
    prioritize(os.getpid(), 10)
    start.wait()
    kept, count = collections.deque(), 0
    while not end.is_set():
        silent = socket.socket()
        silent.setblocking(False)
        silent.connect_ex((server.host, server.port))
        kept.append(silent)
        count += 1
        if len(kept) > 200:
            kept.popleft().close()
    results.put((set(), 0, count))


def client(server, data, is_stream, start, end, results):
    """Sends requests one by one until `end` is set. Puts the statuses, the longest answer's size and the number of requests
    into `results`.
    """
    prioritize(os.getpid(), 10)
    statuses, longest, count = set(), 0, 0
    start.wait()
    while not end.is_set():
        with Connection(server) as connection:
            (connection.send if is_stream else partial(send, connection))(data)
            try:
                response = connection.response()
            except (EOFError, OSError):
                response = None
        statuses.add(response and response.status)
        longest = max(longest, len(response.body) if response else 0)
        count += 1
    results.put((statuses, longest, count))


class Load:
    """A load of several clients, with the measurements of the clients and the probe."""

    def __init__(self, server, clients, data=b"", is_stream=False, is_flood=False, work=None, probe=probe):
        prioritize(server.process.pid, -10)
        results, times = multiprocessing.Queue(), multiprocessing.Queue()
        start, end, stop = multiprocessing.Barrier(clients + 2), multiprocessing.Event(), multiprocessing.Event()
        work = work or (flooding if is_flood else partial(client, is_stream=is_stream))
        workers = [multiprocessing.Process(target=work, kwargs={"server": server, "data": data, "start": start, "end": end, "results": results})
                   for _ in range(clients)]
        workers.append(multiprocessing.Process(target=probe, args=(server, start, stop, times)))
        for each in workers:
            each.start()
        start.wait()
        time.sleep(SECONDS)
        end.set()
        seen = [results.get() for _ in range(clients)]
        stop.set()
        answers = sorted(times.get())
        for each in workers:
            each.join()
        self.checks, self.p99, self.most = len(answers), answers[len(answers) * 99 // 100], answers[-1]
        self.statuses = set().union(*(statuses for statuses, _, _ in seen))
        self.longest = max((longest for _, longest, _ in seen), default=0)
        self.count = sum(count for _, _, count in seen)


def peak(server):
    """Returns the peak of resident memory in MiB since the last call."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    pathlib.Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def measure(why, path, body, fields, idle, is_flood=False, options=(), answer=0):
    """Measures one row. With `is_flood`, each client sends the request without waiting for answers. `answer` is the number of MiB
    of an answer in memory."""
    data = request("POST", path, body, fields) * (200 if is_flood else 1)
    for clients in (1, 16):
        # Each load has a new server, because memory left by an earlier load would hide the memory of this one.
        with Server(*ROOT, *options) as server:
            server.ask("POST", "/verifyReceipt", {"receipt-data": RECEIPT})
            before = peak(server) and server.resident()
            load = Load(server, clients, data, path == "/v1/batch", is_flood)
            more = peak(server) - before
            row = f"{why}, {len(body):,} bytes, {clients} clients"
            print(f"{row}: {load.count} {'bytes of answers' if is_flood else 'answers'} {sorted(map(str, load.statuses))} of {load.longest:,} bytes at most, "
                  f"health in {load.p99:.1f} ms (p99 of {load.checks}), {load.most:.1f} ms (most), {more:.0f} MiB more", flush=True)
            account.expect(f"{row}: milliseconds of a health check, p99", load.p99, lambda seen: seen < MOST + idle)
            # The server ends a batch that exceeds the memory budget.
            wanted = {200, 503, None} if path == "/v1/batch" else {200, 400, 422, 503}
            account.expect(f"{row}: statuses", load.statuses, lambda seen: seen <= wanted)
            account.expect(f"{row}: bytes of an answer", load.longest, lambda seen: seen < 3 * len(body) + (4 + 4 * answer << 20))
            account.expect(f"{row}: MiB more", more, lambda seen: seen < 64 + clients * (8 + 4 * len(body) / (1 << 20)) + min(clients, 4) * 3 * answer)
            account.expect(f"{row}: alive", server.lives(), True)


def silent_connections():
    """Measures health checks on the health port while clients open connections that send nothing."""
    port = free_port()
    with Server(*ROOT, "--health-port", port) as server:
        server.health = port
        idle = Load(server, 0, probe=probe_health_port)
        for clients in (1, 16):
            load = Load(server, clients, work=connecting, probe=probe_health_port)
            row = f"{load.count:,} silent connections of {clients} clients"
            print(f"{row}: health port in {load.p99:.1f} ms (p99 of {load.checks}), {idle.p99:.1f} without", flush=True)
            account.expect(f"{row}: milliseconds of a health check, p99", load.p99, lambda seen: seen < MOST + idle.p99)
            account.expect(f"{row}: health checks", load.checks, lambda seen: seen > 20)


def processor_nanoseconds(server):
    """Returns the processor time of all threads."""
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in tasks)


def heads():
    """Measures the processor time of long heads. A value that the server reads must not cost much more than one that it ignores.

    Rows: the title, the target, and the header fields.
    """
    long, count = "a" * 14_000, 1000
    rows = [
        ("an ignored field", "/v1/verify", [("X", long)]),
        ("the media type", "/v1/verify", [("Content-Type", long)]),
        ("a device identifier", f"/v1/verify?device_id={long}", []),
        ("a long path", f"/{long}", []),
        ("addresses of an untrusted peer", "/v1/verify", [("X-Forwarded-For", "," * 14_000)]),
        ("bundle IDs", "/v1/verify?" + "&".join(["bundle_id=com.example.a"] * 580), []),
        ("an encoded bundle ID", "/v1/verify?bundle_id=" + "%61" * 4600, []),
        ("encoded parameters", "/verifyReceipt?" + "&".join(["%41"] * 3500), []),
    ]
    costs = {}
    for why, target, fields in rows:
        data = request("POST", target, b"MAA=", fields)
        with Server(*ROOT, "--access-log", "--trusted-proxy", "10.0.0.0/8") as server, Connection(server) as connection:
            before = processor_nanoseconds(server)
            for _ in range(count):
                connection.send(data)
                connection.response()
            costs[why] = (processor_nanoseconds(server) - before) / count / 1000
        print(f"a head of 14 KB with {why}: {costs[why]:.0f} µs of a processor", flush=True)
        account.expect(f"{why}: cost in comparison with an ignored field", costs[why] / costs["an ignored field"], lambda seen: seen < 3)


def main():
    heads()
    silent_connections()
    with Server(*ROOT) as server:
        idle = Load(server, 0).p99
    print(f"without a load: health in {idle:.1f} ms (p99)", flush=True)
    for row in WORST:
        measure(*row, idle)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as catalog:
        json.dump(CATALOG, catalog)
        catalog.flush()
        for row in WITH_CATALOG:
            measure(*row, idle, options=["--catalog", catalog.name], answer=16)
    measure("requests sent ahead", "/nothing", b"", [], idle, is_flood=True)
    account.end()


if __name__ == "__main__":
    main()
