"""Tests that a catalog, with which each signed object has a verdict on every product, multiplies neither memory nor waiting times.

See `run`.
"""

import itertools
import json
import pathlib
import select
import signal
import socket
import string
import struct
import subprocess
import tempfile
import threading
import time

from serving import FIXTURES, ROOT, TOOL, TOP, Account, Connection, Server, chunk, environment, request, text

account = Account("catalogs")
RECEIPT = text("receipts/refund.der")
JWS = (FIXTURES / "jws/transaction.jws").read_text().strip()
BATCH = b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
MOST = 16 << 20


def catalog(folder, count):
    """Returns the path of a catalog with `count` products."""
    path = pathlib.Path(folder) / f"{count}.json"
    path.write_text(json.dumps({"groups": {"g": [f"com.example.product.{number:05}" for number in range(count)]}}))
    return path


def line(objects, **members):
    """Returns a batch's line that contains one JWS several times."""
    return json.dumps({**members, "receipt": json.dumps({"signedTransactions": [JWS] * objects})}).encode() + b"\n"


def at_once(count, act):
    """Acts on several threads at the same time."""
    threads = [threading.Thread(target=act) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def facts(lines):
    """Returns what each line states about its record, without dates."""
    lines = [json.loads(each) for each in lines.splitlines()]
    return [(each["id"], each["status"], each.get("path"), (each.get("refusal") or {}).get("code"), len(each["eligibility"] or []))
            for each in lines]


def long_answers(folder):
    """Tests a record whose verdicts exceed the limit. Its further objects are refused, but not in an audit, and the next record is
    not."""
    # Rows: the products, and the objects that fit into the limit.
    for products in (10_000, 1_000):
        path = catalog(folder, products)
        lines = line(100, id="long") + json.dumps({"id": "next", "receipt": RECEIPT}).encode() + b"\n"
        with Server(*ROOT, "--catalog", path) as server:
            before, peak, body = server.resident(), 0, []
            with Connection(server) as connection:
                connection.send(BATCH + chunk(lines) + chunk(b""))
                connection.head()
                for each in connection.chunks():
                    body.append(each)
                    peak = max(peak, server.resident() - before)
            body = b"".join(body)
            account.expect(f"additional MiB with {products} products", peak, lambda seen: seen < 150)
            account.expect("bytes of the answers", len(body), lambda seen: MOST / 2 < seen < 3 * MOST)
            seen = facts(body)
            whole = sum(each[1] == "genuine" and each[0] == "long" for each in seen)
            account.expect("objects with all verdicts", (whole, {each[4] for each in seen[:whole]}),
                           lambda seen: 1 <= seen[0] < 100 and seen[1] == {products})
            account.expect("further objects", {each[1:2] + each[3:] for each in seen[whole:100]}, {("refused", "too_large", 0)})
            account.expect("one line for each object", [each[0] for each in seen], ["long"] * 100 + ["next"])
            account.expect("the next record", seen[100][1:], ("genuine", None, None, products))
            message = json.loads(body.splitlines()[whole])["refusal"]["message"]
            account.expect("the message says what to do", "records of fewer signed objects" in message, True)
            refusals = server.ask("GET", "/metrics").body.decode()
            account.expect("the refusals are counted", f'appreceipt_refusals_total{{code="too_large"}} {100 - whole}' in refusals, True)
    for options in ([], ["--output", pathlib.Path(folder) / "audit.db"]):
        audit = subprocess.run([TOOL, "audit", "-", *map(str, ROOT + ["--catalog", path, "--ndjson", "-"] + options)],
                               input=line(20, id="long"), capture_output=True, env=environment(), cwd=TOP, check=False)
        account.expect(f"the audit's exit status, {options}", audit.returncode, 0)
        account.expect(f"the bytes of the audit's lines, {options}", len(audit.stdout), lambda seen: seen > MOST)
        account.expect(f"the audit's objects, {options}", {each[1:2] + each[3:] for each in facts(audit.stdout)}, {("genuine", None, 1_000)})


def waiting(folder):
    """Asks one eligibility question on each of several connections. None is refused, because they have few bytes."""
    body = json.dumps({"evidence": [RECEIPT]}).encode()
    with Server(*ROOT, "--catalog", catalog(folder, 10_000)) as server:
        statuses = []

        def ask():
            statuses.append(server.ask("POST", "/v1/eligibility", body, [("Content-Type", "application/json")]).status)

        at_once(8, ask)
        account.expect("questions at the same time", statuses, [200] * 8)


def large_receipt(folder):
    """Sends a large receipt behind large questions about many products. It waits for other receipts only."""
    large = text("receipts/two-hundred-purchases.der")
    question = json.dumps({"evidence": [large]}).encode()
    receipt = json.dumps({"receipt-data": large}).encode()
    with Server(*ROOT, "--catalog", catalog(folder, 300)) as server:

        def seconds(path, body):
            start = time.monotonic()
            status = server.ask("POST", path, body, [("Content-Type", "application/json")]).status
            return status, time.monotonic() - start

        seconds("/v1/eligibility", question)
        _, alone = seconds("/v1/eligibility", question)
        threads = [threading.Thread(target=seconds, args=("/v1/eligibility", question)) for _ in range(48)]
        for thread in threads:
            thread.start()
        time.sleep(2 * alone)
        status, behind = seconds("/verifyReceipt", receipt)
        account.expect("the status of a large receipt behind questions", status, 200)
        # On two cores, it would wait for twenty questions.
        account.expect("its seconds, divided by those of a question", behind / alone, lambda seen: seen < 2)
        for thread in threads:
            thread.join()


def memory_of_waiting():
    """Sends many questions with catalogs of their own, which take ten times as much memory once they are read. Waiting questions keep
    only their bodies."""
    letters = string.ascii_lowercase + string.digits
    products = ["".join(each) for each in itertools.islice(itertools.product(letters, repeat=3), 19_000)]
    evidence = [text("receipts/two-hundred-purchases.der")]
    body = json.dumps({"evidence": evidence, "products": products[:1000], "catalog": {"groups": {"g": products}}}).encode()
    question = request("POST", "/v1/eligibility", body, [("Content-Type", "application/json")])
    with Server(*ROOT) as server:
        connections = [Connection(server) for _ in range(64)]
        before, peak, answered = server.resident(), 0, []
        for connection in connections:
            connection.send(question)
        while len(answered) < 4:
            answered = select.select([each.socket for each in connections], [], [], 0.2)[0]
            peak = max(peak, server.resident() - before)
            time.sleep(0.1)
        account.expect("additional MiB for 64 questions", peak, lambda seen: seen < 110)
        for connection in connections:
            connection.socket.close()


def memory_of_reloads(folder):
    """Reads the files again while requests and batches from before are open. They must keep no earlier catalog."""
    body = b"POST /v1/verify HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n" + b"A" * 10_000
    with Server(*ROOT, "--catalog", catalog(folder, 100_000)) as server:

        def reload(number):
            server.signal(signal.SIGHUP)
            server.wait_until(lambda: server.log().count("reloaded all files") == number)

        reload(1)
        before, batches, bodies = server.resident(), [], []
        for number in range(2, 10):
            batches.append(Connection(server))
            batches[-1].send(BATCH)
            bodies.append(Connection(server))
            bodies[-1].send(body)
            for batch in batches:
                batch.send(chunk(b'{"receipt": "MAA="}\n'))
                batch.until(b"}\n")
            reload(number)
        account.expect("additional MiB after eight reloads", server.resident() - before, lambda seen: seen < 80)
        for connection in batches + bodies:
            connection.socket.close()


def gone(folder):
    """Ends connections whose work waits for a thread. The server must not do the work of those that were reset. Those that were only
    closed look like clients that still read, so their work is done after that of others."""
    body = json.dumps({"evidence": [RECEIPT]}).encode()
    question = request("POST", "/v1/eligibility", body, [("Content-Type", "application/json")])
    with Server(*ROOT, "--catalog", catalog(folder, 10_000)) as server:

        def seconds():
            start = time.monotonic()
            with Connection(server) as connection:
                connection.send(question)
                status = connection.response().status
            return status, time.monotonic() - start

        seconds()
        _, alone = seconds()
        for end in ("reset", "closed"):
            for _ in range(100):
                with Connection(server) as connection:
                    connection.send(question)
                    if end == "reset":
                        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            status, behind = seconds()
            account.expect(f"status after 100 {end} connections", status, 200)
            # On two cores, the work of 100 clients would take 50 times as long.
            account.expect(f"seconds after 100 {end} connections, divided by those alone", behind / alone, lambda seen: seen < 15)


def slow_server(folder):
    """Sends batches whose answers take longer than the idle timeout. A timeout must not count while the server reads nothing."""
    with Server(*ROOT, "--catalog", catalog(folder, 1_000), "--idle-timeout", 1, "--header-timeout", 1) as server:
        ends = []

        def ask():
            with Connection(server) as connection:
                sending = threading.Thread(target=connection.send, args=(BATCH + chunk(line(12)) * 8 + chunk(b""),))
                sending.start()
                end = b""
                while end != b"\r\n0\r\n\r\n" and connection.receive():
                    end, connection.buffer = (end + connection.buffer)[-7:], b""
                ends.append(end)
                sending.join()

        at_once(4, ask)
        account.expect("ends of batches that wait for the server", ends, [b"\r\n0\r\n\r\n"] * 4)


def patient_clients(folder):
    """Sends lines that take longer than the idle timeout, and ends the bodies after all answers. A timeout must not count while the
    server has lines to answer."""
    with Server(*ROOT, "--catalog", catalog(folder, 1_000), "--idle-timeout", 1, "--header-timeout", 1) as server:
        answers = []

        def ask():
            with Connection(server) as connection:
                connection.send(BATCH + chunk(line(12)) * 8)
                connection.head()
                count = 0
                try:
                    for part in connection.chunks():
                        count += part.count(b"\n")
                        if count == 96:
                            connection.send(chunk(b""))
                finally:
                    answers.append(count)

        at_once(4, ask)
        account.expect("answers before the ends of bodies", answers, [96] * 4)


def main():
    with tempfile.TemporaryDirectory() as folder:
        long_answers(folder)
        waiting(folder)
        large_receipt(folder)
        memory_of_waiting()
        memory_of_reloads(folder)
        gone(folder)
        slow_server(folder)
        patient_clients(folder)
    account.end()


main()
