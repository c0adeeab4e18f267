"""Tests every setting from the command line, the environment and the file, their precedence, and invalid settings. See `run`."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

from authority import Authority, openssl
from serving import FIXTURES, PATIENCE, ROOT, TOOL, TOP, Account, Connection, Server, chunk, environment, free_port, request, serve, text

account = Account("settings")
STORE = FIXTURES / "eligibility/Store.storekit"
SECRET, TOKEN = "a-shared-secret-0123", "a-token-0123456789"

# Rows: the option, and its values in the file, the environment and the command line. The start log shows the value in effect.
VALUES = [
    ("environment", "sandbox", "production", "sandbox"),
    ("bundle-id", ["com.example.file"], "com.example.environment", "com.example.line"),
    ("max-concurrent", 11, "12", "13"),
    ("max-connections", 1100, "1200", "1300"),
    ("header-timeout", 21, "22", "23"),
    ("idle-timeout", 31, "32", "33"),
    ("shutdown-timeout", 41, "42", "43"),
    ("log-level", "error", "debug", "notice"),
    ("drain-time", 4, "5", "6"),
    ("trusted-proxy", ["10.0.0.0/8"], "192.0.2.0/24", "2001:db8::/32"),
    ("sha1-signatures", "all", "none", "until-2025"),
    ("signature-checks", 64, "65", "66"),
    ("input-bytes", 1000000, "1000001", "1000002"),
    ("nesting", 33, "34", "35"),
    ("certificates", 17, "18", "19"),
    ("certificate-bytes", 9001, "9002", "9003"),
    ("purchases", 5001, "5002", "5003"),
    ("signed-text-bytes", 50001, "50002", "50003"),
    ("signed-objects", 5001, "5002", "5003"),
    ("host", "127.0.0.1", "127.0.0.2", "127.0.0.3"),
    ("refunds", "ignore", "block", "ignore"),
    ("stale-evidence", "undetermined", "accept", "undetermined"),
    ("partial-evidence", "undetermined", "accept", "undetermined"),
    ("promotional-scope", "app", "group", "app"),
]


# Settings with a value of a wrong type, as JSON, for the file.
TYPES = [
    ("idle-timeout", '"long"'), ("idle-timeout", "true"), ("idle-timeout", "1.5"), ("idle-timeout", "1e3"), ("idle-timeout", "null"),
    ("idle-timeout", "99999999999999999999"), ("idle-timeout", "[60]"), ("port", '"8080"'), ("host", "127"), ("host", '["::1"]'),
    ("insecure", '"true"'), ("insecure", "1"), ("environment", "false"), ("bundle-id", "5"), ("bundle-id", '["a.b", 5]'),
    ("bundle-id", '{"a": "b"}'), ("app-apple-id", "1450218337"),
]

# The variables that Kubernetes sets for Services named `appreceipt` and `appreceipt-page`.
SERVICE_LINKS = {
    f"{service}{name}": value for service in ("APPRECEIPT", "APPRECEIPT_PAGE") for name, value in [
        ("_SERVICE_HOST", "10.0.171.239"), ("_SERVICE_PORT", "8080"), ("_SERVICE_PORT_HTTP", "8080"), ("_PORT", "tcp://10.0.171.239:8080"),
        ("_PORT_8080_TCP", "tcp://10.0.171.239:8080"), ("_PORT_8080_TCP_PROTO", "tcp"), ("_PORT_8080_TCP_PORT", "8080"),
        ("_PORT_8080_TCP_ADDR", "10.0.171.239"), ("_PORT_53_UDP", "udp://10.0.171.239:53"), ("_PORT_53_UDP_PROTO", "udp")]
}


def written(folder, name, value):
    """Writes a new configuration file that sets a name to a value."""
    file = folder / f"type-{len(list(folder.iterdir()))}.json"
    file.write_text(f'{{"{name}": {value}}}')
    return file


def written_tokens(folder, *tokens):
    file = folder / f"tokens-{len(list(folder.iterdir()))}"
    file.write_text("\n".join(tokens))
    return file


def variable(option):
    return "APPRECEIPT_" + option.upper().replace("-", "_")


def flags(values):
    return [each for option, value in values.items() for each in (f"--{option}", value)]


def shown(server):
    """Returns the log before "listening on"."""
    return server.log().split("listening on")[0]


def says(server, option, value):
    """Returns whether the start log has this value for an option."""
    value = value[0] if isinstance(value, list) else value
    return re.search(rf'(?m)\b{re.escape(option)}\W{{1,5}}{re.escape(str(value))}\b', shown(server)) is not None


def precedence(folder):
    """Tests for each option that the command line overrides the environment, which overrides the file."""
    config = folder / "config.json"
    config.write_text(json.dumps({option: file for option, file, _, _ in VALUES}))
    sources = {"file": {option: file for option, file, _, _ in VALUES},
               "environment": {option: value for option, _, value, _ in VALUES},
               "line": {option: line for option, _, _, line in VALUES}}
    variables = {variable(option): value for option, value in sources["environment"].items()}
    rows = [("file", ["--config", config], {}), ("environment", [], variables), ("line", flags(sources["line"]), {}),
            ("environment", ["--config", config], variables), ("line", ["--config", config, *flags(sources["line"])], variables),
            ("file", [], {"APPRECEIPT_CONFIG": str(config)})]
    for winner, options, given in rows:
        with Server(*options, variables=given) as server:
            for option, value in sources[winner].items():
                # The URL after "listening on" has the host.
                account.expect(f"{option} from the {winner}, {len(options)} options, {len(given)} variables",
                               server.host == value if option == "host" else says(server, option, value), True)
    with Server("--bundle-id", "com.example.a", "--bundle-id", "com.example.b") as server:
        account.expect("two bundle ids", all(name in shown(server) for name in ("com.example.a", "com.example.b")), True)


# The values of the other options, with which a check starts. No file that they name needs to exist.
OTHERS = {"port": [1, "2", "3"], "health-port": [1, "2", "3"], "unix-socket": ["/a", "/b", "/c"], "app-apple-id": ["1", "2", "3"], "latest": ["as-of-receipt"] * 3,
          "log-format": ["text"] * 3, "revocation": ["off"] * 3, "single-group": ["true"] * 3, "insecure": ["true"] * 3, "access-log": ["true"] * 3}


PUBLIC_KEY = """untrusted comment: minisign public key 423CF20B0882B531
RWQxtYIIC/I8QiAzVdUFtIpLT6AinCK1FCBqluHSAiQskblGxRKm+lEp
"""
SIGNATURE = """untrusted comment: signature from minisign secret key
RUQxtYIIC/I8Qh/mKbSZdFbYmMOXpD+9FcDTm1RgryfVKM/8DTY53V8iQQcioYN0XT/1q7h1BIwAKMfRWcfh/TLYTeSifEx1fgQ=
trusted comment: a list
LzDWLVIrr1Ld24z1cifzyFwu1aQM/bhcDzLPUPbr/40yVGejVpy4PuUZghfmN6XMP2SzC4b4+GKGM2wBuRLRBA==
"""


def forged_lists(folder):
    """Writes revocation lists of the test authority, and returns their folder: good.crl, revoked.crl, delta.crl and expired.crl."""
    leaf = {"signer": "intermediate", "this_update": "2025-01-01T00:00:00Z", "next_update": "2039-01-01T00:00:00Z"}
    revoked = [{"serial": "7e570001", "date": "2020-01-01T00:00:00Z", "reason": "key-compromise"}]
    (folder / "lists.json").write_text(json.dumps({"receipts": [], "revocation_lists": [
        leaf | {"name": "good", "story": ""}, leaf | {"name": "revoked", "story": "", "revoked": revoked},
        leaf | {"name": "delta", "story": "", "kind": "delta"}, leaf | {"name": "root", "story": "", "signer": "root"},
        leaf | {"name": "expired", "story": "", "this_update": "2020-01-01T00:00:00Z", "next_update": "2021-01-01T00:00:00Z"}]}))
    subprocess.run([TOOL, "forge", folder / "lists.json", "--output", folder / "receipts", "--roots", folder / "roots", "--crls", folder / "crls"],
                   check=True, capture_output=True)
    return folder / "crls"


def files(folder):
    """Returns three values of each option that names a file, or a pair of files."""
    authority = Authority(folder)
    made = {"root": [ROOT[1]] * 3, "catalog": [str(STORE)] * 3, "storekit-test-root": [str(FIXTURES / "roots/storekit-test-root.cer")] * 3}
    for name in ("shared-secret-file", "tokens"):
        made[name] = [str(folder / f"{name}-{number}") for number in range(3)]
        for file in made[name]:
            pathlib.Path(file).write_text(TOKEN)
            pathlib.Path(file).chmod(0o600)
    made["crl"] = [str(forged_lists(folder) / "good.crl")] * 3
    # The signature of an empty list.
    made["distrust"], made["distrust-key"] = [str(folder / "distrust.json")] * 3, [str(folder / "distrust.pub")] * 3
    (folder / "distrust.json").write_text('{"certificates": []}\n')
    (folder / "distrust.json.minisig").write_text(SIGNATURE)
    (folder / "distrust.pub").write_text(PUBLIC_KEY)
    pairs = [authority.issue(f"pair-{number}", "localhost") for number in range(3)]
    for _, key in pairs:
        key.chmod(0o600)
    made["tls-certificate"], made["tls-key"] = ([str(pair[index]) for pair in pairs] for index in (0, 1))
    return made


def every_option(folder):
    """Tests that each option of ServerOption can be set by file, variable and command line, under one name.

    Each option must also be in `serve --help` and in the page.
    """
    source = (TOP / "Sources/ReceiptServer/Settings/ServerOption.swift").read_text()
    limits = (TOP / "Sources/ReceiptExamination/Settings/LimitSetting.swift").read_text()
    names = re.findall(r'ServerOption\(\s*"([\w-]+)"', source) + ["sha1-signatures"] + [
        name.replace("_", "-") for name in re.findall(r'LimitSetting\(\s*"(\w+)"', limits)]
    page = (TOP / "Sources/ReceiptServer/ReceiptServer.docc/ServingVerifyReceipt.md").read_text()
    said = subprocess.run([TOOL, "serve", "--help"], capture_output=True, text=True).stdout
    helped = set(re.findall(r"^  (?:-\w, )?--([\w-]+)", said, re.MULTILINE))
    account.expect("the options of serve", sorted(helped - {"config", "check-config", "check-health", "version", "help"}), sorted(names))
    values = {option: [file, *others] for option, file, *others in VALUES} | OTHERS | files(folder)
    for name in names:
        account.expect(f"--{name} in the page", f"`--{name}" in page, True)
        given = [value[0] if isinstance(value, list) else value for value in values[name]]
        other = {"tls-certificate": "tls-key", "tls-key": "tls-certificate", "distrust-key": "distrust"}.get(name)
        together = [name] + ([other] if other else [])
        flag = given[2] == "true"
        line = [word for each in together for word in ([f"--{each}"] if flag else [f"--{each}", str(values[each][2])])]
        config = folder / f"one-{name}.json"
        config.write_text(json.dumps({each: True if flag else values[each][0] for each in together}))
        variables = {variable(each): str(values[each][1]) for each in together}
        for number, (source, options, environment) in enumerate([
                ("file", ["--config", config], {}), ("variable", [], variables), ("line", line, {})]):
            checked = check(*options, variables=environment)
            account.expect(f"--{name} by {source}", (checked.returncode, f"{name}={given[number]}" in checked.stderr.split()), (0, True))
            account.expect(f"--{name} by {source}: the check does not listen", "listening" in checked.stderr, False)


def check(*options, variables=None):
    process = serve("--check-config", *options, variables=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess(options, process.returncode, *said)


def unix_sockets(folder):
    """Tests a server on a Unix socket: its answers, its health check, a socket file without a server, and one with a server."""
    path = folder / "server.sock"
    with listening(["--unix-socket", path, *ROOT], path) as server:
        account.expect("an answer over the socket", over(path), 200)
        account.expect("the health check of a socket", check_health("--unix-socket", path).returncode, 0)
        second = serve("--unix-socket", path, stderr=subprocess.PIPE, text=True)
        said = second.communicate(timeout=PATIENCE)[1]
        account.expect("a socket in use", (second.returncode, "in use" in said), (2, True))
        account.expect("the first server still answers", over(path), 200)
        server.kill()
        server.wait()
    with listening(["--unix-socket", path, *ROOT], path):
        account.expect("a socket file without a server is replaced", over(path), 200)
        account.expect("the file of a server that runs", path.exists(), True)
    account.expect("the file of a server that stopped", path.exists(), False)
    with listening(["--unix-socket", path, *ROOT], path) as first:
        path.unlink()
        with listening(["--unix-socket", path, *ROOT], path):
            first.terminate()
            account.expect("the status of a server whose socket was replaced", first.wait(PATIENCE), 0)
            account.expect("it leaves the socket of the other server", accepts(path), True)
    with contextlib.ExitStack() as sockets:
        busy = sockets.enter_context(socket.socket(socket.AF_UNIX))
        busy.bind(str(folder / "busy.sock"))
        busy.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                waiting = sockets.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(busy.getsockname())
        process = serve("--unix-socket", busy.getsockname(), stderr=subprocess.PIPE, text=True)
        said = process.communicate(timeout=PATIENCE)[1]
        account.expect("the socket of a busy process", (process.returncode, "in use" in said), (2, True))
        account.expect("that file remains", pathlib.Path(busy.getsockname()).exists(), True)
    (folder / "no-socket").write_text("kept")
    for what, options, status, word in [
            ("a file that is not a socket", ["--unix-socket", folder / "no-socket"], 2, "not a socket"),
            ("a path that is too long", ["--unix-socket", folder / ("x" * 120)], 2, "too long"),
            ("a path that is too long, checked", ["--unix-socket", folder / ("x" * 120), "--check-config"], 2, "too long"),
            ("a socket and a port", ["--unix-socket", path, "--port", "1"], 64, "--port"),
            ("a socket and a host", ["--unix-socket", path, "--host", "::1"], 64, "--host")]:
        process = serve(*options, stderr=subprocess.PIPE, text=True)
        said = process.communicate(timeout=PATIENCE)[1]
        account.expect(what, (process.returncode, word in said), (status, True))
    account.expect("that file is unchanged", (folder / "no-socket").read_text(), "kept")


@contextlib.contextmanager
def listening(options, path, **settings):
    """Starts a server and waits until its socket accepts a connection."""
    with tempfile.TemporaryFile() as log:
        process = serve(*options, stdout=log, stderr=log, **settings)
        end = time.monotonic() + PATIENCE
        while not accepts(path) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            account.expect("the status after SIGTERM", process.wait(PATIENCE), 0, -9)


def accepts(path):
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
        return True
    except OSError:
        return False


def over(path):
    """Returns the status of a health check over a Unix socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(str(path))
        connection.sendall(request("GET", "/health/live", headers=[("Connection", "close")]))
        return int(connection.makefile("rb").readline().split()[1])


