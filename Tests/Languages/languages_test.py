"""Tests the packages in Sources/Languages: languages_test.py FOLDER [LANGUAGE…]; see `run`.

Runs the suite of each package. Compares its answers to the conformance corpus with the C library's. Runs the program in its
README, which is also on the documentation page.
"""

import collections
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import corpus

HERE, TOP = pathlib.Path(__file__).resolve().parent, corpus.TOP
PACKAGES = TOP / "Sources/Languages"
PAGE = TOP / "Sources/AppReceipt/AppReceipt.docc/FromOtherLanguages.md"
WORK, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), os.environ["APPRECEIPT_LIBRARY"]
HEADER = f"-I{TOP}/Sources/CAppReceipt"
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("jna", "gson", "junit4", "hamcrest-core"))
GENUINE, TAMPERED = corpus.FIXTURES / "genuine/receipts/ideas-mac-mindnode-sha256-production.der", corpus.FIXTURES / "receipts/tampered.der"
# The suite's programs in the package's folder, the tag of examples in its README, the example's file and its program.
LANGUAGES = {
    "go": ("Go", [["sh", "-c", '[ -z "$(gofmt -l .)" ]'], ["go", "vet", "./..."], ["go", "test", "-race", "-count=1", "./..."]],
           "go", "main.go", ["go", "run", "."]),
    "node": ("Node", [["node", "install.js"], ["node", "--test", "test/"]], "javascript", "example.js", ["node", "example.js"]),
    "ruby": ("Ruby", [
        ["ruby", "-w", "-Ilib", "-e", 'Dir["./test/*_test.rb"].each { |file| require file }'],
        ["gem", "build", "-q", "appreceipt.gemspec", "-o", WORK / "appreceipt.gem"],
        ["gem", "install", "-q", "--local", "--install-dir", WORK / "gems", WORK / "appreceipt.gem"]],
        "ruby", "example.rb", ["env", f"GEM_PATH={WORK}/gems", "ruby", "-w", "example.rb"]),
    "php": ("PHP", [["php", "tests/verifier.php"], ["php", "tests/conformance.php"], [
        "env", "REDIRECT_STATUS=1", "php-cgi", "-q", "-d", "ffi.enable=preload", "-d", f"ffi.preload={PACKAGES}/PHP/src/appreceipt.ffi.h",
        "-d", f"opcache.preload={PACKAGES}/PHP/preload.php", "-d", "opcache.preload_user=www-data", "-f", "tests/web.php"]], "php", "example.php", ["php", "example.php"]),
    "java": ("Java", [
        ["sh", "-c", f"javac -Xlint:all -Werror -cp {JARS} -d {WORK}/classes $(find src -name '*.java')"],
        ["java", "-cp", f"{WORK}/classes:{JARS}", "org.junit.runner.JUnitCore", "appreceipt.VerifierTest", "appreceipt.ConformanceTest"]],
        "java", "Example.java", ["java", "-cp", f"{WORK}/classes:{JARS}", "Example.java"]),
}
MOST_LINES = 300
DATE = re.compile(r"(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?Z")


def environment(counts):
    return {
        **os.environ, "LD_LIBRARY_PATH": str(WORK), "COUNTS": str(counts), "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8",
        "CASES": str(WORK / "cases"), "ANSWERS": str(WORK / "answers"), "CFLAGS": f"{HEADER} -Wall -Wextra -Werror",
        "LDFLAGS": f"-L{WORK}", "CGO_CFLAGS": HEADER, "CGO_LDFLAGS": f"-L{WORK}", "GOFLAGS": "-mod=mod",
        "GOCACHE": str(TOP / ".build/languages-go"), "NODE_PATH": str(WORK / "node_modules")}


def ready():
    """Builds the library that counts."""
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "node_modules").mkdir(parents=True)
    (WORK / "node_modules/appreceipt").symlink_to(PACKAGES / "Node")
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", HEADER, HERE / "counted.c", "-o",
                    WORK / "libappreceipt.so.0", "-Wl,-soname,libappreceipt.so.0", "-ldl"], check=True)
    (WORK / "libappreceipt.so").symlink_to("libappreceipt.so.0")


