"""Compares the examples with the tool, and the documentation page with the examples: languages_test.py FOLDER
[LANGUAGE…]; see `run`.
"""

import base64
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
FIXTURES = TOP / "Fixtures"
PAGE = TOP / "Sources/AppReceipt/AppReceipt.docc/FromOtherLanguages.md"
WORK, LIBRARY, TOOL = pathlib.Path(sys.argv[1]), os.environ["APPRECEIPT_LIBRARY"], os.environ["TOOL"]
JARS = "/usr/share/java/jna.jar:/usr/share/java/gson.jar"
MOST_LINES = 59

ROOT = FIXTURES / "roots/root.cer"
TEST_ROOT = FIXTURES / "roots/storekit-test-root.cer"
ANY = {"bundle_ids": "any", "environment": "any"}
TRUSTING = ANY | {"roots": [base64.b64encode(ROOT.read_bytes()).decode()],
            "storekit_test_roots": [base64.b64encode(TEST_ROOT.read_bytes()).decode()]}
TRUST = ["--root", ROOT, "--storekit-test-root", TEST_ROOT]
# (settings, options of the tool, files): every genuine receipt, and other files for each kind of answer.
ROWS = [
    (ANY, [], sorted((FIXTURES / "genuine/receipts").iterdir())),
    (ANY, [], [FIXTURES / "receipts/tampered.der", FIXTURES / "receipts/truncated.b64", FIXTURES / "jws/history.json"]),
    (TRUSTING, TRUST, [FIXTURES / name for name in (
        "receipts/tampered.der", "receipts/many-scripts.b64", "receipts/two-hundred-purchases.der", "receipts/xcode.b64",
        "jws/history.json", "jws/transaction.jws")]),
    (TRUSTING | {"bundle_ids": ["ünïcode's \"app\""]}, [*TRUST, "--bundle-id", "ünïcode's \"app\""],
     [FIXTURES / "receipts/many-scripts.b64"]),
]


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, **options)


def ready():
    """Builds the examples and returns the command of each language."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    header = f"-I{TOP}/Sources/CAppReceipt"
    run("cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", header, HERE / "counted.c", "-o", WORK / "libappreceipt.so.0",
        "-Wl,-soname,libappreceipt.so.0", "-ldl")
    (WORK / "libappreceipt.so").symlink_to("libappreceipt.so.0")
    for name in ("appreceipt.c", "verify.js"):
        shutil.copy(HERE / name, WORK)
    run("cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", header, "-I/usr/include/node",
        WORK / "appreceipt.c", "-o", WORK / "appreceipt.node", f"-L{WORK}", "-lappreceipt")
    cgo = {"CGO_CFLAGS": header, "CGO_LDFLAGS": f"-L{WORK}", "GOCACHE": str(TOP / ".build/languages-go"), "GOFLAGS": ""}
    run("go", "build", "-o", WORK / "verify", HERE / "verify.go", env={**os.environ, **cgo})
    run("javac", "-cp", JARS, "-d", WORK, HERE / "Verify.java")
    return {"go": [WORK / "verify"], "ruby": ["ruby", HERE / "verify.rb"], "php": ["php", HERE / "verify.php"],
            "java": ["java", "-cp", f"{WORK}:{JARS}", "Verify"], "node": ["node", WORK / "verify.js"]}


def asked(command, file, settings):
    """Returns an example's output, and whether it returned everything that it received."""
    counts = WORK / "counts"
    counts.unlink(missing_ok=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(WORK), "COUNTS": str(counts), "LC_ALL": "C.UTF-8"}
    words = [*command, file, json.dumps(settings, ensure_ascii=False)]
    result = subprocess.run(list(map(str, words)), env=environment, capture_output=True, text=True, timeout=120)
    noted = collections.Counter(counts.read_text().split() if counts.exists() else ())
    return result, noted["+a"] > 0 and noted["+a"] == noted["-a"] and noted["+v"] == noted["-v"]


def wanted(file, options):
    """Yields the expected output from the tool's answer."""
    answer = subprocess.run([TOOL, "verify", "--json", *options, file], capture_output=True, text=True).stdout
    for line in map(json.loads, answer.splitlines()):
        receipt = line.get("receipt") or {}
        yield f"{line['status']} {receipt.get('bundle_id') or ''}{(line.get('refusal') or {}).get('code', '')}"
        for purchase in receipt.get("in_app", []):
            yield f"  {purchase['product_id']}"


def page():
    """Checks that the page shows exactly these files, and that each is short."""
    text = PAGE.read_text()
    for file in sorted({*HERE.glob("[vV]erify.*"), HERE / "appreceipt.c"}):
        shown = re.findall(rf"^```\w+\n({re.escape(file.read_text())})```$", text, re.MULTILINE)
        if len(shown) != 1:
            yield f"{PAGE.name} does not show {file.name} unchanged"
        if file.read_text().count("\n") > MOST_LINES:
            yield f"{file.name} has more than {MOST_LINES} lines"


def faults(language, command):
    for settings, options, files in ROWS:
        for file in files:
            result, is_given_back = asked(command, file, settings)
            expected = list(wanted(file, options))
            if result.returncode or result.stdout.splitlines() != expected or not expected:
                yield f"{language}, {file.name}: {result}\n    expected {expected}"
            if not is_given_back:
                yield f"{language}, {file.name}: does not return everything that it received"
    result, is_given_back = asked(command, ROWS[0][2][0], {"bundle_id": "com.example.app"})
    if not result.returncode or "bad_settings" not in result.stdout + result.stderr or not is_given_back:
        yield f"{language}, invalid settings: {result}"


def main():
    found = list(page())
    commands = ready()
    for language in sys.argv[2:] or commands:
        before = len(found)
        found += faults(language, commands[language])
        if len(found) == before:
            print(f"{language}: equal to the tool for {sum(len(files) for _, _, files in ROWS)} files")
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