# Calls exec as systemd does: with a listening socket as descriptor 3, and its own process ID in LISTEN_PID.
ACTIVATE = """
import os, sys
os.dup2(int(sys.argv[1]), 3, inheritable=True)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": sys.argv[2]}
os.execv(sys.argv[3], sys.argv[3:])
"""


def activation(folder):
    """Tests sockets that systemd passes, which replace the address of the settings."""
    def activated(listener, *options, count="1"):
        return subprocess.Popen([sys.executable, "-c", ACTIVATE, str(listener.fileno()), count, TOOL, "serve", *map(str, options)],
                                env=environment(), pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    path = folder / "activated.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        process = activated(listener, *ROOT)
        account.expect("an answer over an inherited Unix socket", over(path), 200)
        process.terminate()
        account.expect("the status after SIGTERM", process.wait(PATIENCE), 0)
        account.expect("the socket file remains systemd's", path.exists(), True)
        # The host of the settings does not apply beside a Unix socket.
        health = free_port()
        process = activated(listener, "--host", "0.0.0.0", "--health-port", health)
        account.expect("an answer beside the health port", over(path), 200)
        listening = re.findall(r":%04X 0+:0+ 0A" % health, pathlib.Path("/proc/net/tcp").read_text())
        anywhere = re.findall(r" 0+:%04X 0+:0+ 0A" % health, pathlib.Path("/proc/net/tcp").read_text())
        account.expect("the health port beside an inherited Unix socket is local", (len(listening), len(anywhere)), (1, 0))
        process.terminate()
        process.wait(PATIENCE)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = activated(listener, "--port", "1", *ROOT)
        with socket.create_connection(listener.getsockname()) as connection:
            connection.sendall(request("GET", "/health/live", headers=[("Connection", "close")]))
            account.expect("an answer over an inherited port", connection.makefile("rb").readline().split()[1], b"200")
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
        backlog = struct.unpack_from("I", listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 28)[0]
        most = int(pathlib.Path("/proc/sys/net/core/somaxconn").read_text())
        account.expect("the connections that can wait at an inherited port", backlog, min(4096, most))
        account.expect("the log names the inherited port", f"http://127.0.0.1:{listener.getsockname()[1]}\n" in said, True)
        process = activated(listener, count="2")
        said = process.communicate(timeout=PATIENCE)[1]
        account.expect("two sockets", (process.returncode, "LISTEN_FDS" in said), (64, True))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = activated(listener, "--health-port", free_port())
        with socket.create_connection(listener.getsockname()) as connection:
            connection.sendall(request("GET", "/health/live"))
            account.expect("an answer before the socket fails", connection.recv(12), b"HTTP/1.1 200")
            # Fails the socket as errors of accept(2) do, although a connection is open.
            listener.shutdown(socket.SHUT_RDWR)
            said = process.communicate(timeout=PATIENCE)[1]
        account.expect("a server that can no longer accept connections", process.returncode, 2)
        end = f"error: stopped listening on 127.0.0.1:{listener.getsockname()[1]}"
        account.expect("its last line", said.splitlines()[-1], end)
    with socket.create_server(("0.0.0.0", 0)) as listener:
        process = activated(listener)
        said = process.communicate(timeout=PATIENCE)[1]
        account.expect("an inherited port that is open to the network", (process.returncode, "--insecure" in said), (64, True))
    with socket.socket(socket.AF_UNIX) as idle:
        process = activated(idle)
        said = process.communicate(timeout=PATIENCE)[1]
        account.expect("a socket that does not listen", (process.returncode, "LISTEN_FDS" in said), (64, True))
    ignored = check(variables={"LISTEN_PID": "1", "LISTEN_FDS": "1"})
    account.expect("sockets of another process are ignored", ignored.returncode, 0)


def check_health(*options):
    """Runs the health check."""
    given = [TOOL, "serve", "--check-health", *map(str, options)]
    return subprocess.run(given, env=environment(), capture_output=True, text=True, timeout=PATIENCE)


def health(folder):
    """Tests --check-health with and without TLS, and without a server."""
    authority = Authority(folder)
    certificate, key = authority.issue("health", "localhost")
    tls = ["--tls-certificate", certificate, "--tls-key", key]
    unchecked = ssl._create_unverified_context()

    def signed_with(*algorithm):
        name = algorithm[-1].rpartition(":")[2]
        paths = folder / f"{name}.pem", folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", *algorithm, "-nodes", "-days", 2, "-subj", "/CN=localhost", "-out", paths[0], "-keyout", paths[1])
        return f"a server with a {name} key", ["--tls-certificate", paths[0], "--tls-key", paths[1]], unchecked

    for what, options, kind in [("a server", [], None), ("a server with TLS", tls, unchecked),
                                signed_with("ed25519"), signed_with("ec", "-pkeyopt", "ec_paramgen_curve:P-384"),
                                signed_with("ec", "-pkeyopt", "ec_paramgen_curve:P-521"),
                                ("a server on all addresses", ["--host", "0.0.0.0", "--insecure"], None)]:
        with Server(*options, tls=kind) as server:
            given = [*options, "--port", server.port]
            account.expect(f"the health of {what}", check_health(*given).returncode, 0)
            server.close()
            seen = check_health(*given)
            account.expect(f"the health of {what} that ended", (seen.returncode, "no healthy server" in seen.stderr), (1, True))
    with Server("--host", "0.0.0.0", "--insecure") as server:
        seen = check_health("--host", "0.0.0.0", "--port", server.port)
        account.expect("the health check needs no --insecure", (seen.returncode, seen.stderr), (0, ""))
    seen = check_health("--port", 0)
    account.expect("the health of no fixed port", (seen.returncode, "--port" in seen.stderr), (64, True))


def health_port(folder):
    """Tests the port for health checks: what it answers, with the server full and while it stops, and addresses in use."""
    (folder / "tokens").write_text(TOKEN)
    other = free_port()
    with Server("--health-port", other, "--max-connections", "1", "--tokens", folder / "tokens", "--drain-time", "60") as server:
        place = server.at(other)
        idle = [Connection(server) for _ in range(40)]
        # Rows: the method, the path, the fields, and the status.
        for method, path, fields, status in [
                ("GET", "/health/live", [], 200), ("HEAD", "/health/ready", [], 200), ("GET", "/metrics", [], 401),
                ("GET", "/metrics", [("Authorization", f"Bearer {TOKEN}")], 200), ("GET", "/", [], 404),
                ("GET", "/verifyReceipt", [], 404), ("POST", "/verifyReceipt", [("Authorization", f"Bearer {TOKEN}")], 404),
                ("GET", "/nothing", [], 404)]:
            account.expect(f"{method} {path} on the health port", place.ask(method, path, headers=fields).status, status)
        connections = re.compile(r"(?m)^appreceipt_connections 17$")
        # One connection and sixteen beyond the limit. The replaced ones are closed soon.
        server.wait_until(lambda: connections.search(
            place.ask("GET", "/metrics", headers=[("Authorization", f"Bearer {TOKEN}")]).body.decode()))
        account.expect("the health check uses it", check_health("--health-port", other, "--port", 0).returncode, 0)
        with contextlib.ExitStack() as silent:
            for _ in range(100):
                silent.enter_context(Connection(place))
            account.expect("idle clients do not block it", place.lives(), True)
        server.signal(signal.SIGTERM)
        server.wait_for("stopping")
        account.expect("ready during the stop", place.ask("GET", "/health/ready").status, 503)
        account.expect("live during the stop", place.ask("GET", "/health/live").status, 200)
        for each in idle:
            each.socket.close()
    with Server("--health-port", other) as server, Connection(server.at(other)) as partial:
        partial.send(b"GET /metrics HTTP/1.1\r\nHost")
        time.sleep(0.2)
        began = time.monotonic()
        account.expect("the status of the stop", server.stop(), 0)
        account.expect("its seconds, beside a partial request", time.monotonic() - began, lambda seen: seen < 5)
    # Also without --port, whose default is 8080.
    for port, options in ((other, ["--port", other]), (8080, [])):
        same = serve(*options, "--health-port", port, stderr=subprocess.PIPE, text=True)
        said = same.communicate(timeout=PATIENCE)[1]
        account.expect("the same port twice", (f"error: --health-port: {port} is the port of --port" in said, same.returncode), (True, 64))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        used = listener.getsockname()[1]
        for options in (["--port", 0, "--health-port", used], ["--port", used, "--health-port", other]):
            process = serve(*options, stderr=subprocess.PIPE, text=True)
            said = process.communicate(timeout=PATIENCE)[1].splitlines()
            account.expect(f"an address in use: {options}", (process.returncode, re.sub(r"\d+", "N", said[-1]), len(said)),
                           (2, "error: cannot listen on N.N.N.N:N: Address already in use", 2))
    path = folder / "health.sock"
    with listening(["--unix-socket", path, "--health-port", other], path):
        account.expect("the health port beside a Unix socket", check_health("--unix-socket", path, "--health-port", other).returncode, 0)


def version():
    """Tests that --version after the command starts no server."""
    for flag in ("--version", "-V"):
        seen = subprocess.run([TOOL, "serve", "--port", "0", flag], env=environment(), capture_output=True, text=True, timeout=PATIENCE)
        account.expect(f"serve {flag}", (seen.returncode, seen.stdout.split(" ")[0], seen.stderr), (0, "appreceipt", ""))


def effects(folder):
    """Tests the effect of settings from each source. Rows: the title, options, variables, file, request and expected value."""
    (folder / "secret").write_text(SECRET + "\n")
    (folder / "tokens").write_text(f"\n{TOKEN}\n\n")
    config = folder / "effects.json"
    sandbox, lumen = text("receipts/sandbox.der"), text("receipts/refund.der")

    def status(receipt, **members):
        return lambda server: server.ask("POST", "/verifyReceipt", {"receipt-data": receipt} | members).json["status"]

    def realtime(query):
        # The format of Apple's requests.
        data = {"signedPayload": (FIXTURES / "jws/realtime-request.jws").read_text().strip()}
        return lambda server: server.ask("POST", f"/v1/verify{query}", data).json["results"][0]["status"]

    def asked(query):
        """Requests all routes that accept a query, and returns their statuses."""
        return lambda server: [server.ask("POST", f"/v1/{route}{query}", {"evidence": [lumen], "products": ["p"]},
                                          [("Content-Type", "application/json")]).status for route in ("verify", "eligibility", "batch")]

    def latest(server):
        return "latest_receipt_info" in server.ask("POST", "/verifyReceipt", {"receipt-data": lumen}).json

    def eligibility(server):
        # The request has no products, so they must be in a catalog.
        body = {"evidence": [(FIXTURES / "eligibility/evidence/left.renewal.jws").read_text(), text("eligibility/receipts/running-month.der")]}
        seen = server.ask("POST", "/v1/eligibility", body, [("Content-Type", "application/json")])
        return seen.json["error"]["message"].split(":")[0] if seen.status == 400 else seen.status

    root = ROOT[1]
    rows = [
        ("Apple's root alone", [], {}, None, status(lumen), 21003),
        ("root by variable", [], {"APPRECEIPT_ROOT": root}, None, status(lumen), 0),
        ("root by file", [], {}, {"root": root}, status(lumen), 0),
        ("production", ROOT, {}, None, status(sandbox), 21007),
        ("sandbox by option", [*ROOT, "--environment", "sandbox"], {}, None, status(sandbox), 0),
        ("sandbox by variable", ROOT, {"APPRECEIPT_ENVIRONMENT": "sandbox"}, None, status(sandbox), 0),
        ("sandbox by file", ROOT, {}, {"environment": "sandbox"}, status(sandbox), 0),
        ("a limit by option", [*ROOT, "--signature-checks", "1"], {}, None, status(lumen), 21003),
        ("a limit by variable", ROOT, {"APPRECEIPT_CERTIFICATES": "2"}, None, status(lumen), 21002),
        ("a limit by file", ROOT, {}, {"signature-checks": 64}, status(lumen), 0),
        ("the expected app", [*ROOT, "--bundle-id", "com.example.lumen"], {}, None, status(lumen), 0),
        ("the expected app among two", [*ROOT, "--bundle-id", "a.b", "--bundle-id", "com.example.lumen"], {}, None, status(lumen), 0),
        ("another app", [*ROOT, "--bundle-id", "a.b"], {}, None, status(lumen), 21003),
        ("the expected app, one of two, by file", ROOT, {}, {"bundle-id": ["a.b", "com.example.lumen"]}, status(lumen), 0),
        ("another app by file", ROOT, {}, {"bundle-id": ["a.b"]}, status(lumen), 21003),
        ("the expected app, one of two, by variable", ROOT, {"APPRECEIPT_BUNDLE_ID": "a.b,com.example.lumen"}, None, status(lumen), 0),
        ("another app Apple ID by option", [*ROOT, "--app-apple-id", "5"], {}, None, status(lumen), 21003),
        ("another app Apple ID by variable", ROOT, {"APPRECEIPT_APP_APPLE_ID": "5,6"}, None, status(lumen), 21003),
        ("another app Apple ID by file", ROOT, {}, {"app-apple-id": ["5"]}, status(lumen), 21003),
        # An accepted number may belong to another app than the requested one.
        ("a realtime request", [*ROOT, "--app-apple-id", "1450218337"], {}, None, realtime(""), "genuine"),
        ("a realtime request of another app Apple ID", [*ROOT, "--app-apple-id", "5"], {}, None, realtime(""), "refused"),
        ("a realtime request with a bundle ID in the query", [*ROOT, "--app-apple-id", "1450218337"], {}, None,
         realtime("?bundle_id=com.example.other"), "refused"),
        ("a realtime request with its app Apple ID in the query", [*ROOT, "--app-apple-id", "1450218337", "--app-apple-id", "5"], {}, None,
         realtime("?bundle_id=com.example.lumen&app_apple_id=1450218337"), "genuine"),
        ("a realtime request with another app Apple ID in the query", [*ROOT, "--app-apple-id", "1450218337", "--app-apple-id", "5"], {}, None,
         realtime("?app_apple_id=5"), "refused"),
        ("an app that is not served", [*ROOT, "--bundle-id", "com.example.lumen"], {}, None, asked("?bundle_id=a.b"), [400, 400, 400]),
        ("an app that is served", [*ROOT, "--bundle-id", "a.b", "--bundle-id", "com.example.lumen"], {}, None,
         asked("?bundle_id=com.example.lumen"), [200, 200, 200]),
        ("another app that is served", [*ROOT, "--bundle-id", "a.b", "--bundle-id", "com.example.lumen"], {}, None,
         asked("?bundle_id=a.b"), [200, 422, 200]),
        ("an app Apple ID that is not served", [*ROOT, "--app-apple-id", "5"], {}, None, asked("?app_apple_id=6"), [400, 400, 400]),
        ("the shared secret", [*ROOT, "--shared-secret-file", folder / "secret"], {}, None, status(lumen, password=SECRET), 0),
        ("a wrong shared secret", [*ROOT, "--shared-secret-file", folder / "secret"], {}, None, status(lumen, password=SECRET + "4"), 21004),
        ("no shared secret in the request", ROOT, {"APPRECEIPT_SHARED_SECRET_FILE": str(folder / "secret")}, None, status(lumen), 21004),
        ("no shared secret in the request, by file", ROOT, {}, {"shared-secret-file": str(folder / "secret")}, status(lumen), 21004),
        ("no latest_receipt_info", ROOT, {}, None, latest, False),
        ("latest_receipt_info", [*ROOT, "--latest", "as-of-receipt"], {}, None, latest, True),
        ("latest_receipt_info by variable", ROOT, {"APPRECEIPT_LATEST": "as-of-receipt"}, None, latest, True),
        ("latest_receipt_info by file", ROOT, {}, {"latest": "as-of-receipt"}, latest, True),
        ("no catalog", ROOT, {}, None, eligibility, "catalog"),
        ("a catalog", [*ROOT, "--catalog", STORE], {}, None, eligibility, 200),
        ("a catalog by variable", ROOT, {"APPRECEIPT_CATALOG": str(STORE)}, None, eligibility, 200),
        ("a catalog by file", ROOT, {}, {"catalog": str(STORE)}, eligibility, 200),
        ("one group instead of a catalog", [*ROOT, "--single-group"], {}, None, eligibility, "products"),
        ("one group by variable", ROOT, {"APPRECEIPT_SINGLE_GROUP": "true"}, None, eligibility, "products"),
        ("tokens", ["--tokens", folder / "tokens"], {}, None, lambda server: server.ask("GET", "/metrics").status, 401),
        ("tokens by variable", [], {"APPRECEIPT_TOKENS": str(folder / "tokens")}, None,
         lambda server: server.ask("GET", "/metrics", headers=[("Authorization", f"Bearer {TOKEN}")]).status, 200),
        ("an empty line is no token", ["--tokens", folder / "tokens"], {}, None,
         lambda server: server.ask("GET", "/metrics", headers=[("Authorization", "Bearer ")]).status, 401),
        ("a port by variable", [], {"APPRECEIPT_PORT": "0"}, None, lambda server: server.lives(), True),
        ("a port by file", [], {}, {"port": 0}, lambda server: server.lives(), True),
        ("all interfaces with --insecure", ["--host", "0.0.0.0", "--insecure"], {}, None, lambda server: server.host, "0.0.0.0"),
        ("all interfaces by variable", ["--host", "0.0.0.0"], {"APPRECEIPT_INSECURE": "true"}, None, lambda server: server.host, "0.0.0.0"),
        ("all interfaces by file", [], {}, {"host": "0.0.0.0", "insecure": True}, lambda server: server.host, "0.0.0.0"),
        ("all interfaces with tokens", ["--host", "0.0.0.0", "--tokens", folder / "tokens"], {}, None, lambda server: server.host, "0.0.0.0"),
        ("service links", [], SERVICE_LINKS, None, lambda server: server.lives(), True),
        ("a port by file beside service links", [], SERVICE_LINKS, {"port": 0}, lambda server: server.lives(), True),
        ("a host name", ["--host", "localhost"], {}, None, lambda server: server.lives(), True),
    ]
    for why, options, variables, file, ask, wanted in rows:
        if file is not None:
            config.write_text(json.dumps(file))
            options = [*options, "--config", config]
        try:
            with Server(*options, variables=variables, port=None if "port" in why else "0") as server:
                account.expect(why, ask(server), wanted)
                account.expect(f"{why}: secrets in the log", [word for word in (SECRET, TOKEN) if word in server.log()], [])
        except RuntimeError as error:
            account.expect(why, str(error)[:500], "a start")


def wrong(folder, authority):
    """Tests that each row fails with a message of one line and its exit status: 64 for usage, 2 for files and addresses."""
    certificate, key = authority.issue("server", "localhost")
    _, other = authority.issue("other", "localhost")
    taken = socket.create_server(("127.0.0.1", 0))
    for name, content in [("broken.json", "{"), ("list.json", "[]"), ("unknown.json", '{"color": "blue"}'), ("typo.json", '{"prot": 80}'),
                          ("twice.json", '{"idle-timeout": 1, "idle-timeout": 2}'), ("wrong.json", '{"max-concurrent": -1}'),
                          ("blank", ""), ("spaces", "a token with spaces\n"), ("no-apps.json", '{"bundle-id": []}'), ("gap.json", '{"bundle-id": ["a.b", " "]}'),
                          ("marked", "\ufeffsecret\n"), ("padded", "secret \n"), ("lines", "secret\nsecret\n"), ("noise", "\x00\x01"), ("markup", "<b>")]:
        (folder / name).write_text(content)
    (folder / "bytes").write_bytes(b"\xff\xfe\xfd")
    missing = folder / "missing"
    # Rows: the title, options, variables, allowed exit statuses, and a text in the message.
    rows = [
        ("an unknown option", ["--color", "blue"], {}, {64}, "color"),
        ("an argument", ["more"], {}, {64}, "more"),
        ("an unknown variable", [], {"APPRECEIPT_COLOUR": "blue"}, {64}, "APPRECEIPT_COLOUR"),
        ("a misspelled variable", [], {"APPRECEIPT_MAX_CONCURENT": "5"}, {64}, "APPRECEIPT_MAX_CONCURENT"),
        ("an unknown member", ["--config", folder / "unknown.json"], {}, {64}, "color"),
        ("a misspelled member", ["--config", folder / "typo.json"], {}, {64}, "prot"),
        *((f"{name} of another type: {value}", ["--config", written(folder, name, value)], {}, {64}, name) for name, value in TYPES),
        ("a member out of range", ["--config", folder / "wrong.json"], {}, {64}, "max-concurrent"),
        ("almost a service link", [], {"APPRECEIPT_PORT_8080": "tcp://10.0.0.1:8080"}, {64}, "APPRECEIPT_PORT_8080"),
        ("a setting that is no service link", [], {"APPRECEIPT_HOST": "tcp://10.0.0.1:8080"}, {64}, "insecure"),
        # An empty list must not accept any app.
        ("an empty list of apps", ["--config", folder / "no-apps.json"], {}, {64}, "bundle-id"),
        ("a list with a blank element", ["--config", folder / "gap.json"], {}, {64}, "bundle-id"),
        *((f"the number {value!r}", ["--app-apple-id", value], {}, {64}, "app-apple-id") for value in ("0", "-5", "x", "9223372036854775808")),
        ("two apps in one option", ["--bundle-id", "a.b,a.c"], {}, {64}, "bundle-id"),
        ("an app with a blank", ["--config", written(folder, "bundle-id", '["a.b "]')], {}, {64}, "bundle-id"),
        ("an app in quotes, as `docker run --env-file` keeps them", [], {"APPRECEIPT_BUNDLE_ID": '"a.b"'}, {64}, "bundle-id"),
        ("two checks", ["--check-config", "--check-health"], {}, {64}, "separate checks"),
        *((f"apps {value!r} by variable", [], {"APPRECEIPT_BUNDLE_ID": value}, {64}, "APPRECEIPT_BUNDLE_ID") for value in ("", ",", " ", "a.b,", "a.b, ")),
        ("a duplicate member", ["--config", folder / "twice.json"], {}, {2, 64}, "twice.json"),
        ("a truncated file", ["--config", folder / "broken.json"], {}, {2}, "broken.json"),
        ("a file with a list", ["--config", folder / "list.json"], {}, {2, 64}, "list.json"),
        ("no such file", ["--config", missing], {}, {2}, "missing"),
        ("no such file by variable", [], {"APPRECEIPT_CONFIG": str(missing)}, {2}, "missing"),
        ("a folder", ["--config", folder], {}, {2}, ""),
        ("a port beyond 65535", ["--port", "65536"], {}, {64}, "port"),
        ("a port below 0", ["--port=-1"], {}, {64}, "port"),
        ("a port that is a word", ["--port", "http"], {}, {64}, "port"),
        ("a word instead of a number, by variable", [], {"APPRECEIPT_IDLE_TIMEOUT": "long"}, {64}, "APPRECEIPT_IDLE_TIMEOUT"),
        ("an empty number by variable", [], {"APPRECEIPT_IDLE_TIMEOUT": ""}, {64}, "APPRECEIPT_IDLE_TIMEOUT"),
        ("a port that is taken", ["--port", taken.getsockname()[1]], {}, {2}, "in use"),
        ("an address of another machine", ["--host", "192.0.2.1", "--insecure"], {}, {2}, "192.0.2.1"),
        # A machine without a network waits for its name server.
        ("an invalid host name", ["--host", "no such host", "--insecure"], {"RES_OPTIONS": "timeout:1 attempts:1"}, {2, 64}, ""),
        ("an unknown environment", ["--environment", "moon"], {}, {64}, "environment"),
        ("an unknown environment by variable", [], {"APPRECEIPT_ENVIRONMENT": "moon"}, {64}, "APPRECEIPT_ENVIRONMENT"),
        ("an unknown value of --latest", ["--latest", "always"], {}, {64}, "latest"),
        ("an unknown log level", ["--log-level", "loud"], {}, {64}, "log-level"),
        ("an invalid flag", [], {"APPRECEIPT_INSECURE": "perhaps"}, {64}, "APPRECEIPT_INSECURE"),
        *((f"{option} of {value}", [f"--{option}={value}"], {}, {64}, option) for value in ("0", "-5", "1e9", "99999999999999999999", "")
          for option in ("max-concurrent", "max-connections", "header-timeout", "idle-timeout", "shutdown-timeout")
          if (option, value) != ("shutdown-timeout", "0")),
        ("a missing root", ["--root", missing], {}, {2}, "missing"),
        ("an invalid root", ["--root", folder / "noise"], {}, {2}, "noise"),
        ("a missing catalog", ["--catalog", missing], {}, {2}, "missing"),
        ("an invalid catalog", ["--catalog", folder / "broken.json"], {}, {2}, "broken.json"),
        ("a catalog and one group", ["--catalog", STORE, "--single-group"], {}, {64}, "single-group"),
        ("a missing token file", ["--tokens", missing], {}, {2}, "missing"),
        ("an empty token file", ["--tokens", folder / "blank"], {}, {2}, "blank"),
        ("a token with spaces", ["--tokens", folder / "spaces"], {}, {2}, "spaces"),
        ("a token of 15 characters", ["--tokens", written_tokens(folder, TOKEN, "x" * 15)], {}, {2}, "line 2"),
        ("a token that is not text", ["--tokens", folder / "bytes"], {}, {2}, "bytes"),
        ("a missing secret file", ["--shared-secret-file", missing], {}, {2}, "missing"),
        ("an empty secret file", ["--shared-secret-file", folder / "blank"], {}, {2}, "blank"),
        *((f"a secret file, {name}", ["--shared-secret-file", folder / name], {}, {2}, "must be one line") for name in ("marked", "padded", "lines")),
        ("a certificate without a key", ["--tls-certificate", certificate], {}, {64}, "tls-key"),
        ("a key without a certificate", ["--tls-key", key], {}, {64}, "tls-certificate"),
        ("the key of another certificate", ["--tls-certificate", certificate, "--tls-key", other], {}, {2}, ""),
        ("a missing certificate", ["--tls-certificate", missing, "--tls-key", key], {}, {2}, "missing"),
        ("an invalid certificate", ["--tls-certificate", folder / "noise", "--tls-key", key], {}, {2}, "noise"),
        ("an invalid key", ["--tls-certificate", certificate, "--tls-key", folder / "noise"], {}, {2}, "noise"),
        *((f"the proxy {value!r}", ["--trusted-proxy", value], {}, {64}, "trusted-proxy")
          for value in ("proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "::1/129", "10.0.0.0/8/8", "1.2.3.4:80")),
        ("an unknown log format", ["--log-format", "xml"], {}, {64}, "log-format"),
        ("all interfaces", ["--host", "0.0.0.0"], {}, {64}, "insecure"),
        ("all interfaces by variable", [], {"APPRECEIPT_HOST": "0.0.0.0"}, {64}, "insecure"),
        ("all interfaces, IPv6", ["--host", "::"], {}, {64}, "insecure"),
        ("a host name that begins like loopback", ["--host", "127.0.0.1.example.com"], {}, {64}, "insecure"),
        ("all interfaces as a number", ["--host", "0"], {}, {64}, "insecure"),
    ]
    for why, options, variables, statuses, word in rows:
        with tempfile.TemporaryFile() as output:
            process = serve("--port", 0, *options, variables=variables, stdout=subprocess.DEVNULL, stderr=output)
            try:
                status = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = "still there"
            output.seek(0)
            said = output.read().decode(errors="replace")
        account.expect(f"{why}: exit status, {said[:200]!r}", status in statuses, True)
        # After a usage error, the command prints its usage.
        around = "appreceipt: settings: ", "Usage:", "  See ", "Help:", "       "
        lines = [line for line in said.splitlines() if line and not line.startswith(around)]
        account.expect(f"{why}: a message of one line that names the setting", (len(lines), word in said, "descriptor" in said), (1, True, False))
    taken.close()


def warnings(folder, authority):
    """Tests the warnings about world-readable secrets, unencrypted connections and refused sandbox receipts, at the start and after SIGHUP."""
    certificate, key = authority.issue("warned", "localhost")
    tls = ["--tls-certificate", certificate, "--tls-key", key]
    files = {name: folder / f"warned-{name}" for name in ("tokens", "shared-secret-file")}
    for name, file in files.items():
        file.write_text(TOKEN)
    key.chmod(0o600)
    openly, on_loopback = ["--host", "0.0.0.0", "--insecure"], []
    # Rows: the file, its mode, options for the address, texts that the log must contain, and texts that it must not contain.
    rows = [
        *((name, mode, on_loopback, [str(files[name]), "chmod o-r"], ["unencrypted"]) for name in files for mode in (0o604, 0o644)),
        *((name, mode, on_loopback, [], ["warning"]) for name in files for mode in (0o600, 0o640)),
        *((name, 0o600, openly, ["unencrypted", "0.0.0.0"], ["chmod"]) for name in files),
        *((name, 0o600, [*openly, *tls], [], ["warning"]) for name in files),
    ]
    for name, mode, listens, wanted, unwanted in rows:
        files[name].chmod(mode)
        with Server(f"--{name}", files[name], *listens, tls=ssl._create_unverified_context() if tls[0] in listens else None) as server:
            log = server.log()
            account.expect(f"--{name} {mode:o} {listens}", [word for word in wanted if word not in log], [])
            account.expect(f"--{name} {mode:o} {listens}: other warnings", [word for word in unwanted if word in log], [])
    for options, is_warned in (
        (["--app-apple-id", "1"], True),
        (["--app-apple-id", "1", "--bundle-id", "com.example.app"], False),
    ):
        with Server(*options) as server:
            account.expect(f"{options}: a warning", "add --bundle-id" in server.log(), is_warned)
    key.chmod(0o644)
    with Server(*tls, tls=ssl._create_unverified_context()) as server:
        account.expect("a world-readable key", (str(key) in server.log(), "chmod o-r" in server.log()), (True, True))
        key.chmod(0o600)
    files["tokens"].chmod(0o600)
    with Server("--tokens", files["tokens"]) as server:
        account.expect("no warning", "warning" in server.log(), False)
        files["tokens"].chmod(0o644)
        server.signal(signal.SIGHUP)
        account.expect("a warning after SIGHUP", server.wait_for("chmod o-r") is not None, True)


def revocation(folder):
    """Tests answers under revocation lists, their reload, and lists that cannot be used."""
    lists = forged_lists(folder)
    body = request("POST", "/verifyReceipt", {"receipt-data": text("receipts/trial-then-renewals.der")})
    current = folder / "current.crl"

    def answered(server, sent):
        with Connection(server) as connection:
            connection.send(sent)
            return connection.response().body

    def status(server):
        return json.loads(answered(server, body))["status"]

    current.write_bytes((lists / "good.crl").read_bytes())
    with Server(*ROOT, "--crl", current) as server:
        account.expect("a list that does not name the certificate", status(server), 0)
        metrics = answered(server, request("GET", "/metrics")).decode()
        account.expect("the date of the list", "appreceipt_oldest_crl_timestamp_seconds 1735689600" in metrics, True)
        current.write_bytes((lists / "revoked.crl").read_bytes())
        server.signal(signal.SIGHUP)
        server.wait_for("reloaded all files")
        account.expect("a revoked certificate", status(server), 21003)
        metrics = answered(server, request("GET", "/metrics")).decode()
        account.expect("the refusal is counted", 'appreceipt_refusals_total{code="revoked"} 1' in metrics, True)
        current.write_text("no list")
        server.signal(signal.SIGHUP)
        server.wait_for("reload failed")
        account.expect("a failed reload keeps the list", status(server), 21003)
        current.write_bytes((lists / "delta.crl").read_bytes())
        server.signal(signal.SIGHUP)
        account.expect("a list that cannot be used, after SIGHUP", server.wait_for("reload failed, .*cannot be used: delta CRL") is not None, True)
        account.expect("it keeps the earlier list", status(server), 21003)
        damaged = bytearray((lists / "revoked.crl").read_bytes())
        damaged[-1] ^= 1
        current.write_bytes(damaged)
        server.signal(signal.SIGHUP)
        server.wait_for("reload failed, .*its issuer did not sign it")
        account.expect("a list with a wrong signature does not replace the earlier one", status(server), 21003)
        # A reload keeps the issuers that the server met before.
        for content, said in ((lists / "revoked.crl").read_bytes(), "reloaded all files"), (damaged, "its issuer did not sign it"):
            current.write_bytes(content)
            server.signal(signal.SIGHUP)
            server.wait_for(f"(?s){said}.*{said}")
        account.expect("a list with a wrong signature, after two reloads without receipts between them", status(server), 21003)
    # A request uses the files at the time of its answer: its body may take long. It ends when its token is removed.
    receipt = text("receipts/trial-then-renewals.der")
    rows = [  # A route, its body, and the answer under a revocation.
        ("/verifyReceipt", {"receipt-data": receipt}, rb'"status":21003'),
        ("/v1/verify", {"receipt": receipt}, rb'"code":"revoked"'),
        ("/v1/eligibility", {"evidence": [receipt], "catalog": {"groups": {"g": ["a"]}}}, rb'"code":"revoked"'),
    ]
    tokens = folder / "revocation-tokens"
    for path, sent, found in rows:
        begun = request("POST", path, sent, [("Content-Type", "application/json"), ("Authorization", f"Bearer {'a' * 32}")])
        current.write_bytes((lists / "good.crl").read_bytes())
        tokens.write_text(f"{'a' * 32}\n{'b' * 32}\n")
        with Server(*ROOT, "--crl", current, "--tokens", tokens) as server, Connection(server) as first, Connection(server) as second:
            first.send(begun[:-10])
            second.send(begun[:-10])
            gauge = request("GET", "/metrics", headers=[("Authorization", f"Bearer {'a' * 32}")])
            server.wait_until(lambda: int(re.search(rb"\nappreceipt_connections_working (\d+)", answered(server, gauge))[1]) >= 2)
            current.write_bytes((lists / "revoked.crl").read_bytes())
            server.signal(signal.SIGHUP)
            server.wait_for("reloaded all files")
            first.send(begun[-10:])
            account.expect(f"{path}, begun before a revocation", re.findall(found, first.response().body)[:1], [found])
            tokens.write_text(f"{'b' * 32}\n")
            server.signal(signal.SIGHUP)
            server.wait_for("(?s)reloaded all files.*reloaded all files")
            second.send(begun[-10:])
            account.expect(f"{path}, begun before its token was removed", second.response().status, 401)
    # A batch uses the files at the time of each line, and ends when its token is removed.
    current.write_bytes((lists / "good.crl").read_bytes())
    tokens.write_text(f"{'a' * 32}\n{'b' * 32}\n")
    with Server(*ROOT, "--crl", current, "--tokens", tokens) as server, Connection(server) as batch:
        batch.send(b"POST /v1/batch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n" % (b"a" * 32))

        def sent_line():
            batch.send(chunk(json.dumps({"receipt": text("receipts/trial-then-renewals.der")}).encode() + b"\n"))
            seen = b""
            while b"}\n" not in seen and (piece := batch.receive()):
                seen += piece
            return re.findall(rb'"status":"(\w+)"', seen)[:1]

        account.expect("a line of a batch", sent_line(), [b"genuine"])
        current.write_bytes((lists / "revoked.crl").read_bytes())
        server.signal(signal.SIGHUP)
        server.wait_for("reloaded all files")
        account.expect("a line of the same batch, after the revocation", sent_line(), [b"refused"])
        tokens.write_text(f"{'b' * 32}\n")
        server.signal(signal.SIGHUP)
        server.wait_for("(?s)reloaded all files.*reloaded all files")
        account.expect("a line of the same batch, without its token", sent_line(), [])
    current.write_bytes(damaged)
    with Server(*ROOT, "--crl", current) as server:
        account.expect("an unsigned list revokes nothing", status(server), 0)
        metrics = answered(server, request("GET", "/metrics")).decode()
        account.expect("an unsigned list is in the metrics", "\nappreceipt_unusable_crls 1\n" in metrics, True)
        server.signal(signal.SIGHUP)
        account.expect("the next SIGHUP reports it", server.wait_for("reload failed, .*its issuer did not sign it") is not None, True)
    with Server(*ROOT, variables={"APPRECEIPT_CRL": f"{lists / 'delta.crl'},{lists / 'revoked.crl'}"}) as server:
        account.expect("a list that cannot be used, at the start", server.wait_for("delta.crl: cannot be used: delta CRL") is not None, True)
        account.expect("the other list is used", status(server), 21003)
    # As in a volume of Kubernetes.
    (folder / "volume/..data").mkdir(parents=True)
    (folder / "volume/..data/a.crl").write_bytes((lists / "revoked.crl").read_bytes())
    (folder / "volume/a.crl").symlink_to("..data/a.crl")
    (folder / "volume/b.crl").write_bytes((lists / "expired.crl").read_bytes())
    with Server(*ROOT, "--crl", folder / "volume", "--log-format", "json") as server:
        account.expect("a list in a folder with folders", status(server), 21003)
        account.expect("warnings are objects of the log", re.findall(r"(?m)^[^{].*expired", server.log()), [])
        server.wait_for(r'"level":"warning".*b\.crl: expired')
    with Server(*ROOT, "--crl", lists / "good.crl", "--revocation", "require") as server:
        account.expect("no list covers the intermediate", status(server), 21003)
    # Rows: options, exit status, and a text of the message.
    for options, wanted, word in [
            (["--crl", lists / "good.crl"], 0, "crl="), (["--crl", lists / "delta.crl"], 2, "cannot be used: delta CRL"),
            (["--crl", folder / "none.crl"], 2, "none.crl: No such file"), (["--revocation", "require"], 64, "requires --crl FILE"),
            (["--revocation", "maybe"], 64, "--revocation"), (["--distrust", lists / "good.crl"], 2, "not a distrust list"),
            (["--crl", lists / "good.crl", "--revocation", "off"], 64, "--revocation off: cannot be combined")]:
        checked = check(*ROOT, *options)
        account.expect(f"--check-config {options}", (checked.returncode, word in checked.stderr), (wanted, True))


def encryption(folder, authority):
    """Tests that the server accepts TLS 1.3, and TLS 1.2 only with forward secrecy."""
    rows = [("ECDHE+AESGCM", True), ("ECDHE+CHACHA20", True), ("AES128-GCM-SHA256", False), ("AES256-SHA", False),
            ("AES128-SHA256", False), ("ECDHE-RSA-AES128-SHA", False)]
    certificate, key = authority.issue("encrypted", "localhost")

    def context(newest, ciphers=None):
        made = ssl.create_default_context(cafile=str(authority.certificate))
        made.minimum_version = made.maximum_version = newest
        if ciphers:
            made.set_ciphers(f"{ciphers}:@SECLEVEL=0")
        return made

    with Server("--tls-certificate", certificate, "--tls-key", key, tls=context(ssl.TLSVersion.TLSv1_3)) as server:
        with Connection(server) as connection:
            account.expect("TLS 1.3", connection.socket.version(), "TLSv1.3")
        for ciphers, accepted in rows:
            server.tls = context(ssl.TLSVersion.TLSv1_2, ciphers)
            try:
                with Connection(server) as connection:
                    seen = connection.socket.version() == "TLSv1.2"
            except ssl.SSLError as error:
                seen = not re.search("HANDSHAKE_FAILURE|handshake failure", str(error)) and repr(error)
            account.expect(f"TLS 1.2 with {ciphers}", seen, accepted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        precedence(folder)
        (folder / "every").mkdir()
        every_option(folder / "every")
        version()
        unix_sockets(folder)
        activation(folder)
        (folder / "health").mkdir()
        health(folder / "health")
        health_port(folder)
        effects(folder)
        authority = Authority(folder)
        wrong(folder, authority)
        warnings(folder, authority)
        encryption(folder, authority)
        (folder / "revocation").mkdir()
        revocation(folder / "revocation")
    account.end()


main()
