"""Compares verifyReceipt answers of `appreceipt serve` with those in Fixtures, of the peer in Tests/Peers, and of Apple.

Tests/Peers/answers.py has the table of differences from the peer, with their reasons.
"""

import json
import time

from serving import CORPUS, FIXTURES, ROOT, Account, Server
from answers import Comparison, recorded, request_of  # isort: skip: in Tests/Peers

account = Account("answers")
PATHS = {"Production": "/verifyReceipt", "Sandbox": "/sandbox/verifyReceipt"}
# The members with the server's time, in three formats.
ASKED = "request_date", "request_date_ms", "request_date_pst"
APPLES = CORPUS / "genuine/revenuecat-verifyReceipt-answer.txt"


def asked_when(answer, other):
    """Returns an answer as JSON, in its order of members and with the request date of the other answer."""
    if "receipt" in answer and "receipt" in other:
        answer["receipt"] |= {name: other["receipt"][name] for name in ASKED}
    return json.dumps(answer)


def recordings(servers, comparison):
    def ask(folder, environment, body):
        response = servers[folder].ask("POST", PATHS[environment], body)
        account.expect("a status in its body has HTTP 200", response.status, 200)
        return response.json

    for row in recorded():
        name, environment, wanted = row["receipt"], row["environment"], row["answer"]
        folder = name.split("/")[0]
        answer = ask(folder, environment, request_of(FIXTURES / name).encode())
        if "receipt" in answer:
            late = time.time() - int(answer["receipt"]["request_date_ms"]) / 1000
            account.expect(f"{name} in {environment}: the request date is now", late, lambda seconds: abs(seconds) < 60)
        account.expect(f"{name} in {environment}", asked_when(answer, wanted), json.dumps(wanted))
        comparison.compare(name, environment, answer)
    comparison.compare_requests(lambda request: ask("genuine", "Sandbox", request.encode()))
    if CORPUS.exists():
        manifest = json.loads((CORPUS / "genuine/manifest.json").read_text())["receipts"]
        for name in [f"genuine/{row['file']}" for row in manifest if row["kind"] == "apple-signed"]:
            for environment in PATHS:
                comparison.compare(name, environment, ask("genuine", environment, request_of(CORPUS / name).encode()), CORPUS)


# The members of Apple's own answer that a receipt does not contain, with the reasons.
ONLY_APPLE = {
    "latest_receipt": "Apple creates a new receipt for each request",
    "pending_renewal_info": "the server received no signed renewal information",
    "subscription_group_identifier": "receipts contain no groups",
}


def without_apples(value):
    if isinstance(value, dict):
        return {name: without_apples(member) for name, member in value.items() if name not in ONLY_APPLE}
    return [without_apples(each) for each in value] if isinstance(value, list) else value


def apple(server):
    apples = json.loads(APPLES.read_text())
    body = request_of(FIXTURES / "genuine/receipts/revenuecat-sample1-sandbox-2020.b64").encode()
    answer = server.ask("POST", "/sandbox/verifyReceipt", body).json
    wanted = without_apples(apples)
    # In 2020, Apple's answers had the oldest purchase first. Current answers have the newest first.
    wanted["latest_receipt_info"].reverse()
    account.expect("Apple's own answer, all members that a receipt contains", asked_when(answer, wanted), json.dumps(wanted))


def main():
    comparison = Comparison()
    with Server("--latest", "as-of-receipt") as latest, Server() as genuine, Server(*ROOT) as receipts:
        recordings({"genuine": genuine, "receipts": receipts}, comparison)
        if APPLES.exists():
            apple(latest)
    for text in comparison.end():
        account.expect(text, "a difference that no rule explains", "none")
    account.end()


main()