def expectations(cases):
    """Returns the C library's code and answer to each case, after a comparison with the expected answers."""
    library, made = corpus.Library(LIBRARY), []
    for case in cases:
        given = case.given
        if "input" in given:
            answer = library.answer("appreceipt_verify", given["settings"], pathlib.Path(given["input"]).read_bytes())
            faults = case.faults(json.loads(answer[1])["results"])
        else:
            answer = library.answer("appreceipt_eligibility", given["settings"], corpus.request(given).encode())
            faults = case.faults(json.loads(answer[1]))
        for each in faults or ():
            fault(f"C, {case.name}: {each}")
        made.append(answer)
    return made


FAULTS = []


def fault(text):
    FAULTS.append(text if len(text) < 2000 else text[:2000] + "…")


def normal(value):
    """Returns JSON without absent values, which languages represent differently, and with dates in milliseconds."""
    if isinstance(value, dict):
        members = {name: normal(each) for name, each in value.items()}
        return {name: each for name, each in members.items() if each not in (None, "", [], {}) and each != "0001-01-01T00:00:00.000Z"}
    if isinstance(value, list):
        return list(map(normal, value))
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < 1 << 53 else str(value)
    date = DATE.fullmatch(value) if isinstance(value, str) else None
    return f"{date[1]}.{(date[2] or '').ljust(3, '0')}Z" if date else value


def compare(place, found, wanted):
    for difference in differences(normal(found), normal(wanted)):
        fault(f"{place}{difference}")


def differences(found, wanted, place=""):
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in found.keys() | wanted.keys():
            yield from differences(found.get(name), wanted.get(name), f"{place}.{name}")
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for index, pair in enumerate(zip(found, wanted)):
            yield from differences(*pair, f"{place}[{index}]")
    elif found != wanted:
        yield f"{place}: {str(found)[:200]}, expected {str(wanted)[:200]}"


def refused(line):
    """Returns the members of a refusal that packages have."""
    refusal = {name: line["refusal"].get(name) for name in ("code", "offset", "field")}
    return {"refusal": refusal, "path": line.get("path") or line.get("source", "-")[2:], "sha256": line.get("sha256"), "format": line.get("format")}


def result(line, text):
    """Returns the members of a result that packages have."""
    if line["status"] == "refused":
        return refused(line)
    others = {name: value for name, value in line.items() if name not in ("source", "status")}
    return {"kind": "receipt", **others, "path": line["source"][2:], "json": text}


def shown(members):
    """Returns the members of a package's result that the contract has."""
    return refused(members) if "refusal" in members else {name: value for name, value in members.items() if name != "members"}


def texts(answer, results):
    """Returns the exact text of each result."""
    place, decoder = len('{"results":['), json.JSONDecoder()
    for _ in results:
        _, end = decoder.raw_decode(answer, place)
        yield answer[place:end]
        place = end + 1


def conformance(language, cases, expected):
    """Compares a package's answers with the C library's."""
    lines = (WORK / "answers").read_text().removesuffix("\n").split("\n")
    if len(lines) != len(cases):
        fault(f"{language}: {len(lines)} answers, expected {len(cases)}")
    for case, (code, answer), line in zip(cases, expected, lines):
        place, found, wanted = f"{language}, {case.name}", json.loads(line), json.loads(answer)
        if "refusals" in found:
            compare(place, [{**each, **refused(each)} for each in found["refusals"] or []],
                    [{**each, **refused(each)} for each in wanted.get("refusals", [])])
        if "error" in wanted:
            compare(place, found.get("error", {}).get("code"), wanted["error"]["code"])
            continue
        if found.get("answer") != answer:
            fault(f"{place}: another answer: {found}")
        if "verdicts" in wanted:
            compare(place, found.get("verdicts"), wanted["verdicts"])
            continue
        results = wanted["results"]
        plain = [result(each, text) for each, text in zip(results, texts(answer, results))]
        compare(place, list(map(shown, found["results"])), plain)
        if len(results) == 1:
            compare(f"{place}, verify", shown(found["one"]), plain[0])
        else:
            compare(f"{place}, verify", found["one"]["refusal"]["code"], "not_one_object")


