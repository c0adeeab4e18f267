"""Compares the answers of /v1/verify, /v1/eligibility and /v1/batch with the command's output, byte for byte. See `run`."""

import base64
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import threading

from serving import CORPUS, FIXTURES, ROOT, TOOL, Account, Connection, Server, chunk

account = Account("consistency")
# The command whose output is compared, which may be another build than the server's.
COMMAND = os.environ.get("COMMAND", TOOL)
JSON = ("Content-Type", "application/json")
XCODE = FIXTURES / "roots/storekit-test-root.cer", FIXTURES / "roots/storekit-test-jws-root.cer"
STORE = FIXTURES / "eligibility/Store.storekit"
TRUST = [*ROOT, *(each for path in XCODE for each in ("--storekit-test-root", str(path)))]
# The source in a result. The server's results have the source "-", as those of `verify -`.
SOURCE = re.compile(rb'^\{"source":"(?:[^"\\]|\\.)*?((?:#(?:[^"\\]|\\.)*)?)"')


def printed(*arguments, **options):
    """Runs the command and returns the lines of its output. Accepts the exit statuses for refusals."""
    run = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, **options)
    assert run.returncode in (0, 1, 2), run.stderr
    return run.stdout.splitlines()


def verify(server, options, paths, query="", demands=()):
    """Verifies each file unchanged, and if it is text, also in JSON."""
    for path in paths:
        data = path.read_bytes()
        lines = [SOURCE.sub(rb'{"source":"-\1"', line) for line in printed("verify", "--json", *options, *demands, path)]
        wanted = b'{"results":[' + b",".join(lines) + b"]}"
        seen = server.ask("POST", f"/v1/verify{query}", data)
        account.expect(f"verify{query} {path}", (seen.status, seen.body.rstrip()), (200, wanted))
        if data[:1] == b"{":  # Apple sends notifications this way.
            seen = server.ask("POST", f"/v1/verify{query}", data, [JSON])
            account.expect(f"verify{query} {path}, which is JSON", (seen.status, seen.body.rstrip()), (200, wanted))
        try:
            body = json.dumps({"receipt": data.decode("ascii")}).encode()
        except UnicodeDecodeError:
            continue
        seen = server.ask("POST", f"/v1/verify{query}", body, [JSON])
        account.expect(f"verify{query} {path} in JSON", (seen.status, seen.body.rstrip()), (200, wanted))


# Rows: the query, and the equivalent options of the command.
DEMANDS = [
    ("?bundle_id=com.example.lumen", ["--bundle-id", "com.example.lumen"]),
    ("?bundle_id=com.example.other", ["--bundle-id", "com.example.other"]),
    ("?environment=production", ["--environment", "production"]),
    ("?environment=sandbox", ["--environment", "sandbox"]),
    ("?environment=xcode", ["--environment", "xcode"]),
    ("?environment=production&environment=sandbox", ["--environment", "production", "--environment", "sandbox"]),
    ("?bundle_id=com.example.other&bundle_id=com.example.lumen",
     ["--bundle-id", "com.example.other", "--bundle-id", "com.example.lumen"]),
    ("?environment=any&bundle_id=com%2Eexample%2Elumen", ["--bundle-id", "com.example.lumen"]),
    ("?app_apple_id=1450218337", ["--app-apple-id", "1450218337"]),
    ("?app_apple_id=5&bundle_id=com.example.lumen", ["--app-apple-id", "5", "--bundle-id", "com.example.lumen"]),
    ("?bundle_id=com.example.tides&environment=production", ["--bundle-id", "com.example.tides", "--environment", "production"]),
    ("?device_id=00112233-4455-6677-8899-aabbccddeeff", ["--device-id", "00112233-4455-6677-8899-aabbccddeeff"]),
    ("?device_id=00%3A1b%3A63&bundle_id=com.example.tides", ["--device-id", "00:1b:63", "--bundle-id", "com.example.tides"]),
]
# Files in Fixtures, a list for each question. Renewal information does not name an app. It is alone, with its transaction and
# with another one.
EVIDENCE = [
    ["eligibility/receipts/half-a-year-then-left.der", "eligibility/evidence/left.renewal.jws"],
    ["eligibility/receipts/running-month.der", "eligibility/evidence/left.renewal.jws"],
    ["eligibility/evidence/left.renewal.jws"],
    ["jws/notification.jws", "jws/transaction.jws", "jws/renewal-info.jws"],
    ["eligibility/evidence/page.json", "eligibility/evidence/history.json"],
    ["eligibility/evidence/installed.jws"], ["receipts/sandbox.der"], ["receipts/refund.der"], ["receipts/xcode.b64"],
    ["receipts/refund.der", "receipts/sandbox.der"],
]


