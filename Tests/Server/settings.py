"""Every setting by command line, environment and file, which of them wins, and what is wrong with settings; see `run`."""

import json
import pathlib
import re
import socket
import subprocess
import tempfile

from authority import Authority
from serving import FIXTURES, ROOT, Account, Server, serve, text

account = Account("settings")
STORE = FIXTURES / "eligibility/Store.storekit"
SECRET, TOKEN = "a-shared-secret-0123", "a-token-0123456789"

# (option, a value for the file, for the environment, for the command line): each is told from the others at the start.
VALUES = [
    ("environment", "sandbox", "production", "sandbox"),
    ("bundle-id", ["com.example.file"], "com.example.environment", "com.example.line"),
    ("max-concurrent", 11, "12", "13"),
    ("max-connections", 1100, "1200", "1300"),
    ("header-timeout", 21, "22", "23"),
    ("idle-timeout", 31, "32", "33"),
    ("shutdown-timeout", 41, "42", "43"),
    ("log-level", "error", "debug", "notice"),
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


def variable(option):
    return "APPRECEIPT_" + option.upper().replace("-", "_")


def flags(values):
    return [each for option, value in values.items() for each in (f"--{option}", value)]


def shown(server):
    """What the lines before "listening" say, without the words around it."""
    return server.log().split("listening on")[0]


def says(server, option, value):
    """Whether the settings at the start give an option this value."""
    value = value[0] if isinstance(value, list) else value
    return re.search(rf'(?m)\b{re.escape(option)}\W{{1,5}}{re.escape(str(value))}\b', shown(server)) is not None


def precedence(folder):
    """The file below the environment, the environment below the command line, each option by itself."""
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
                # The port's line says where it listens.
                account.expect(f"{option} from the {winner}, {len(options)} options, {len(given)} variables",
                               server.host == value if option == "host" else says(server, option, value), True)
    with Server("--bundle-id", "com.example.a", "--bundle-id", "com.example.b") as server:
        account.expect("two bundle ids", all(name in shown(server) for name in ("com.example.a", "com.example.b")), True)


def effects(folder):
    """What settings do, each from where it is said; (why, options, variables, file, what is asked, what is wanted)."""
    (folder / "secret").write_text(SECRET + "\n")
    (folder / "tokens").write_text(f"\n{TOKEN}\n\n")
    config = folder / "effects.json"
    sandbox, lumen = text("receipts/sandbox.der"), text("receipts/refund.der")

    def status(receipt, **members):
        return lambda server: server.ask("POST", "/verifyReceipt", {"receipt-data": receipt} | members).json["status"]

    def realtime(query):
        data = (FIXTURES / "jws/realtime-request.jws").read_bytes()
        return lambda server: server.ask("POST", f"/v1/verify{query}", data).json["results"][0]["status"]

    def latest(server):
        return "latest_receipt_info" in server.ask("POST", "/verifyReceipt", {"receipt-data": lumen}).json

    def eligibility(server):
        body = {"evidence": [(FIXTURES / "eligibility/evidence/left.renewal.jws").read_text(), text("eligibility/receipts/running-month.der")],
                "products": ["com.example.tides.monthly"]}
        return server.ask("POST", "/v1/eligibility", body, [("Content-Type", "application/json")]).status

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
        ("its app", [*ROOT, "--bundle-id", "com.example.lumen"], {}, None, status(lumen), 0),
        ("its app among two", [*ROOT, "--bundle-id", "a.b", "--bundle-id", "com.example.lumen"], {}, None, status(lumen), 0),
        ("another app", [*ROOT, "--bundle-id", "a.b"], {}, None, status(lumen), 21003),
        ("its app among two by file", ROOT, {}, {"bundle-id": ["a.b", "com.example.lumen"]}, status(lumen), 0),
        ("another app by file", ROOT, {}, {"bundle-id": ["a.b"]}, status(lumen), 21003),
        ("its app among two by variable", ROOT, {"APPRECEIPT_BUNDLE_ID": "a.b,com.example.lumen"}, None, status(lumen), 0),
        ("its number by option", [*ROOT, "--app-apple-id", "5"], {}, None, status(lumen), 21003),
        ("its number by variable", ROOT, {"APPRECEIPT_APP_APPLE_ID": "5,6"}, None, status(lumen), 21003),
        ("its number by file", ROOT, {}, {"app-apple-id": ["5"]}, status(lumen), 21003),
        # A number that is served may be of another app than the one that is asked for.
        ("a realtime request", [*ROOT, "--app-apple-id", "1450218337"], {}, None, realtime(""), "genuine"),
        ("a realtime request of another number", [*ROOT, "--app-apple-id", "5"], {}, None, realtime(""), "refused"),
        ("a realtime request, and a bundle ID is asked for", [*ROOT, "--app-apple-id", "1450218337"], {}, None,
         realtime("?bundle_id=com.example.other"), "refused"),
        ("a realtime request, and its number is asked for", [*ROOT, "--app-apple-id", "1450218337", "--app-apple-id", "5"], {}, None,
         realtime("?bundle_id=com.example.lumen&app_apple_id=1450218337"), "genuine"),
        ("a realtime request, and another number is asked for", [*ROOT, "--app-apple-id", "1450218337", "--app-apple-id", "5"], {}, None,
         realtime("?app_apple_id=5"), "refused"),
        ("a shared secret", [*ROOT, "--shared-secret-file", folder / "secret"], {}, None, status(lumen, password=SECRET), 0),
        ("another", [*ROOT, "--shared-secret-file", folder / "secret"], {}, None, status(lumen, password=SECRET + "4"), 21004),
        ("none", ROOT, {"APPRECEIPT_SHARED_SECRET_FILE": str(folder / "secret")}, None, status(lumen), 21004),
        ("none, by file", ROOT, {}, {"shared-secret-file": str(folder / "secret")}, status(lumen), 21004),
        ("no latest_receipt_info", ROOT, {}, None, latest, False),
        ("latest_receipt_info", [*ROOT, "--latest", "as-of-receipt"], {}, None, latest, True),
        ("latest_receipt_info by variable", ROOT, {"APPRECEIPT_LATEST": "as-of-receipt"}, None, latest, True),
        ("latest_receipt_info by file", ROOT, {}, {"latest": "as-of-receipt"}, latest, True),
        ("no catalogue", ROOT, {}, None, eligibility, 400),
        ("a catalogue", [*ROOT, "--catalog", STORE], {}, None, eligibility, 200),
        ("a catalogue by variable", ROOT, {"APPRECEIPT_CATALOG": str(STORE)}, None, eligibility, 200),
        ("a catalogue by file", ROOT, {}, {"catalog": str(STORE)}, eligibility, 200),
        ("one group in place of it", [*ROOT, "--single-group"], {}, None, eligibility, 200),
        ("one group by variable", ROOT, {"APPRECEIPT_SINGLE_GROUP": "true"}, None, eligibility, 200),
        ("tokens", ["--tokens", folder / "tokens"], {}, None, lambda server: server.ask("GET", "/metrics").status, 401),
        ("tokens by variable", [], {"APPRECEIPT_TOKENS": str(folder / "tokens")}, None,
         lambda server: server.ask("GET", "/metrics", headers=[("Authorization", f"Bearer {TOKEN}")]).status, 200),
        ("an empty line is no token", ["--tokens", folder / "tokens"], {}, None,
         lambda server: server.ask("GET", "/metrics", headers=[("Authorization", "Bearer ")]).status, 401),
        ("a port by variable", [], {"APPRECEIPT_PORT": "0"}, None, lambda server: server.lives(), True),
        ("a port by file", [], {}, {"port": 0}, lambda server: server.lives(), True),
        ("openly, as was asked for", ["--host", "0.0.0.0", "--insecure"], {}, None, lambda server: server.host, "0.0.0.0"),
        ("openly by variable", ["--host", "0.0.0.0"], {"APPRECEIPT_INSECURE": "true"}, None, lambda server: server.host, "0.0.0.0"),
        ("openly by file", [], {}, {"host": "0.0.0.0", "insecure": True}, lambda server: server.host, "0.0.0.0"),
        ("openly with tokens", ["--host", "0.0.0.0", "--tokens", folder / "tokens"], {}, None, lambda server: server.host, "0.0.0.0"),
        ("by name", ["--host", "localhost"], {}, None, lambda server: server.lives(), True),
    ]
    for why, options, variables, file, ask, wanted in rows:
        if file is not None:
            config.write_text(json.dumps(file))
            options = [*options, "--config", config]
        try:
            with Server(*options, variables=variables, port=None if "port" in why else "0") as server:
                account.expect(why, ask(server), wanted)
                account.expect(f"{why}: nothing secret is shown", [word for word in (SECRET, TOKEN) if word in server.log()], [])
        except RuntimeError as error:
            account.expect(why, str(error)[:500], "a start")


