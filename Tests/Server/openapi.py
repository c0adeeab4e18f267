"""Tests the server with schemathesis and its own /openapi.yaml. All answers must conform, and none may be 5xx. See `run`."""

import os
import pathlib
import subprocess
import sys
import tempfile

from serving import FIXTURES, ROOT, Account, Server

account = Account("openapi")
TOKEN = "letmein-0123456789"
HOOKS = """
import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")
"""
# A schema cannot express whether evidence is genuine and about one customer, or all rules for valid catalogs.
SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "413", "422"]
"""
# The number of examples for one operation. The seed makes every run the same.
EXAMPLES = os.environ.get("EXAMPLES", "50")


def run(server, why, *options):
    command = [pathlib.Path(sys.executable).parent / "st", "--config-file", "settings.toml", "run", f"{server.url}/openapi.yaml", "--checks", "all",
               "--seed", "14", "--generation-deterministic", "--max-examples", EXAMPLES, "--suppress-health-check", "too_slow",
               "--request-timeout", "60", "--no-color", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder,
                          env=os.environ | {"SCHEMATHESIS_HOOKS": "ndjson_hooks", "PYTHONPATH": folder})
    if not account.expect(f"schemathesis {why}", done.returncode, 0):
        print(done.stdout[-12_000:], done.stderr[-2000:], file=sys.stderr)
    else:
        print("\n".join(line for line in done.stdout.splitlines() if "generated" in line or "passed" in line))
    account.expect(f"alive after schemathesis {why}", server.lives(), True)


with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "ndjson_hooks.py").write_text(HOOKS)
    (pathlib.Path(folder) / "settings.toml").write_text(SETTINGS)
    tokens = pathlib.Path(folder) / "tokens"
    tokens.write_text(TOKEN)
    catalog = "--catalog", FIXTURES / "eligibility/Store.storekit"
    with Server(*ROOT, *catalog) as server:
        document = server.ask("GET", "/openapi.yaml").body.decode()
        account.expect("verify has an example of a realtime request", "              realtimeRequest:" in document, True)
        account.expect("three routes take a device in the query", document.count("'#/components/parameters/DeviceID'"), 3)
        run(server, "without tokens")
    with Server(*ROOT, *catalog, "--tokens", tokens) as server:
        run(server, "with a token", "-H", f"Authorization: Bearer {TOKEN}")
account.end()