def example(language, folder, tag, file, command, given):
    """Runs the program in a README, which must also be on the page."""
    blocks = re.findall(rf"^```{tag}\n(.*?)^```$", (PACKAGES / folder / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
    if len(blocks) != 1 or f"```{tag}\n{blocks[0]}```\n" not in PAGE.read_text():
        return fault(f"{language}: {PAGE.name} does not show the program of the README")
    where = WORK / f"example-{language}"
    where.mkdir()
    (where / file).write_text(blocks[0])
    if language == "go":
        (where / "go.mod").write_text(
            f"module example\n\ngo 1.19\n\nrequire appreceipt v0.1.0\n\nreplace appreceipt => {PACKAGES}/Go\n")
    if language == "php":
        (where / "vendor").mkdir()
        (where / "vendor/autoload.php").write_text(
            f"<?php foreach (glob('{PACKAGES}/PHP/src/*.php') as $file) require_once $file;")
    for receipt, expected in ((GENUINE, shown), (TAMPERED, "refused: untrusted_chain\n")):
        shutil.copy(receipt, where / "receipt.der")
        ran = subprocess.run(list(map(str, command)), cwd=where, env=given, capture_output=True, text=True, timeout=120)
        if (ran.returncode, ran.stdout) != (0, expected):
            fault(f"{language}, example: {ran}\n    expected {expected}")


def versions():
    """Checks that every package file has the library's version."""
    library = ctypes.CDLL(LIBRARY)
    library.appreceipt_version.restype = ctypes.c_char_p
    version = library.appreceipt_version().decode()
    for file in ("Node/package.json", "Ruby/appreceipt.gemspec", "Java/pom.xml"):
        if not re.search(rf"version\W.*\b{re.escape(version)}\b", (PACKAGES / file).read_text()):
            fault(f"{file}: has another version than the library, {version}")


def lines(folder):
    """Returns the number of lines of a package's code, without declarations of members and other types."""
    files = [file for file in (PACKAGES / folder).rglob("*") if file.suffix in (".go", ".js", ".c", ".rb", ".php", ".java")
             and not re.search(r"/(tests?|node_modules|build)/|_test\.go$", str(file))]
    return sum(not re.match(r"\s*(//|/?\*|#|$)", line) and 'json:"' not in line
               for file in files for line in file.read_text().split("\n"))


def main():
    ready()
    versions()
    for language, (folder, *_) in LANGUAGES.items():
        if lines(folder) > MOST_LINES:
            fault(f"{language}: {lines(folder)} lines of code, more than {MOST_LINES}")
    cases = corpus.cases()
    (WORK / "cases").write_text("".join(json.dumps(case.given) + "\n" for case in cases))
    expected = expectations(cases)
    if not corpus.SHARED.is_dir():
        print(f"skipped: the shared corpus, because {corpus.SHARED} does not exist")
    for language in sys.argv[2:] or LANGUAGES:
        folder, programs, *rest = LANGUAGES[language]
        began, before, counts = time.monotonic(), len(FAULTS), WORK / f"counts-{language}"
        given = environment(counts)
        (WORK / "answers").write_text("")
        for program in programs:
            ran = subprocess.run(list(map(str, program)), cwd=PACKAGES / folder, env=given, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=600)
            if ran.returncode:
                fault(f"{language}: {program} failed with {ran.returncode}\n{ran.stdout[-1500:]}")
        conformance(language, cases, expected)
        example(language, folder, *rest, given)
        noted = collections.Counter(counts.read_text().split())
        for kind, name in (("a", "answers"), ("v", "verifiers")):
            if noted[f"+{kind}"] == 0 or noted[f"+{kind}"] != noted[f"-{kind}"]:
                fault(f"{language}: received {noted[f'+{kind}']} {name}, returned {noted[f'-{kind}']}")
        if len(FAULTS) == before:
            print(f"{language}: {len(cases)} cases, {noted['+a']} answers and {noted['+v']} verifiers returned, "
                  f"{time.monotonic() - began:.0f} s", flush=True)
    if FAULTS:
        sys.exit("\n".join(FAULTS[:40]) + f"\n{len(FAULTS)} faults")


if __name__ == "__main__":
    main()
