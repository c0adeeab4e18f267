"""Tests the metrics, the access log and the log's formats. See `run`."""

import json
import re
import signal
import subprocess
import tempfile
import pathlib
import time

from serving import FIXTURES, PATIENCE, ROOT, TOP, Account, Connection, Server, kept_to_itself, request, text

account = Account("observability")
SECRET, TOKEN = "a-shared-secret-0123", "a-token-0123456789"
RECEIPT = text("receipts/refund.der")
GOOD = json.dumps({"receipt-data": RECEIPT, "password": SECRET}).encode()


def metrics(server):
    """Returns the metrics' values by name and labels, and their types by name."""
    text = server.ask("GET", "/metrics", headers=[("Authorization", f"Bearer {TOKEN}")]).body.decode()
    values = {key: float(value) for key, value in re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}
    return values, dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))


def lines(server, count, wanted=lambda line: line["message"] == "request"):
    """Waits for at least `count` lines of a JSON log and returns them. The server writes a line after the answer, and may be
    writing the last one.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = [line for line in map(json.loads, server.log().rpartition("\n")[0].splitlines()) if wanted(line)]
        if len(found) >= count:
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{len(found)} lines, expected {count}:\n{server.log()}")


def posted(server, path, receipt, **members):
    return server.ask("POST", path, {"receipt-data": receipt, "password": SECRET} | members).json["status"]


def counting(folder):
    """Tests the counts of Apple's statuses, refusals and wrong secrets. Clients must not be able to create labels."""
    (folder / "secret").write_text(SECRET)
    with Server(*ROOT, "--shared-secret-file", folder / "secret") as server:
        # Rows: the path, receipt, password and status.
        asked = [("/verifyReceipt", RECEIPT, SECRET, 0), ("/verifyReceipt", RECEIPT, "wrong", 21004), ("/verifyReceipt", RECEIPT, "", 21004),
                 ("/verifyReceipt", text("receipts/sandbox.der"), SECRET, 21007), ("/sandbox/verifyReceipt", RECEIPT, SECRET, 21008),
                 ("/verifyReceipt", "MAA=", SECRET, 21002), ("/verifyReceipt", "MAA=" + " " * 100_000, SECRET, 21002)]
        began = len(metrics(server)[0])
        for path, receipt, password, status in asked:
            account.expect(f"{path} {receipt[:8]} {password}", posted(server, path, receipt, password=password), status)
        account.expect("GET", server.ask("GET", "/verifyReceipt").json["status"], 21000)
        asked.append(("/verifyReceipt", "", "", 21000))
        values, types = metrics(server)
        counted = {(path, status): sum(row[0] == path and row[3] == status for row in asked) for path, _, _, status in asked}
        for (path, status), count in counted.items():
            name = f'appreceipt_verify_receipt_answers_total{{route="{path}",apple_status="{status}"}}'
            account.expect(name, values.get(name), float(count))
        refusals = sum(value for name, value in values.items() if name.startswith("appreceipt_refusals_total"))
        account.expect("refusals by code", refusals, lambda seen: seen >= 2)
        account.expect("21007 and 21008 are no refusals", values.get('appreceipt_refusals_total{code="wrong_environment"}'), 0.0)
        for number in range(50):
            server.ask("GET", f"/nothing-{number}")
            posted(server, "/verifyReceipt", f"{number}", password=f"{number}")
        account.expect("new series after 100 unusual requests", len(metrics(server)[0]) - began, lambda seen: seen < 40)
        for name, kind in types.items():
            account.expect(f"type of {name}", kind, "counter" if name.endswith("_total") else "histogram" if name.endswith("_seconds")
                           and name.startswith("appreceipt") else "gauge")
        account.expect("the chain cache", values.get("appreceipt_chain_cache_hits_total", 0) > 0, True)
        account.expect("build", [name for name in values if re.fullmatch(r'appreceipt_build_info\{version="\d+\.\d+\.\d+"\}', name)],
                       lambda names: len(names) == 1 and values[names[0]] == 1)
        account.expect("start", abs(values.get("process_start_time_seconds", 0) - time.time()) < PATIENCE, True)