def wrong(folder, authority):
    """Each is refused with one clear line and its exit status: 64 for usage, 2 for what can't be read or listened on."""
    certificate, key = authority.issue("server", "localhost")
    _, other = authority.issue("other", "localhost")
    taken = socket.create_server(("127.0.0.1", 0))
    for name, content in [("broken.json", "{"), ("list.json", "[]"), ("unknown.json", '{"colour": "blue"}'), ("typo.json", '{"prot": 80}'),
                          ("text.json", '{"idle-timeout": "long"}'), ("twice.json", '{"idle-timeout": 1, "idle-timeout": 2}'), ("wrong.json", '{"max-concurrent": -1}'),
                          ("blank", ""), ("spaces", "a token with spaces\n"), ("nobody.json", '{"bundle-id": []}'), ("gap.json", '{"bundle-id": ["a.b", " "]}'), ("noise", "\x00\x01"), ("markup", "<b>")]:
        (folder / name).write_text(content)
    (folder / "bytes").write_bytes(b"\xff\xfe\xfd")
    missing = folder / "missing"
    # (why, options, variables, exit statuses, a word of the line)
    rows = [
        ("an unknown option", ["--colour", "blue"], {}, {64}, "colour"),
        ("an argument", ["more"], {}, {64}, "more"),
        ("an unknown variable", [], {"APPRECEIPT_COLOUR": "blue"}, {64}, "APPRECEIPT_COLOUR"),
        ("a variable with a slip", [], {"APPRECEIPT_MAX_CONCURENT": "5"}, {64}, "APPRECEIPT_MAX_CONCURENT"),
        ("an unknown member", ["--config", folder / "unknown.json"], {}, {64}, "colour"),
        ("a member with a slip", ["--config", folder / "typo.json"], {}, {64}, "prot"),
        ("a member of another type", ["--config", folder / "text.json"], {}, {2, 64}, "idle-timeout"),
        ("a member out of bounds", ["--config", folder / "wrong.json"], {}, {2, 64}, "max-concurrent"),
        # No app is not any app.
        ("a list of no apps", ["--config", folder / "nobody.json"], {}, {64}, "bundle-id"),
        ("a list with a gap", ["--config", folder / "gap.json"], {}, {64}, "bundle-id"),
        *((f"the number {value!r}", ["--app-apple-id", value], {}, {64}, "app-apple-id") for value in ("0", "-5", "x", "9223372036854775808")),
        *((f"apps {value!r} by variable", [], {"APPRECEIPT_BUNDLE_ID": value}, {64}, "APPRECEIPT_BUNDLE_ID") for value in ("", ",", " ", "a.b,", "a.b, ")),
        ("two members of one name", ["--config", folder / "twice.json"], {}, {2, 64}, "twice.json"),
        ("a file cut off", ["--config", folder / "broken.json"], {}, {2}, "broken.json"),
        ("a file with a list", ["--config", folder / "list.json"], {}, {2, 64}, "list.json"),
        ("no such file", ["--config", missing], {}, {2}, "missing"),
        ("no such file by variable", [], {"APPRECEIPT_CONFIG": str(missing)}, {2}, "missing"),
        ("a folder", ["--config", folder], {}, {2}, ""),
        ("a port beyond 65535", ["--port", "65536"], {}, {64}, "port"),
        ("a port below 0", ["--port=-1"], {}, {64}, "port"),
        ("a port that is a word", ["--port", "http"], {}, {64}, "port"),
        ("a number by variable that is a word", [], {"APPRECEIPT_IDLE_TIMEOUT": "long"}, {64}, "APPRECEIPT_IDLE_TIMEOUT"),
        ("a number by variable that is nothing", [], {"APPRECEIPT_IDLE_TIMEOUT": ""}, {64}, "APPRECEIPT_IDLE_TIMEOUT"),
        ("a port that is taken", ["--port", taken.getsockname()[1]], {}, {2}, "in use"),
        ("an address that is not here", ["--host", "192.0.2.1", "--insecure"], {}, {2}, "192.0.2.1"),
        ("a name that is none", ["--host", "no such host", "--insecure"], {}, {2, 64}, ""),
        ("an environment that is none", ["--environment", "moon"], {}, {64}, "environment"),
        ("an environment that is none by variable", [], {"APPRECEIPT_ENVIRONMENT": "moon"}, {64}, "APPRECEIPT_ENVIRONMENT"),
        ("a latest that is none", ["--latest", "always"], {}, {64}, "latest"),
        ("a level that is none", ["--log-level", "loud"], {}, {64}, "log-level"),
        ("a flag that is no yes or no", [], {"APPRECEIPT_INSECURE": "perhaps"}, {64}, "APPRECEIPT_INSECURE"),
        *((f"{option} of {value}", [f"--{option}={value}"], {}, {64}, option) for value in ("0", "-5", "1e9", "99999999999999999999", "")
          for option in ("max-concurrent", "max-connections", "header-timeout", "idle-timeout", "shutdown-timeout")
          if (option, value) != ("shutdown-timeout", "0")),
        ("no root", ["--root", missing], {}, {2}, "missing"),
        ("a root that is none", ["--root", folder / "noise"], {}, {2}, "noise"),
        ("no catalogue", ["--catalog", missing], {}, {2}, "missing"),
        ("a catalogue that is none", ["--catalog", folder / "broken.json"], {}, {2}, "broken.json"),
        ("a catalogue and one group", ["--catalog", STORE, "--single-group"], {}, {64}, "single-group"),
        ("no tokens", ["--tokens", missing], {}, {2}, "missing"),
        ("no token in the file", ["--tokens", folder / "blank"], {}, {2}, "blank"),
        ("tokens that are no tokens", ["--tokens", folder / "spaces"], {}, {2}, "spaces"),
        ("tokens of bytes", ["--tokens", folder / "bytes"], {}, {2}, "bytes"),
        ("no secret", ["--shared-secret-file", missing], {}, {2}, "missing"),
        ("an empty secret", ["--shared-secret-file", folder / "blank"], {}, {2}, "blank"),
        ("a certificate without a key", ["--tls-certificate", certificate], {}, {64}, "tls-key"),
        ("a key without a certificate", ["--tls-key", key], {}, {64}, "tls-certificate"),
        ("the key of another", ["--tls-certificate", certificate, "--tls-key", other], {}, {2}, ""),
        ("no certificate", ["--tls-certificate", missing, "--tls-key", key], {}, {2}, "missing"),
        ("a certificate that is none", ["--tls-certificate", folder / "noise", "--tls-key", key], {}, {2}, "noise"),
        ("a key that is none", ["--tls-certificate", certificate, "--tls-key", folder / "noise"], {}, {2}, "noise"),
        ("openly", ["--host", "0.0.0.0"], {}, {64}, "insecure"),
        ("openly by variable", [], {"APPRECEIPT_HOST": "0.0.0.0"}, {64}, "insecure"),
        ("openly, IPv6", ["--host", "::"], {}, {64}, "insecure"),
        ("openly by another name", ["--host", "127.0.0.1.example.com"], {}, {64}, "insecure"),
        ("openly by a number", ["--host", "0"], {}, {64}, "insecure"),
    ]
    for why, options, variables, statuses, word in rows:
        with tempfile.TemporaryFile() as output:
            process = serve("--port", 0, *options, variables=variables, stdout=subprocess.DEVNULL, stderr=output)
            try:
                status = process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = "still there"
            output.seek(0)
            said = output.read().decode(errors="replace")
        account.expect(f"{why}: exit status, {said[:200]!r}", status in statuses, True)
        # Below an error of usage the command says how it is used.
        around = "appreceipt: settings: ", "Usage:", "  See ", "Help:", "       "
        lines = [line for line in said.splitlines() if line and not line.startswith(around)]
        account.expect(f"{why}: one line that names it", (len(lines), word in said, "descriptor" in said), (1, True, False))
    taken.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        precedence(folder)
        effects(folder)
        wrong(folder, Authority(folder))
    account.end()


main()
