"""Tests the status of hostile requests, each on a new connection, and that the server continues to answer. See `run`.

If a connection continues, the next request on it must get its own answer.
"""

import json
import pathlib
import tempfile

from serving import ROOT, Account, Connection, Server, chunk, kept_to_itself, request, text

account = Account("hostile requests")
END = "end"
MAXIMUM = 3_145_728
VERIFY_MAXIMUM = (16 << 20) * 4 // 3
SECRET = "the shared secret"
GENUINE = {"receipt-data": text("receipts/refund.der"), "password": SECRET}
HEALTH = request("GET", "/health/live")


def raw(*lines, body=b""):
    """Returns a request made of lines, which need not be valid."""
    return b"\r\n".join([line if isinstance(line, bytes) else line.encode() for line in lines] + [b"", b""]) + body


def post(path, body, *headers):
    return request("POST", path, body, headers)


def chunked(path, body, *headers):
    return raw(f"POST {path} HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", *headers, body=body)


def get(target, *headers, version="HTTP/1.1"):
    return raw(f"GET {target} {version}", "Host: localhost", *headers)


def receipt(body):
    return post("/verifyReceipt", body)


def length(value, body=b"hello", path="/verifyReceipt"):
    return raw(f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {value}", body=body)


GOOD = json.dumps(GENUINE).encode()
BIG = b"x" * (20 << 20)
DEEP = b"[" * 1_000_000

JSON = "Content-Type", "application/json"
# The routes with a verification policy in the query.
DEMANDING = "/v1/verify", "/v1/eligibility", "/v1/batch"
# Rows: the query, and the error message.
QUERIES = [
    ("environment=moon", "environment: 'moon' is not one of production, sandbox, xcode, any"),
    ("environment=any&environment=sandbox", "environment: 'any' cannot be combined with other environments"),
    ("app_apple_id=0", "app_apple_id: '0' is not a whole number from 1 to 9223372036854775807"),
    ("app_apple_id=x", "app_apple_id: 'x' is not a whole number from 1 to 9223372036854775807"),
    ("bundle_id=%zz", "bundle_id: missing value or invalid percent-encoding"),
    ("bundle_id=%ff%fe", "bundle_id: missing value or invalid percent-encoding"),
    ("bundle_id=", "bundle_id: missing value or invalid percent-encoding"),
    ("bundle_id", "bundle_id: missing value or invalid percent-encoding"),
    ("bundle_id=any&bundle_id=a.b", "bundle_id: 'any' cannot be combined with other bundle IDs"),
    ("device_id=00&device_id=01", "device_id: given twice"),
    ("device_id=" + "00" * 33, "device_id: must have at most 64 characters"),
    ("color=blue", "unknown query parameter; allowed: app_apple_id, bundle_id, device_id, environment"),
    ("Environment=sandbox", "unknown query parameter; allowed: app_apple_id, bundle_id, device_id, environment"),
    ("&".join(["bundle_id=a"] * 65), "more than 64 query parameters"),
    ("bundle_id=" + "a" * 1025, "bundle_id: longer than 1024 bytes"),
]

# Rows: the title, the bytes, and the answers. An answer is a status, a status with an error code, verifyReceipt's status as
# "status N", or a set of these. END means that the connection ends. Without it, the connection continues.
CONTENT = [
    ("a good one", receipt(GOOD), ["status 0"]),
    ("not JSON", receipt(b"hello"), ["status 21002"]),
    ("an empty body", receipt(b""), ["status 21002"]),
    ("no Content-Length is no body", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost"), ["status 21002"]),
    ("bad UTF-8", receipt(b'{"receipt-data": "\xff\xfe"}'), ["status 21002"]),
    ("UTF-16", receipt(GOOD.decode().encode("utf-16")), ["status 21002"]),
    ("half a surrogate pair", receipt(b'{"receipt-data": "\\ud800"}'), ["status 21002"]),
    ("a million brackets", receipt(DEEP), ["status 21002"]),
    ("gzip with Content-Encoding", post("/verifyReceipt", b"\x1f\x8b\x08" + bytes(99), ("Content-Encoding", "gzip")),
     ["status 21002"]),
    ("any type", post("/verifyReceipt", GOOD, ("Content-Type", "application/x-www-form-urlencoded")), ["status 0"]),
    ("the maximum size", receipt(b" " * MAXIMUM), ["status 21002"]),
    ("one byte over the maximum", receipt(b" " * (MAXIMUM + 1)), ["413 too_large", END]),
    ("the maximum size in chunks", chunked("/verifyReceipt", chunk(b" " * MAXIMUM) + chunk(b"")), ["status 21002"]),
    ("one byte over the maximum in chunks", chunked("/verifyReceipt", chunk(b" " * MAXIMUM) + chunk(b" ") + chunk(b"")),
     ["413 too_large", END]),
    ("20 MiB announced", length(20 << 20, b"x" * 1000), ["413 too_large", END]),
    ("20 MiB announced, requests in the body", length(20 << 20, HEALTH * 1000), ["413 too_large", END]),
    ("20 MiB to /v1/verify", post("/v1/verify", BIG), [200]),
    ("more than the maximum of /v1/verify", length(VERIFY_MAXIMUM + 70_000, b"x", "/v1/verify"), ["413 too_large", END]),
    ("nothing to verify", post("/v1/verify", b""), [200]),
    ("a million brackets to verify", post("/v1/verify", DEEP), [200]),
    ("a million brackets as JSON", post("/v1/verify", DEEP, ("Content-Type", "application/json")), [200]),
    ("JSON without a receipt", post("/v1/verify", b"{}", ("Content-Type", "application/json")), [{200, "400 bad_request"}]),
    *((f"{path} with {query[:50]}", post(f"{path}?{query}", b"MAA=", JSON), ["400 bad_request"])
      for path in DEMANDING for query in (*(query for query, _ in QUERIES), "device_id=x", "device_id=0")),
    *((f"a query of {path} that stays out of logs", post(f"{path}?bundle_id=com.example.private", {"evidence": ["MAA="], "products": ["p"]}, JSON),
       [{200, 422}]) for path in DEMANDING),
    ("eligibility of text", post("/v1/eligibility", b"hello"), ["415 unsupported_type"]),
    ("eligibility of a type that begins like JSON's", post("/v1/eligibility", b"{}", ("Content-Type", "application/jsonx")),
     ["415 unsupported_type"]),
    ("eligibility of JSON with a parameter", post("/v1/eligibility", b"[]", ("Content-Type", "Application/JSON ; charset=utf-8")),
     ["400 bad_request"]),
    ("eligibility of a list", post("/v1/eligibility", b"[]", ("Content-Type", "application/json")), ["400 bad_request"]),
    ("eligibility of bad UTF-8", post("/v1/eligibility", b'{"evidence": ["\xff"]}', ("Content-Type", "application/json")),
     ["400 bad_request"]),
    ("eligibility of a number", post("/v1/eligibility", {"evidence": 5}, ("Content-Type", "application/json")),
     ["400 bad_request"]),
    ("eligibility with an invalid date", post("/v1/eligibility", {"evidence": [GENUINE["receipt-data"]], "as_of": "yesterday"},
                                    ("Content-Type", "application/json")), ["400 bad_request"]),
    ("eligibility without evidence", post("/v1/eligibility", {"evidence": []}, ("Content-Type", "application/json")),
     [{"400 bad_request", 422}]),
    ("eligibility of refused evidence", post("/v1/eligibility", {"evidence": ["MAA="], "catalog": {"groups": {"G": ["P"]}}},
                                            ("Content-Type", "application/json")), [422]),
    ("an empty batch", post("/v1/batch", b""), [200]),
    ("a batch of invalid JSON", post("/v1/batch", b"hello\n\xff\xfe\n{}\n[]\n\n"), [200]),
]

ROUTES = [
    ("no such path", get("/nothing"), ["404 not_found"]),
    ("an unknown path below a known one", post("/verifyReceipt/more", b"{}"), ["404 not_found"]),
    ("a file of the machine", get("/../../../../etc/passwd"), [{"404 not_found", 400}]),
    ("the same, encoded", get("/%2e%2e/%2e%2e/etc/passwd"), ["404 not_found"]),
    ("NUL in a path", get("/%00"), ["404 not_found"]),
    ("a long path", get("/" + "a" * 6000), ["404 not_found"]),
    ("a very long path", get("/" + "a" * 1_000_000), [{400, 414, 431}, END]),
    ("GET of a POST route", get("/v1/verify"), ["405 method_not_allowed"]),
    ("GET of a receipt", get("/verifyReceipt"), ["status 21000"]),
    ("GET of the sandbox", get("/sandbox/verifyReceipt"), ["status 21000"]),
    ("PUT of a receipt", request("PUT", "/verifyReceipt", b"x"), ["405 method_not_allowed"]),
    ("PUT", request("PUT", "/v1/verify", b"x"), ["405 method_not_allowed"]),
    ("DELETE", request("DELETE", "/health/live"), ["405 method_not_allowed"]),
    ("TRACE returns no request data", raw("TRACE / HTTP/1.1", "Host: localhost", "X-Secret: smuggled-header"),
     ["405 method_not_allowed"]),
    ("OPTIONS of all", raw("OPTIONS * HTTP/1.1", "Host: localhost"), [{200, 204, 400, 404, 405}]),
    ("CONNECT", raw("CONNECT localhost:80 HTTP/1.1", "Host: localhost:80"), [{400, 404, 405, 501}, END]),
    ("an unknown method", raw("FROBNICATE / HTTP/1.1", "Host: localhost"), [{400, 405, 501}, END]),
    ("a method in lower case", raw("get / HTTP/1.1", "Host: localhost"), [{400, 405, 501}, END]),
    ("the absolute form", get("http://localhost/health/live"), [200]),
    ("the absolute form of another host", get("http://example.com/health/live"), [200]),
    ("the absolute form in upper case", get("HTTP://localhost/health/live"), [200]),
    ("the absolute form with only a query", get("http://localhost?a=b"), [200]),
    ("the absolute form without a path", get("http://localhost"), [200]),
    ("the absolute form of a batch in upper case", request("POST", "HTTP://a/v1/batch", b""), [200]),
    ("another scheme", get("ftp://localhost/health/live"), [400, END]),
    ("a scheme and no host", get("http:///health/live"), [400, END]),
    ("a fragment", get("/health/live#part"), [400, END]),
    ("a fragment behind a host", get("http://localhost#/health/live"), [400, END]),
    ("a path without its slash", get("health/live"), [400, END]),
    ("a policy query for verifyReceipt", post("/verifyReceipt?bundle_id=com.example.private", GOOD), ["400 bad_request"]),
    ("the same, encoded", post("/verifyReceipt?bundle%5Fid=com.example.private", GOOD), ["400 bad_request"]),
    ("a query of a client that avoids caches", post("/verifyReceipt?_=5", GOOD), ["status 0"]),
    ("an upgrade that is not offered", get("/health/live", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c",
                                           "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"), [200, END]),
    ("a web socket", get("/health/live", "Connection: Upgrade", "Upgrade: websocket"), [200, END]),
]

FRAMING = [
    ("HTTP/1.0", get("/health/live", version="HTTP/1.0"), [200, END]),
    ("HTTP/1.0 with keep-alive", get("/health/live", "Connection: keep-alive", version="HTTP/1.0"), [200, END]),
    ("HTTP/0.9", b"GET /health/live\r\n\r\n", [400, END]),
    ("HTTP/2 at once", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [{400, 505}, END]),
    ("HTTP/3.7", get("/health/live", version="HTTP/3.7"), [{400, 505}, END]),
    ("TLS to a server without TLS", bytes.fromhex("160301020001000603030303"), [400, END]),
    ("garbage", bytes(range(256)) * 8, [400, END]),
    ("several spaces in the request line, which RFC 9112, 3, allows", raw("GET  /health/live  HTTP/1.1", "Host: localhost"), [200]),
    ("no Host", raw("GET /health/live HTTP/1.1"), [400, END]),
    ("two lengths", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Content-Length: 5", "Content-Length: 6",
                        body=b"hello!"), [400, END]),
    ("two lengths in one", length("5, 6", b"hello!"), [400, END]),
    ("a negative length", length("-1"), [400, END]),
    ("a length with a sign", length("+5"), [400, END]),
    ("a length with spaces around it", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Content-Length:  5  ", body=b"hello"),
     ["status 21002"]),
    ("a length in hexadecimal", length("0x5"), [400, END]),
    ("a length of 2^64 + 5", length(2 ** 64 + 5), [{400, 413}, END]),
    ("a length of 2^63", length(2 ** 63), [{400, 413}, END]),
    ("a length and chunks", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Content-Length: 5",
                                "Transfer-Encoding: chunked", body=chunk(b"hello") + chunk(b"")), [400, END]),
    ("chunks and a length", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked",
                                "Content-Length: 5", body=chunk(b"hello") + chunk(b"")), [400, END]),
    ("an encoding that hides chunks", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Content-Length: 5",
                                          "Transfer-Encoding: xchunked", body=b"hello"), [{400, 501}, END]),
    ("chunked is not the last encoding", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost",
                                             "Transfer-Encoding: chunked, gzip", body=chunk(b"")), [{400, 501}, END]),
    ("chunked twice", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked",
                          "Transfer-Encoding: identity", body=chunk(b"")), [{400, 501}, END]),
    *((f"Transfer-Encoding: {value}", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", f"Transfer-Encoding: {value}",
                                          body=chunk(GOOD) + chunk(b"")), [400, END])
      for value in ("gzip, chunked", "identity, chunked", "chunked, chunked", "gzip\r\nTransfer-Encoding: chunked", "gzip", ",chunked")),
    ("Transfer-Encoding: Chunked", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", "Transfer-Encoding:  Chunked ",
                                       body=chunk(GOOD) + chunk(b"")), ["status 0"]),
    ("chunks in HTTP/1.0", raw("POST /verifyReceipt HTTP/1.0", "Transfer-Encoding: chunked", body=chunk(b"hello") + chunk(b"")),
     [400, END]),
    ("a batch in HTTP/1.0", raw("POST /v1/batch HTTP/1.0", "Content-Length: 3", body=b"{}\n"), ["400 bad_request", END]),
    ("a name with a space", raw("GET /health/live HTTP/1.1", "Host: localhost", "Content-Length : 5", body=b"hello"), [400, END]),
    ("a name with a null", raw("GET /health/live HTTP/1.1", "Host: localhost", "X\0: 5"), [400, END]),
    ("a value with a null", raw("GET /health/live HTTP/1.1", "Host: localhost", "X: a\0b"), [400, END]),
    ("a folded line", raw("GET /health/live HTTP/1.1", "Host: localhost", "X: a", " b"), [{200, 400}, END]),
    ("a line without a colon", raw("GET /health/live HTTP/1.1", "Host: localhost", "hello"), [400, END]),
    ("no name", raw("GET /health/live HTTP/1.1", "Host: localhost", ": hello"), [400, END]),
    ("only carriage returns", b"GET /health/live HTTP/1.1\rHost: localhost\r\r", [400, END]),
    ("a header of 1 MB", get("/health/live", "X: " + "a" * 1_000_000), [{400, 431}, END]),
    ("a name of 1 MB", get("/health/live", "a" * 1_000_000 + ": X"), [{400, 431}, END]),
    ("10,000 headers", get("/health/live", *(f"X-{number}: {number}" for number in range(10_000))), [{400, 431}, END]),
    ("headers that a browser may send", get("/health/live", "Cookie: " + "a" * 4000), [200]),
]