def access(folder):
    """Tests the access log: one line a request, whichever part of the server answers, without free text of the client."""
    (folder / "secret").write_text(SECRET)
    with Server(*ROOT, "--access-log", "--log-format", "json", "--log-level", "error", "--shared-secret-file", folder / "secret",
                "--trusted-proxy", "127.0.0.0/8", "--header-timeout", 5) as server:
        big = json.dumps({"receipt-data": RECEIPT, "password": SECRET}).encode() + b" " * 100_000
        # Rows: the method, path, body, header fields, and values that the line must contain.
        rows = [
            ("POST", "/verifyReceipt", GOOD, [("X-Request-Id", "small")],
             {"id": "small", "route": "/verifyReceipt", "status": 200, "apple_status": 0, "bytes_in": len(GOOD), "client": "127.0.0.1"}),
            ("POST", "/verifyReceipt", big, [("X-Request-Id", "big")], {"id": "big", "status": 200, "apple_status": 0, "bytes_in": len(big)}),
            ("POST", "/verifyReceipt", b'{"receipt-data": "MAA=", "password": "wrong"}', [], {"status": 200, "apple_status": 21004}),
            ("POST", "/verifyReceipt", json.dumps({"receipt-data": "MAA=", "password": SECRET}).encode(), [],
             {"apple_status": 21002, "refusal": lambda code: re.fullmatch("[a-z_]+", code)}),
            ("POST", "/v1/batch", json.dumps({"id": 1, "receipt": RECEIPT}).encode() + b"\n", [], {"route": "/v1/batch", "status": 200}),
            ("GET", "/health/live", None, [], {"method": "GET", "route": "/health/live", "status": 200, "bytes_in": 0, "bytes_out": 15}),
            ("GET", "/health/live?secret-query=1", None, [], {"route": "/health/live"}),
            ("GET", "/secret-path%0ainfo", None, [], {"route": "other", "status": 404}),
            ("DELETE", "/verifyReceipt", None, [], {"method": "DELETE"}),
            ("GET", "/verifyReceipt", None, [], {"status": 200, "apple_status": 21000}),
            ("GET", "/", None, [("X-Request-Id", 'x" level=error')], {"id": lambda value: re.fullmatch("[0-9a-f-]+", value)}),
            ("GET", "/", None, [("X-Forwarded-For", "1.2.3.4, 192.0.2.7, 127.0.0.3")], {"client": "192.0.2.7"}),
            ("GET", "/", None, [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-For", "2001:DB8:0::1")], {"client": "2001:db8::1"}),
            ("GET", "/", None, [("X-Forwarded-For", "192.0.2.7, forged client=5")], {"client": "127.0.0.1"}),
            # At most sixteen proxies count, in all fields together.
            ("GET", "/", None, [("X-Forwarded-For", "192.0.2.7")] + 15 * [("X-Forwarded-For", "127.0.0.3")], {"client": "192.0.2.7"}),
            ("GET", "/", None, [("X-Forwarded-For", "192.0.2.7")] + 16 * [("X-Forwarded-For", "127.0.0.3")], {"client": "127.0.0.3"}),
            ("GET", "/", None, [("X-Forwarded-For", "::ffff:192.0.2.9")], {"client": "192.0.2.9"}),
            # Elements with ports, and elements that are similar.
            *(("GET", "/", None, [("X-Forwarded-For", element)], {"client": client}) for element, client in [
                ("192.0.2.7:5678", "192.0.2.7"), ("1.2.3.4:1, 192.0.2.8:65535, 127.0.0.3:80", "192.0.2.8"),
                ("[2001:DB8:0::1]:443", "2001:db8::1"), ("[2001:db8::2]", "2001:db8::2"),
                ("192.0.2.7:", "127.0.0.1"), ("192.0.2.7:65536", "127.0.0.1"), ("192.0.2.7:+80", "127.0.0.1"),
                ("192.0.2.7:80:80", "127.0.0.1"), (":80", "127.0.0.1"), ("[192.0.2.7]:80", "127.0.0.1"), ("[2001:db8::1", "127.0.0.1"),
                ("[2001:db8::1]443", "127.0.0.1"), ("[2001:db8::1]:", "127.0.0.1"), ("[2001:db8::1]]", "127.0.0.1"), ("[", "127.0.0.1")]),
        ]
        for number, (method, path, body, fields, wanted) in enumerate(rows, 1):
            response = server.ask(method, path, body, fields)
            line = lines(server, number)[-1]
            if response.headers.get("transfer-encoding") != "chunked" and method != "HEAD":
                wanted = {"bytes_out": len(response.body)} | wanted
            if "x-request-id" in response.headers:
                wanted = {"id": response.headers["x-request-id"]} | wanted
            for name, value in ({"method": method, "status": response.status} | wanted).items():
                account.expect(f"{method} {path} {fields}: {name}", line.get(name), value)
            account.expect("microseconds", line["microseconds"], lambda seen: type(seen) is int and 0 <= seen < PATIENCE * 1e6)
            names = {"time", "level", "message", "client", "method", "route", "status", "bytes_in", "bytes_out", "microseconds", "id"}
            account.expect("names", sorted(set(line) - {"apple_status", "refusal"} ^ names), [])
        # ConnectionGuard answers these requests itself.
        for sent, wanted in [(b"nonsense\r\n\r\n", {"method": "none", "route": "other", "status": 400}),
                             (b"GET / HTTP/1.1\r\n\r\n", {"method": "GET", "route": "/", "status": 400}),
                             (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * 40_000 + b"\r\n\r\n", {"status": 431}),
                             (request("POST", "/verifyReceipt", GOOD)[:-5], {"method": "POST", "route": "/verifyReceipt", "status": 408})]:
            count = len(lines(server, 0))
            with Connection(server) as connection:
                connection.send(sent)
                connection.response()
            line = lines(server, count + 1)[-1]
            account.expect(f"line of {sent[:30]}", {name: line.get(name) for name in wanted}, wanted)
        count = len(lines(server, 0))
        with Connection(server) as connection:
            connection.send(request("POST", "/verifyReceipt", GOOD)[:-5])
            time.sleep(0.2)
        account.expect("a request that ends early", lines(server, count + 1)[-1]["status"], 499, 400)
        # The client closes the connection during the answer.
        count = len(lines(server, 0))
        with Connection(server) as connection:
            connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n" + b"3\r\n{}\n\r\n" * 100)
            connection.receive()
        line = lines(server, count + 1)[-1]
        account.expect("an interrupted batch", (line["route"], line["status"]), ("/v1/batch", 499))
        # The server counts the batch after it wrote the line.
        server.wait_until(lambda: 'route="/v1/batch",status="499"' in server.ask("GET", "/metrics").body.decode())
        # Requests that were sent ahead have their own lines.
        paths = ["/health/live", "/page.css", "/nothing", "/health/ready", "/openapi.yaml"] * 10
        with Connection(server) as connection:
            connection.send(b"".join(request("GET", path, headers=[("X-Request-Id", f"ahead-{number}")]) for number, path in enumerate(paths)))
            for _ in paths:
                connection.response("GET")
        ahead = lines(server, len(paths), lambda line: line["message"] == "request" and line["id"].startswith("ahead-"))
        seen = [(line["id"], line["route"]) for line in ahead]
        wanted = [(f"ahead-{number}", "other" if path == "/nothing" else path) for number, path in enumerate(paths)]
        account.expect("requests sent ahead", seen, wanted)
        # One read has hundreds of requests. Each has a complete line.
        with Connection(server) as connection:
            connection.send(request("GET", "/health/ready", headers=[("X-Forwarded-For", "192.0.2.77")]) * 300)
            for _ in range(300):
                connection.response("GET")
        many = lines(server, 300, lambda line: line.get("client") == "192.0.2.77")
        account.expect("lines of hundreds of requests sent ahead", {(line["method"], line["route"]) for line in many}, {("GET", "/health/ready")})
        # An unanswered request is followed by thousands of others.
        with Connection(server) as connection:
            connection.send(request("POST", "/v1/batch", headers=[("Transfer-Encoding", "chunked")]))
            connection.send(request("GET", "/health/live") * 5_000)
        account.expect("lives", server.lives(), True)
        server.stop()
        kept_to_itself(account, server.log(), [SECRET, "wrong", "secret-query", "secret-path", "forged", RECEIPT[:20]])
        account.expect("all of the log is JSON", all(type(json.loads(line)) is dict for line in server.log().splitlines()), True)
        account.expect("levels", {line["level"] for line in map(json.loads, server.log().splitlines())}, {"info"})
    # The server ignores X-Forwarded-For of a peer that is not a trusted proxy.
    with Server(*ROOT, "--access-log", "--trusted-proxy", "10.0.0.0/8") as server:
        server.ask("GET", "/", headers=[("X-Forwarded-For", "192.0.2.7")])
        account.expect("the line in text", server.wait_for(
            r"(?m)^\S+Z info request bytes_in=0 bytes_out=\d+ client=(\S+) id=[0-9a-f-]+ method=GET microseconds=\d+ route=/ status=200$")[1],
            "127.0.0.1")
    with Server(*ROOT) as server:
        server.ask("GET", "/")
        time.sleep(0.2)
        account.expect("no access log by default", "request" in server.log(), False)


def reloads(folder):
    """Tests that the server counts and logs each SIGHUP, successful or not."""
    tokens = folder / "tokens"
    tokens.write_text(TOKEN)
    tokens.chmod(0o600)
    with Server("--tokens", tokens, "--log-format", "json") as server:
        account.expect("the lines of a start", [line["message"].split(":")[0] for line in lines(server, 2, lambda _: True)],
                       lambda seen: seen[0] == "settings" and "listening on http" in seen)
        for content, outcome, level in [(TOKEN, "done", "notice"), ("short", "failed", "error")]:
            tokens.write_text(content)
            server.signal(signal.SIGHUP)
            line = lines(server, 1, lambda line: line["level"] == level)[-1]
            account.expect(f"the line of a reload that is {outcome}", line["message"], lambda text: "SIGHUP" in text and "short," not in text)
            account.expect(f"reloads {outcome}", metrics(server)[0].get(f'appreceipt_reloads_total{{outcome="{outcome}"}}'), 1.0)


def whole_seconds(folder):
    """Tests the log at a whole second. Its time has a fraction, too, because collectors parse all lines by one format."""
    library = folder / "host.so"
    subprocess.run(["clang", "-std=gnu17", "-shared", "-fPIC", TOP / "Tests/Hardening/hostile_host.c", "-o", library], check=True)
    for form in ("text", "json"):
        with Server("--log-format", form, variables={"LD_PRELOAD": str(library), "HOSTILE_HOST": "clock=1700000000"}) as server:
            server.stop()
            account.expect(f"a whole second as {form}", re.findall(r"2023-11-14T22:13:20[^ \"]*", server.log())[-1], "2023-11-14T22:13:20.000Z")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        counting(folder)
        access(folder)
        reloads(folder)
        whole_seconds(folder)
    account.end()


main()
