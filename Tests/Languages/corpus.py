"""The conformance corpus: cases for the packages, and the expected answers. Cases come from Fixtures, and from the folder
../shared/corpus if it exists.
"""

import base64
import ctypes
import json
import pathlib
import re
from typing import NamedTuple

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES, SHARED = TOP / "Fixtures", TOP.parent / "shared/corpus"
ANY = {"bundle_ids": ["any"], "environment": ["any"]}
FLAGS = {"--root": "roots", "--storekit-test-root": "storekit_test_roots", "--bundle-id": "bundle_ids",
         "--environment": "environment"}
POLICIES = {"--refunds": "refunds", "--stale-evidence": "stale_evidence", "--partial-evidence": "partial_evidence",
            "--promotional-scope": "promotional_scope"}
# A caveat that the shared data does not know yet, and a case that it contradicts: a realtime request is genuine.
LATER = {"partial-evidence"}
CONTRADICTED = {"kind-realtime"}


class Case(NamedTuple):
    name: str
    #: The line that a package's test reads.
    given: dict
    #: Returns the faults of an answer, given as JSON.
    faults: object


def text(path):
    """Returns text unchanged, and DER as base64."""
    data = pathlib.Path(path).read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def settings(options, folder):
    """Returns the settings for options of the tool."""
    made = {}
    for name, value in zip(options[::2], options[1::2]):
        made.setdefault(FLAGS[name], []).append(text(folder / value) if "root" in name else value)
    return {**ANY, **made}


class Library:
    """The answers of the C library, called without a package."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.appreceipt_free.argtypes = [ctypes.c_char_p]

    def answer(self, function, settings, request):
        """Returns the code and the answer."""
        handle, text = ctypes.c_void_p(), json.dumps(settings).encode()
        code, answer = self._call("appreceipt_open", text, len(text), ctypes.byref(handle))
        assert code == 0, answer
        try:
            return self._call(function, handle, request, ctypes.c_size_t(len(request)))
        finally:
            self.library.appreceipt_close(handle)

    def _call(self, function, *arguments):
        answer, length = ctypes.c_char_p(), ctypes.c_size_t()
        code = getattr(self.library, function)(*arguments, ctypes.byref(answer), ctypes.byref(length))
        found = (answer.value or b"").decode()
        self.library.appreceipt_free(answer)
        return code, found


def verifications():
    """Yields name, settings, file, and the faults of its results for every input."""
    for folder, lines, options in (
        ("genuine/receipts", "genuine/expected.ndjson", []),
        ("receipts", "receipts.expected.ndjson", ["--root", "root.cer", "--storekit-test-root", "storekit-test-root.cer"]),
        ("jws", "jws.expected.ndjson", ["--root", "root.cer", "--storekit-test-root", "storekit-test-jws-root.cer"]),
    ):
        expected = {}
        for line in (FIXTURES / lines).read_text().removesuffix("\n").split("\n"):
            expected.setdefault(json.loads(line)["source"].split("#")[0].split("/")[-1], []).append(line)
        for file in sorted((FIXTURES / folder).iterdir()):
            yield f"Fixtures/{folder}/{file.name}", settings(options, FIXTURES / "roots"), file, _equals(expected[file.name])
    for file in sorted((FIXTURES / "regressions").glob("*/*")):
        yield f"Fixtures/regressions/{file.name}", ANY, file, _is_refused
    for name in ("genuine", "hostile", "encodings", "forged", "jws", "transaction-receipt") if SHARED.is_dir() else ():
        folder = SHARED / name
        manifest = json.loads((folder / "manifest.json").read_text())
        for row in manifest.get("cases") or manifest["receipts"]:
            if "generate" not in row and row["name"] not in CONTRADICTED:
                options = ["--root", "root.der"] if name == "forged" else row.get("options", [])
                yield f"{name}/{row['name']}", settings(options, folder), folder / row["file"], _conforms(row)


def _equals(lines):
    """Returns a function that compares results with lines, which lack some members of later versions."""
    def faults(results):
        wanted = [{**json.loads(line), "source": None} for line in lines]
        if len(results) != len(wanted) or any(not {**found, "source": None}.items() >= line.items() for found, line in zip(results, wanted)):
            yield f"{results}, expected {wanted}"

    return faults


def _is_refused(results):
    return [] if all(each["status"] == "refused" for each in results) else ["not refused"]


def _conforms(row):
    """Returns a function that compares results with a row of a manifest."""
    answers = row.get("answers")
    if answers is None:
        # The manifest of genuine receipts has a verdict for each trust anchor. Other formats may be other signed objects.
        verdict = row.get("expected") or row["verdict"].get("apple_root_time_creation_date", "policy")
        status = {"accept": "genuine", "reject": "refused"}.get(re.split("[: ]", verdict)[0], "either")
        codes = {row["reason"], *row["also_acceptable"]} if row.get("reason") else None
        answers = [{"status": status, "codes": codes}]

    def faults(results):
        if row.get("expected") == "policy" and len(results) != len(answers) and results[0]["status"] == "refused":
            return
        if len(results) != len(answers):
            yield f"{len(results)} results, expected {len(answers)}"
        unordered = row.get("order") == "free"
        for result in results:
            answer = answers[results.index(result)] if not unordered else next(
                (each for each in answers if each["sha256"] == result["sha256"]), answers[0])
            if answer["status"] not in ("either", result["status"]):
                yield f"{result['status']}, expected {answer['status']}"
            code = (result.get("refusal") or {}).get("code")
            codes = set(answer.get("codes") or ())
            if code and codes and code not in codes and not (code == "too_large" and "malformed" in codes):
                yield f"{code}, expected one of {codes}"

    return faults


def questions():
    """Yields name, settings, members of the case, and the faults of its verdicts for every question."""
    folder = FIXTURES / "eligibility"
    root = settings(["--root", "root.cer"], FIXTURES / "roots")
    for row in json.loads((folder / "questions.json").read_text()):
        # Skips saved answers, which the library does not accept as evidence, and questions about the present time.
        if "as_of" in row and not row["receipt"].endswith(".json"):
            yield (f"Fixtures/{row['name']}", *_question({**row, "catalog": "Store.storekit"}, root, folder,
                                                         [row["receipt"], *row.get("evidence", [])]), _answers(row["answers"]))
    for name in ("eligibility", "eligibility-mixed") if SHARED.is_dir() else ():
        folder = SHARED / name
        for row in json.loads((folder / "manifest.json").read_text())["rows"]:
            if row["as_of"] is not None:
                yield (f"{name}/{row['name']}", *_question(row, settings(["--root", "root.der"], folder), folder,
                                                           row.get("evidence") or [row["receipt"]]), _verdicts(row))


def _question(row, trust, folder, evidence):
    flags = [flag for flag in row.get("flags", []) if flag != "--single-group"]
    renewals = row.get("renewal_info") or []
    renewals = [folder / name for name in ([renewals] if isinstance(renewals, str) else renewals)]
    members = {"evidence": [str(folder / name) for name in evidence], "as_of": row["as_of"]}
    members |= {"single_group": True} if "--single-group" in row.get("flags", []) else {}
    members |= {"catalog": str(folder / row["catalog"])} if row.get("catalog") else {}
    members |= {"products": row["products"]} if row.get("products") else {}
    # The tool leaves out refused evidence of several records.
    members |= {"refused_evidence": "caveat"} if "receipt" not in row else {}
    signed = [str(path) for path in renewals if path.suffix == ".jws"]
    unsigned = [path.read_text() for path in renewals if path.suffix != ".jws"]
    members |= ({"renewals": signed} if signed else {}) | ({"unsigned": unsigned} if unsigned else {})
    policies = {POLICIES[name]: value for name, value in zip(flags[::2], flags[1::2])}
    return {**trust, **({"policies": policies} if policies else {})}, members


def request(given):
    """Returns the C library's request for a case."""
    made = {name: given[name] for name in ("as_of", "products", "single_group", "refused_evidence") if name in given}
    made["evidence"] = list(map(text, given["evidence"]))
    made |= {"renewal_info": list(map(text, given["renewals"]))} if "renewals" in given else {}
    made |= {"unsigned_renewal_info": given["unsigned"]} if "unsigned" in given else {}
    members = json.dumps(made)[:-1]
    return f"{members}, \"catalog\": {pathlib.Path(given['catalog']).read_text()}}}" if "catalog" in given else members + "}"


