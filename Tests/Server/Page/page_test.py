"""Tests the page of `appreceipt serve` in Chromium, as a user sees it."""

import base64
import json
import pathlib
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from serving import FIXTURES, ROOT, TOOL, TOP, Account, Server  # noqa: E402
from visitor import Visitor  # noqa: E402
# These modules are in Tests/Browser, which `visitor` adds to the path.
from chromium import DeadEnd  # noqa: E402
from hostile_text import ALL  # noqa: E402
from probes import CONTRAST  # noqa: E402

work, shots = map(pathlib.Path, sys.argv[1:])
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
CATALOG = FIXTURES / "eligibility/Store.storekit"
CUSTOMER = FIXTURES / "eligibility/receipts/trial-then-a-year-with-a-gap.der"
GENUINE = FIXTURES / "receipts/trial-then-renewals.der"
TAMPERED = FIXTURES / "receipts/tampered.der"
JWS = FIXTURES / "jws"
TOKEN = "a-token-of-the-test"

account = Account("page")
expect = account.expect
network = DeadEnd()
visitor = Visitor(network.address, shots)


def text(path):
    return base64.b64encode(path.read_bytes()).decode()


STRUCTURE = """(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const faults = [];
  const wrong = (selector, what, isWrong) =>
    faults.push(...all(selector).filter(isWrong).map((e) => `${what}: ${e.id}`));
  for (const name of ["h1", "main", "header", "footer", "nav"])
    if (all(`body ${name}`).length !== 1) faults.push(`${all(name).length} ${name}`);
  wrong("table", "without a name", (table) => !table.caption && !table.closest("[role=region]")?.ariaLabel);
  wrong("svg", "without words", (picture) => !picture.closest("[aria-hidden]") && !picture.ariaLabel);
  wrong("input, select, textarea", "without a label", (field) => !field.labels.length && !field.ariaLabel);
  wrong("[role=region]", "not reachable by keyboard or screen reader", (region) => !region.ariaLabel || region.tabIndex < 0);
  wrong("a", "leads nowhere", (link) => !document.getElementById(link.hash.slice(1))?.checkVisibility());
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push("duplicate ids");
  let level = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    if (+heading.tagName[1] > level + 1) faults.push(`${heading.tagName} after ${level}`);
    level = +heading.tagName[1];
  }
  return faults;
})()"""