def as_text(path):
    """Returns a file's text, or its base64 if it is binary."""
    data = path.read_bytes()
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def at_one_time(answer):
    """Replaces the time of the question with `now` throughout an answer, if the answer has only one such time."""
    asked = set(re.findall(rb'"as_of":"([^"]+)"', answer))
    return re.sub(b"|".join(map(re.escape, asked)), b"now", answer) if len(asked) == 1 else answer


def compare_eligibility(server, trust, evidence, renewal=(), products=(), as_of=None, own_catalog=None, options=(), query="", demands=()):
    """Compares /v1/eligibility with the command for these files. Returns "accepted" or "refused"."""
    why = f"eligibility{query} of " + ", ".join(path.name for path in evidence)
    body = {"evidence": [as_text(path) for path in evidence], "renewal_info": [as_text(path) for path in renewal],
            "products": list(products), "as_of": as_of, "catalog": own_catalog and json.loads(own_catalog.read_text())}
    seen = server.ask("POST", f"/v1/eligibility{query}", {name: value for name, value in body.items() if value}, [JSON])
    with tempfile.TemporaryDirectory() as folder:
        # The server's names for the evidence.
        names = [f"evidence[{number}]" for number in range(len(evidence))]
        for name, path in zip(names, evidence):
            (pathlib.Path(folder) / name).symlink_to(path)
        flags = [each for product in products for each in ("--product", product)]
        flags += [each for path in renewal for each in ("--renewal-info", path)]
        flags += ["--catalog", own_catalog] if own_catalog else []
        flags += ["--as-of", as_of] if as_of else []
        run = subprocess.run([COMMAND, "eligibility", "--merge", "--json", *names, *map(str, [*trust, *options, *demands, *flags])],
                             capture_output=True, cwd=folder)
    if run.returncode == 0:
        wanted = b'{"verdicts":[' + b",".join(run.stdout.splitlines()) + b"]}"
        account.expect(why, (seen.status, at_one_time(seen.body.rstrip())), (200, at_one_time(wanted)))
        return "accepted"
    # The command reports invalid evidence and omits it. The server refuses the whole request.
    account.expect(f"{why}: refused, as {run.stderr.decode()}", (seen.status, "error" in seen.json), (422, True))
    for each in seen.json.get("refusals", []):
        number, refusal = each["evidence"], each["refusal"]
        if demands:  # `verify` has no transaction to determine the app of renewal information.
            place = f"#{each['path']}" if "path" in each else ""
            line = f"evidence[{number}]{place}: refused ({refusal['code']}): {refusal['message']}\n"
            account.expect(f"{why}: refusal of {number} in {run.stderr.decode()}", line in run.stderr.decode(), True)
            continue
        lines = map(json.loads, printed("verify", "--json", *trust, evidence[number]))
        account.expect(f"{why}: refusal of {number}", refusal in [line.get("refusal") for line in lines], True)
    return "refused"


class Servers(dict):
    """The servers by their options. Starts each when it is first used and stops them at the end."""

    def __missing__(self, options):
        self[options] = Server(*options)
        return self[options]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.values():
            each.close()