CHUNKS = [
    ("chunks", chunked("/verifyReceipt", b"".join(chunk(GOOD[at:at + 999]) for at in range(0, len(GOOD), 999)) + chunk(b"")),
     ["status 0"]),
    ("a byte a chunk", chunked("/verifyReceipt", b"".join(chunk(b"%c" % byte) for byte in GOOD) + chunk(b"")), ["status 0"]),
    ("extensions", chunked("/verifyReceipt", b'5;a=b;c="d"\r\nhello\r\n0;e\r\n\r\n'), ["status 21002"]),
    ("trailers", chunked("/verifyReceipt", chunk(b"hello") + b"0\r\nX: smuggled-header\r\n\r\n"), ["status 21002"]),
    ("an invalid chunk length", chunked("/verifyReceipt", b"zz\r\nhello\r\n0\r\n\r\n"), [400, END]),
    ("a negative chunk length", chunked("/verifyReceipt", b"-5\r\nhello\r\n0\r\n\r\n"), [400, END]),
    ("a length of 2^64", chunked("/verifyReceipt", b"10000000000000000\r\nhello\r\n0\r\n\r\n"), [{400, 413}, END]),
    ("a length of 2^63", chunked("/verifyReceipt", b"8000000000000000\r\nhello"), [{400, 408, 413}, END]),
    ("no length", chunked("/verifyReceipt", b"\r\nhello\r\n0\r\n\r\n"), [400, END]),
    ("a chunk longer than its length", chunked("/verifyReceipt", b"3\r\nhello\r\n0\r\n\r\n"), [400, END]),
    ("an extension of 1 MB", chunked("/verifyReceipt", b"5;" + b"a" * 1_000_000 + b"\r\nhello\r\n0\r\n\r\n"),
     ["status 21002"]),
    ("trailers of 1 MB", chunked("/verifyReceipt", chunk(b"hello") + b"0\r\n" + b"X: a\r\n" * 200_000 + b"\r\n"),
     [{400, 413, 431}, END]),
    ("20 MiB in chunks", chunked("/verifyReceipt", b"".join(chunk(BIG[:1 << 16]) for _ in range(320)) + chunk(b"")),
     ["413 too_large", END]),
]

