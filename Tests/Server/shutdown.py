"""Tests SIGTERM under load, SIGHUP, and more requests than the limit on concurrent work. See `run`."""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import tempfile
import threading
import time

from authority import Authority
from serving import PATIENCE, ROOT, Account, Connection, Server, chunk, request, serve, text

account = Account("shutdown")
RECEIPT = text("receipts/refund.der")
EVIDENCE = text("eligibility/receipts/running-month.der")
BODY = json.dumps({"receipt-data": text("receipts/refund.der")}).encode()
LINE = json.dumps({"id": 1, "receipt": text("receipts/refund.der")}).encode() + b"\n"
BATCH = b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nX-Request-Id: %s\r\n\r\n"
THREADS = int(os.environ.get("LOAD_THREADS", 12))
NAMES = "t0ken-number-one", "t0ken-number-two", "t0ken-number-three"


class Load(threading.Thread):
    """A thread that sends requests continuously on a persistent connection until the server has stopped."""

    def __init__(self, server, number):
        super().__init__(daemon=True)
        self.server, self.number, self.answered, self.broken, self.asked = server, number, set(), [], 0

    def run(self):
        while True:
            try:
                connection = Connection(self.server)
            except OSError:  # The server no longer listens.
                return
            with connection:
                while True:
                    name = f"load-{self.number}-{self.asked}"
                    self.asked += 1
                    try:
                        connection.send(request("POST", "/verifyReceipt", BODY, [("X-Request-Id", name)]))
                        response = connection.response()
                    except (EOFError, OSError, ValueError) as error:
                        self.broken.append(f"{name}: {error!r}")
                        return
                    if response is None:  # The server did not accept the request, or its log will show that it did.
                        break
                    if response.status != 200 or response.json["status"] != 0 or response.headers["x-request-id"] != name:
                        self.broken.append(f"{name}: {response.status} {response.body[:80]}")
                    self.answered.add(name)
                    if response.headers.get("connection", "").lower() == "close":
                        break


