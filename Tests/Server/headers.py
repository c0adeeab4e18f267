"""Tests request IDs, headers of answers, and tokens. See `run`."""

import json
import pathlib
import re
import tempfile

from serving import ROOT, Account, Connection, Server, kept_to_itself, request, text

account = Account("headers")
TOKEN = "letmein-0123456789"
GOOD = json.dumps({"receipt-data": text("receipts/refund.der")}).encode()


# Rows: the title, the client's ID, and whether the answer has it.
REQUEST_IDS = [
    ("a valid ID", "Abc-1.2_3", True), ("of 64 characters", "a" * 64, True), ("of 65", "a" * 65, False),
    ("empty", "", False), ("with a space", "a b", False), ("markup", "<b>", False), ("not ASCII", "\u00e9", False),
]


def headers(server):
    for why, sent, kept in REQUEST_IDS:
        seen = server.ask("GET", "/health/live", headers=[("X-Request-Id", sent)]).headers.get("x-request-id", "")
        account.expect(f"request id {why}", (seen == sent) is kept and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", seen) is not None, True)
    ids = {server.ask("GET", "/health/live").headers["x-request-id"] for _ in range(20)}
    account.expect("twenty requests have twenty ids", len(ids), 20)
    answers = [("POST", "/verifyReceipt", GOOD), ("POST", "/v1/verify", b"MAA="), ("GET", "/", None), ("GET", "/nothing", None),
               ("GET", "/v1/verify", None), ("POST", "/v1/eligibility", b"x"), ("POST", "/v1/batch", b"x\n"),
               ("GET", "/metrics", None), ("GET", "/openapi.yaml", None), ("GET", "/health/ready", None)]
    for method, path, body in answers:
        response = server.ask(method, path, body)
        seen = {name: response.headers.get(name) for name in ("x-content-type-options", "referrer-policy", "server")}
        account.expect(f"headers of {method} {path}", seen,
                       {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "server": None})
        if method == "POST":
            account.expect(f"{path} is not cached", response.headers.get("cache-control"), "no-store")
        if response.status >= 400:
            error = response.json["error"]
            account.expect(f"error of {method} {path}", sorted(error), ["code", "message"])
            account.expect(f"one line of {method} {path}", error["message"].count("\n") == 0 < len(error["message"]), True)
        if response.status == 405:
            account.expect(f"Allow of {path}", response.headers.get("allow", "").split(", "), lambda names: "POST" in names)


# Rows: the title, the bytes with an ID, and the status of the answer that ends the connection.
BROKEN = [
    ("two hosts", b"POST /verifyReceipt HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Request-Id: mine\r\n\r\n", 400),
    ("no host", b"POST /verifyReceipt HTTP/1.1\r\nX-Request-Id: mine\r\n\r\n", 400),
    ("too many bytes", b"POST /verifyReceipt HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\nX-Request-Id: mine\r\n\r\n", 413),
    ("a length above every integer type",
     b"POST /v1/verify HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nContent-Length: 9999999999999999999\r\n\r\n", 413),
    ("an invalid chunk",
     b"POST /v1/verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-Request-Id: mine\r\n\r\nxyz\r\n", 400),
]


def ids_of_failures(server):
    """Checks that errors sent by the connection itself have the client's ID, too."""
    for why, sent, wanted in BROKEN:
        with Connection(server) as connection:
            connection.send(sent)
            response = connection.response()
            account.expect(f"status of {why}", response.status, wanted)
            account.expect(f"id of {why}", response.headers.get("x-request-id"), "mine")
    with Server(*ROOT, "--max-concurrent", 1) as small, Connection(small) as holder:
        holder.send(b"POST /v1/batch HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n")
        holder.head()
        response = small.ask("POST", "/verifyReceipt", GOOD, [("X-Request-Id", "mine")])
        account.expect("no place", (response.status, response.headers.get("x-request-id")), (503, "mine"))
        both = [("X-Request-Id", "mine"), ("X-Request-Id", "yours")]
        account.expect("two IDs count as none", small.ask("POST", "/verifyReceipt", GOOD, both).headers["x-request-id"],
                       lambda seen: seen not in ("mine", "yours"))


def tokens(server):
    """Checks that every route requires a token, except for health checks and the page."""
    good = ("Authorization", f"Bearer {TOKEN}")
    wrong = [(), [("Authorization", "Bearer wrong")], [("Authorization", f"Bearer {TOKEN}x")], [("Authorization", "Bearer ")],
             [("Authorization", f"Bearer {TOKEN[:-1]}")], [("Authorization", f"Basic {TOKEN}")], [("Authorization", TOKEN)],
             [("Authorization", f"Bearer {'x' * 3500}")], [("Authorization", f"Bearer\t{TOKEN}")],
             [("Authorization", "Bearer wrong"), good]]
    for headers in wrong:
        response = server.ask("POST", "/verifyReceipt", GOOD, headers)
        account.expect(f"no token in {headers}", (response.status, response.json["error"]["code"]), (401, "unauthorised"))
        account.expect("401 has WWW-Authenticate", response.headers.get("www-authenticate", ""), lambda value: value.startswith("Bearer"))
    response = server.ask("POST", "/verifyReceipt", GOOD, [("Authorization", f"Bearer {'x' * 4000}")])
    account.expect("a token longer than the fields", response.status, 431)
    for path in ("/metrics", "/openapi.yaml", "/nothing"):
        account.expect(f"{path} without a token", server.ask("GET", path).status, 401)
        account.expect(f"{path} with a token", server.ask("GET", path, headers=[good]).status, 404 if path == "/nothing" else 200)
    # The page asks the user for the token.
    for path in ("/health/live", "/health/ready", "/", "/page.js", "/page.css"):
        account.expect(f"{path} needs no token", server.ask("GET", path).status, 200)
    account.expect("with a token", server.ask("POST", "/verifyReceipt", GOOD, [good]).json["status"], 0)
    # Rows: the title, and the value of the field.
    for why, value in [("the scheme in any case", f"bearer {TOKEN}"), ("several spaces (RFC 9110, 11.4)", f"Bearer  {TOKEN}")]:
        account.expect(why, server.ask("POST", "/verifyReceipt", GOOD, [("Authorization", value)]).json["status"], 0)
    with Connection(server) as connection:  # The server must not wait for the body of a client without a token.
        connection.send(request("POST", "/verifyReceipt", b" " * 3_000_000)[:1000])
        account.expect("without a token, no body is read", connection.response().status, 401)
    # Rows: the header fields, and the first status.
    for headers, status in [([], 401), ([good], 100)]:
        with Connection(server) as connection:
            connection.send(request("POST", "/verifyReceipt", GOOD, [("Expect", "100-continue"), *headers]).partition(b"\r\n\r\n")[0] + b"\r\n\r\n")
            account.expect(f"the server asks for a body with {headers}", connection.head().status, status)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tokens"
        file.write_text(f"another-token-0123\n{TOKEN}\n")
        with Server(*ROOT) as server, Server(*ROOT, "--tokens", file, "--log-level", "trace") as guarded:
            headers(server)
            ids_of_failures(server)
            tokens(guarded)
            account.expect("SIGTERM", (server.stop(), guarded.stop()), (0, 0))
            kept_to_itself(account, guarded.log(), [TOKEN, TOKEN[:-1], "another-token-0123"])
    account.end()


main()