PIPELINES = [
    ("two at once", HEALTH + HEALTH, [200, 200]),
    ("a hundred at once", HEALTH * 100, [200] * 100),
    ("receipts at once", receipt(GOOD) * 20, ["status 0"] * 20),
    ("errors at once", get("/nothing") + receipt(b"hello") + get("/v1/verify") + HEALTH,
     ["404 not_found", "status 21002", "405 method_not_allowed", 200]),
    ("a body with GET", request("GET", "/health/live", b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n") + HEALTH,
     [200, 200]),
    ("a body for an unknown path", post("/nothing", b"x" * 10_000) + HEALTH, ["404 not_found", 200]),
    ("a long body for an unknown path", post("/nothing", b"x" * 1_000_000) + HEALTH, ["404 not_found", END]),
    ("a body for another method", post("/health/live", HEALTH) + HEALTH, ["405 method_not_allowed", 200]),
    ("garbage behind a good one", HEALTH + b"\0\1\2 garbage\r\n\r\n", [200, "400 bad_request", END]),
    ("empty lines between", HEALTH + b"\r\n\r\n" + HEALTH, [200, 200]),
    ("no request is read after Connection: close", get("/health/live", "Connection: close") + HEALTH, [200, END]),
]

EXPECTATIONS = [
    ("100-continue, body at once", post("/verifyReceipt", GOOD, ("Expect", "100-continue")), ["status 0"]),
    ("100-continue of too much", raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", f"Content-Length: {20 << 20}",
                                     "Expect: 100-continue"), ["413 too_large", END]),
    ("an unknown expectation", get("/health/live", "Expect: 200-ok"), [{200, 417}]),
]


