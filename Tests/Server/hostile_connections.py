"""Tests slow, numerous, interrupted and unread connections. They must end in time, use little memory and not affect others.

See `run`.
"""

import concurrent.futures
import fcntl
import json
import os
import pathlib
import random
import re
import resource
import select
import signal
import socket
import ssl
import struct
import tempfile
import termios
import threading
import time

from authority import Authority
from serving import FIXTURES, PATIENCE, ROOT, Account, Connection, Response, Server, chunk, flood, request, serve, text

account = Account("hostile connections")
HEADER, IDLE = 2, 3  # The server's timeouts in seconds.
BODY = json.dumps({"receipt-data": text("receipts/refund.der")}).encode()
HEAD = request("POST", "/verifyReceipt", BODY)[:-len(BODY)]
BATCH = b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
JWS = (FIXTURES / "jws/transaction.jws").read_text().strip()
LINE = json.dumps({"id": 1, "receipt": text("receipts/two-hundred-purchases.der")}).encode() + b"\n"


def drip(connection, data, seconds):
    """Sends single bytes until the server closes the connection. Returns the seconds until then, or None if it takes too long."""
    start = time.monotonic()
    for byte in data:
        if time.monotonic() > start + PATIENCE:
            return None
        if not connection.send(bytes([byte])):
            break
        readable, _, _ = select.select([connection.socket], [], [], seconds)
        if readable and not connection.receive():
            break
    return time.monotonic() - start


def seconds_to_end(connection):
    """Reads until the server closes the connection. Returns the seconds, or None after the timeout."""
    start = time.monotonic()
    try:
        while connection.receive():
            pass
    except TimeoutError:
        return None
    return time.monotonic() - start


def ends(why, seconds, least=0):
    account.expect(why, seconds, lambda seen: seen is not None and seen >= least)


# Rows: the title, the bytes before the silence, and the allowed statuses before the end; None means no answer.
SILENT = [
    ("nothing at all", b"", {None, 408}),
    ("half a request line", b"POST /verif", {None, 408}),
    ("half a header", HEAD[:40], {None, 408}),
    ("no end of the headers", HEAD[:-2], {None, 408}),
    ("no body", HEAD, {None, 408}),
    ("half a body", HEAD + BODY[:100], {None, 408}),
    ("half a chunk", BATCH.replace(b"/v1/batch", b"/v1/verify") + b"ff\r\nabc", {None, 408}),
    ("no end of the chunks", BATCH.replace(b"/v1/batch", b"/v1/verify") + chunk(b"abc"), {None, 408}),
    ("half a batch line", BATCH + chunk(b'{"id":'), {None, 200, 408}),
    ("kept alive", request("GET", "/health/live"), {200}),
]


def silent(server):
    connections = []
    for why, data, wanted in SILENT:
        connection = Connection(server)
        connection.send(data)
        connections.append((why, connection, wanted))
    for why, connection, wanted in connections:
        ends(f"silence after {why}", seconds_to_end(connection))
        status = int(connection.buffer.split(b" ")[1]) if connection.buffer else None
        account.expect(f"the status after {why}", status in wanted, True)


def handshakes():
    """Tests connections that begin no TLS handshake, or half of one."""
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("handshake", "localhost")
        with Server("--tls-certificate", certificate, "--tls-key", key, "--header-timeout", 1, "--idle-timeout", 2,
                    tls=ssl._create_unverified_context()) as server:
            for why, data in (("no handshake", b""), ("half a TLS record", b"\x16\x03\x01\x02\x00" + bytes(100))):
                with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
                    connection.sendall(data)
                    start = time.monotonic()
                    try:
                        while connection.recv(1 << 16):
                            pass
                    except ConnectionError:
                        pass
                    except TimeoutError:
                        start = None
                    ends(f"silence after {why}", start and time.monotonic() - start)


def handshake_turns():
    """Sends health requests behind many TLS handshakes of one client, each of which costs a signature. Neither an open connection nor
    another client's new one must wait for all of them.
    """
    count, context = 400, ssl._create_unverified_context()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        hello = outgoing.read()
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("handshake", "localhost")
        with Server("--tls-certificate", certificate, "--tls-key", key, tls=context) as server, Connection(server) as connection:
            others = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
            connection.send(request("GET", "/health/live"))
            connection.response("GET")
            server.wait_until(lambda: f"appreceipt_connections {count + 2}" in server.ask("GET", "/metrics").body.decode())
            os.kill(server.process.pid, signal.SIGSTOP)
            for other in others:
                other.sendall(hello)
            connection.send(request("GET", "/health/live"))
            os.kill(server.process.pid, signal.SIGCONT)
            status = connection.response("GET").status
            before = len(select.select(others, [], [], 0)[0])
            print(f"TLS handshakes: {before} of {count} before a health check", flush=True)
            account.expect("a health check behind TLS handshakes", status, 200)
            account.expect("TLS handshakes before a health check", before, lambda seen: seen < count / 4)
            for other in others:
                other.close()
            server.wait_until(lambda: "appreceipt_connections 2\n" in server.ask("GET", "/metrics").body.decode())
            others = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
            server.wait_until(lambda: f"appreceipt_connections {count + 2}" in server.ask("GET", "/metrics").body.decode())
            os.kill(server.process.pid, signal.SIGSTOP)
            for other in others:
                other.sendall(hello)
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE, ("127.0.0.2", 0)) as plain:
                os.kill(server.process.pid, signal.SIGCONT)
                with context.wrap_socket(plain) as new:
                    new.sendall(request("GET", "/health/live"))
                    account.expect("a health check of another client", new.recv(1 << 16)[:12], b"HTTP/1.1 200")
            before = len(select.select(others, [], [], 0)[0])
            print(f"TLS handshakes: {before} of {count} before a health check of another client", flush=True)
            account.expect("TLS handshakes before another client's", before, lambda seen: seen < count * 3 / 4)
            for other in others:
                other.close()


def exchange(server, context, data):
    """Sends data together with the end of a TLS handshake, and a FIN without `close_notify`. Returns the decrypted answers."""
    incoming, outgoing, answers = ssl.MemoryBIO(), ssl.MemoryBIO(), b""
    tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                incoming.write(connection.recv(1 << 16))
        tls.write(data)
        connection.sendall(outgoing.read())
        connection.shutdown(socket.SHUT_WR)
        while received := connection.recv(1 << 16):
            incoming.write(received)
    try:
        while received := tls.read(1 << 16):
            answers += received
    except ssl.SSLError:
        pass
    return answers


