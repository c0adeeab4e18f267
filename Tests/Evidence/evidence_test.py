"""Evidence of everything at hand, checked by check.sh in an empty root; and what finds changes to it."""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import lies
from changes import Changes
from empty_root import EmptyRoot

TOP = pathlib.Path(__file__).resolve().parents[2]
CORPUS = TOP.parent / "shared/corpus"


def sources():
    """What evidence is made of, with the options that it takes."""
    fixtures, roots = TOP / "Fixtures", TOP / "Fixtures/roots"
    own = ["--root", roots / "root.cer"]
    xcode = ["--storekit-test-root", roots / "storekit-test-root.cer",
             "--storekit-test-root", roots / "storekit-test-jws-root.cer"]
    eligibility = ["--catalog", fixtures / "eligibility/Store.storekit", "--as-of", "2026-03-02T00:00:00Z"]
    yield "apple", [fixtures / "genuine/receipts"], []
    yield "demands", [fixtures / "genuine/receipts"], ["--bundle-id", "com.example.other"]
    yield "device", [fixtures / "genuine/receipts"], ["--device-id", "00:11:22:33:44:55"]
    yield "apps", [fixtures / "genuine/receipts"], ["--bundle-id", "com.example.other", "--bundle-id", "com.example"]
    yield "environments", [fixtures / "genuine/receipts"], ["--environment", "xcode", "--environment", "sandbox"]
    yield "device-jws", [fixtures / "jws"], [*own, *xcode, "--device-id", "00112233-4455-6677-8899-aabbccddeeff"]
    yield "environment", [fixtures / "genuine/receipts"], ["--environment", "xcode"]
    yield "own", [fixtures / "receipts"], [*own, *xcode]
    yield "strangers", [fixtures / "receipts", fixtures / "jws"], []
    yield "jws", [fixtures / "jws"], [*own, *xcode]
    yield "other-app", [fixtures / "jws"], [*own, "--bundle-id", "com.example.other"]
    yield "offers", [fixtures / "eligibility/receipts"], [*own, *eligibility]
    if not CORPUS.is_dir():
        return
    yield "corpus", [CORPUS / "genuine", CORPUS / "encodings"], []
    # Signed by authorities of tests: each root vouches for some, and refuses the others' chains.
    for name in ("root", "apple-mock-root", "emin-root"):
        yield f"corpus-jws-{name}", [CORPUS / "jws/genuine"], ["--root", CORPUS / f"jws/{name}.cer"]
    yield "corpus-forged", sorted((CORPUS / "jws/forged").iterdir())[:60], ["--root", CORPUS / "jws/root.cer"]
    yield "corpus-xcode", [CORPUS / "jws/genuine"], ["--storekit-test-root", CORPUS / "jws/storekit.cer"]
    yield "transactions", sorted((CORPUS / "transaction-receipt").iterdir())[::2], []
    yield "hostile", sorted((CORPUS / "hostile").iterdir())[::4], []
    yield "hostile-jws", sorted((CORPUS / "jws/hostile").iterdir())[::4], ["--root", CORPUS / "jws/root.cer"]


