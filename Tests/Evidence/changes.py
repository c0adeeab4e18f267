"""Seeded changes to bundles: dictionaries of a file's name to its bytes."""

import hashlib
import random
import re
import subprocess

# A change of these is a change of words, or of what the program alone can make anew: check.sh says in its last step that
# nothing rests on them, and only the manifest's digest, or the program, finds it where the manifest was made anew.
WORDS = {"account.txt", "eligibility.json", "eligibility.txt", "catalog.json", "request.json"}


def manifest(bundle):
    """SHA256SUMS, made anew."""
    names = [line.split("  ", 1)[1] for line in bundle["SHA256SUMS"].decode().splitlines()]
    return "".join(f"{hashlib.sha256(bundle[name]).hexdigest()}  {name}\n" for name in names).encode()


def is_cited(bundle, offset):
    """Whether anything is taken from that byte of what came. Of bytes that are no receipt nothing is, and of an answer with
    several objects no more than the one that the bundle is of: with other bytes there its verdict is as true."""
    places = re.findall(rb"^part \S+ \S+ received (\d+) (\d+)$", bundle["facts"], re.MULTILINE)
    return any(int(start) <= offset < int(start) + int(length) for start, length in places)


def is_word(bundle, name, offset):
    """Whether nothing rests on that byte."""
    if name in WORDS or (name == "received" and not is_cited(bundle, offset)):
        return True
    if name == "roots.pem":
        # Of refused evidence: a root that is not the missing one is as good as another.
        return True
    if name == "verdict.json":
        text = bundle[name]
        if b'"status":"refused"' in text:
            # Its message and field are words.
            return offset < text.index(b',"sha256":') or offset >= text.index(b'"message":')
        if offset < text.index(b',"sha256":'):
            return True
        # Of a root that is not Apple's, names are whatever somebody wrote.
        if b'"realm":"app_store"' not in text:
            chain = re.search(rb'"chain":\[.*?\]\}', text)
            return chain.start() <= offset < chain.end() and any(
                match.start() <= offset < match.end()
                for match in re.finditer(rb'"(?:subject|issuer)":"[^"]*"', text))
        return False
    if name == "facts":
        # Of refused evidence, what the program says of the step and of the date.
        return b"\nrefused " in bundle[name]
    return False


class Changes:
    """What somebody might do to evidence."""

    def __init__(self, bundles, seed, folder):
        self.bundles = bundles
        self.random = random.Random(seed)
        self.folder = folder
        self.twins = {}

    def __iter__(self):
        while True:
            name = self.random.choice(sorted(self.bundles))
            kind = self.random.choice([self.byte, self.byte, self.swap, self.date, self.certificate])
            changed = kind(name)
            if changed is None:
                continue
            file, bundle, is_words = changed
            if bundle == self.bundles[name]:
                continue
            renewed = self.random.random() < 0.5 and file != "SHA256SUMS"
            if renewed:
                bundle["SHA256SUMS"] = manifest(bundle)
            yield name, kind.__name__, file, renewed, is_words, bundle

    def byte(self, name):
        bundle = dict(self.bundles[name])
        file = self.random.choice(sorted(bundle))
        if not bundle[file]:
            return None
        offset = self.random.randrange(len(bundle[file]))
        content = bytearray(bundle[file])
        content[offset] ^= 1 << self.random.randrange(8)
        bundle[file] = bytes(content)
        return file, bundle, is_word(self.bundles[name], file, offset)

    def swap(self, name):
        other = self.bundles[self.random.choice(sorted(self.bundles))]
        bundle = dict(self.bundles[name])
        file = self.random.choice(sorted(bundle))
        if other.get(file, bundle[file]) == bundle[file]:
            return None
        bundle[file] = other[file]
        if file == "received":
            return file, bundle, not any(
                is_cited(bundle, offset) for offset, (old, new) in enumerate(zip(self.bundles[name][file], bundle[file]))
                if old != new)
        return file, bundle, file in WORDS or (file in ("facts", "roots.pem", "verdict.json") and "roots.pem" in bundle)

    def date(self, name):
        bundle = dict(self.bundles[name])
        file = self.random.choice(["verdict.json", "citations.json", "account.txt", "eligibility.txt"])
        found = list(re.finditer(rb"20[12]\d-\d\d-\d\d", bundle.get(file, b"")))
        if not found:
            return None
        place = self.random.choice(found).start() + 3
        content = bytearray(bundle[file])
        content[place] = ord("0") + (content[place] - ord("0") + 1) % 10
        bundle[file] = bytes(content)
        return file, bundle, is_word(self.bundles[name], file, place)

    def certificate(self, name):
        """A certificate of the same name, made by somebody else."""
        bundle = dict(self.bundles[name])
        files = [file for file in ("signer.pem", "intermediate.pem", "root.pem") if file in bundle]
        if not files or "root.pem" not in bundle:
            return None
        file = self.random.choice(files)
        bundle[file] = self.twin(bundle[file])
        return file, bundle, False

    def twin(self, pem):
        if pem not in self.twins:
            # The names are the same bytes, whatever they are: of the certificate itself, signed anew by a key of ours.
            key = self.folder / "twin.key"
            if not key.exists():
                subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
            self.twins[pem] = subprocess.run(
                ["openssl", "x509", "-signkey", key, "-days", "9000"], input=pem, check=True,
                capture_output=True).stdout
        return self.twins[pem]