def _answers(lines):
    wanted = [{name: value for name, value in line.items() if name != "source"} for line in lines]

    def faults(answer):
        found = [{name: value for name, value in each.items() if name not in ("sources", "source")} for each in answer.get("verdicts", [])]
        if found != [{name: value for name, value in each.items() if name not in ("sources", "signed")} for each in wanted]:
            yield f"{found}, expected {wanted}"

    return faults


def _verdicts(row):
    """Returns a function that compares an answer with the members that a row of a manifest names."""
    def faults(answer):
        found = {each["product_id"]: each for each in answer.get("verdicts", [])}
        if row.get("lines") == "none":
            yield from ["verdicts, expected none"] if found else []
        elif row.get("lines") != "free":
            for product, wanted in row["expected"].items():
                yield from _differences(product, wanted, found.get(product))

    return faults


def _differences(place, wanted, found):
    if isinstance(wanted, dict) and isinstance(found, dict):
        for name, value in wanted.items():
            yield from _differences(f"{place}.{name}", value, found.get(name))
    elif isinstance(wanted, list) and isinstance(found, list) and not place.endswith("offers"):
        if set(wanted) != set(found) and set(wanted) != set(found) - LATER:
            yield f"{place}: {found}, expected {wanted}"
    elif wanted != found:
        yield f"{place}: {found}, expected {wanted}"


def cases():
    """Returns all cases."""
    found = [Case(name, {"settings": given, "input": str(file)}, faults) for name, given, file, faults in verifications()]
    return found + [Case(name, {"settings": given, **members}, faults) for name, given, members, faults in questions()]
