"""/v1/verify, /v1/eligibility and /v1/batch answer byte for byte what the command line prints of the same data; see `run`."""

import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

from serving import CORPUS, FIXTURES, ROOT, TOOL, Account, Connection, Server, chunk

account = Account("consistency")
JSON = ("Content-Type", "application/json")
XCODE = FIXTURES / "roots/storekit-test-root.cer", FIXTURES / "roots/storekit-test-jws-root.cer"
STORE = FIXTURES / "eligibility/Store.storekit"
TRUST = [*ROOT, *(text for path in XCODE for text in ("--storekit-test-root", str(path)))]
# As `verify -` has it: what comes by the wire has no name.
SOURCE = re.compile(rb'^\{"source":"(?:[^"\\]|\\.)*?((?:#(?:[^"\\]|\\.)*)?)"')


def printed(*arguments, **options):
    """The lines of the command line, whatever its exit status says of refusals."""
    run = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, **options)
    assert run.returncode in (0, 1, 2), run.stderr
    return run.stdout.splitlines()


def verify(server, options, paths, query="", demands=()):
    """Each file as it is, and where it is text, in JSON."""
    for path in paths:
        data = path.read_bytes()
        lines = [SOURCE.sub(rb'{"source":"-\1"', line) for line in printed("verify", "--json", *options, *demands, path)]
        wanted = b'{"results":[' + b",".join(lines) + b"]}"
        seen = server.ask("POST", f"/v1/verify{query}", data)
        account.expect(f"verify{query} {path}", (seen.status, seen.body.rstrip()), (200, wanted))
        try:
            body = json.dumps({"receipt": data.decode("ascii")}).encode()
        except UnicodeDecodeError:
            continue
        seen = server.ask("POST", f"/v1/verify{query}", body, [JSON])
        account.expect(f"verify{query} {path} in JSON", (seen.status, seen.body.rstrip()), (200, wanted))


# (query, options of the command line)
DEMANDS = [
    ("?bundle_id=com.example.lumen", ["--bundle-id", "com.example.lumen"]),
    ("?bundle_id=com.example.other", ["--bundle-id", "com.example.other"]),
    ("?environment=production", ["--environment", "production"]),
    ("?environment=sandbox", ["--environment", "sandbox"]),
    ("?environment=xcode", ["--environment", "xcode"]),
    ("?environment=any&bundle_id=com%2Eexample%2Elumen", ["--bundle-id", "com.example.lumen"]),
]


def judged(server, why, evidence, options, renewal=(), products=(), as_of=None, catalog=None):
    """Evidence and renewal information are files; as text where they are none already."""
    import base64

    def as_text(path):
        data = path.read_bytes()
        try:
            return data.decode("ascii")
        except UnicodeDecodeError:
            return base64.b64encode(data).decode()

    body = {"evidence": [as_text(path) for path in evidence]}
    body |= {"renewal_info": [as_text(path) for path in renewal]} if renewal else {}
    body |= {"products": list(products)} if products else {}
    body |= {"as_of": as_of} if as_of else {}
    body |= {"catalog": json.loads(catalog.read_text())} if catalog else {}
    seen = server.ask("POST", "/v1/eligibility", body, [JSON])
    with tempfile.TemporaryDirectory() as folder:
        # The server's names for what has none.
        names = [f"evidence[{number}]" for number in range(len(evidence))]
        for name, path in zip(names, evidence):
            os.symlink(path, pathlib.Path(folder) / name)
        flags = [text for product in products for text in ("--product", product)]
        flags += [text for path in renewal for text in ("--renewal-info", path)]
        # Without as_of the server asks its clock, and its answer says when.
        asked = as_of or (re.search(rb'"as_of":"([^"]+)"', seen.body) or [None, b"2026-01-01T00:00:00Z"])[1].decode()
        run = subprocess.run([TOOL, "eligibility", "--merge", "--json", *names, *map(str, options), *map(str, flags),
                              *(["--catalog", catalog] if catalog else []), "--as-of", asked],
                             capture_output=True, cwd=folder)
    if run.returncode == 0:
        wanted = b'{"verdicts":[' + b",".join(run.stdout.splitlines()) + b"]}"
        account.expect(f"eligibility of {why}", (seen.status, seen.body.rstrip()), (200, wanted))
        return "judged"
    # What the command leaves out and tells, the server refuses whole.
    account.expect(f"eligibility of {why}, which is refused", seen.status, 422)
    account.expect(f"eligibility of {why}: the error", seen.json["error"]["message"], lambda text: len(text) > 0)
    for refusal in seen.json.get("refusals", []):
        account.expect(f"eligibility of {why}: the evidence", refusal["evidence"], lambda number: 0 <= number < len(evidence))
        line, *_ = printed("verify", "--json", *options[:options.index("--catalog") if "--catalog" in options else None],
                           evidence[refusal["evidence"]])
        account.expect(f"eligibility of {why}: the refusal", json.dumps(refusal["refusal"]) in
                       [json.dumps(json.loads(each).get("refusal")) for each in
                        printed("verify", "--json", *ROOT_OF(options), evidence[refusal["evidence"]])], True)
    return "refused"


