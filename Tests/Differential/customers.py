"""The customers of Fixtures/customers.txt and customers-refused.txt, and the audit's answers about them. The tests of
other interfaces compare their own answers with these.
"""

import base64
import json
import pathlib
import subprocess

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
CATALOG = FIXTURES / "eligibility/Store.storekit"
ROOT = FIXTURES / "roots/root.cer"
APP = "com.example.tides"
# One date before some of the evidence was signed, and one after all of it.
DAYS = "2026-02-15T00:00:00Z", "2026-05-15T00:00:00Z"


class Customer:
    """A customer and the presented files, in the order of their presentation."""

    def __init__(self, subject, files):
        self.subject, self.files = subject, files

    @property
    def kinds(self):
        """The first letters of the files' names, which Tests/Differential/make.py uses for kinds of evidence."""
        return {file.name[0] for file in self.files}

    @property
    def texts(self):
        return [base64.b64encode(file.read_bytes()).decode() if file.suffix == ".der" else file.read_text().strip()
                for file in self.files]

    @property
    def records(self):
        """Lines of an export, one for each file. A response of the App Store Server API is a line itself."""
        heads = [json.dumps({"id": f"{self.subject}-{number}", "subject": self.subject})[:-1] for number in range(len(self.files))]
        return [f"{head}, {text[1:]}" if text.startswith("{") else f'{head}, "receipt": "{text}"}}'
                for head, text in zip(heads, self.texts)]


def customers(tool, folder):
    """Returns all customers. Forges their evidence into the folder."""
    subprocess.run([tool, "forge", FIXTURES / "specs/customers.json", "--output", folder], check=True, capture_output=True)
    files = {file.name.split(".")[0]: file for file in pathlib.Path(folder).iterdir()}
    lines = [line for name in ("customers", "customers-refused") for line in (FIXTURES / f"{name}.txt").read_text().splitlines()]
    return [Customer(f"c{number}", [files[name] for name in line.split()]) for number, line in enumerate(lines)]


class Question:
    """A question about some of the customers.

    - bundle_id: the expected app, or None for any app.
    """

    def __init__(self, as_of, customers, bundle_id=None):
        self.as_of, self.customers, self.bundle_id = as_of, customers, bundle_id

    @property
    def options(self):
        """The command-line options of the question."""
        return [] if self.bundle_id is None else ["--bundle-id", self.bundle_id]


def questions(found):
    """Returns the questions. For each date, there is a question about half of the customers without refusals.
    Customers with refused evidence have questions for the later date, with an expected app. Those with evidence of one
    app also have a question without an expected app.
    """
    halves = [Question(day, found[half:2000:2]) for half, day in enumerate(DAYS)]
    refused = found[2000:]
    of_one_app = [each for each in refused if "o" not in each.kinds]
    return [*halves, Question(DAYS[1], refused, APP), Question(DAYS[1], of_one_app)]


def answer(line):
    """Returns a line's answer about a product, without the members that name the customer and the files."""
    return line[line.find('"product_id":'):]


def answers(body):
    """Returns the verdicts in a response of the C library, without refusals. Returns an empty list for any other
    response.
    """
    if not body.startswith('{"verdicts":['):
        return []
    verdicts = body.removeprefix('{"verdicts":[').split('],"refusals":[')[0].removesuffix("]}")
    return list(map(answer, verdicts.split(',{"sources":')))


def audited(lines):
    """Returns the answers for each subject from lines of --subject-verdicts."""
    found = {}
    for line in lines:
        found.setdefault(json.loads(line)["subject"], []).append(answer(line))
    return found
