"""Checks that answers for all of Fixtures equal the ordinary build's in an empty root: read-only, without /proc and
network access.
"""

import filecmp
import os
import pathlib
import tempfile

from carried import FIXTURES, NOBODY, TOP, Expectations, Root, ordinary

ROOTS = ["--root", "Fixtures/roots/root.cer", "--storekit-test-root", "Fixtures/roots/storekit-test-root.cer"]
OFFERS = ["--catalog", "Fixtures/eligibility/Store.storekit", "--root", "Fixtures/roots/root.cer",
          "--as-of", "2026-03-02T00:00:00Z"]
COMMANDS = ["verify", "verify-receipt", "inspect", "eligibility", "rules", "audit", "ask", "migrate", "evidence", "forget", "forge", "schema"]


def questions():
    """Yields the arguments of commands that only read and print."""
    files = sorted(str(path.relative_to(TOP)) for path in FIXTURES.rglob("*") if path.is_file())
    for file in files:
        yield "verify", "--json", file
        yield "verify", "--cross-check", *ROOTS, file
        yield "inspect", file
        yield "eligibility", "--json", *OFFERS, file
    for folder in sorted({str(pathlib.Path(file).parent) for file in files}):
        yield "verify", "--json", folder
        yield "verify", "--brief", *ROOTS, folder
    yield from (("eligibility", *OFFERS, file) for file in files if "eligibility/receipts" in file)
    yield "rules",
    yield "--version",
    yield "--help",
    yield from ((command, "--help") for command in COMMANDS)
    yield from (("schema", name) for name in ("audit", "citations", "eligibility", "forge", "rules", "subject-verdicts", "verify", "verify-receipt"))
    yield from (("--generate-completion-script", shell) for shell in ("bash", "zsh", "fish"))
    yield "verify", "Fixtures/there-is-no-such-file"
    yield "verify", "--no-such-option"
    yield from (("audit", "--ndjson", "-", *ROOTS, "--as-of", "2026-01-01T00:00:00Z", folder)
                for folder in ("Fixtures/genuine/receipts", "Fixtures/receipts", "Fixtures/jws"))


def same_tree(one, other):
    names = [sorted(str(path.relative_to(root)) for path in root.rglob("*")) for root in (one, other)]
    return names[0] == names[1] != [] and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in names[0] if (one / name).is_file())


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as work:
        # Audits also need a folder for temporary files.
        os.chown(work, NOBODY, NOBODY)
        root = Root(empty, (FIXTURES, "/Fixtures", "ro"), (work, "/tmp", "rw"))
        for question in questions():
            here, there = root.run(*question), ordinary(*question)
            # No answer contains the current time, so all three must be equal.
            for what in ("returncode", "stdout", "stderr"):
                expect.same(getattr(here, what), getattr(there, what), f"{' '.join(question)}: {what}")

        # Commands that write: receipts of all specifications, byte for byte.
        with tempfile.TemporaryDirectory() as other:
            for path in sorted((FIXTURES / "specs").iterdir()):
                here = root.run("forge", f"Fixtures/specs/{path.name}", "--output", f"/tmp/{path.stem}")
                there = ordinary("forge", path, "--output", f"{other}/{path.stem}")
                expect.same(here.returncode, there.returncode, f"forge {path.name}: {here.stderr}")
                expect(same_tree(pathlib.Path(work, path.stem), pathlib.Path(other, path.stem)), f"forge {path.name}")
    expect.end("answers in an empty root")


if __name__ == "__main__":
    main()