class Knocking(threading.Thread):
    """A thread that opens connections until the server has stopped. Connections that the server never accepts must do no harm."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server

    def run(self):
        while True:
            try:
                with Connection(self.server) as connection:
                    connection.send(request("GET", "/health/live"))
                time.sleep(0.002)
            except OSError:
                return


class Held:
    """A batch in progress. The server has answered its first line, and the client has not sent its last one."""

    def __init__(self, server, name):
        self.connection = Connection(server)
        self.connection.send(BATCH % name.encode() + chunk(LINE))
        self.response = self.connection.head()
        self.chunks = self.connection.chunks() if self.response and self.response.status == 200 else None
        self.first = next(self.chunks) if self.chunks else None

    def finish(self):
        """Sends a last line and returns the statuses of all lines."""
        try:
            self.connection.send(chunk(LINE) + chunk(b""))
            lines = (self.first + b"".join(self.chunks)).splitlines()
            return [json.loads(line)["status"] for line in lines]
        except (EOFError, OSError, TypeError, ValueError) as error:
            return repr(error)


def terminate(signal_, held_for):
    """Stops a server with a signal under load from many threads, with incomplete batches and bodies."""
    # The timeouts allow for incomplete requests on a slow machine.
    patience = ("--header-timeout", 600, "--idle-timeout", 600, "--shutdown-timeout", 300)
    with Server(*ROOT, "--log-level", "debug", *patience) as server:
        knocking = [Knocking(server) for _ in range(2)]
        threads = [Load(server, number) for number in range(THREADS)]
        for each in (*threads, *knocking):
            each.start()
        batches = [Held(server, f"batch-{number}") for number in range(4)]
        bodies = [Connection(server) for _ in range(4)]
        for number, each in enumerate(bodies):
            each.send(request("POST", "/verifyReceipt", BODY,
                              [("Expect", "100-continue"), ("X-Request-Id", f"body-{number}")])[:-len(BODY)])
            account.expect("100 before a body", each.head().status, 100)
            each.send(BODY[:1000])
        probe, watcher = Connection(server), Connection(server)
        probe.send(BATCH % b"probe" + chunk(LINE))
        watcher.send(request("GET", "/health/ready"))
        account.expect("readiness before", watcher.response("GET").status, 200)
        server.wait_until(lambda: sum(len(each.answered) for each in threads) > 100)
        began = time.monotonic()
        server.signal(signal_)
        server.wait_for("stopping")
        time.sleep(0.1)
        # The server no longer accepts new connections, so this request uses an existing one.
        watcher.send(request("GET", "/health/ready"))
        ready = watcher.response("GET")
        account.expect("readiness after", ready and (ready.status, ready.headers.get("connection")), (503, "close"))
        time.sleep(held_for)
        account.expect(f"{signal_.name}: the server waits for running requests", server.process.poll(), None)
        with contextlib.suppress(OSError):
            seen = server.ask("GET", "/health/ready")
            account.expect("readiness on a new connection, if accepted", seen and seen.status, None, 503)
        # The connection has a batch in progress. The answer is 503, or the connection ends with the batch.
        probe.send(chunk(b"") + request("GET", "/health/ready"))
        try:
            first, second = probe.response(), probe.response("GET")
            account.expect("the probe's batch", (first.status, json.loads(first.body)["status"]), (200, "genuine"))
            account.expect("readiness after the batch", second and second.status, 503, None)
        except (EOFError, AttributeError) as error:
            account.expect("the probe's batch", repr(error), "an answer")
        for each in bodies:
            each.send(BODY[1000:])
            response = each.response()
            account.expect("an incomplete body", response and (response.status, response.json["status"]), (200, 0))
            account.expect("the connection closes", response and response.headers.get("connection"), "close")
        for each in batches:
            account.expect("an incomplete batch", each.finish(), ["genuine", "genuine"])
        status = server.process.wait(PATIENCE)
        seconds = time.monotonic() - began
        account.expect(f"exit status after {signal_.name}", status, 0)
        account.expect("ends before its timeout", seconds, lambda seen: seen < 300)
        for each in (*threads, *knocking):
            each.join(PATIENCE)
        answered = set().union(*(each.answered for each in threads))
        account.expect("answers that were cut off or wrong", [text for each in threads for text in each.broken], [])
        accepted = set(re.findall(r"\bload-\d+-\d+\b", server.log()))
        account.expect("the log names requests", len(accepted), lambda seen: seen > 100)
        account.expect("accepted requests without an answer", sorted(accepted - answered), [])
        account.expect(f"no crash after {signal_.name}", "*** Signal" in server.log() or "Fatal" in server.log(), False)
        print(f"{signal_.name} under load: {len(answered)} answers, of {len(accepted)} requests in the log")


def impatient():
    """Tests that requests without end and idle connections do not delay the end of the process."""
    with Server(*ROOT, "--shutdown-timeout", 2, "--header-timeout", 60) as server:
        held = Held(server, "never")
        began = time.monotonic()
        account.expect("exit status with a batch that never ends", server.stop(), 0)
        account.expect("ends at its timeout", time.monotonic() - began, lambda seen: 1 < seen < 20)
        account.expect("the batch's connection ends", held.connection.send(b"") and seen_end(held.connection), True)
    with Server(*ROOT) as server:
        connections = [Connection(server) for _ in range(50)]
        began = time.monotonic()
        account.expect("exit status with idle connections", server.stop(), 0)
        account.expect("idle connections do not delay the end", time.monotonic() - began, lambda seen: seen < 10)
        account.expect("the connections end", all(each.ended() for each in connections), True)


def seen_end(connection):
    while connection.receive():
        pass
    return True


def admitted(server, body, without):
    """Returns a connection that has a place and lacks the last bytes of a body. Tries again while earlier requests still have
    their places.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        connection = Connection(server)
        whole = request("POST", "/verifyReceipt", body, headers=[("Expect", "100-continue")])
        connection.send(whole[:-len(body)])
        if b" 100 " in (connection.until(b"\r\n\r\n") or b""):
            connection.send(body[:-without])
            return connection
    raise TimeoutError(f"no place for {PATIENCE} seconds")