def clean(row):
    """Checks that there were no errors, no policy violations and no requests to other hosts."""
    wrong = [e["params"] for e in visitor.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    expect(f"{row}: no error", wrong, [])
    expect(f"{row}: the policy holds", visitor.evaluate("breaches"), [])
    own = (visitor.evaluate("location.origin"), "data:")
    asked = [e["params"]["request"]["url"] for e in visitor.events if e["method"] == "Network.requestWillBeSent"]
    expect(f"{row}: requests to other hosts", [url for url in asked if not url.startswith(own)], [])


def looks(server):
    """Checks size, contrast and structure in both color schemes and widths, and takes screenshots."""
    several = [CUSTOMER, JWS / "notification.jws", TAMPERED]
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            for name, files in (("empty", []), ("one", [CUSTOMER]), ("refused", [TAMPERED]), ("several", several)):
                row = f"{name} {width} {scheme}"
                visitor.visit(server, width, scheme)
                if files:
                    visitor.choose(*files)
                    visitor.answered()
                    visitor.take_screenshot(f"{name}-{width}-{scheme}")
                    visitor.open_all()
                wide = visitor.evaluate("document.documentElement.scrollWidth")
                expect(f"{row}: fits its width", wide, lambda seen: seen <= width)
                expect(f"{row}: contrast of 4.5", visitor.evaluate(CONTRAST), [])
                clean(row)
                visitor.take_screenshot(f"{name}-{width}-{scheme}-open")
            expect(f"{width} {scheme}: landmarks, names, headings", visitor.evaluate(STRUCTURE), [])


def policy(server):
    headers = server.ask("GET", "/").headers
    expect("the page's policy", headers.get("content-security-policy"), POLICY)
    for name, wanted in (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")):
        expect(name, headers.get(name), wanted)
    for path, name in (("/", "index.html"), ("/page.js", "page.js"), ("/page.css", "page.css")):
        source = (TOP / "Sources/EmbeddedFiles/ServerPages" / name).read_bytes()
        expect(f"{name} equals the source file", server.ask("GET", path).body == source, True)
    visitor.visit(server)
    attempts = {  # The directives, and scripts that violate them.
        "style-src-elem": "document.body.append(document.createElement('style'))",
        "style-src-attr": "document.body.setAttribute('style', 'color: red')",
        "connect-src": "fetch('https://example.com/').catch(() => {})",
        "img-src": "new Image().src = 'https://example.com/x.png'",
        "require-trusted-types-for": "try { document.body.innerHTML = '<b>' } catch { }",
        "trusted-types": "try { trustedTypes.createPolicy('other', {}) } catch { }",
    }
    for directive, script in attempts.items():
        visitor.evaluate(f"breaches.length = 0; {script}; 0")
        broken = visitor.until("breaches.length && breaches.map((breach) => breach.split(' ')[0])")
        expect(f"forbidden by {directive}", [*set(broken)], [directive])
    script = "try { document.createElement('script').src = 'page.js'; 'taken' } catch (error) { error.name }"
    expect("adding a script is forbidden", visitor.evaluate(script), "TypeError")


def forms(server):
    """Tests all formats of input, pasted, chosen or dropped."""
    notification = json.dumps({"signedPayload": (JWS / "notification.jws").read_text().strip()})
    answer = json.dumps({"status": 0, "latest_receipt": text(GENUINE)})
    request = json.dumps({"receipt-data": text(TAMPERED)})
    both = json.dumps({"latest_receipt": text(CUSTOMER), "a": {"signedTransactionInfo": (JWS / "transaction.jws").read_text().strip()}})
    paste, choose, drop = visitor.paste, visitor.choose, visitor.drop
    rows = [  # The title, an action, its arguments, the headline, and facts.
        ("base64", paste, [text(GENUINE)], "Genuine", {"App": "com.example.lumen"}),
        ("base64, outside the text box", paste, [text(GENUINE), None], "Genuine", {"What": "receipt"}),
        ("JWS", paste, [(JWS / "transaction.jws").read_text()], "Genuine", {"What": "signed transaction"}),
        ("PEM", choose, [FIXTURES / "receipts/milliseconds.pem"], "Genuine", {"What": "receipt"}),
        ("DER", drop, [GENUINE], "Genuine", {"Purchases": "6"}),
        ("renewal information", drop, [JWS / "renewal-info.jws"], "Genuine", {"Renewal": "will renew"}),
        ("a notification", paste, [notification], "All 3 genuine", {"Type": "DID_FAIL_TO_RENEW, GRACE_PERIOD"}),
        ("a history", choose, [JWS / "history.json"], "All 2 genuine", {"Product": "com.example.tides.monthly"}),
        ("an answer of verifyReceipt", paste, [answer], "Genuine", {"Purchases": "6"}),
        ("a request to verifyReceipt", paste, [request], "Refused", {"Field": "signerInfos[0].signature"}),
        ("a receipt beside a JWS", paste, [both], "All 2 genuine", {"Product": "com.example.tides.monthly"}),
        ("three files, one of them tampered", drop, [CUSTOMER, CUSTOMER.with_name("running-month.der"), TAMPERED],
         "2 of 3 genuine", {"App": "com.example.tides"}),
        ("text that is not a receipt", paste, ["What a lovely day"], "Refused",
         {"Meaning": "not an object that the App Store signs, or damaged"}),
    ]
    for row, give, what, headline, facts in rows:
        visitor.visit(server)
        give(*what)
        expect(row, visitor.answered(), headline)
        seen = visitor.facts()
        expect(f"{row}: facts", {name: seen.get(name) for name in facts}, facts)
        clean(row)
    visitor.visit(server)
    visitor.evaluate(f"at('text').value = {json.dumps(text(GENUINE))}; at('text').focus()")
    visitor.press("Enter", 13, modifiers=2)
    expect("control and enter in the text box", visitor.answered(), "Genuine")
    visitor.click("[type=reset]")
    expect("reset clears the page", visitor.evaluate("at('results').hidden && at('text').value === ''"), True)
    visitor.click("#ask [type=submit]")
    expect("empty input is not sent", visitor.shown("#status"),
           ["Nothing to verify yet: paste a receipt, or choose a file."])
    visitor.drop_named()
    expect("a drop without files and text", visitor.shown("#status"), ["There is neither a file nor text in what was dropped."])
    (work / "large").write_bytes(bytes(23 << 20))
    (work / "none").write_bytes(b"")
    visitor.choose(work / "large", work / "none")
    expect("too large, and empty", visitor.answered(), "0 of 2 genuine")
    expect("both have the reason", visitor.shown("#objects .unreadable"),
           ["Not verified: larger than the limit of 16 MiB", "Not verified: empty"])


def answers(server):
    """Compares the page with the output of the tool."""
    def lines_of(*arguments):
        output = subprocess.run([TOOL, *arguments, "--json", *ROOT, CUSTOMER], check=True, capture_output=True).stdout
        return [json.loads(line) for line in output.splitlines()]

    visitor.visit(server)
    visitor.evaluate("at('date').value = '2026-03-02T00:00:00'")
    visitor.choose(CUSTOMER)
    visitor.answered()
    offers = ["introductory_offer", "promotional_offer", "win_back_offer"]
    verdicts = [[line[offer]["outcome"].replace("ineligible", "not eligible") for offer in offers] for line in lines_of(
        "eligibility", "--merge", "--catalog", CATALOG, "--as-of", "2026-03-02T00:00:00Z")]
    seen = visitor.each("#verdicts tbody tr", "[...e.querySelectorAll('td > strong')].map((e) => e.textContent)")
    expect("verdicts", seen, verdicts)
    [receipt] = lines_of("verify")
    purchases = [[each["purchase_date"].replace("T", " ")[:-1], each["product_id"], each["transaction_id"]]
                 for each in receipt["receipt"]["in_app"]]
    seen = visitor.each("#purchases tbody tr", "[0, 1, 4].map((i) => e.cells[i].textContent)")
    expect("purchases", seen, sorted(purchases, reverse=True))
    kinds = [len(visitor.each(f"#timelines g.{kind}", "0")) for kind in ("wide", "narrow", "solid", "open")]
    expect("periods: trial, introductory, paid, refunded", kinds, [1, 2, 5, 1])
    expect("the chart's text alternative", visitor.each("#timelines svg", "e.ariaLabel"),
           ["com.example.tides.monthly: 9 periods, 1 gap; the table of purchases lists them"])
    visitor.open_all()
    raw = visitor.until("document.querySelector('#answers pre')?.textContent")
    expect("the unchanged answer", json.loads(raw)["results"][0]["receipt"], receipt["receipt"])
    expect("its digest", visitor.facts()["SHA-256"], receipt["sha256"])
    visitor.choose(CUSTOMER, JWS / "transaction.jws")
    visitor.until("at('answer').textContent === 'All 2 genuine'")
    expect("one line for a group in signed content", visitor.each("#timelines svg", "e.ariaLabel"),
           ["group 21590001: 10 periods, 1 gap; the table of purchases lists them"])
    visitor.evaluate("at('bundle').value = 'com.example.other'")
    visitor.choose(GENUINE)
    visitor.until("at('answer').textContent === 'Refused'")
    expect("another bundle ID", visitor.shown("#objects strong"), ["Refused: wrong_bundle_id"])
    parts = [*map(visitor.shown, ("#times", "#offers", "#bought"))]
    expect("content of a refused receipt", parts, [[], [], []])


def kinds(server):
    """Tests the names of kinds of periods, some of which only signed transactions show."""
    rows = [  # A transaction's members, and its kind on the page.
        ({"offerType": 1, "offerDiscountType": "FREE_TRIAL"}, "free trial"),
        ({"offerType": 1, "offerDiscountType": "PAY_UP_FRONT"}, "introductory"),
        ({"offerType": 2, "offerDiscountType": "FREE_TRIAL", "offerIdentifier": "spring"}, "period, promotional offer spring"),
        ({"offerType": 3, "offerDiscountType": "FREE_TRIAL", "offerIdentifier": "code"}, "period, offer code code"),
        ({"offerType": 4, "offerIdentifier": "back"}, "period, win-back offer back"),
        ({"offerType": 9}, "period, offer of type 9"),
        ({"inAppOwnershipType": "FAMILY_SHARED"}, "period, shared by the family"),
        ({"inAppOwnershipType": "GUEST"}, "period, owner GUEST"),
        ({}, "period"),
    ]
    month = 30 * 86_400_000
    transactions = [
        {"transactionId": str(900 + number), "originalTransactionId": "900", "bundleId": "com.example.tides",
         "productId": "com.example.tides.monthly", "purchaseDate": (600 + number) * month, "expiresDate": (601 + number) * month,
         "originalPurchaseDate": 600 * month, "signedDate": 640 * month, "environment": "Production",
         "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", **members}
        for number, (members, _) in enumerate(rows)]
    answer = {"bundleId": "com.example.tides", "environment": "Production", "hasMore": False, "signedTransactions": transactions}
    (work / "kinds.json").write_text(json.dumps({"receipts": [{"name": "kinds", "answer": answer}]}))
    subprocess.run([TOOL, "forge", work / "kinds.json", "--output", work / "kinds"], check=True, capture_output=True)
    visitor.visit(server)
    visitor.choose(work / "kinds/kinds.json")
    expect("kinds", visitor.answered(), "All 9 genuine")
    seen = visitor.each("#purchases tbody tr", "e.cells[2].textContent")
    expect("kinds of purchases", seen, [kind for _, kind in reversed(rows)])


def beyond(server):
    """Tests more files than the page verifies at a time: the last one, which says that an offer was used, is not among them."""
    visitor.visit(server)
    visitor.drop_named(*[(f"{number}.der", GENUINE.read_bytes()) for number in range(100)], ("last.der", CUSTOMER.read_bytes()))
    expect("101 files", visitor.answered(), "100 of 101 genuine")
    expect("the status", visitor.shown("#status"), ["1 file skipped: the limit is 100 at a time."])
    expect("the offers' note", visitor.shown("#offers-note"), lambda seen: seen[0].endswith(" UTC. 1 file not verified."))
    expect("the offers' caveats", doubted(), 9)


def doubted():
    """Returns the number of offers with the caveat of refused evidence."""
    return len([text for text in visitor.each("#verdicts .reservation", "e.textContent") if text == "caveat: evidence-refused"])


def several(server):
    """Compares the offers for several files, some of them refused, with those of the command line under the same policy."""
    transaction, renewal, history = JWS / "transaction.jws", JWS / "renewal-info.jws", work / "history.json"
    signed = transaction.read_text().strip()
    history.write_text(json.dumps({"signedTransactions": [signed, signed[:-4] + "AAAA"]}))
    left_out = " UTC. 1 object refused and left out."
    rows = [  # The title, files, the headline, and the note's end.
        # It names no app, so /v1/verify refuses it if an app is expected.
        ("renewal information", [transaction, renewal], "1 of 2 genuine", " UTC."),
        ("and a receipt of another app", [GENUINE, transaction, renewal], "1 of 3 genuine", left_out),
        ("and a tampered receipt", [TAMPERED, transaction, renewal], "1 of 3 genuine", left_out),
        ("without its transaction", [CUSTOMER, renewal], "1 of 2 genuine", left_out),
        ("a history with a damaged object", [CUSTOMER.with_name("retired-product.der"), history], "2 of 3 genuine", left_out),
    ]
    visitor.visit(server)
    visitor.evaluate("at('bundle').value = 'com.example.tides'; at('date').value = '2026-03-02T00:00:00'")
    offers = ["introductory_offer", "promotional_offer", "win_back_offer"]
    for row, files, headline, end in rows:
        visitor.choose(*files)
        expect(f"{row}: verdict", visitor.answered(), headline)
        expect(f"{row}: note", visitor.shown("#offers-note"), lambda seen, end=end: seen[0].endswith(end))
        output = subprocess.run([TOOL, "eligibility", "--merge", "--json", *ROOT, "--catalog", CATALOG, "--as-of", "2026-03-02T00:00:00Z",
                                 "--bundle-id", "com.example.tides", *files], capture_output=True).stdout
        lines = [json.loads(line) for line in output.splitlines()]
        states = visitor.each("#verdicts tbody tr", "e.cells[4].firstChild.textContent")
        expect(f"{row}: states", states, [line["subscription"]["state"].replace("_", " ") for line in lines])
        words = visitor.each("#verdicts tbody tr td", "[...e.querySelectorAll(':scope > small')].map((e) => e.textContent)")
        expect(f"{row}: rules and caveats", [[each[0].split(", ")[0], *each[1:]] for number, each in enumerate(words) if number % 4 < 3],
               [[line[offer]["rule"], *(f"caveat: {caveat}" for caveat in line[offer]["caveats"])] for line in lines for offer in offers])
        visitor.evaluate("at('results').hidden = true")
    visitor.choose(work / "none", transaction)
    expect("an empty file", visitor.answered(), "1 of 2 genuine")
    expect("its note", visitor.shown("#offers-note"), lambda seen: seen[0].endswith(" UTC. 1 file not verified."))
    expect("its caveat", doubted(), 9)
    marked = work / "marked.jws"
    marked.write_text(f"\ufeff{signed}")
    visitor.choose(marked, CUSTOMER)
    visitor.until("at('offers-note').textContent.endsWith('left out.')")
    expect("a JWS with a byte order mark", visitor.answered(), "1 of 2 genuine")
    asked = work / "request.json"
    asked.write_text("\ufeff" + json.dumps({"receipt-data": text(CUSTOMER)}))
    visitor.choose(asked)
    visitor.until("at('answer').textContent === 'Genuine'")
    expect("a verifyReceipt request with a byte order mark", visitor.facts()["What"], "receipt")
    foreign = work / "foreign"
    (work / "foreign.json").write_text(json.dumps({"receipts": [{"name": "foreign", "receipt": {"bundle_id": "com.example.other"}}]}))
    subprocess.run([TOOL, "forge", work / "foreign.json", "--output", foreign], check=True, capture_output=True)
    visitor.evaluate("at('bundle').value = ''")
    visitor.choose(work / "none", CUSTOMER, foreign / "foreign.der")
    visitor.until("at('offers-note').textContent.includes('differs')")
    expect("files of two apps", visitor.shown("#offers-note"), lambda seen: f"{CUSTOMER.name} (" in seen[0] and "foreign.der (" in seen[0])
    visitor.evaluate("at('bundle').value = 'com.example.tides'")
    visitor.choose(renewal)
    visitor.until("at('answer').textContent === 'Refused'")
    expect("no offers", visitor.shown("#offers"), [])
    (work / "text").write_text("no receipt " * 1_500_000)
    visitor.choose(work / "text", CUSTOMER)
    visitor.until("at('answer').textContent === '1 of 2 genuine'")
    expect("a large file without evidence", visitor.answered(), "1 of 2 genuine")
    expect("the offers beside it", visitor.shown("#offers-note"), lambda seen: seen[0].endswith(left_out))


def again(server):
    """Chooses files under a date that the page refuses, and verifies them under another one."""
    visitor.visit(server)
    visitor.choose(CUSTOMER)
    visitor.answered()
    visitor.evaluate("at('date').value = '12345-01-01T00:00'")
    visitor.choose(JWS / "transaction.jws")
    expect("a year that no date can have", visitor.shown("#status"), ["The date of the offers must be from 2008 to 2099."])
    expect("earlier results", visitor.evaluate("at('results').hidden"), True)
    visitor.evaluate("at('date').value = '2026-03-02T00:00:00'")
    visitor.click("#ask [type=submit]")
    expect("the same files with another date", visitor.answered(), "Genuine")
    expect("they are the refused ones", visitor.facts()["What"], "signed transaction")
    visitor.evaluate(f"verifyText({json.dumps(text(CUSTOMER))}); at('bundle').value = 'com.example.other'; at('date').value = ''")
    expect("an app that was entered later", visitor.answered(), "Genuine")
    expect("a date that was entered later", visitor.shown("#offers-note"), lambda seen: seen[0].startswith("As of 2026-03-02 00:00:00 UTC;"))
    expect("an invalid date during a verification", visitor.evaluate(
        "verifyText('MAA='); at('date').value = '12345-01-01T00:00'; verifyText('MAA='); document.body.classList.contains('busy')"), False)


def catalogs(server):
    """Tests catalogs with a server that has none."""
    visitor.visit(server)
    visitor.choose(CUSTOMER)
    visitor.answered()
    expect("no catalog", visitor.shown("#offers-note"), lambda seen: "(HTTP 400)" in seen[0] and "--catalog" in seen[0])
    visitor.choose(CATALOG, field="catalog")
    visitor.click("#ask [type=submit]")
    visitor.until("document.querySelectorAll('#verdicts tbody tr').length === 3")
    expect("a selected catalog", visitor.each("#verdicts tbody th", "e.firstChild.data")[0], "com.example.tides.yearly")
    visitor.evaluate(f"verifyText({json.dumps(text(CUSTOMER))}); at('catalog').value = ''")
    visitor.answered()
    visitor.until("at('offers-note').textContent !== 'Loading…'")
    expect("a catalog that is removed during the verification", visitor.shown("#offers-note"), lambda seen: seen[0].startswith("As of "))
    (work / "twice.json").write_text('{"groups": {"a": ["one"]}, "groups": {"b": ["two"]}}')
    visitor.choose(work / "twice.json", field="catalog")
    visitor.choose(CUSTOMER)
    visitor.until("at('offers-note').textContent.includes('(HTTP 400)')")
    expect("a catalog with a name given twice", visitor.shown("#verdicts"), [])
    visitor.choose(TAMPERED, field="catalog")
    visitor.choose(CUSTOMER)
    visitor.until("at('offers-note').textContent.includes('the catalog is not JSON in UTF-8')")
    expect("an invalid catalog", visitor.shown("#verdicts"), [])
    for encoding in ("latin-1", "utf-16"):
        (work / "encoded.json").write_bytes('{"groups": {"g\u00e9": ["com.example.tides.yearly"]}}'.encode(encoding))
        visitor.choose(work / "encoded.json", field="catalog")
        visitor.choose(CUSTOMER)
        visitor.answered()
        visitor.until("at('offers-note').textContent !== 'Loading…'")
        expect(f"a catalog in {encoding}", visitor.shown("#offers-note"), ["No result: the catalog is not JSON in UTF-8."])


def revocation(server):
    """Tests the words about certificates with a distrust list. They are those of `appreceipt verify`."""
    visitor.visit(server)
    visitor.choose(GENUINE, *[JWS / f"{name}.jws" for name in ("transaction", "renewal-info", "app-transaction")])
    expect("with a distrust list", visitor.answered(), "All 4 genuine")
    visitor.open_all()
    texts = visitor.each("#objects dt", "e.textContent === 'Revocation' && e.nextElementSibling.textContent")
    later = "no information; a certificate is distrusted later; the date before that is the signer's claim"
    expect("each object's revocation", [text for text in texts if text], [later, *["not checked"] * 3])


ALIEN = ("script:not(head > script), style, img, iframe, [style], [src]:not(head > script), [onerror], [onmouseover], "
         "[href]:not(head > link, nav a, .skip)")
PLACES = ["#objects h3", "#objects .facts", "#objects table", "#timelines", "#verdicts", "#purchases", "#answers summary"]


def harmless(server):
    """Checks that hostile text in fields, file names and products of the catalog remains text."""
    for number, hostile in enumerate(ALL):
        visitor.visit(server)
        receipt = next((work / "hostile").glob(f"r{number}.*")).read_bytes()
        visitor.drop_named((hostile, receipt), (hostile + " too", json.dumps({hostile: hostile}).encode()))
        expect(f"{hostile}: one is genuine", visitor.answered(), "1 of 2 genuine")
        visitor.open_all()
        visitor.each("*", "e.dispatchEvent(new Event('mouseover'))")
        expect(f"{hostile}: no script ran", visitor.evaluate("window.harmed ?? null"), None)
        expect(f"{hostile}: elements from input", visitor.each(ALIEN, "e.outerHTML"), [])
        written = "".join(f"\\u{{{ord(c):X}}}" if c in "\u202e\u2066\u200b" else c for c in hostile)
        absent = [place for place in PLACES if written not in " ".join(visitor.each(place, "e.textContent"))]
        expect(f"{hostile}: places without the text", absent, [])
        expect(f"{hostile}: the page fits", visitor.evaluate("document.documentElement.scrollWidth") <= 1280, True)
        clean(hostile)
    visitor.take_screenshot("hostile")


def tokens(server):
    visitor.visit(server)
    visitor.paste(text(GENUINE))
    for given, then in (("wrong", "That token was not accepted."),
                        ("not a token", "A token is printable ASCII without spaces.")):
        visitor.until("!at('access').hidden && document.activeElement.id === 'token' && at('token').value === ''")
        visitor.write(given)
        visitor.click("#access [type=submit]")
        visitor.until(f"at('status').textContent === {json.dumps(then)}")
        visitor.evaluate("at('token').value = ''; at('token').focus()")
    visitor.take_screenshot("token")
    expect("nothing is shown yet", visitor.evaluate("at('results').hidden"), True)
    visitor.write(TOKEN)
    visitor.click("#access [type=submit]")
    expect("with the token", visitor.answered(), "Genuine")
    expect("the field is hidden and empty", visitor.evaluate("[at('access').hidden, at('token').value]"), [True, ""])
    visitor.choose(JWS / "transaction.jws")
    visitor.until("at('objects').textContent.includes('signed transaction')")
    expect("the page asks for the token once", visitor.evaluate("at('access').hidden"), True)
    places = "localStorage.length, sessionStorage.length, document.cookie, location.href, document.body.outerHTML"
    expect("the token in storage or in the page", TOKEN in visitor.evaluate(f"[{places}].join(' ')"), False)
    expect("the policy holds", visitor.evaluate("breaches"), [])
    visitor.visit(server)
    visitor.paste(text(GENUINE))
    visitor.until("!at('access').hidden")
    expect("a reloaded page asks for the token", visitor.evaluate("at('results').hidden"), True)


def large(server):
    """Tests the time and the number of elements for 20,000 purchases."""
    [many] = (work / "many").glob("many.*")
    visitor.visit(server)
    before = visitor.processor_seconds()
    visitor.drop(many)
    expect("20,000 purchases", visitor.answered(), "Genuine")
    expect("seconds of processor time", visitor.processor_seconds() - before, lambda seen: seen < 10)
    expect("elements", visitor.evaluate("document.querySelectorAll('*').length"), lambda seen: seen < 15_000)
    visitor.evaluate("[...document.querySelectorAll('.more')].find((e) => e.textContent.includes('of 20,000')).click()")
    expect("more on demand", len(visitor.each("#purchases tbody tr", "0")), 1100)
    expect("the focus is on the first new row", visitor.evaluate("document.activeElement.rowIndex"), 101)
    visitor.evaluate("at('words').focus()")
    visitor.write("many.7 trial")
    expect("a filter", visitor.evaluate("at('shown').value"), "1 of 20,000 purchases")
    visitor.take_screenshot("large")
    visitor.drop(many)
    visitor.paste(text(GENUINE), None)
    visitor.until("at('objects').textContent.includes('com.example.lumen')")
    time.sleep(2)
    expect("a late answer does not replace a newer one", visitor.facts()["App"], "com.example.lumen")
    # A text box would need seconds for a text of this size.
    visitor.paste(text(many), None)
    visitor.until("at('objects').textContent.includes('com.example.many')")
    expect("pasted too", [visitor.answered(), visitor.evaluate("at('text').value")], ["Genuine", ""])


def keyboard(server):
    visitor.visit(server)
    visitor.press("Tab", 9)
    skip = "document.activeElement.className + (document.activeElement.getBoundingClientRect().left >= 0)"
    expect("the first stop is the link to the receipt, which becomes visible", visitor.evaluate(skip), "skiptrue")
    visitor.evaluate("document.activeElement.blur()")
    order = []
    for _ in range(5):
        visitor.press("Tab", 9)
        order.append(visitor.evaluate("(({id, type, tagName}) => id || type || tagName)(document.activeElement)"))
    expect("the order of the stops", order, ["text", "submit", "choose", "reset", "SUMMARY"])
    visitor.choose(GENUINE)
    visitor.answered()
    expect("the focus is on the answer", visitor.evaluate("document.activeElement.id"), "answer")
    expect("the status is announced", visitor.evaluate("at('status').getAttribute('role')"), "status")


def absent():
    with Server(*ROOT) as server:
        visitor.visit(server)
    visitor.choose(GENUINE)
    expect("a stopped server", visitor.answered(), "Not verified")
    expect("the reason", visitor.shown("#objects strong"), ["Not verified: the server did not answer"])


try:
    (work / "tokens").write_text(TOKEN + "\n")
    output = subprocess.run([TOOL, "verify", "--json", *ROOT, GENUINE], check=True, capture_output=True).stdout
    stolen = {"sha256": json.loads(output)["signature"]["chain"][0]["sha256"], "from": "2040-01-01T00:00:00Z"}
    (work / "distrust.json").write_text(json.dumps({"certificates": [stolen]}))
    with Server(*ROOT, "--catalog", CATALOG) as server:
        for part in (policy, looks, forms, answers, kinds, beyond, several, again, keyboard, large):
            part(server)
    for part, options in ((harmless, ["--catalog", work / "catalog.json"]), (tokens, ["--tokens", work / "tokens"]),
                          (catalogs, []), (revocation, ["--distrust", work / "distrust.json"])):
        with Server(*ROOT, *options) as server:
            part(server)
    absent()
    expect("requests to the network", network.asked(), [])
finally:
    visitor.close()
account.end()