def named(response):
    """Returns a response in the notation of the rows."""
    if response is None:
        return END
    try:
        value = response.json
        if set(value) == {"status"} and isinstance(value["status"], int) or "receipt" in value:
            return f"status {value['status']}" if response.status == 200 else f"{response.status} with {value}"
        return f"{response.status} {value['error']['code']}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return response.status


def is_wanted(name, wanted):
    return any(name == each or isinstance(each, int) and str(name).split(" ")[0] == str(each)
               for each in (wanted if isinstance(wanted, set) else {wanted}))


def row(server, why, data, wanted):
    with Connection(server) as connection:
        connection.send(data)
        seen, response = [], None
        try:
            for each in wanted:
                response, last = connection.response(), response
                seen.append(named(response))
            if wanted[-1] == END and response is None and last:
                account.expect(f"{why}: the answer has Connection: close", last.headers.get("connection"), "close")
            if wanted[-1] != END:
                connection.send(request("GET", "/health/live", headers=[("X-Request-Id", "in.step")]))
                response = connection.response()
                seen.append("in step" if response and response.headers.get("x-request-id") == "in.step" else "out of step")
        except (TimeoutError, EOFError) as error:
            seen.append(repr(error))
    full = wanted if wanted[-1] == END else [*wanted, "in step"]
    account.expect(why, seen, lambda seen: len(seen) == len(full) and all(map(is_wanted, seen, full)) or print(f"   wanted {full}"))
    account.expect(f"alive after: {why}", server.lives(), True)