def ROOT_OF(options):
    options = list(map(str, options))
    return options[options.index("--root"):options.index("--root") + 2]


def questions():
    """Fixtures' questions, on a server for each set of policies; renewal information that nobody signed is not taken."""
    folder, servers = FIXTURES / "eligibility", {}
    try:
        for row in json.loads((folder / "questions.json").read_text()):
            if "renewal_info" in row:
                continue
            flags = tuple(row.get("flags", []))
            options = [*ROOT, *flags]
            if flags not in servers:
                servers[flags] = Server(*options, "--catalog", STORE)
            evidence = [folder / path for path in [row["receipt"], *row.get("evidence", [])]]
            judged(servers[flags], row["name"], evidence, [*options, "--catalog", STORE], (), row.get("products", ()), row.get("as_of"))
    finally:
        for each in servers.values():
            each.close()


def mixed():
    """The reference questions about several pieces of evidence, each with its own catalogue."""
    folder, servers, counts = CORPUS / "eligibility-mixed", {}, {}
    try:
        for row in json.loads((folder / "manifest.json").read_text())["rows"]:
            signed = [path for path in row["renewal_info"] if "unsigned" not in path]
            if len(signed) != len(row["renewal_info"]) or not row["catalog"] or "--single-group" in row["flags"]:
                continue
            options = ["--root", folder / "root.der", *row["flags"]]
            key = tuple(map(str, options))
            if key not in servers:
                servers[key] = Server(*options)
            result = judged(servers[key], row["name"], [folder / path for path in row["evidence"]], options,
                            [folder / path for path in signed], row["products"], row["as_of"], folder / row["catalog"])
            counts[result] = counts.get(result, 0) + 1
    finally:
        for each in servers.values():
            each.close()
    print(f"evidence of ../shared/corpus: {counts}")


def records(seed):
    """Lines for the batch: every receipt and JWS of Fixtures, and lines that can't be read."""
    import base64
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
    # The first tells the audit that it reads a record a line.
    return [b'{"id": "first", "receipt": "MAA="}', *lines]


def batches(server, options, why):
    """The whole at once, in pieces that know nothing of lines, and with every end that lines have."""
    lines = records(14)
    as_of = []
    for ending, last in ((b"\n", b"\n"), (b"\r\n", b""), (b"\n", b"")):
        data = ending.join(lines) + last
        seen = server.ask("POST", "/v1/batch", data)
        asked = re.search(rb'"as_of":"([^"]+)"', seen.body)
        as_of = ["--as-of", asked[1].decode()] if asked else []
        wanted = printed("audit", "-", "--ndjson", "-", "--jobs", "1", *options, *as_of, input=data)
        account.expect(f"batch {why}: status and type", (seen.status, seen.headers["content-type"].split(";")[0]),
                       (200, "application/x-ndjson"))
        compared(f"batch {why}, lines that end with {ending!r} and {last!r}", seen.body.splitlines(), wanted)
    with Connection(server) as connection:
        connection.send(b"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        generator, at = random.Random(5), 0
        while at < len(data):
            size = generator.choice([1, 7, 1000, 70_000])
            connection.send(chunk(data[at:at + size]))
            at += size
        connection.send(chunk(b""))
        body = connection.response().body
        account.expect(f"batch {why}, in pieces: lines", len(body.splitlines()), len(wanted))
        if not as_of:
            compared(f"batch {why}, in pieces", body.splitlines(), wanted)


def compared(why, seen, wanted):
    for number, (mine, other) in enumerate(zip(seen, wanted)):
        if mine != other:
            return account.expect(f"{why}, line {number}", mine, other)
    return account.expect(f"{why}: lines", len(seen), len(wanted))


def many(server):
    """20,000 lines in order, written while answers are read."""
    import threading
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
    """Each line is answered before the next is sent."""
    with Connection(server, timeout=20) as connection:
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
        account.expect("nothing more", b"".join(connection.chunks()), b"")


def main():
    files = sorted([*FIXTURES.glob("receipts/*"), *FIXTURES.glob("jws/*"), *FIXTURES.glob("genuine/receipts/*")])
    with Server(*TRUST) as server, Server(*TRUST, "--catalog", STORE) as judging, Server() as apples:
        verify(server, TRUST, files)
        for query, demands in DEMANDS:
            verify(server, TRUST, files[::4], query, demands)
        genuine = sorted(FIXTURES.glob("genuine/receipts/*"))
        verify(apples, [], [*genuine, *FIXTURES.glob("answers/*.json"), FIXTURES / "roots/root.cer"])
        batches(server, TRUST, "without a catalogue")
        batches(judging, [*TRUST, "--catalog", STORE], "with a catalogue")
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
