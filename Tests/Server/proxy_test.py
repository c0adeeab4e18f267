"""Compares the documentation page on serving with the server: its proxies, its curl requests, its tables and the unit."""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import serving
from serving import FIXTURES, PATIENCE, ROOT, TOOL, TOP, Account, Connection, Server, chunk, free_port, request

work = pathlib.Path(sys.argv[1])
ARTICLE = (TOP / "Sources/ReceiptServer/ReceiptServer.docc/ServingVerifyReceipt.md").read_text()
UNIT = TOP / "Sources/Service/appreceipt-server.service"
GENUINE = FIXTURES / "receipts/trial-then-renewals.der"
account = Account("article")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", ARTICLE, re.MULTILINE | re.DOTALL)


def replaced(text, *pairs):
    """Replaces each old text, which must be present."""
    for old, new in pairs:
        if old not in text:
            raise ValueError(f"missing in the article: {old!r}")
        text = text.replace(old, str(new))
    return text


class Front:
    """A proxy with the interface of `serving.Server`."""

    host = "127.0.0.1"

    def __init__(self, port, tls, command):
        self.port, self.tls = port, tls
        places = {name: str(work) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=(work / "proxy.log").open("w"),
                                        env=os.environ | places)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection((self.host, port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise RuntimeError((work / "proxy.log").read_text())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)

    ask = Server.ask


def nginx(server, block):
    port = free_port()
    site = replaced(
        blocks("nginx")[block], ("127.0.0.1:8080", f"127.0.0.1:{server.port}"), ("listen 443", f"listen 127.0.0.1:{port}"),
        ("/etc/ssl/receipts.pem", work / "receipts.pem"), ("/etc/ssl/private/receipts.key", work / "receipts.key"))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {work}/{kind};\n" for kind in kinds)
    (work / "nginx.conf").write_text(f"""daemon off; user root; pid {work}/nginx.pid; error_log stderr;
        events {{}}
        http {{ access_log off;\n{folders}{site}}}""")
    tls = ssl.create_default_context(cafile=work / "receipts.pem")
    return Front(port, tls, ["nginx", "-p", str(work), "-e", "stderr", "-c", str(work / "nginx.conf")])


def caddy(server):
    port = free_port()
    site = replaced(blocks("caddy")[0], ("receipts.example.com", f"http://localhost:{port}"),
                    ("127.0.0.1:8080", f"127.0.0.1:{server.port}"))
    (work / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + site)
    return Front(port, None, ["caddy", "run", "--adapter", "caddyfile", "--config", str(work / "Caddyfile")])


def passes(name, front, server):
    """Checks that answers through a proxy equal direct answers."""
    receipt = GENUINE.read_bytes()
    body = json.dumps({"receipt-data": base64.b64encode(receipt).decode()})
    direct, seen = server.ask("POST", "/v1/verify", receipt), front.ask("POST", "/v1/verify", receipt)
    account.expect(f"{name}: verify", (seen.status, seen.body), (200, direct.body))
    account.expect(f"{name}: the request ID", seen.headers.get("x-request-id", ""),
                   lambda value: re.fullmatch(r"[0-9a-f-]{32,36}", value))
    seen = front.ask("POST", "/sandbox/verifyReceipt", body.encode())
    account.expect(f"{name}: verifyReceipt", (seen.status, seen.body), (200, b'{"status":21008}'))
    direct, seen = server.ask("GET", "/"), front.ask("GET", "/")
    account.expect(f"{name}: the page", (seen.status, seen.body), (200, direct.body))
    for header in ("content-security-policy", "x-content-type-options", "content-type"):
        account.expect(f"{name}: {header}", seen.headers.get(header), direct.headers[header])
    for size, wanted in ((3_145_728, 200), (3_145_729, 413)):
        filled = b'{"receipt-data": "' + b"A" * (size - 20) + b'"}'
        status = front.ask("POST", "/verifyReceipt", filled).status
        account.expect(f"{name}: {size} bytes", (len(filled), status), (size, wanted))
    with concurrent.futures.ThreadPoolExecutor(16) as threads:
        statuses = [*threads.map(lambda _: front.ask("POST", "/v1/verify", receipt).status, range(200))]
    account.expect(f"{name}: 200 concurrent requests", {*statuses}, {200})


def secret_path(front):
    """Checks that the proxy forwards the secret path and no other."""
    body = json.dumps({"receipt-data": base64.b64encode(GENUINE.read_bytes()).decode()}).encode()
    path = re.search(r"location = (/\S+)", blocks("nginx")[0])[1]
    seen = front.ask("POST", path, body)
    account.expect("the secret path", (seen.status, seen.json["status"]), (200, 0))
    account.expect("a long body", front.ask("POST", path, body + b" " * 2_000_000).status, 200)
    for other in ("/verifyReceipt", path.rsplit("/", 1)[0], path + "/", path[:-1], "/metrics", "/v1/verify", "/"):
        account.expect(f"{other} instead of the secret path", front.ask("POST", other, body).status, 404)


def record(name):
    return json.dumps({"id": name, "receipt": base64.b64encode(GENUINE.read_bytes()).decode()}).encode() + b"\n"


def batch(name, front):
    answer = front.ask("POST", "/v1/batch", record("a") + record("b"), [("Content-Type", "application/x-ndjson")])
    account.expect(f"{name}: a batch", (answer.status, [line[:10] for line in answer.body.splitlines()]),
                   (200, [b'{"id":"a",', b'{"id":"b",']))
    # As much as the page lets clients send before they read.
    count = 1_000_000 // len(record("0000"))
    answer = front.ask("POST", "/v1/batch", record("0000") * count, [("Content-Type", "application/x-ndjson")])
    account.expect(f"{name}: a batch of 1 MB", (answer.status, len(answer.body.splitlines())), (200, count))


def streams(name, front):
    """Checks that the first line is answered before the second is sent."""
    with Connection(front) as connection:
        headers = [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")]
        connection.send(request("POST", "/v1/batch", headers=headers) + chunk(record("a")))
        if not account.expect(f"{name}: a streamed batch", connection.head().status, 200):
            return
        chunks = connection.chunks()
        first = next(chunks)
        account.expect(f"{name}: the first answer before the last line is sent", first[:10], b'{"id":"a",')
        connection.send(chunk(record("b")) + chunk(b""))
        account.expect(f"{name}: the last answer", (first + b"".join(chunks)).splitlines()[-1][:10], b'{"id":"b",')


def console():
    """Runs the page's console blocks in one shell. Their output must equal the page's exactly."""
    folder = work / "console"
    shutil.copytree(FIXTURES, folder / "Fixtures")
    with Server() as server:
        script, wanted = "", []
        for block in blocks("console"):
            # A backslash at the end of a line continues a command.
            commands = re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
            script += "".join(command for command, _ in commands) + "echo ===\n"
            wanted.append("".join(shown for _, shown in commands))
        script = replaced(script, ("http://127.0.0.1:8080", server.url))
        result = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        account.expect("errors of the commands", result.stderr, "")
        # Answers end without a line feed.
        seen = [block.rstrip("\n") for block in result.stdout.split("===\n")]
        account.expect("the output of the console blocks", seen, [*(block.rstrip("\n") for block in wanted), ""])


def revocation_list(folder):
    """Forges a revocation list, because some metrics exist only with one. Returns its path."""
    made = {"name": "list", "story": "", "signer": "root", "this_update": "2025-01-01T00:00:00Z", "next_update": "2039-01-01T00:00:00Z"}
    (folder / "lists.json").write_text(json.dumps({"receipts": [], "revocation_lists": [made]}))
    subprocess.run([TOOL, "forge", folder / "lists.json", "--output", folder / "receipts", "--roots", folder / "roots", "--crls", folder / "crls"],
                   check=True, capture_output=True)
    return folder / "crls/list.crl"


def tables():
    """Checks that the page's tables contain exactly the existing settings and metrics."""
    rows = re.findall(r"^\| (`--.*?) \| (.*?) \|", ARTICLE, re.MULTILINE)
    options = [set(re.findall(r"--([a-z0-9-]+)", names)) for names, _ in rows]
    usage = subprocess.run([TOOL, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    # The checks are not settings, and the text describes them.
    there = {*re.findall(r"^  --([a-z0-9-]+)", usage, re.MULTILINE)} - {"check-config", "check-health"}
    account.expect("options", sorted(set().union(*options)), sorted(there))
    for (names, variables), row in zip(rows, options):
        known = {"APPRECEIPT_" + name.replace("-", "_").upper() for name in row}
        told = {*re.findall(r"APPRECEIPT_\w+", variables)}
        account.expect(f"variables of {names}", sorted(told - known) or len(told) > 0, True)
    with tempfile.TemporaryDirectory() as folder, Server("--crl", revocation_list(pathlib.Path(folder))) as server:
        text = ""
        # The server counts a request after its answer, and reports a counter after its first increment.
        for _ in range(100):
            text = server.ask("GET", "/metrics").body.decode()
            if 'status="200"' in text:
                break
            time.sleep(0.05)
        kinds = re.findall(r"^# TYPE (\w+)", text, re.MULTILINE)
    named = " ".join(re.findall(r"^\| (`(?:appreceipt|process)_.*?) \|", ARTICLE, re.MULTILINE))
    account.expect("metrics", sorted(re.findall(r"`(\w+)`", named)), sorted(kinds))


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True)


def unit():
    service = work / "appreceipt-server.service"
    service.write_text(replaced(UNIT.read_text(), ("/usr/bin/appreceipt-server", pathlib.Path(TOOL).resolve())))
    seen = analyze("verify", "--man=no", service)
    account.expect("the unit is valid", (seen.returncode, seen.stdout + seen.stderr), (0, ""))
    seen = analyze("security", "--offline=yes", "--threshold=15", service)
    account.expect("systemd's exposure score of the unit is at most 1.5", (seen.returncode, seen.stdout[-100:]), lambda seen: seen[0] == 0)


def system_calls():
    """Checks that the unit allows the server's system calls, and that the server makes no connections and writes no files."""
    groups = re.findall(r"^(@[\w-]+)\n(.*?)(?=^@|\Z)", analyze("syscall-filter").stdout, re.MULTILINE | re.DOTALL)
    members = {name: re.findall(r"^    ([@\w-]+)", text, re.MULTILINE) for name, text in groups}

    def within(name):
        return set().union(*map(within, members[name])) if name.startswith("@") else {name}

    allowed = set()
    for names in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(), re.MULTILINE):
        named = set().union(*map(within, names.removeprefix("~").split()))
        allowed = allowed - named if names.startswith("~") else allowed | named
    trace, traced = work / "trace", work / "traced"
    # With -D, strace is the child, so that the process itself is the server.
    traced.write_text(f'#!/bin/sh\nexec strace -D -f -qq -o "{trace}" "{pathlib.Path(TOOL).resolve()}" "$@"\n')
    traced.chmod(0o755)
    serving.TOOL = traced
    with Server() as server:
        for path in ("/v1/verify", "/verifyReceipt", "/nowhere"):
            server.ask("POST", path, GENUINE.read_bytes())
        for path in ("/", "/metrics", "/health/ready", "/openapi.yaml"):
            server.ask("GET", path)
        server.stop()
    serving.TOOL = TOOL
    calls = trace.read_text()
    made = {*re.findall(r"^\d+ +(\w+)\(", calls, re.MULTILINE)}
    account.expect("strace recorded the server", {"listen", "execve"} <= made, True)
    account.expect("system calls that the unit forbids", sorted(made - allowed), [])
    # The C library connects to the name service cache to resolve the server's own address.
    others = [call for call in re.findall(r"connect\(.*", calls) if "/nscd/socket" not in call]
    account.expect("connections to other servers", others, [])
    opened = re.findall(r"open\w*\(.*O_(?:WRONLY|RDWR|CREAT).*", calls)
    account.expect("files to write", opened, [])
    account.expect("writable and executable memory", re.findall(r".*PROT_WRITE\|PROT_EXEC.*", calls), [])


def early_hangups():
    """Checks that SIGHUP does not end a server before it has read its command line, by one that it refuses."""
    command = ["strace", "-qq", "-e", "trace=rt_sigaction", TOOL, "serve", "--nonsense"]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=60)
    account.expect("exit status", seen.returncode, 64)
    account.expect("handlers of SIGHUP", re.findall(r"rt_sigaction\(SIGHUP, {sa_handler=0x", seen.stderr), lambda found: len(found) == 1)


# The order is that of the page.
with Server(*ROOT) as server, nginx(server, block=0) as proxy:
    secret_path(proxy)
with Server(*ROOT) as server, nginx(server, block=1) as proxy:
    passes("nginx", proxy, server)
    batch("nginx", proxy)
    streams("nginx", proxy)
with Server(*ROOT) as server, caddy(server) as proxy:
    passes("Caddy", proxy, server)
    batch("Caddy", proxy)
tables()
unit()
system_calls()
early_hangups()
console()
account.end()
