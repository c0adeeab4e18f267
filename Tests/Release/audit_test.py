"""Runs a whole audit in an empty root. Database, report, tables and lines must equal those of the ordinary build. If
no temporary file can be created, one line must report it.
"""

import os
import pathlib
import re
import sqlite3
import tempfile

from carried import FIXTURES, NOBODY, Expectations, Root, ordinary

COUNT = 2000
INSIDE = "work"
CATALOG = '{"groups": {"main": ["com.example.app1.monthly", "com.example.app1.yearly"]}}'


def audit(folder):
    """Returns the arguments. Every file is in the folder."""
    return ["audit", f"{folder}/export.ndjson", "--root", f"{folder}/root.cer", "--catalog", f"{folder}/catalog.json",
            "--as-of", "2026-01-01T00:00:00Z", "--output", f"{folder}/audit.sqlite", "--report", f"{folder}/report.html",
            "--csv", f"{folder}/tables", "--ndjson", f"{folder}/lines.ndjson", "--subject-verdicts", f"{folder}/subjects.ndjson"]


def replay(folder):
    return ["audit", "--replay", f"{folder}/audit.sqlite", f"{folder}/export.ndjson", "--root", f"{folder}/root.cer",
            "--catalog", f"{folder}/catalog.json"]


def rows(database):
    """Returns the database's content without the time and arguments of the run."""
    connection = sqlite3.connect(database)
    connection.execute("UPDATE runs SET started_at = 0, ended_at = 0, arguments = ''")
    return "\n".join(connection.iterdump())


def timeless(report):
    """Returns the lines without times, because the runs of the two builds differ in them."""
    return [line for line in report.read_text().splitlines() if not re.search(r"\d\d:\d\d:\d\d", line)]


def same_audit(expect, root, folder, other):
    """Checks that both tools give the same results. The folder has the same name for both."""
    def ordinarily(*arguments):
        return ordinary(*arguments, folder=other.parent)

    for place, call in ((folder, root.run), (other, ordinarily)):
        made = call("forge", "--count", COUNT, "--seed", 5, "--output", f"{INSIDE}/export.ndjson", "--roots", INSIDE)
        expect(made.returncode == 0, f"forge: {made.stderr}")
        (place / "catalog.json").write_text(CATALOG)
    here, there = root.run(*audit(INSIDE)), ordinarily(*audit(INSIDE))
    expect.same((here.returncode, here.stdout, here.stderr), (there.returncode, there.stdout, there.stderr), "audit")
    for name in ("export.ndjson", "lines.ndjson", "subjects.ndjson"):
        expect((folder / name).read_bytes() == (other / name).read_bytes() != b"", name)
    tables = sorted(path.name for path in (folder / "tables").iterdir())
    expect.same(tables, sorted(path.name for path in (other / "tables").iterdir()), "tables")
    for name in tables:
        expect((folder / "tables" / name).read_bytes() == (other / "tables" / name).read_bytes() != b"", name)
    expect.same(timeless(folder / "report.html"), timeless(other / "report.html"), "report")
    here = root.run(*replay(INSIDE))
    expect(here.returncode == 0 and b"every row matches" in here.stdout, f"replay: {here.stdout} {here.stderr}")
    expect(rows(folder / "audit.sqlite") == rows(other / "audit.sqlite"), "rows of the databases are equal")


def without_room(expect, empty, folder):
    """Checks a read-only file system, and one with space only for the output."""
    inside = f"/{INSIDE}"
    read_only = Root(empty, (folder, inside, "ro"), (FIXTURES, "/Fixtures", "ro"))
    cases = {
        "no writable folder": (read_only, ["--output", "/audit.sqlite"]),
        "no place for a report": (read_only, ["--report", "/report.html"]),
        "no place for temporary files": (Root(empty, (folder, inside, "rw")), ["--report", f"{inside}/no.html"]),
        "no place for temporary files, only rows": (Root(empty, (folder, inside, "rw")), ["--output", f"{inside}/no.sqlite"]),
    }
    for name, (root, options) in cases.items():
        refused = root.run("audit", f"{inside}/export.ndjson", "--root", f"{inside}/root.cer", *options)
        lines = refused.stderr.decode().splitlines()
        reason = "(TMPDIR)" if "temporary" in name else "Read-only file system"
        if expect(refused.returncode == 2 and len(lines) == 1 and reason in lines[0], f"{name}: {refused.returncode} {lines}"):
            print(f"    {name}: {lines[0]}")
    # With lines only, the tool writes no file and needs no space.
    lines = read_only.run("verify", "--brief", "/Fixtures/genuine/receipts")
    expect(lines.returncode == 0 and lines.stderr.startswith(b"appreceipt: 12 genuine"), f"verify: {lines}")
    here = Root(empty, (folder, inside, "rw")).run(
        "audit", f"{inside}/export.ndjson", "--root", f"{inside}/root.cer", "--report", f"{inside}/yes.html",
        variables={"TMPDIR": inside})
    expect(here.returncode == 1 and (folder / "yes.html").exists(), f"TMPDIR: {here.returncode} {here.stderr}")


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, \
            tempfile.TemporaryDirectory() as temporary:
        for folder in (one, temporary):
            os.chown(folder, NOBODY, NOBODY)
        other = pathlib.Path(two, INSIDE)
        other.mkdir()
        root = Root(empty, (one, f"/{INSIDE}", "rw"), (temporary, "/tmp", "rw"))
        same_audit(expect, root, pathlib.Path(one), other)
        expect(not os.listdir(temporary), "no temporary files are left")
        without_room(expect, empty, pathlib.Path(one))
    expect.end("audits in an empty root")


if __name__ == "__main__":
    main()
