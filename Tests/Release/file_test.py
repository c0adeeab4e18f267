"""Checks the program file: its dependencies, its size, and traces of the build machine."""

import getpass
import os
import re
import subprocess

from carried import OUTPUT, PROGRAM, TOP, Expectations

MOST_BYTES = 40_000_000


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})


def main():
    expect = Expectations()
    headers = said("readelf", "--wide", "--program-headers", PROGRAM).stdout
    expect("LOAD" in headers, "readelf can read the program")
    expect("INTERP" not in headers, "no program interpreter")
    expect("DYNAMIC" not in headers, "no dynamic linking")
    expect("There is no dynamic section" in said("readelf", "--dynamic", PROGRAM).stdout, "no needed libraries")
    listed = said("ldd", PROGRAM)
    expect("not a dynamic executable" in listed.stdout + listed.stderr, "ldd lists no library")
    # The control: the same questions about a program with dependencies.
    expect("INTERP" in said("readelf", "--wide", "--program-headers", "/bin/sh").stdout, "/bin/sh has a loader")
    sections = said("readelf", "--wide", "--sections", PROGRAM).stdout
    expect(".text" in sections, "readelf lists sections")
    for section in (".symtab", ".debug_info", ".swift_modhash", ".comment", ".note.gnu.build-id"):
        expect(section not in sections, f"no section {section}")
    stack = re.search(r"GNU_STACK.*", headers)
    expect(stack and "RWE" not in stack[0], "the stack is not executable")

    program = PROGRAM.read_bytes()
    expect(len(program) <= MOST_BYTES, f"{len(program)} bytes, at most {MOST_BYTES}")
    for path in (str(TOP), str(OUTPUT), f"/home/{getpass.getuser()}", "/var/local/", "/.build/"):
        expect(path.encode() not in program, f"the program does not contain the path {path}")
    expect(PROGRAM.stat().st_mode & 0o777 == 0o755, "it can be run")
    print(f"    {len(program)} bytes")
    expect.end("the file")


if __name__ == "__main__":
    main()