def busy():
    """Sends more requests than the limit. The server must refuse the excess with 503 and Retry-After, and answer the others."""
    limit = 8
    with Server(*ROOT, "--max-concurrent", limit, "--header-timeout", 60) as server:
        # Batches get at most half of the places, because they may last long. Incomplete bodies have the others.
        held = [Held(server, f"held-{number}") for number in range(limit // 2)]
        account.expect("batches within the limit", [each.response.status for each in held], [200] * (limit // 2))
        refused = [server.ask("POST", "/v1/batch", LINE) for _ in range(limit)]
        account.expect("a batch beyond the limit", {(each.status, each.headers.get("retry-after")) for each in refused}, {(503, "1")})
        account.expect("another request", server.ask("POST", "/verifyReceipt", BODY).status, 200)
        big = BODY + b" " * 1_000_000
        bodies = [admitted(server, big, without=1000) for _ in range(limit - limit // 2)]
        refused = [server.ask("POST", "/verifyReceipt", BODY) for _ in range(3 * limit)]
        account.expect("beyond the limit", {each.status for each in refused}, {503})
        account.expect("Retry-After", {each.headers.get("retry-after") for each in refused}, {"1"})
        account.expect("the error", {each.json["error"]["code"] for each in refused if each.status == 503}, {"busy"})
        account.expect("health at the limit", server.ask("GET", "/health/live").status, 200)
        for each in bodies:
            each.send(big[-1000:])
        account.expect("the accepted requests", [each.response().json["status"] for each in bodies], [0] * len(bodies))
        account.expect("the accepted batches", [each.finish() for each in held], [["genuine"] * 2] * len(held))
        account.expect("a request after them", server.ask("POST", "/verifyReceipt", BODY).json["status"], 0)

        statuses, failures = [], []

        def ask(number):
            connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
            try:
                for _ in range(20):
                    connection.request("POST", "/v1/batch", LINE * 10)
                    response = connection.getresponse()
                    body = response.read()
                    statuses.append(response.status)
                    if response.status == 200 and body.count(b"\n") != 10 or response.status not in (200, 503):
                        failures.append((response.status, body[:100]))
            except Exception as error:
                failures.append(repr(error))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4 * limit)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        account.expect("failures among many at once", failures, [])
        account.expect("all got an answer", len(statuses), 4 * limit * 20)
        account.expect("requests that succeed", 200 in statuses, True)
        print(f"four times the limit: {dict(collections.Counter(statuses))}")


def drain():
    """Tests that only readiness fails during the drain time after SIGTERM, on existing and new connections."""
    seconds = 6
    with Server(*ROOT, "--drain-time", seconds) as server, Connection(server) as kept:
        kept.send(request("GET", "/health/ready"))
        account.expect("ready before", kept.response("GET").status, 200)
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        server.wait_for("stopping")
        asked = 0
        while time.monotonic() - began < 2:
            ready = server.ask("GET", "/health/ready")
            account.expect("not ready", (ready.status, ready.json["error"]["code"]), (503, "stopping"))
            account.expect("live", server.ask("GET", "/health/live").status, 200)
            kept.send(request("POST", "/verifyReceipt", BODY))
            seen = kept.response()
            account.expect("served on a persistent connection",
                           (seen.status, seen.json["status"], seen.headers.get("connection")), (200, 0, None))
            account.expect("served on a new connection", server.ask("POST", "/verifyReceipt", BODY).json["status"], 0)
            asked += 1
            server.signal(signal.SIGHUP)
            time.sleep(0.1)
        account.expect("requests while the server drains", asked > 1, True)
        account.expect("exit status", server.process.wait(PATIENCE), 0)
        account.expect("seconds of the drain", time.monotonic() - began, lambda seen: seen >= seconds)


def after_a_batch():
    """Ends a batch while the server stops, whose answer began before. The next request of the connection must get an answer."""
    line = chunk(b'{"receipt":""}\n')
    with Server(*ROOT) as server, Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + line)
        account.expect("a batch before the stop", connection.head().headers.get("connection"), None)
        server.signal(signal.SIGTERM)
        server.wait_for("stopping")
        time.sleep(0.2)
        connection.send(line + chunk(b""))
        account.expect("its answers", b"".join(connection.chunks()).count(b"\n"), 2)
        connection.send(request("GET", "/health/live"))
        response = connection.response("GET")
        account.expect("the request after it", response and (response.status, response.headers.get("connection")), (200, "close"))
        account.expect("the status of the stop", server.process.wait(PATIENCE), 0)
    with Server(*ROOT) as server, Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + line)
        connection.head()
        server.signal(signal.SIGTERM)
        server.wait_for("stopping")
        time.sleep(0.2)
        connection.send(line + chunk(b""))
        b"".join(connection.chunks())
        began = time.monotonic()
        account.expect("the stop with a silent client", server.process.wait(PATIENCE), 0)
        account.expect("its seconds", time.monotonic() - began, lambda seen: seen < 8)


def hangups(folder):
    """Tests that SIGHUP ends no server, neither before it listens nor while it answers the last requests.

    An early SIGHUP takes effect when the server listens.
    """
    catalog = folder / "catalog.json"
    os.mkfifo(catalog)
    process = serve(*ROOT, "--port", 0, "--catalog", catalog, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        with catalog.open("w") as writer:  # The pipe opens when the server opens it for reading.
            process.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            account.expect("SIGHUP while files are read", process.poll(), None)
            writer.write('{"groups": {"one": ["a"]}}')
            catalog.unlink()  # The later reload reads a file, because the first reader might also read from a second pipe.
            catalog.write_text('{"groups": {"one": ["a"]}}')
        said = ""
        while "reloaded all files" not in said and (line := process.stderr.readline()):
            said += line
        account.expect("the reload takes place later", "reloaded all files" in said, True)
    finally:
        process.terminate()
        account.expect("exit status after an early SIGHUP", process.wait(PATIENCE), 0)
        process.stderr.close()
    catalog.unlink()
    os.mkfifo(catalog)
    process = serve(*ROOT, "--port", 0, "--catalog", catalog, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with catalog.open("w"):
        process.terminate()
        account.expect("exit status after an early SIGTERM", process.wait(PATIENCE), 0)
    with Server(*ROOT, "--shutdown-timeout", 60, "--header-timeout", 60, "--idle-timeout", 60) as server:
        held = Held(server, "held")
        server.signal(signal.SIGTERM)
        server.wait_for("stopping")
        for _ in range(20):
            server.signal(signal.SIGHUP)
            time.sleep(0.1)
        account.expect("SIGHUP while the last requests are answered", held.finish(), ["genuine", "genuine"])
        account.expect("exit status", server.process.wait(PATIENCE), 0)


def answers(server, token):
    return server.ask("GET", "/metrics", headers=[("Authorization", f"Bearer {token}")]).status


def reload():
    """Tests that SIGHUP reads all files again. If one is invalid, the server keeps the old ones and logs that."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        authority = Authority(folder)
        trust = ssl.create_default_context(cafile=str(authority.certificate))
        old, new = authority.issue("old", "localhost"), authority.issue("new", "localhost")
        certificate, key, tokens = folder / "now.pem", folder / "now.key", folder / "tokens"

        def install(pair):
            for source, target in zip(pair, (certificate, key)):
                target.write_bytes(source.read_bytes())

        def subject():
            with Connection(server) as connection:
                return dict(each[0] for each in connection.socket.getpeercert()["subject"])["commonName"]

        def until(what, ask, wanted):
            end = time.monotonic() + PATIENCE
            while (seen := ask()) != wanted and time.monotonic() < end:
                time.sleep(0.05)
            account.expect(what, seen, wanted)

        install(old)
        tokens.write_text(f"{NAMES[0]}\n{NAMES[1]}\n")
        secret, catalog = folder / "secret", folder / "catalog.json"
        given = ("--tokens", tokens, "--tls-certificate", certificate, "--tls-key", key, "--shared-secret-file", secret, "--catalog", catalog)

        def listed(product):
            catalog.write_text(json.dumps({"groups": {"one": [product]}}))

        def served(password, token=NAMES[1]):
            """Returns Apple's status with this password, and the products of the eligibility answer."""
            credentials = ("Authorization", f"Bearer {token}")
            status = server.ask("POST", "/verifyReceipt", {"receipt-data": RECEIPT, "password": password}, [credentials]).json["status"]
            question = server.ask("POST", "/v1/eligibility", {"evidence": [EVIDENCE]}, [credentials, ("Content-Type", "application/json")])
            return status, [verdict["product_id"] for verdict in question.json.get("verdicts", [])]

        secret.write_text("secret-of-old")
        listed("com.example.tides.monthly")
        with Server(*ROOT, *given, tls=trust) as server:
            account.expect("secret and catalog at start", served("secret-of-old"), (0, ["com.example.tides.monthly"]))
            account.expect("https", server.scheme, "https")
            account.expect("both tokens", [answers(server, each) for each in NAMES], [200, 200, 401])
            account.expect("certificate at start", subject(), "old")
            kept = Connection(server)
            kept.send(request("GET", "/health/live"))
            account.expect("a persistent connection", kept.response("GET").status, 200)

            tokens.write_text(f"{NAMES[1]}\n{NAMES[2]}\n")
            install(new)
            secret.write_text("secret-of-new")
            listed("com.example.tides.yearly")
            server.signal(signal.SIGHUP)
            until("secret and catalog after SIGHUP", lambda: served("secret-of-new"), (0, ["com.example.tides.yearly"]))
            account.expect("the old secret", served("secret-of-old")[0], 21004)
            until("tokens after SIGHUP", lambda: [answers(server, each) for each in NAMES], [401, 200, 200])
            until("certificate after SIGHUP", subject, "new")
            kept.send(request("GET", "/health/live"))
            account.expect("the connection after SIGHUP", kept.response("GET").status, 200)

            # With one invalid file, the server keeps all old ones.
            secret.write_text("secret-of-late")
            for wrong in (catalog, key, tokens):
                kept_content, before = wrong.read_bytes(), len(server.log())
                listed("com.example.tides.monthly") if wrong is not catalog else catalog.write_text("{")
                if wrong is not catalog:
                    wrong.write_text("wrong")
                server.signal(signal.SIGHUP)
                until(f"a failed reload of {wrong.name} is logged", lambda: str(wrong) in server.log()[before:], True)
                account.expect(f"secret and catalog with an invalid {wrong.name}", served("secret-of-new"), (0, ["com.example.tides.yearly"]))
                account.expect(f"content of {wrong.name} in the log", "wrong" in server.log()[before:], False)
                wrong.write_bytes(kept_content)

            before = len(server.log())
            tokens.unlink()
            certificate.write_text("no certificate")
            server.signal(signal.SIGHUP)
            until("a failed reload is logged", lambda: len(server.log()) > before, True)
            time.sleep(0.5)
            account.expect("tokens after a failed reload", [answers(server, each) for each in NAMES],
                           [401, 200, 200])
            account.expect("certificate after a failed reload", subject(), "new")
            account.expect("secrets in the log", [each for each in (*NAMES, "secret-of-") if each in server.log()], [])

            install(old)
            tokens.write_text("")
            server.signal(signal.SIGHUP)
            time.sleep(0.5)
            account.expect("a failed reload of an empty token file", answers(server, NAMES[0]), 401)
            for _ in range(50):
                server.signal(signal.SIGHUP)
            account.expect("alive after many SIGHUPs", server.lives(), True)
            account.expect("SIGTERM", server.stop(), 0)
    with Server(*ROOT) as server:
        server.signal(signal.SIGHUP)
        time.sleep(0.3)
        account.expect("SIGHUP with nothing to reload", server.lives(), True)


def main():
    # The delays vary the moment at which the last requests arrive.
    for signal_, held_for in ((signal.SIGTERM, 1), (signal.SIGINT, 0.2), (signal.SIGTERM, 0.2), (signal.SIGTERM, 0)):
        terminate(signal_, held_for)
    impatient()
    drain()
    after_a_batch()
    with tempfile.TemporaryDirectory() as folder:
        hangups(pathlib.Path(folder))
    busy()
    reload()
    account.end()


main()