class Trial:
    def __init__(self, options, folder):
        self.tool, self.share, self.folder = options.tool, options.share, folder
        self.root = EmptyRoot(folder / "root", options.shell, options.openssl)
        self.faults = []
        self.started = time.monotonic()
        self.bundles = {}
        self.options = {}

    def fault(self, text):
        self.faults.append(text)
        print(f"FAULT {text}", flush=True)

    def make(self):
        """Makes the evidence below the empty root."""
        for name, files, options in sources():
            target = self.root.folder / "evidence" / name
            target.parent.mkdir(exist_ok=True)
            made = subprocess.run(
                [self.tool, "evidence", *files, *options, "--output", target], capture_output=True, text=True,
                errors="replace")
            if made.returncode not in (0, 1, 2) or not target.is_dir():
                self.fault(f"{name}: exit {made.returncode}: {made.stderr}")
                continue
            roots = [option for pair in zip(options, options[1:]) if "root" in str(pair[0])
                     and str(pair[0]).startswith("--") for option in pair]
            for line in made.stdout.splitlines():
                bundle = line.split("  ")[0]
                path = target / bundle
                self.bundles[f"{name}/{bundle}"] = {
                    str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}
                self.options[f"{name}/{bundle}"] = [str(option) for option in roots]
            print(f"{name}: {len(made.stdout.splitlines())}, {time.monotonic() - self.started:.0f} s", flush=True)
        shutil.copy(next(self.root.folder.glob("evidence/*/*/check.sh")), self.root.folder / "check.sh")

    def both(self, name, files=None):
        """What check.sh and --check say of a bundle, or of a change of it: their exit statuses and words."""
        if files is None:
            path = self.root.folder / "evidence" / name
        else:
            path = pathlib.Path(tempfile.mkdtemp(dir=self.root.folder / "tmp", prefix="changed-"))
            for file, content in files.items():
                (path / file).parent.mkdir(exist_ok=True)
                (path / file).write_bytes(content)
        inside = "/" + str(path.relative_to(self.root.folder))
        script = self.root.run("/bin/sh", "/check.sh", inside)
        own = subprocess.run(
            [self.tool, "evidence", "--check", path, *self.options[name]], capture_output=True, text=True,
            errors="replace")
        if files is not None:
            shutil.rmtree(path)
        return script, own

    def sample(self):
        """Everything genuine under Apple's roots, and of each other source as many as there are changes."""
        sources = collections.defaultdict(list)
        for name in self.bundles:
            sources[name.split("/")[0]].append(name)
        chosen = []
        for source, names in sources.items():
            few = random.Random(16).sample(names, min(len(names), max(1, self.share // 4)))
            chosen += names if source in ("apple", "corpus", "jws") else few
        return chosen

    def judge(self):
        """Every bundle is what it claims to be, for both."""
        counts = collections.Counter()
        chosen = self.sample()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, (script, own) in zip(chosen, pool.map(self.both, chosen)):
                status = json.loads(self.bundles[name]["verdict.json"])["status"]
                last = (script.stdout.splitlines() or [""])[-1]
                counts[last] += 1
                if script.returncode != 0 or script.stderr:
                    self.fault(f"{name} ({status}): check.sh exits {script.returncode}: {script.stderr} {last}")
                elif ("REFUSED" in last) != (status == "refused"):
                    self.fault(f"{name} ({status}): check.sh says: {last}")
                if own.returncode != 0:
                    self.fault(f"{name} ({status}): --check exits {own.returncode}: {own.stdout}{own.stderr}")
        for line, count in sorted(counts.items()):
            print(f"{count:5}  {line}")

    def change(self):
        """What was changed is found: by both, but for words where the manifest was made anew."""
        table = collections.Counter()
        changes = Changes(self.bundles, 16, self.folder)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            chosen = [change for _, change in zip(range(self.share), changes)]
            found = pool.map(lambda change: self.both(change[0], change[5]), chosen)
            for (name, kind, file, renewed, is_words, _), (script, own) in zip(chosen, found):
                by_script, by_own = script.returncode == 1, own.returncode == 1
                where = "words" if is_words else "facts and values"
                table[kind, where, "made anew" if renewed else "as it was", by_script, by_own] += 1
                place = f"{name}: {kind} of {file}, manifest {'made anew' if renewed else 'as it was'}"
                # Of what nothing is taken from, the verdict is as true.
                is_as_true = renewed and file == "received" and is_words
                if not by_own and not is_as_true:
                    self.fault(f"{place}: --check finds nothing")
                if not by_script and not (renewed and is_words):
                    self.fault(f"{place}: check.sh finds nothing")
        print("change        of                manifest   found by check.sh  by --check  times")
        for (kind, where, manifest, by_script, by_own), count in sorted(table.items()):
            print(f"{kind:12}  {where:16}  {manifest:9}  {str(by_script):17}  {str(by_own):10}  {count:5}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--openssl", required=True)
    parser.add_argument("--shell", required=True)
    parser.add_argument("--share", type=int, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(options, pathlib.Path(folder))
        started = time.monotonic()
        version = subprocess.run([options.openssl, "version"], capture_output=True, text=True).stdout.strip()
        trial.make()
        print(f"{len(trial.bundles)} bundles, {version}, {options.shell}", flush=True)
        trial.judge()
        trial.change()
        trial.faults += lies.judge(options.tool, folder)
        print(f"{len(trial.faults)} faults, {time.monotonic() - started:.0f} s")
        sys.exit(1 if trial.faults else 0)


main()