def questions():
    """Asks the questions in Fixtures, with a server for each set of policies. Skips those with unsigned renewal information."""
    folder = FIXTURES / "eligibility"
    with Servers() as servers:
        for row in json.loads((folder / "questions.json").read_text()):
            if "renewal_info" not in row:
                options = *row.get("flags", []), "--catalog", STORE
                evidence = [folder / path for path in [row["receipt"], *row.get("evidence", [])]]
                compare_eligibility(servers[*ROOT, *options], ROOT, evidence, (), row.get("products", ()), row.get("as_of"), None, options)


def demanded(server, options):
    """Asks about the same evidence under policies that accept it and policies that refuse it."""
    results = {compare_eligibility(server, TRUST, [FIXTURES / path for path in paths], options=options, query=query, demands=demands)
               for query, demands in DEMANDS for paths in EVIDENCE}
    account.expect("policies accept some evidence and refuse some", results == {"accepted", "refused"}, True)
    # Renewal information belongs to the app of its transaction, and is refused without one.
    for paths, wanted in zip(EVIDENCE, ("accepted", "refused", "refused")):
        seen = compare_eligibility(server, TRUST, [FIXTURES / path for path in paths], options=options, query="?bundle_id=com.example.tides",
                      demands=["--bundle-id", "com.example.tides"])
        account.expect(f"{paths} for its app", seen, wanted)


def mixed():
    """Asks the reference questions about several signed objects, each with its own catalog."""
    folder, counts = CORPUS / "eligibility-mixed", {}
    trust = "--root", folder / "root.der"
    with Servers() as servers:
        for row in json.loads((folder / "manifest.json").read_text())["rows"]:
            if row["catalog"] and not any("unsigned" in path for path in row["renewal_info"]):
                result = compare_eligibility(servers[*trust, *row["flags"]], trust, [folder / path for path in row["evidence"]],
                                [folder / path for path in row["renewal_info"]], row["products"], row["as_of"],
                                folder / row["catalog"], row["flags"])
                counts[result] = counts.get(result, 0) + 1
    print(f"evidence of ../shared/corpus: {counts}")


def records(seed):
    """Returns the lines of a batch: every receipt and JWS in Fixtures, and unreadable lines."""
    paths = sorted([*FIXTURES.glob("receipts/*"), *FIXTURES.glob("jws/*"), *FIXTURES.glob("genuine/receipts/*"),
                    *FIXTURES.glob("eligibility/receipts/*"), *FIXTURES.glob("eligibility/evidence/*")])
    lines = []
    for number, path in enumerate(paths):
        data = path.read_bytes()
        text = base64.b64encode(data).decode() if data[:1] == b"0" else data.decode()
        subject = [{}, {"subject": f"customer {number % 7}"}, {"subject": None}][number % 3]
        lines.append(json.dumps({"id": [path.name, number, None][number % 3], "receipt": text} | subject).encode())
    lines += [b"hello", b"{}", b"[]", b"null", b"", b"  ", b'{"id": 1}', b'{"id": 1, "receipt": 5}', b'{"receipt": "MAA="}',
              b'{"id": {"a": 1}, "receipt": "MAA="}', b'{"id": "\xff", "receipt": "MAA="}', b'{"id": 1, "id": 2, "receipt": "MAA="}',
              b'{"id": "\\ud83d\\ude00 \xc3\xa4", "receipt": "MAA="}', b'{"id": 1, "receipt": ""}', b'{"id": 1e3, "receipt": "MAA="}',
              b'\xef\xbb\xbf{"id": 1, "receipt": "MAA="}', b'{"id": 1, "receipt": "MAA="} x', b"[" * 5000]
    generator = random.Random(seed)
    generator.shuffle(lines)
    # The first line determines that the audit reads one record a line.
    return [b'{"id": "first", "receipt": "MAA="}', *lines]


