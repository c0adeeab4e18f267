"""Checks the program's system calls with strace. It opens only paths that it is given, and those of a closed table.

The program reads no list of users or hosts, no library and no locale, and opens no socket. These are what glibc
would load for the functions that linkers warn of in static programs (getpwnam, getaddrinfo, dlopen). The program
therefore does not reach these functions.
"""

import os
import pathlib
import re
import subprocess
import tempfile

from carried import FIXTURES, PROGRAM, SETTINGS, Expectations

QUESTIONS = {
    "verify": ["verify", "Fixtures/receipts", "--root", "Fixtures/roots/root.cer"],
    "verify JWS": ["verify", "--json", "Fixtures/jws"],
    "cross-check": ["verify", "--cross-check", "Fixtures/genuine/receipts"],
    "inspect": ["inspect", "Fixtures/receipts/tampered.der"],
    "eligibility": ["eligibility", "Fixtures/eligibility/receipts", "--catalog", "Fixtures/eligibility/Store.storekit",
                    "--root", "Fixtures/roots/root.cer"],
    "forge": ["forge", "Fixtures/specs/stories.json", "--output", "out/receipts"],
    "forge many": ["forge", "--count", "200", "--output", "out/export.ndjson", "--roots", "out"],
    "audit": ["audit", "out/export.ndjson", "--root", "out/root.cer", "--output", "out/audit.sqlite", "--report",
              "out/report.html", "--csv", "out/tables"],
    "replay": ["audit", "--replay", "out/audit.sqlite", "out/export.ndjson", "--root", "out/root.cer"],
    "help": ["--help"],
    "version": ["--version"],
}
# Paths on the machine, with the code that opens them. The tests in empty roots show that no answer needs
# them.
HARMLESS = {
    r"/proc/self/(exe|maps)": "Swift's runtime, for crash reports; glibc, for the size of the main thread's stack",
    re.escape(str(PROGRAM.parent)) + r"(/appreceipt|/swift-backtrace|(/(bin|libexec/swift))(/linux)?(/x86_64)?)?":
        "Swift's runtime, for a crash reporter, which a release does not have",
    r"/sys/devices/system/cpu/\w+|/sys/fs/cgroup/[\w/.]+": "the number of processors",
    r"/proc/sys/vm/overcommit_memory": "glibc, when a thread releases memory",
    r"/dev/null": "closed standard streams are opened here",
    r"/dev/urandom": "SQLite, for names of temporary files",
}
# Paths of a single command.
HARMLESS_HERE = {"cross-check": r"/usr/share/zoneinfo/.*|/etc/localtime"}  # OpenSSL's comparisons of dates, which are in UTC


def reached(arguments, folder):
    """Returns the paths and the names of socket calls."""
    trace = pathlib.Path(folder, "trace")
    command = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file,%network", "-o", trace, PROGRAM, *arguments]
    environment = {"HOME": "/nowhere", "TMPDIR": f"{folder}/tmp", **SETTINGS}
    subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, timeout=300)
    lines = trace.read_text().splitlines()
    calls = [re.sub(r"^\d+ +", "", line) for line in lines]
    paths = {path for call in calls for path in re.findall(r'"((?:[^"\\]|\\.)*)"', call.partition(" = ")[0])
             if not call.startswith("execve")}
    return paths, {call.partition("(")[0] for call in calls if re.match(r"(socket|connect|bind|sendto|recvfrom)", call)}


def main():
    expect = Expectations()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("out", "tmp"):
            os.mkdir(f"{folder}/{name}")
        os.symlink(FIXTURES, f"{folder}/Fixtures")
        seen = set()
        for name, arguments in QUESTIONS.items():
            paths, network = reached(arguments, folder)
            seen |= paths
            expect(not network, f"{name}: {network}")
            # SQLite checks whether any folder above its file is a link.
            above = {str(parent) for parent in pathlib.Path(folder).parents} | {folder}
            strange = {path for path in paths
                       if not re.match(r"(Fixtures|out)(/|$)", path) and not path.startswith(folder + "/")
                       and path not in above and path not in ("", ".")
                       and not any(re.fullmatch(each, path) for each in (*HARMLESS, HARMLESS_HERE.get(name, "")))}
            expect(not strange, f"{name} opens unexpected paths: {sorted(strange)}")
        expect(any(path.startswith("Fixtures/receipts") for path in seen), "the trace contains paths")
        expect(any("audit.sqlite" in path for path in seen), "the trace contains SQLite's files")
    expect.end("opened paths")


if __name__ == "__main__":
    main()