def queries(server):
    """Checks that all routes refuse a query with the same message."""
    for query, message in QUERIES:
        for path in DEMANDING:
            seen = server.ask("POST", f"{path}?{query}", b"MAA=", [JSON])
            account.expect(f"{path} with {query[:50]}: message", seen.json, {"error": {"code": "bad_request", "message": message}})


def expectation(server):
    """Sends the body only after the status 100."""
    with Connection(server) as connection:
        connection.send(raw("POST /verifyReceipt HTTP/1.1", "Host: localhost", f"Content-Length: {len(GOOD)}",
                            "Expect: 100-continue"))
        account.expect("100-continue", connection.head().status, 100)
        connection.send(GOOD)
        account.expect("100-continue, then the body", named(connection.response()), "status 0")


def main():
    with tempfile.TemporaryDirectory() as folder:
        secret = pathlib.Path(folder) / "secret"
        secret.write_text(SECRET)
        with Server(*ROOT, "--shared-secret-file", secret, "--log-level", "trace", "--header-timeout", 3) as server:
            for table in (CONTENT, ROUTES, FRAMING, CHUNKS, PIPELINES, EXPECTATIONS):
                for each in table:
                    row(server, *each)
            queries(server)
            expectation(server)
            account.expect("SIGTERM", server.stop(), 0)
            kept_to_itself(account, server.log(), [
                SECRET, GENUINE["receipt-data"][:40], GENUINE["receipt-data"][400:440], "com.example.private", "smuggled-header"])
    account.end()


main()
