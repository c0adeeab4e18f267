"""The customers of Fixtures/customers.txt and customers-refused.txt and what the audit says of them: what other surfaces are held
against."""

import base64
import json
import pathlib
import subprocess

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
CATALOG = FIXTURES / "eligibility/Store.storekit"
ROOT = FIXTURES / "roots/root.cer"
APP = "com.example.tides"
# Before some of the evidence was signed, and after all of it.
DAYS = "2026-02-15T00:00:00Z", "2026-05-15T00:00:00Z"


class Customer:
    """One customer and the files that were presented, in their order."""

    def __init__(self, subject, files):
        self.subject, self.files = subject, files

    @property
    def kinds(self):
        """The letters with which Tests/Differential/make.py names kinds of evidence."""
        return {file.name[0] for file in self.files}

    @property
    def texts(self):
        return [base64.b64encode(file.read_bytes()).decode() if file.suffix == ".der" else file.read_text().strip()
                for file in self.files]

    @property
    def records(self):
        """A line of an export for each file; an answer of the App Store Server API is a line itself."""
        heads = [json.dumps({"id": f"{self.subject}-{number}", "subject": self.subject})[:-1] for number in range(len(self.files))]
        return [f"{head}, {text[1:]}" if text.startswith("{") else f'{head}, "receipt": "{text}"}}'
                for head, text in zip(heads, self.texts)]


def customers(tool, folder):
    """All customers; forges their evidence into the folder."""
    subprocess.run([tool, "forge", FIXTURES / "specs/customers.json", "--output", folder], check=True, capture_output=True)
    files = {file.name.split(".")[0]: file for file in pathlib.Path(folder).iterdir()}
    lines = [line for name in ("customers", "customers-refused") for line in (FIXTURES / f"{name}.txt").read_text().splitlines()]
    return [Customer(f"c{number}", [files[name] for name in line.split()]) for number, line in enumerate(lines)]


class Question:
    """What is asked of some of the customers.

    - bundle_id: the app that is demanded, if any is.
    """

    def __init__(self, as_of, customers, bundle_id=None):
        self.as_of, self.customers, self.bundle_id = as_of, customers, bundle_id

    @property
    def options(self):
        """Those of the command line."""
        return [] if self.bundle_id is None else ["--bundle-id", self.bundle_id]


def questions(found):
    """Half of the customers are asked about each day. Those of whom something is refused are asked about the later one, of an app that
    is demanded, and of any, where their evidence is of one app."""
    halves = [Question(day, found[half:2000:2]) for half, day in enumerate(DAYS)]
    refused = found[2000:]
    of_one_app = [each for each in refused if "o" not in each.kinds]
    return [*halves, Question(DAYS[1], refused, APP), Question(DAYS[1], of_one_app)]


def answer(line):
    """A line's answer about a product, without what names the customer and the files."""
    return line[line.find('"product_id":'):]


def answers(body):
    """Those of an answer of the C library, without what was refused; none where nothing is left."""
    if not body.startswith('{"verdicts":['):
        return []
    verdicts = body.removeprefix('{"verdicts":[').split('],"refusals":[')[0].removesuffix("]}")
    return list(map(answer, verdicts.split(',{"sources":')))


def audited(lines):
    """The answers about each subject, of the lines of --subject-verdicts."""
    found = {}
    for line in lines:
        found.setdefault(json.loads(line)["subject"], []).append(answer(line))
    return found