def batches(server, options, why):
    """Sends batches as a whole with each kind of line ending, and in chunks that ignore line ends."""
    lines = records(14)
    for ending, last in ((b"\n", b"\n"), (b"\r\n", b""), (b"\n", b"")):
        data = ending.join(lines) + last
        seen = server.ask("POST", "/v1/batch", data)
        wanted = printed("audit", "-", "--ndjson", "-", "--jobs", "1", *options, input=data)
        account.expect(f"batch {why}: status and type", (seen.status, seen.headers["content-type"].split(";")[0]),
                       (200, "application/x-ndjson"))
        compared(f"batch {why}, lines that end with {ending!r} and {last!r}", seen.body, wanted)
    with Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        generator, at = random.Random(5), 0
        while at < len(data):
            size = generator.choice([1, 7, 1000, 70_000])
            connection.send(chunk(data[at:at + size]))
            at += size
        connection.send(chunk(b""))
        compared(f"batch {why}, in chunks", connection.response().body, wanted)


def compared(why, seen, wanted):
    """Compares two answers line by line, with the time of each line's question replaced."""
    seen, wanted = list(map(at_one_time, seen.splitlines())), list(map(at_one_time, wanted))
    for number, (mine, other) in enumerate(zip(seen, wanted)):
        if mine != other:
            return account.expect(f"{why}, line {number}", mine, other)
    return account.expect(f"{why}: lines", len(seen), len(wanted))


def many(server):
    """Sends 20,000 lines while reading the answers, and checks their order."""
    line = json.dumps({"id": 0, "receipt": "MAA="})
    count = 20_000
    with Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")

        def write():
            for start in range(0, count, 500):
                connection.send(chunk(b"".join(line.replace('"id": 0', f'"id": {number}').encode() + b"\n"
                                               for number in range(start, start + 500))))
            connection.send(chunk(b""))

        writer = threading.Thread(target=write)
        writer.start()
        ids = [json.loads(each)["id"] for each in connection.response().body.splitlines()]
        writer.join()
        account.expect("20,000 lines in their order", ids == list(range(count)), True)


def streamed(server):
    """Checks that the server answers each line before the next is sent."""
    with Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        rest, response = b"", None
        for number in range(20):
            connection.send(chunk(json.dumps({"id": number, "receipt": "MAA="}).encode() + b"\n"))
            response = response or connection.head()
            while b"\n" not in rest:
                rest += connection.exactly(int(connection.until(b"\r\n"), 16))
                connection.exactly(2)
            line, rest = rest.split(b"\n", 1)
            if not account.expect(f"line {number} is answered before the next is sent", json.loads(line)["id"], number):
                return
        connection.send(chunk(b""))
        account.expect("no data after the last answer", b"".join(connection.chunks()), b"")


def main():
    files = sorted([*FIXTURES.glob("receipts/*"), *FIXTURES.glob("jws/*"), *FIXTURES.glob("genuine/receipts/*")])
    with (Server(*TRUST) as server, Server(*TRUST, "--catalog", STORE) as with_catalog, Server() as apples,
          tempfile.TemporaryDirectory() as folder):
        notification = pathlib.Path(folder) / "notification.json"
        notification.write_text(json.dumps({"signedPayload": (FIXTURES / "jws/notification.jws").read_text().strip()}))
        verify(server, TRUST, [*files, notification])
        for query, demands in DEMANDS:
            verify(server, TRUST, files[::4], query, demands)
        genuine = sorted(FIXTURES.glob("genuine/receipts/*"))
        verify(apples, [], [*genuine, *FIXTURES.glob("answers/*.json"), FIXTURES / "roots/root.cer"])
        batches(server, TRUST, "without a catalog")
        batches(with_catalog, [*TRUST, "--catalog", STORE], "with a catalog")
        data = b"\n".join(records(14))
        for query, demands in DEMANDS:
            seen = with_catalog.ask("POST", f"/v1/batch{query}", data)
            compared(f"batch{query}", seen.body,
                     printed("audit", "-", "--ndjson", "-", "--jobs", "1", *TRUST, "--catalog", STORE, *demands, input=data))
        demanded(with_catalog, ["--catalog", STORE])
        many(server)
        streamed(server)
        if CORPUS.exists():
            small = [path for folder in ("genuine", "encodings", "outside") for path in sorted((CORPUS / folder).rglob("*"))
                     if path.is_file() and 0 < path.stat().st_size < 1 << 20]
            verify(apples, [], small)
    questions()
    if CORPUS.exists():
        mixed()
    account.end()


main()