def ends_of_handshakes():
    """Sends requests and the end of the connection together with the end of the handshake. All answers must arrive."""
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("handshake", "localhost")
        context = ssl._create_unverified_context()
        with Server("--tls-certificate", certificate, "--tls-key", key, tls=context) as server:
            for count, times in ((1, 30), (20, 1)):
                data = request("GET", "/health/live") * count
                answered = sum(exchange(server, context, data).count(b"HTTP/1.1 200") for _ in range(times))
                account.expect(f"answers to {count} requests after the handshake, {times} times", answered, count * times)


def long_handshakes():
    """Sends megabytes behind the beginnings of handshakes. The server must not keep them in memory."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        ssl._create_unverified_context().wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        hello = outgoing.read()
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("handshake", "localhost")
        with Server("--tls-certificate", certificate, "--tls-key", key, tls=ssl._create_unverified_context()) as server:
            before, most = server.resident(), 0
            connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(400)]
            for connection in connections:
                connection.setblocking(False)
            for _ in range(20):
                for connection in connections:
                    try:
                        connection.send(hello + bytes(1 << 18))
                    except OSError:
                        pass
                most = max(most, server.resident() - before)
            for connection in connections:
                connection.close()
            print(f"long handshakes: {most} MiB more", flush=True)
            account.expect("MiB more during long handshakes", most, lambda seen: seen < 120)
            account.expect("alive after long handshakes", server.lives(), True)


def reset_after_end(server):
    """Resets connections that closed their sending half behind an unfinished request. The server must forget them."""
    data = request("GET", "/health/live") + request("POST", "/verifyReceipt", b"x", [("Expect", "100-continue")])[:-1]
    for _ in range(3000):
        with Connection(server) as connection:
            connection.send(data)
            connection.end()
            connection.receive()
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    server.wait_until(lambda: "\nappreceipt_connections 1\n" in server.ask("GET", "/metrics").body.decode())
    metrics = server.ask("GET", "/metrics").body.decode()
    account.expect("no working connection after resets", "\nappreceipt_connections_working 0\n" in metrics, True)


def slow(server):
    """Sends single bytes on more connections than the server's limit. The server must answer or refuse other clients, and end all
    slow connections."""
    found = {}

    def run(why, prefix, data, pause):
        with Connection(server) as connection:
            connection.send(prefix)
            found[why] = drip(connection, data, pause)

    rows = [(f"dripping headers {number}", b"", HEAD[:-2] + b"X: " + b"a" * 1000, 0.2) for number in range(8)]
    rows += [(f"dripping names {number}", HEAD[:-2], b"X: a\r\n" * 1000, 0.2) for number in range(8)]
    bodies = [(f"dripping body {number}", b"POST /verifyReceipt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n",
               b" " * 9999, 0.2) for number in range(40)]
    threads = [threading.Thread(target=run, args=row) for row in rows + bodies]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    answered = {server.ask("POST", "/verifyReceipt", BODY).status for _ in range(20)}
    account.expect("other clients, while slow bodies arrive", answered, lambda seen: seen <= {200, 503})
    account.expect("health, while slow bodies arrive", server.ask("GET", "/health/ready").status, 200)
    for thread in threads:
        thread.join()
    account.expect("other clients, after the slow connections", {server.ask("POST", "/verifyReceipt", BODY).status for _ in range(20)}, {200})
    for why, *_ in rows:
        ends(why, found[why])
    # Single bytes reset the idle timeout, but must not keep a place forever.
    ends("slow bodies end", found["dripping body 0"])


def cut(server):
    """Ends connections in every way, at every point of a request."""
    request_ = HEAD + BODY
    reset = struct.pack("ii", 1, 0)
    for why, data in [("nothing", b""), ("half a line", HEAD[:9]), ("half the headers", HEAD[:50]), ("the headers", HEAD),
                      ("half a body", HEAD + BODY[:500]), ("a request", request_), ("a batch line", BATCH + chunk(LINE))]:
        for end in ("closed", "reset"):
            for _ in range(20):
                with Connection(server) as connection:
                    connection.send(data)
                    if end == "reset":
                        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
        account.expect(f"alive after ends following {why}", server.lives(), True)
    # Rows: the title, the bytes before the client closes its half, and the allowed statuses; None means no answer.
    for why, data, wanted in [("a request", request_, {200}), ("nothing", b"", {None}), ("half a line", HEAD[:9], {None, 400}),
                              ("half a body", HEAD + BODY[:500], {None, 400}),
                              ("half a chunk", BATCH.replace(b"/v1/batch", b"/v1/verify") + b"ff\r\nabc", {None, 400}),
                              ("a batch, whole", BATCH + chunk(LINE) + chunk(b""), {200})]:
        with Connection(server) as connection:
            connection.send(data)
            connection.end()
            response = connection.response()
            account.expect(f"half-closed after {why}", response and response.status, lambda seen: seen in wanted)
            if response and wanted == {200}:
                account.expect(f"half-closed after {why}: the whole answer", response.body.strip()[-1:], b"}")
            if response and why in ("half a body", "half a chunk"):
                account.expect(f"half-closed after {why}: the message", b"connection ended within the body" in response.body, True)
            ends(f"half-closed after {why}: the end", seconds_to_end(connection))
        account.expect(f"alive after half-closed {why}", server.lives(), True)


def long_fields():
    """Sends long fields. The server must refuse those that it reads as a whole, and never read a part of them."""
    with tempfile.NamedTemporaryFile() as tokens:
        tokens.write(b"0" * 3500 + b"\n")
        tokens.flush()
        valid, long = ("Authorization", "Bearer " + "0" * 3500), ("Authorization", "Bearer " + "1" * 4200)
        with Server(*ROOT, "--tokens", tokens.name) as server:
            # Rows: the title, the target, the fields, and the status.
            for why, target, headers, status in [
                ("the longest token", "/v1/verify", [valid, ("X-Request-Id", "a" * 64), ("Content-Type", "application/json")], 200),
                ("two blanks before a token", "/v1/verify", [("Authorization", "Bearer  " + "0" * 3500)], 200),
                ("a longer field", "/v1/verify", [long], 431),
                ("a valid token and a longer field", "/v1/verify", [valid, long], 431),
                ("a field that the server does not read", "/v1/verify", [valid, ("Cookie", "a" * 15_000)], 200),
                ("many fields that the server reads", "/v1/verify", [("Content-Type", "a" * 28)] * 97, 431),
                ("a long content type", "/v1/verify", [("Content-Type", "application/json; a=" + "b" * 300)], 401),
                ("the longest target", "/v1/verify?" + "a" * (8192 - 11), [], 401),
                ("a longer target", "/v1/verify?" + "a" * (8193 - 11), [], 431),
            ]:
                account.expect(why, server.ask("POST", target, b"{}", headers).status, status)
        with Server(*ROOT) as server:
            for path in ("/health/live", "/"):
                account.expect(f"a longer field for {path} without --tokens", server.ask("GET", path, headers=[long]).status, 200)


def combining_marks():
    """Sends header fields of combining marks, which are slow to compare as text. They must cost as little as letters."""
    with tempfile.NamedTemporaryFile() as tokens:
        tokens.write(b"0123456789abcdef\n")
        tokens.flush()
        for name, value, options in [("Connection", "c", []), ("Authorization", "b", ["--tokens", tokens.name])]:
            seconds = []
            with Server(*ROOT, *options) as server:
                for mark in ("a", "\u0301\u0316"):
                    data = request("POST", "/v1/verify", b"{}", [(name, value + mark * (16_000 // len(mark.encode())) + " x")])
                    before = processor_seconds(server)
                    for _ in range(40):
                        with Connection(server) as connection:
                            connection.send(data)
                            connection.head()
                    seconds.append(processor_seconds(server) - before)
            account.expect(f"processor seconds of 40 {name} fields of letters, and of combining marks", seconds,
                           lambda seen: seen[1] < 4 * seen[0] + 0.3)
            print(f"40 {name} fields: {seconds[0]:.2f} s of letters, {seconds[1]:.2f} s of combining marks")


def empty_lines():
    """Sends empty lines before a head. They must cost as little as a long field."""
    seconds = []
    with Server(*ROOT) as server:
        for data in (request("GET", "/health/live", headers=[("X", "a" * 15_800)]), b"\r\n" * 7900 + request("GET", "/health/live")):
            before = processor_seconds(server)
            for _ in range(160):
                with Connection(server) as connection:
                    connection.send(data)
                    connection.head()
            seconds.append(processor_seconds(server) - before)
    account.expect("processor seconds of 160 long fields, and of empty lines", seconds, lambda seen: seen[1] < 3 * seen[0] + 0.3)
    print(f"160 heads: {seconds[0]:.2f} s with a long field, {seconds[1]:.2f} s after empty lines")


def idle_after_long_heads(count):
    """Keeps connections open after two long heads each. The server must not keep what it does not need of them."""
    fields = [(f"X-Field-{number:02}", "b" * 290) for number in range(95)]
    data = request("GET", "/health/live?" + "q" * 1000, headers=fields)
    with Server(*ROOT, "--idle-timeout", 300) as server:
        before, connections = server.resident(), []
        for _ in range(count):
            connection = Connection(server)
            connections.append(connection)
            for _ in range(2):
                connection.send(data)
                account.expect("a long head", connection.response("GET").status, 200)
        size = (server.resident() - before) * 1024 / count
        account.expect("KiB of a connection that is idle after long heads", size, lambda seen: seen < 60)
        print(f"idle after long heads: {size:.0f} KiB each")
        for each in connections:
            each.socket.close()


def idle(count):
    """Keeps `count` connections open, half of them after an answer. The server must use less than 200 MiB."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = min(count, most - 500)
    with Server(*ROOT, "--header-timeout", 300, "--idle-timeout", 300, "--max-connections", count + 100) as server:
        connections = []
        for number in range(count):
            connection = Connection(server)
            connections.append(connection)
            if number % 2:
                connection.send(request("GET", "/health/live"))
        answered = sum(each.response("GET").status == 200 for each in connections[1::2])
        account.expect("answered idle connections", answered, count // 2)
        account.expect(f"MiB with {count} idle connections", server.resident(), lambda seen: seen < 200)
        print(f"{count} idle connections: {server.resident():.0f} MiB resident")
        account.expect("another client is answered meanwhile", server.ask("POST", "/verifyReceipt", BODY).status, 200)
        for each in connections[::100]:
            each.send(HEAD + BODY)
        account.expect("idle connections are answered again", [each.response().status for each in connections[::100]],
                       [200] * len(connections[::100]))
        account.expect("SIGTERM ends with idle connections", server.stop(), 0)
        for each in connections:
            each.socket.close()


def beyond(server, limit):
    """Opens more connections than --max-connections. The server must answer health checks and metrics, and refuse the rest."""
    held = [Connection(server) for _ in range(limit)]
    for each in held:
        each.send(request("GET", "/health/live"))
    account.expect("connections up to the limit", [each.response("GET").status for each in held], [200] * limit)
    silent = [Connection(server) for _ in range(100)]
    for path in ("/health/live", "/health/ready", "/metrics"):
        more = Connection(server)
        more.send(request("GET", path) * 2)
        response = more.response("GET")
        account.expect(f"{path} beyond the limit", response and response.status, 200)
        ends(f"{path} beyond the limit: one answer and the end", seconds_to_end(more))
    response = server.ask("POST", "/verifyReceipt", BODY, [("X-Request-Id", "mine")])
    account.expect("a receipt beyond the limit", (response.status, response.headers["x-request-id"]), (503, "mine"))
    account.expect("Retry-After beyond the limit", response.headers.get("retry-after"), "1")
    open_ = int(re.search(r"^appreceipt_connections (\d+)", server.ask("GET", "/metrics").body.decode(), re.M)[1])
    account.expect("open connections", open_, lambda seen: seen <= limit + 16)
    for each in (*silent, *held):
        each.socket.close()
    server.wait_until(lambda: server.ask("POST", "/verifyReceipt", BODY).status == 200)


def beyond_the_files():
    """Opens connections beyond --max-connections faster than the server closes them. The files that it reserves must be enough."""
    with Server(*ROOT, "--max-connections", 300, soft_files=256) as server:
        held = [Connection(server) for _ in range(300)]
        for _ in range(10):
            held += [Connection(server) for _ in range(100)]
        server.wait_until(lambda: server.ask("GET", "/health/live").status == 200)
        account.expect("log lines about files", server.log().count("accepting no connections"), 0)
        for each in held:
            each.socket.close()


def beyond_over_tls():
    """Opens TLS connections beyond --max-connections. The server must not wait until the clients confirm the end."""
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("beyond", "localhost")
        with Server(*ROOT, "--max-connections", 20, "--tls-certificate", certificate, "--tls-key", key,
                    tls=ssl._create_unverified_context()) as server:
            files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            held = [Connection(server) for _ in range(100)]
            server.wait_until(lambda: server.ask("GET", "/health/live").status == 200)
            account.expect("connections beyond the limit, with TLS", len(os.listdir(f"/proc/{server.process.pid}/fd")) - files,
                           lambda seen: seen <= 20 + 16 + 1)
            for each in held:
                each.socket.close()


def batches_beside_requests():
    """Streams many batches of long lines. A larger receipt must be answered without waiting for them."""
    line = json.dumps({"receipt": '{"signedTransactions":[%s]}' % ",".join([json.dumps(JWS)] * (1_000_000 // len(JWS)))}).encode() + b"\n"
    large = json.dumps({"receipt-data": text("receipts/two-hundred-purchases.der")}).encode()
    with Server(*ROOT) as server:
        stopping = threading.Event()

        def stream():
            while not stopping.is_set():
                with Connection(server) as connection:
                    connection.send(BATCH)
                    reader = threading.Thread(target=lambda: drained(connection), daemon=True)
                    reader.start()
                    while not stopping.is_set() and connection.send(chunk(line)):
                        pass

        streams = [threading.Thread(target=stream, daemon=True) for _ in range(100)]
        for each in streams:
            each.start()
        time.sleep(2)
        statuses = [server.ask("POST", "/verifyReceipt", large).status for _ in range(6)]
        stopping.set()
        for each in streams:
            each.join()
        account.expect("large receipts beside 100 batches", statuses, [200] * 6)


def drained(connection):
    """Reads until the connection ends or is closed."""
    try:
        while connection.socket.recv(1 << 16):
            pass
    except OSError:
        pass


def processor_seconds(server):
    fields = open(f"/proc/{server.process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descriptors():
    """Uses up the file descriptors. The server must log that once, wait, and serve again after some are free."""
    with Server(*ROOT, files=256) as server:
        lowered = re.findall(r"--max-connections: (\d+) instead of 16384", server.log())
        account.expect("fewer connections than the setting", lowered, lambda seen: len(seen) == 1 and 0 < int(seen[0]) < 256)
    with Server(*ROOT, "--max-connections", 100) as server:
        # This lowers the limit that the server checked at its start.
        files = len(os.listdir(f"/proc/{server.process.pid}/fd")) + 20
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (files, files))
        held = [Connection(server) for _ in range(60)]
        time.sleep(0.5)
        before = processor_seconds(server)
        time.sleep(2)
        account.expect("processor seconds in two without descriptors", processor_seconds(server) - before, lambda seen: seen < 0.5)
        account.expect("log lines about it", server.log().count("accepting no connections"), 1)
        for each in held:
            each.socket.close()
        account.expect("after they closed", server.ask("POST", "/verifyReceipt", BODY).status, 200)


def memory(server, work):
    """Returns the peak of the server's additional memory during `work`, and the sent bytes, both in MiB."""
    before, peak, sent = server.resident(), 0, 0
    for sent in work:
        peak = max(peak, server.resident() - before)
    return peak, sent / (1 << 20)


def unread(server, head, piece, most=256 << 20, seconds=6):
    """Sends for some seconds without reading, and yields the number of bytes sent so far."""
    with Connection(server, receiving=4096) as connection:
        connection.send(head)
        connection.socket.setblocking(False)
        sent, pending, end = 0, b"", time.monotonic() + seconds
        while sent < most and time.monotonic() < end:
            pending = pending or piece
            try:
                count = connection.socket.send(pending)
                sent, pending = sent + count, pending[count:]
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:
                break
            yield sent


def flat(server):
    """Tests memory with clients that read no answers. Rows: the title, the allowed MiB, the head, and the repeated data."""
    rows = [
        ("a batch with unread answers", 64, BATCH, chunk(LINE)),
        ("a batch of short lines with unread answers", 64, BATCH, chunk(b"{}\n" * 10_000)),
        ("requests with unread answers", 64, b"", request("GET", "/page.js") * 100),
        ("receipts with unread answers", 64, b"", (HEAD + BODY) * 10),
    ]
    for why, most, head, piece in rows:
        more, sent = memory(server, unread(server, head, piece))
        account.expect(f"additional MiB for {why}, after sending {sent:.0f} MiB", more, lambda seen: seen < most)
        account.expect(f"alive after {why}", server.lives(), True)


def unread_without_place():
    """Sends requests that need no place, and reads no answers. Each connection may hold one answer, not many."""
    count = 100
    for why, data in [("metrics", request("GET", "/metrics")), ("health", request("GET", "/health/live"))]:
        with Server(*ROOT) as server:
            before, connections = server.resident(), [Connection(server, receiving=2048) for _ in range(count)]
            for each in connections:
                each.socket.setblocking(False)
                try:
                    each.socket.send(data * 20_000)
                except BlockingIOError:
                    pass
            # The server is idle after the system's buffers are full.
            used, wanted = -1, time.monotonic() + PATIENCE
            while processor_seconds(server) - used > 0.05 and time.monotonic() < wanted:
                used = processor_seconds(server)
                time.sleep(1)
            more = (server.resident() - before) * 1024 / count
            print(f"unread {why}: {more:.0f} KiB for each connection")
            account.expect(f"KiB for each connection with unread {why}", more, lambda seen: seen < 100)
            for each in connections:
                each.socket.close()
            account.expect(f"alive after unread {why}", server.lives(), True)


class Local:
    """A server on a Unix socket, whose buffers are short, and connections with different amounts of unread answers.

    Some of these amounts are a little more than the system's buffers, so the end of the answer waits in the server.
    """

    # A line's answer has about 940 bytes.
    LINE = json.dumps({"id": "i" * 900, "receipt": None}).encode() + b"\n"
    COUNTS = range(160, 400, 8)

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "socket")
        self.output = open(os.path.join(self.folder.name, "log"), "w+b")
        self.process = serve("--unix-socket", self.path, *ROOT, "--access-log", *options, stdout=self.output, stderr=self.output)
        ended = time.monotonic() + PATIENCE
        while b"listening" not in self.log() and time.monotonic() < ended:
            time.sleep(0.05)

    def log(self):
        return open(self.output.name, "rb").read()

    def connections(self, head):
        connections = []
        for _ in self.COUNTS:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE)
            connection.connect(self.path)
            connection.sendall(head)
            connections.append(connection)
        return connections

    def send(self, connections):
        for connection, count in zip(connections, self.COUNTS):
            connection.sendall(chunk(self.LINE * count) + chunk(b""))

    def whole(self, connections):
        """Reads all answers, and returns for each whether it has all lines."""
        found = []
        for connection, count in zip(connections, self.COUNTS):
            data = b""
            try:
                while not data.endswith(b"0\r\n\r\n") and (piece := connection.recv(1 << 16)):
                    data += piece
            except ConnectionResetError:
                pass
            found.append(data.endswith(b"0\r\n\r\n") and data.count(b'"status"') == count)
            connection.close()
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()
        self.folder.cleanup()


def ends_of_answers():
    """Tests answers whose ends wait in the server. A client may pause before it reads them, but the log must report it if it does
    not read them."""
    with Local("--idle-timeout", 8, "--header-timeout", 2) as server:
        connections = server.connections(BATCH)
        # A request that takes longer than the idle timeout.
        for _ in range(18):
            for each in connections:
                each.sendall(chunk(b" " * 6000 + b"\n"))
            time.sleep(0.5)
        server.send(connections)
        time.sleep(2)
        account.expect("whole answers after a long request and a pause", server.whole(connections), [True] * len(connections))
    with Local() as server:
        connections = server.connections(BATCH)
        server.send(connections)
        time.sleep(1)
        server.process.terminate()
        # Longer than the time in which idle connections stay open after SIGTERM.
        time.sleep(4)
        account.expect("whole answers after SIGTERM and a pause", server.whole(connections), [True] * len(connections))
        account.expect("SIGTERM, then the answers", server.process.wait(PATIENCE), 0)
    with Local() as server:
        connections = server.connections(BATCH)
        server.send(connections)
        time.sleep(1)
        most = max(struct.unpack("i", fcntl.ioctl(each, termios.FIONREAD, bytes(4)))[0] for each in connections)
        for each in connections:
            each.close()
        ended = time.monotonic() + PATIENCE
        while server.log().count(b" request ") < len(connections) and time.monotonic() < ended:
            time.sleep(0.05)
        log = server.log()
        account.expect("requests in the log", log.count(b" status=200") + log.count(b" status=499"), len(connections))
        # The system's buffers took answers up to some length.
        sizes = [int(size) for size in re.findall(rb"bytes_out=(\d+) .* status=200", log)]
        account.expect("bytes of the longest answer in the log as sent", max(sizes, default=0), lambda seen: 0 < seen <= most)
        account.expect("answers in the log as not sent", b" status=499" in log, True)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(server.path)
            connection.sendall(request("GET", "/metrics", headers=[("Connection", "close")]))
            text_ = b"".join(iter(lambda: connection.recv(1 << 16), b"")).decode()
        counted = re.findall(r'requests_total\{route="/v1/batch",status="499"\} (\d+)', text_)
        account.expect("unsent answers in the metrics", counted, [str(log.count(b" status=499"))])


def answered_once():
    """Tests that each request has one answer and one count, also if it finds no place or ends badly."""
    def counts(server):
        found = re.findall(r'requests_total\{route="([^"]*)",status="(\d+)"\} (\d+)', server.ask("GET", "/metrics").body.decode())
        return {(route, int(status)): int(count) for route, status, count in found if route != "/metrics"}

    with Server(*ROOT, "--max-concurrent", 1, "--header-timeout", 2) as server:
        with Connection(server) as connection:
            connection.send(HEAD + BODY[:10])
            account.expect("a slow body", connection.response().status, 408)
            ends("the end after it", seconds_to_end(connection))
        server.wait_until(lambda: counts(server) == {("/verifyReceipt", 408): 1})
        with Connection(server) as holder:
            holder.send(BATCH + chunk(LINE))
            holder.head()
            with Connection(server) as connection:
                connection.send(HEAD.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
                response = connection.response()
                account.expect("100-continue without a place", (response.status, response.headers.get("connection")), (503, "close"))
                ends("100-continue without a place: the end", seconds_to_end(connection))
            with Connection(server) as connection:
                connection.send(BATCH.replace(b"/v1/batch", b"/v1/verify"))
                account.expect("chunks without a place", connection.response().status, 503)
                connection.send(b"no chunk\r\n")
                ends("a bad chunk after the answer: the end", seconds_to_end(connection))
                account.expect("a bad chunk after the answer: no second one", connection.buffer, b"")
            # The second request needs a place. It gets no answer, but a count.
            with Connection(server) as connection:
                connection.send(request("GET", "/health/live") + request("GET", "/page.js"))
                account.expect("a request sent ahead of one without a place", connection.response("GET").status, 200)
                connection.response("GET")
        wanted = {("/verifyReceipt", 408): 1, ("/verifyReceipt", 503): 1, ("/v1/verify", 503): 1, ("/health/live", 200): 1}
        server.wait_until(lambda: sum(counts(server).values()) >= 6)
        seen = counts(server)
        account.expect("counted answers", {key: seen.get(key) for key in wanted}, wanted)
        account.expect("the request without a place is counted", sum(count for (route, _), count in seen.items() if route == "/page.js"), 1)


def extension(server):
    """Sends one long extension of a chunk. It must not use up the memory for the heads of others."""
    with Connection(server) as connection, Connection(server) as other:
        connection.send(BATCH.replace(b"/v1/batch", b"/v1/verify") + b"5;")
        for _ in range(64):
            connection.send(b"a" * (1 << 20))
        time.sleep(1)
        other.send(request("GET", "/health/live", headers=[("X", "x" * 9000)])[:-10])
        time.sleep(0.3)
        other.send(request("GET", "/health/live", headers=[("X", "x" * 9000)])[-10:])
        account.expect("a head in two pieces beside a long extension", other.response("GET").status, 200)


def endless(server):
    """Sends a line of 192 MiB. The server must refuse it without storing it, and answer the next line."""
    with Connection(server) as connection:
        connection.send(BATCH)
        piece, before, peak = chunk(b"x" * (1 << 20)), server.resident(), 0
        for _ in range(192):
            if not connection.send(piece):
                break
            peak = max(peak, server.resident() - before)
        account.expect("additional MiB for an endless line", peak, lambda seen: seen < 96)
        if connection.send(chunk(b"\n" + LINE) + chunk(b"")):
            response = connection.response()
            answers = [json.loads(line)["status"] for line in response.body.splitlines()]
            account.expect("a line above the limit, and the next line", (response.status, answers), (200, ["refused", "genuine"]))
    account.expect("alive after an endless line", server.lives(), True)


# A request that fails before its body ends.
FAILS = b"POST /none HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"")


def ahead():
    """Sends requests ahead, and incomplete ones. The server must answer each once and free all places."""
    with Server(*ROOT, "--max-concurrent", 4) as server:
        # The first request gets an error that ends its connection. The second is pending with an incomplete body, and must get an
        # answer, too.
        connections = [Connection(server) for _ in range(4)]
        for connection in connections:
            connection.send(FAILS + HEAD + BODY[:10])
        time.sleep(0.3)
        for connection in connections:
            connection.send(BODY[10:])
            account.expect("a request after one that ends its connection",
                           [connection.response().status, connection.response().json["status"]], [404, 0])
        account.expect("places are free again", server.ask("POST", "/verifyReceipt", BODY).status, 200)
    with Server(*ROOT, "--header-timeout", HEADER, "--idle-timeout", IDLE) as server:
        # The server sends 404 before the body, which never arrives. There must be no second answer.
        connection = Connection(server)
        connection.send(request("POST", "/none", b"1234567890")[:-7])
        account.expect("a missing body has one answer", connection.response().status, 404)
        account.expect("the connection ends without a second answer", (seconds_to_end(connection) is not None, connection.buffer), (True, b""))
    with Server(*ROOT, "--max-concurrent", 1) as server:
        holder = Connection(server)
        holder.send(BATCH + chunk(LINE))
        holder.head()
        # Rows: the title, and the request that finds no free place.
        for why, data in [
            ("POST", request("POST", "/verifyReceipt", BODY)),
            # The guard and the dispatcher must derive the same route from a target.
            ("an address without a host", request("POST", "http:///verifyReceipt?/health/live", BODY)),
        ]:
            connection = Connection(server)
            connection.send(data)
            response = connection.response()
            account.expect(f"no place for {why}", response and response.status, 503, 404, 400)
        # An error for HEAD must not have a body, because the client would read it as the next answer.
        connection = Connection(server)
        connection.send(request("HEAD", "/openapi.yaml") + request("GET", "/health/live"))
        account.expect("no place for HEAD", [connection.response("HEAD").status, connection.response().status], [503, 200])


def turns():
    """Sends requests ahead without end on sixteen connections. Health checks must get their turn after few other answers.

    Rows: the title, the options, the request, and the maximum number of its answers between two health checks.
    """
    chunked = [("Transfer-Encoding", "chunked")]
    rows = [
        ("unknown paths", [], request("GET", "/nothing"), 1000),
        ("requests without a place", ["--max-concurrent", 1], request("GET", "/nothing"), 1000),
        ("requests in chunks", [], request("GET", "/health/live", chunk(b"a") + chunk(b""), chunked), 1000),
        # Each of the sixteen connections has less than one answer between two health checks.
        ("bodies of one-byte chunks", [], request("POST", "/v1/verify", chunk(b"a") * 2600 + chunk(b""), chunked), 8),
    ]
    for why, options, data, most in rows:
        with Server(*ROOT, *options) as server, Connection(server) as health, Connection(server) as holder:
            holder.send(BATCH + chunk(LINE))
            holder.head()
            with Connection(server) as connection:
                connection.send(data)
                size = len(connection.receive())
            end, counts = threading.Event(), [0]

            def run():
                for counts[0] in flood(server, data * (16_000 // len(data) or 1), 16, end):
                    pass

            thread = threading.Thread(target=run)
            thread.start()
            server.wait_until(lambda: counts[0] > 2 * most * size)
            before, checks, start = counts[0], 0, time.monotonic()
            while time.monotonic() < start + 2:
                health.send(request("GET", "/health/live"))
                health.response("GET")
                checks += 1
            answers = (counts[0] - before) / size / checks
            end.set()
            thread.join()
            account.expect(f"answers to {why} between health checks", answers, lambda seen: seen < most)
            print(f"{why}, sent ahead: {answers:.0f} answers between health checks")


def held():
    """Reads no answers for longer than --header-timeout while requests wait behind them. The timeout of their heads begins with their
    turn.
    """
    count, requests = 300, 20
    with Server(*ROOT, "--header-timeout", 1) as server:
        connections = [Connection(server, receiving=2048, segment=1448) for _ in range(count)]
        for connection in connections:
            connection.send(request("GET", "/page.js") * requests)
        time.sleep(2.5)
        for connection in connections:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            connection.socket.setblocking(False)
        ended = time.monotonic() + PATIENCE
        waiting = {connection.socket: connection for connection in connections}
        while waiting and time.monotonic() < ended:
            for each in select.select(list(waiting), [], [], 1)[0]:
                connection = waiting[each]
                if not connection.receive() or connection.buffer.count(b"HTTP/1.1 ") >= requests:
                    del waiting[each]
        answered = sum(connection.buffer.count(b"HTTP/1.1 200") == requests for connection in connections)
        account.expect(f"connections of {count} with all answers after a pause", answered, count)
        for connection in connections:
            connection.socket.close()


def large_bodies():
    """Sends large bodies of many sizes on twenty connections. The server must return their memory to the system."""
    sizes = random.Random(7)
    bodies = [b'{"signedTransactions":["%s"]}' % (b"x" * sizes.randrange(100_000, 4_000_000)) for _ in range(50)]

    def send(server):
        for body in bodies[:20]:
            server.ask("POST", "/v1/verify", body, [("Content-Type", "application/json")])

    with Server(*ROOT) as server:
        before = server.resident()
        threads = [threading.Thread(target=send, args=(server,)) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        account.expect("MiB more after large bodies", server.resident() - before, lambda seen: seen < 25)
        print(f"after large bodies: {server.resident() - before:.0f} MiB more")


def accepted():
    """Opens many connections at once beside sixteen busy ones. The server must accept them after few answers to the others."""
    count, data = 800, request("GET", "/nothing")
    with Server(*ROOT) as server:
        with Connection(server) as connection:
            connection.send(data)
            size = len(connection.receive())
        end, counts = threading.Event(), [0]

        def run():
            for counts[0] in flood(server, data * 200, 16, end):
                pass

        thread = threading.Thread(target=run)
        thread.start()
        server.wait_until(lambda: counts[0] > 2000 * size)
        os.kill(server.process.pid, signal.SIGSTOP)
        connections = [Connection(server) for _ in range(count)]
        for connection in connections:
            connection.send(request("GET", "/health/live"))
        time.sleep(0.5)  # The other thread reads the answers before.
        before = counts[0]
        os.kill(server.process.pid, signal.SIGCONT)
        account.expect("the last of many connections", connections[-1].response("GET").status, 200)
        answers = (counts[0] - before) / size
        end.set()
        thread.join()
        for connection in connections:
            connection.socket.close()
        account.expect(f"answers to others before the last of {count} connections", answers, lambda seen: seen < 5000)
        print(f"{count} connections: {answers:.0f} answers to others before the last")


def closed_ahead(server):
    """Sends many requests at once and closes the sending half. The server must answer all of them."""
    with Connection(server) as connection:
        connection.send(request("GET", "/health/live") * 2000)
        connection.end()
        statuses = [(connection.response("GET") or Response(0, {})).status for _ in range(2000)]
        account.expect("answers after the sending half was closed", statuses.count(200), 2000)
        ends("the end after them", seconds_to_end(connection))


def ended_unread():
    """Sends requests with long answers, closes the sending half and reads nothing. Only as many as --max-concurrent may keep an answer
    in memory, and others must still find a place.
    """
    most, count = 8, 60
    body = json.dumps({"signedTransactions": [JWS] * 300}).encode()
    data = request("POST", "/v1/verify", body, [("Content-Type", "application/json")])
    with Server(*ROOT, "--max-concurrent", most) as server:
        connections = []
        for _ in range(count):
            connection = Connection(server, receiving=2048, segment=1448)
            connection.send(data)
            connection.end()
            connection.socket.recv(1)
            connections.append(connection)

        def counts():
            metrics = server.ask("GET", "/metrics").body.decode()
            refused = re.search(r'requests_total\{route="/v1/verify",status="503"\} (\d+)', metrics)
            return int(re.search(r"^appreceipt_connections_working (\d+)", metrics, re.M)[1]), int(refused[1]) if refused else 0

        server.wait_until(lambda: sum(counts()) == count)
        account.expect("half-closed connections with an unread answer", counts()[0], lambda seen: most <= seen < 2 * most)
        account.expect("another client beside them", server.ask("POST", "/verifyReceipt", BODY).status, 200)
        for connection in connections:
            connection.socket.close()
        server.wait_until(lambda: counts()[0] == 0)


def ended_over_tls():
    """Ends connections without close_notify after the request. Each must return its place after the answer."""
    context, count = ssl._create_unverified_context(), 10
    data = request("POST", "/v1/verify", LINE, [("Content-Type", "application/json")])
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(pathlib.Path(folder)).issue("ended", "localhost")
        with Server(*ROOT, "--max-concurrent", 2, "--tls-certificate", certificate, "--tls-key", key, tls=context) as server:
            connections = [Connection(server) for _ in range(count)]
            statuses = []
            for connection in connections:
                connection.send(data)
                socket.socket.shutdown(connection.socket, socket.SHUT_WR)
                statuses.append(connection.response().status)
            account.expect("TLS connections that end without close_notify", statuses, [200] * count)


def ended_ahead(server):
    """Sends more input after a request that ends the connection. The answers before the end must arrive, so no reset may follow."""
    # Rows: the title, the request that ends the connection, and its possible statuses. An error has no answer of its own while
    # answers are pending.
    close = [("Connection", "close")]
    rows = [
        ("Connection: close", request("GET", "/health/live", headers=close), {200}),
        ("HTTP/1.0", b"GET /health/live HTTP/1.0\r\n\r\n", {200}),
        ("no HTTP", b"\r\n?\r\n", {400, None}),
        ("a head without Host", b"GET /health/live HTTP/1.1\r\n\r\n", {400, None}),
        ("a bad chunk", BATCH.replace(b"/v1/batch", b"/v1/verify") + b"?\r\n", {400, None}),
        ("a body that is not read", request("POST", "/none", b"x" * 400_000, close), {404, None}),
    ]
    for why, last, allowed in rows:
        # The answers exceed the buffers of the system, so that many are pending when the end arrives.
        for path, count in (("/health/live", 201), ("/health/live", 203), ("/openapi.yaml", 41)):
            whole = 0
            for _ in range(5):
                with Connection(server) as connection:
                    connection.send(request("GET", path) * count + last)
                    rest = threading.Thread(target=connection.send, args=(b"x" * 8_000_000,))
                    rest.start()
                    time.sleep(0.2)
                    statuses = [getattr(connection.response("GET"), "status", None) for _ in range(count + 1)]
                    whole += statuses[:-1] == [200] * count and statuses[-1] in allowed
                    rest.join()
            account.expect(f"connections of 5 with {count} answers of {path} and input after {why}", whole, 5)
    with Connection(server) as connection:
        connection.send(request("GET", "/health/live", headers=close))
        connection.response("GET")
        # The server answers data on a closed connection with a reset.
        server.wait_until(lambda: not connection.send(b"x"))


def kept():
    """Sends thousands of long incomplete heads, then of trailers. The server must end those that exceed its memory limit."""
    fields = [("X", "a" * 15_500), ("Y", "b" * 15_000)]
    head = request("GET", "/health/live", headers=fields)[:-2]
    trailer = "".join(f"{name}: {value}\r\n" for name, value in fields).encode()
    chunked = request("GET", "/health/live", headers=[("Transfer-Encoding", "chunked")]) + b"0\r\n" + trailer
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for what, text in (("heads", head), ("trailers", chunked)):
        with Server(*ROOT, "--header-timeout", 300, "--idle-timeout", 300) as server:
            connections = [Connection(server) for _ in range(3000)]
            for each in connections:
                each.send(text)

            def ended():
                return 3000 - int(re.search(r"^appreceipt_connections (\d+)", server.ask("GET", "/metrics").body.decode(), re.M)[1])

            # About 2,480 of them fit into 64 MiB, without the first 4 KiB of each.
            server.wait_until(lambda: ended() > 400)
            account.expect(f"ended connections with {what}, of 3000", ended(), lambda seen: seen < 1000)
            account.expect(f"health while long {what} wait", server.ask("GET", "/health/live").status, 200)
            connections[0].send(b"\r\n")
            account.expect(f"the first of the {what}", connections[0].response("GET").status, 200)
            for each in connections:
                each.socket.close()

            def is_answered():
                with Connection(server) as connection:
                    connection.send(text)
                    time.sleep(0.1)
                    connection.send(b"\r\n")
                    return getattr(connection.response("GET"), "status", None) == 200

            server.wait_until(is_answered)
            account.expect(f"alive after long {what}", server.lives(), True)


def long_lines():
    """Sends batches with lines above 64 KiB. Such a line must arrive at the rate of other bodies, but no faster, and time in which the
    client does not read the answers before it does not count.
    """
    line = json.dumps({"id": "a", "receipt": "A" * 100_000}).encode() + b"\n"
    small = json.dumps({"id": "i" * 900, "receipt": None}).encode() + b"\n"
    with Server(*ROOT, "--header-timeout", 2) as server:
        with Connection(server, receiving=2048, segment=1448) as connection:
            data = BATCH + chunk((small * 8 + line) * 100) + chunk(b"")
            sender = threading.Thread(target=connection.send, args=(data,))
            sender.start()
            time.sleep(6)
            account.expect("lines after a pause", len(connection.response().body.splitlines()), 900)
            sender.join()
        with Connection(server) as connection:
            connection.send(BATCH)
            for start in range(0, len(line), 5000):
                connection.send(chunk(line[start:start + 5000]))
                time.sleep(0.4)
            connection.send(chunk(b""))
            account.expect("a long line at 12 KB/s", len(connection.response().body.splitlines()), 1)
        with Connection(server) as connection:
            connection.send(BATCH + chunk(line[:90_000]))
            connection.head()
            seconds = drip(connection, chunk(b"A") * 1000, 0.2)
            account.expect("seconds of a long line at 1 B/s", seconds, lambda seen: seen is not None and seen < 20)


def blank(server):
    """Tests that lines after blank ones are numbered and answered."""
    connection = Connection(server)
    lines = [b" " * 300_000, b"\n" + b'{"id":1,"receipt":""}\n{"id":2,"receipt":""}\n', b'{"receipt":""}\n']
    connection.send(BATCH)
    for data in lines:
        connection.send(chunk(data))
        time.sleep(0.2)
    connection.send(chunk(b""))
    account.expect("lines after blank lines", [json.loads(line)["id"] for line in connection.response().body.splitlines()], [1, 2, 4])


def answered_early(server):
    """Sends more after an early answer, which some clients read only after a whole upload: for six seconds, with pauses, and forever."""
    def upload(seconds, pause):
        """Returns the seconds of the upload, the longest between two of its parts, and the status."""
        with Connection(server) as connection:
            connection.send(request("POST", "/verifyReceipt", headers=[("Content-Length", 20 << 20)]))
            start = last = time.monotonic()
            longest = 0
            while time.monotonic() < start + seconds and connection.send(bytes(1000)):
                time.sleep(pause)
                longest, last = max(longest, time.monotonic() - last), time.monotonic()
            return time.monotonic() - start, longest, getattr(connection.response(), "status", None)

    def upload_without_pauses():
        """Repeats an upload if a busy machine paused it."""
        return next(found for found in iter(lambda: upload(6, 0.2), None) if found[1] < 1)

    # The parser refuses the body of this request as soon as it was answered.
    with Connection(server) as connection:
        connection.send(request("POST", "/v1/verify", headers=[("Transfer-Encoding", "identity")]))
        seen = [connection.send(bytes(1000)) and time.sleep(0.1) is None for _ in range(10)]
        account.expect("an upload after an unknown transfer coding", (all(seen), getattr(connection.response(), "status", None)), (True, 400))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        upload_of_six_seconds, upload_with_pauses, endless_upload = (
            pool.submit(upload_without_pauses), pool.submit(upload, 60, 5), pool.submit(upload, PATIENCE, 0.2))
        took, _, status = upload_of_six_seconds.result()
        account.expect("an upload of six seconds after an early answer", (took >= 6, status), (True, 413))
        account.expect("the end of an upload with pauses", upload_with_pauses.result()[0], lambda seen: seen < 25)
        account.expect("the end of an endless upload", endless_upload.result()[0], lambda seen: 20 < seen < PATIENCE)


def main():
    ahead()
    with Server(*ROOT, "--header-timeout", HEADER, "--idle-timeout", IDLE, "--max-concurrent", 16) as server:
        silent(server)
        slow(server)
        account.expect("alive after slow connections", server.lives(), True)
    with Server(*ROOT, "--max-connections", 20) as server:
        beyond(server, 20)
    beyond_over_tls()
    beyond_the_files()
    descriptors()
    batches_beside_requests()
    with Server(*ROOT) as server:
        cut(server)
        blank(server)
        closed_ahead(server)
        reset_after_end(server)
        ended_ahead(server)
        flat(server)
        endless(server)
        extension(server)
        answered_early(server)
        account.expect("SIGTERM", server.stop(), 0)
    ended_unread()
    ended_over_tls()
    long_lines()
    handshakes()
    handshake_turns()
    ends_of_handshakes()
    long_handshakes()
    combining_marks()
    empty_lines()
    long_fields()
    idle_after_long_heads(1000)
    unread_without_place()
    ends_of_answers()
    answered_once()
    turns()
    accepted()
    large_bodies()
    held()
    kept()
    idle(int(os.environ.get("IDLE_CONNECTIONS", "10000")))
    account.end()


main()
