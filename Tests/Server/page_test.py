"""What a person meets at the page of `appreceipt serve`, asked of Chromium itself."""

import base64
import json
import pathlib
import subprocess
import sys
import time

from serving import FIXTURES, ROOT, TOOL, TOP, Account, Server

sys.path.append(str(TOP / "Tests/Browser"))
from chromium import Chromium, DeadEnd  # noqa: E402
from hostile_text import ALL  # noqa: E402
from probes import CONTRAST  # noqa: E402

work, shots = map(pathlib.Path, sys.argv[1:])
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
XCODE = ["--storekit-test-root", FIXTURES / "roots/storekit-test-root.cer"]
CATALOG = FIXTURES / "eligibility/Store.storekit"
CUSTOMER = FIXTURES / "eligibility/receipts/trial-then-a-year-with-a-gap.der"
GENUINE = FIXTURES / "receipts/trial-then-renewals.der"
TAMPERED = FIXTURES / "receipts/tampered.der"
TOKEN = "a-token-of-the-test"

account = Account("page")
network = DeadEnd()
# Loopback is where the server is; all else goes to the dead end.
page = Chromium(f"--proxy-server={network.address}")
page.call("Emulation.setFocusEmulationEnabled", enabled=True)
page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
# Every breach of a policy, from the first line of the page on.
page.call("Page.addScriptToEvaluateOnNewDocument", source="""
  window.breaches = [];
  addEventListener("securitypolicyviolation", (event) => breaches.push(`${event.effectiveDirective} ${event.blockedURI}`));""")


def text(path):
    return base64.b64encode(path.read_bytes()).decode()


def open_page(server, width=1280, scheme="light"):
    page.open(f"{server.url}/", width, scheme)


def until(expression, seconds=30):
    end = time.monotonic() + seconds
    while not (seen := page.evaluate(expression)):
        if time.monotonic() > end:
            raise TimeoutError(f"{expression}; the status says {page.evaluate('at(`status`).textContent')!r}")
        time.sleep(0.02)
    return seen


def answered():
    until("!at('results').hidden && !document.body.classList.contains('busy')")
    return page.evaluate("at('answer').textContent")


def shown(selector):
    """The text of what can be seen of it."""
    return page.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].filter((e) => e.checkVisibility()).map((e) => e.innerText)")


def facts(selector="#objects"):
    return dict(page.evaluate(f"""[...document.querySelectorAll({json.dumps(selector + " dl.facts dt")})]
      .map((term) => [term.textContent, term.nextElementSibling.textContent])"""))


def choose(*paths, field="files"):
    document = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=document, selector=f"#{field}")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=list(map(str, paths)))


def key(name, code, modifiers=0, **more):
    for kind in ("rawKeyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                  modifiers=modifiers, **(more if kind == "rawKeyDown" else {}))


def paste(content, focus="text"):
    """As a person does: from the clipboard, by the keyboard."""
    page.evaluate(f"navigator.clipboard.writeText({json.dumps(content)})")
    page.evaluate(f"document.activeElement.blur(); {f'at(`{focus}`).focus()' if focus else ''}")
    key("v", 86, modifiers=2, commands=["paste"])


def drop(*paths):
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.call("Input.dispatchDragEvent", type=kind, x=600, y=700, data=data)


def drop_named(files):
    """Files whose names no disk would take."""
    files = [[name, base64.b64encode(content).decode()] for name, content in files]
    page.evaluate(f"""(() => {{
      const data = new DataTransfer();
      for (const [name, text] of {json.dumps(files)})
        data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent("drop", {{ dataTransfer: data, bubbles: true, cancelable: true }}));
    }})()""")


def take_screenshot(name):
    page.screenshot(shots / f"{name}.png", 0, min(page.evaluate("document.documentElement.scrollHeight"), 4000))


STRUCTURE = """(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const faults = [];
  for (const name of ["h1", "main", "header", "footer", "nav"]) if (all(`body ${name}`).length !== 1) faults.push(`${all(name).length} ${name}`);
  faults.push(...all("table").filter((t) => !t.caption && !t.closest("[role=region]")?.ariaLabel).map(() => "table without a name"));
  faults.push(...all("svg").filter((s) => !s.closest("[aria-hidden]") && !s.ariaLabel).map(() => "svg without text"));
  faults.push(...all("input, select, textarea").filter((i) => !i.labels.length && !i.ariaLabel).map((i) => `${i.id} without label`));
  faults.push(...all("[role=region]").filter((r) => !r.ariaLabel || r.tabIndex < 0).map(() => "region that keys or readers miss"));
  faults.push(...all("a").filter((a) => !document.getElementById(a.hash.slice(1))?.checkVisibility()).map((a) => `dead ${a.hash}`));
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push("ids twice");
  let level = 0;
  for (const h of all("h1, h2, h3, h4")) {
    if (+h.tagName[1] > level + 1) faults.push(`${h.tagName} after ${level}`);
    level = +h.tagName[1];
  }
  return faults;
})()"""


def looks(server):
    """Both schemes and widths: it fits, it can be read, and it was looked at."""
    customer = [CUSTOMER, FIXTURES / "jws/notification.jws", TAMPERED]
    for width in (390, 1280):
        for scheme in ("light", "dark"):
            for name, files in (("empty", []), ("one", [CUSTOMER]), ("refused", [TAMPERED]), ("several", customer)):
                row = f"{name} {width} {scheme}"
                open_page(server, width, scheme)
                if files:
                    choose(*files)
                    answered()
                    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
                wide = page.evaluate("document.documentElement.scrollWidth")
                account.expect(f"{row}: fits its width", wide, lambda seen: seen <= width)
                account.expect(f"{row}: contrast of 4.5", page.evaluate(CONTRAST), [])
                clean(row)
                take_screenshot(f"{name}-{width}-{scheme}")
            faults = page.evaluate(STRUCTURE)
            account.expect(f"{width} {scheme}: landmarks, names, headings", faults, [])


def clean(row):
    """No error, and nothing asked of others."""
    wrong = [e["params"] for e in page.events if e["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
    account.expect(f"{row}: no error", wrong, [])
    account.expect(f"{row}: the policy holds", page.evaluate("breaches"), [])
    own = page.evaluate("location.origin")
    asked = [e["params"]["request"]["url"] for e in page.events if e["method"] == "Network.requestWillBeSent"]
    account.expect(f"{row}: one host", [url for url in asked if not url.startswith((own, "data:"))], [])


def policy(server):
    headers = server.ask("GET", "/").headers
    account.expect("the page's policy", headers.get("content-security-policy"), POLICY)
    for name, wanted in (("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")):
        account.expect(name, headers.get(name), wanted)
    for name in ("index.html", "page.js", "page.css"):
        source = (TOP / "Sources/ReceiptServer/Page" / name).read_bytes()
        account.expect(f"{name} is the one of the sources", server.ask("GET", "/" + name.replace("index.html", "")).body, source)
    open_page(server)
    attempts = {  # what it does, and the directive that it breaks
        "style-src-elem": "document.body.append(Object.assign(document.createElement('style'), {textContent: '* { color: red }'}))",
        "style-src-attr": "document.body.setAttribute('style', 'color: red')",
        "connect-src": "fetch('https://example.com/').catch(() => {})",
        "img-src": "document.body.append(Object.assign(new Image(), {src: 'https://example.com/x.png'}))",
        "require-trusted-types-for": "try { document.body.innerHTML = '<b>' } catch { }",
        "trusted-types": "try { trustedTypes.createPolicy('other', {}) } catch { }",
    }
    for directive, script in attempts.items():
        page.evaluate(f"breaches.length = 0; {script}; 0")
        broken = until("breaches.map((breach) => breach.split(' ')[0])")
        account.expect(f"forbidden by {directive}", [*set(broken)], [directive])
    scripts = "(() => { try { document.createElement('script').src = 'page.js'; return 'taken' } catch (error) { return error.name } })()"
    account.expect("another script is forbidden", page.evaluate(scripts), "TypeError")


def forms(server):
    """Whatever holds something signed is taken, pasted or dropped."""
    jws = (FIXTURES / "jws/transaction.jws").read_text().strip()
    rows = [  # what is given, how, the headline, a fact
        ("base64", lambda: paste(text(GENUINE)), "Genuine", ("App", "com.example.lumen")),
        ("base64, pasted outside the text box", lambda: paste(text(GENUINE), None), "Genuine", ("What", "receipt")),
        ("JWS", lambda: paste(jws), "Genuine", ("What", "signed transaction")),
        ("PEM", lambda: choose(FIXTURES / "receipts/milliseconds.pem"), "Genuine", ("What", "receipt")),
        ("DER, dropped", lambda: drop(GENUINE), "Genuine", ("Purchases", "6")),
        ("renewal information, dropped", lambda: drop(FIXTURES / "jws/renewal-info.jws"), "Genuine", ("Renewal", "will renew")),
        ("a notification's body", lambda: paste(json.dumps({"signedPayload": (FIXTURES / "jws/notification.jws").read_text().strip()})),
         "All 3 genuine", ("Type", "DID_FAIL_TO_RENEW, GRACE_PERIOD")),
        ("a transaction history", lambda: choose(FIXTURES / "jws/history.json"), "All 2 genuine", ("Product", "com.example.tides.monthly")),
        ("an answer of verifyReceipt", lambda: paste(json.dumps({"status": 0, "latest_receipt": text(GENUINE)})), "Genuine", ("Purchases", "6")),
        ("a request to verifyReceipt", lambda: paste(json.dumps({"receipt-data": text(TAMPERED)})), "Refused", ("Field", "signerInfos[0].signature")),
        ("three files of which one is none", lambda: drop(CUSTOMER, CUSTOMER.with_name("running-month.der"), TAMPERED), "2 of 3 genuine",
         ("App", "com.example.tides")),
        ("words", lambda: paste("What a lovely day"), "Refused", ("Meaning", "this is nothing that the App Store signs, or damaged")),
    ]
    for row, give, headline, (term, fact) in rows:
        open_page(server)
        give()
        account.expect(row, answered(), headline)
        account.expect(f"{row}: {term}", facts().get(term), fact)
        clean(row)
    open_page(server)
    page.evaluate(f"at('text').value = {json.dumps(jws)}; at('text').focus()")
    key("Enter", 13, modifiers=2)
    account.expect("control and enter in the text box", answered(), "Genuine")
    page.evaluate("document.querySelector('[type=reset]').click()")
    account.expect("clearing clears", page.evaluate("at('results').hidden && at('text').value === ''"), True)
    page.evaluate("document.querySelector('[type=submit]').click()")
    account.expect("nothing is not sent", shown("#status"), ["Nothing to verify yet: paste a receipt, or choose a file."])
    (work / "large").write_bytes(bytes(23 << 20))
    (work / "none").write_bytes(b"")
    choose(work / "large", work / "none")
    account.expect("too large, and empty", answered(), "0 of 2 genuine")
    account.expect("both say why", shown("#objects .unreadable"),
                   ["Not judged: larger than 16 MiB, which no receipt is", "Not judged: empty"])


def answers(server):
    """What is shown is what the tool says."""
    open_page(server)
    page.evaluate("at('date').value = '2026-03-02T00:00:00'")
    choose(CUSTOMER)
    answered()
    lines = subprocess.run([TOOL, "eligibility", "--merge", "--json", *ROOT, CUSTOMER, "--catalog", CATALOG, "--as-of", "2026-03-02T00:00:00Z"],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    names = {"ineligible": "not eligible"}
    told = [[names.get(line[offer]["outcome"], line[offer]["outcome"]) for offer in ("introductory_offer", "promotional_offer", "win_back_offer")]
            for line in map(json.loads, lines)]
    seen = page.evaluate("[...document.querySelectorAll('#verdicts tbody tr')].map((row) => [...row.querySelectorAll('td > strong')].map((e) => e.textContent))")
    account.expect("verdicts", seen, told)
    line = subprocess.run([TOOL, "verify", "--json", *ROOT, CUSTOMER], check=True, capture_output=True, text=True).stdout
    purchases = json.loads(line)["receipt"]["in_app"]
    newest = sorted(((p["purchase_date"].replace("T", " ")[:-1], p["product_id"], p["transaction_id"]) for p in purchases), reverse=True)
    seen = page.evaluate("[...document.querySelectorAll('#purchases tbody tr')].map((row) => [0, 1, 4].map((i) => row.cells[i].textContent))")
    account.expect("purchases", [tuple(row) for row in seen], newest)
    kinds = page.evaluate("['wide', 'narrow', 'solid', 'open'].map((kind) => document.querySelectorAll(`#lanes g.${kind}`).length)")
    account.expect("periods: trial, introductory, paid, refunded", kinds, [1, 2, 5, 1])
    account.expect("what the picture says in words", page.evaluate("document.querySelector('#lanes svg').ariaLabel"),
                   lambda seen: seen.startswith("com.example.tides.monthly: 9 periods, 1 gap;"))
    page.evaluate("for (const e of document.querySelectorAll('#answers details, #objects details')) e.open = true")
    account.expect("the answer as it came", until("document.querySelector('#answers pre')?.textContent"), lambda seen: '"results":[{' in seen)
    signed = facts("#objects")["SHA-256"]
    account.expect("its digest", signed, json.loads(line)["sha256"])
    page.evaluate("at('bundle').value = 'com.example.other'")
    choose(GENUINE)
    until("at('answer').textContent === 'Refused'")
    account.expect("a demand", shown("#objects strong"), ["Refused: wrong_bundle_id"])
    account.expect("nothing of what is refused is shown", [shown("#times"), shown("#offers"), shown("#bought")], [[], [], []])


def catalogues(server):
    """Of a server without one."""
    open_page(server)
    choose(CUSTOMER)
    answered()
    account.expect("no catalogue: said so", shown("#offers-note"), lambda seen: "(HTTP 400)" in seen[0] and "--catalog" in seen[0])
    choose(CATALOG, field="catalog")
    page.evaluate("document.querySelector('#ask [type=submit]').click()")
    until("document.querySelectorAll('#verdicts tbody tr').length === 3")
    account.expect("one that was chosen", shown("#verdicts tbody th"), lambda seen: seen[0].startswith("com.example.tides.yearly"))
    choose(TAMPERED, field="catalog")
    choose(CUSTOMER)
    until("at('offers-note').textContent.includes('the catalogue is no JSON')")
    account.expect("one that is none", shown("#verdicts"), [])


def harmless(server):
    """Every field, file names, products of the catalogue, refused JSON: text stays text."""
    alien = "script:not(head > script), style, img, iframe, [style], [src]:not(head > script), [onerror], [onmouseover], [href]:not(head > link, nav a, .skip)"
    for number, hostile in enumerate(ALL):
        open_page(server)
        receipt = next((work / "hostile").glob(f"r{number}.*")).read_bytes()
        drop_named([(hostile, receipt), (hostile + " too", json.dumps({hostile: hostile}).encode())])
        account.expect(f"{hostile}: one is genuine", answered(), "1 of 2 genuine")
        page.evaluate("for (const e of document.querySelectorAll('details')) e.open = true; for (const e of document.querySelectorAll('*')) e.dispatchEvent(new Event('mouseover'))")
        account.expect(f"{hostile}: no script ran", page.evaluate("window.harmed ?? null"), None)
        account.expect(f"{hostile}: no element came of it", page.evaluate(f"document.querySelectorAll({json.dumps(alien)}).length"), 0)
        written = "".join(f"\\u{{{ord(c):X}}}" if c in "\u202e\u2066\u200b" else c for c in hostile)
        places = ["#objects h3", "#objects .facts", "#objects table", "#lanes", "#verdicts", "#purchases", "#answers summary"]
        absent = [place for place in places if written not in page.evaluate(f"[...document.querySelectorAll('{place}')].map((e) => e.textContent).join(' ')")]
        account.expect(f"{hostile}: it is read as text", absent, [])
        account.expect(f"{hostile}: it fits", page.evaluate("document.documentElement.scrollWidth"), lambda seen: seen <= 1280)
        clean(hostile)
    take_screenshot("hostile")


def tokens(server):
    open_page(server)
    paste(text(GENUINE))
    until("!at('access').hidden && document.activeElement.id === 'token'")
    take_screenshot("token")
    account.expect("nothing is shown yet", page.evaluate("at('results').hidden"), True)
    for given, then in (("wrong", "That token was not accepted."), ("not a token", "A token is printable ASCII without spaces.")):
        page.call("Input.insertText", text=given)
        key("Enter", 13, text="\r", commands=[])
        page.evaluate("at('access').requestSubmit()") if page.evaluate("at('token').value") else None
        until(f"at('status').textContent === {json.dumps(then)}")
        page.evaluate("at('token').value = ''; at('token').focus()")
    page.call("Input.insertText", text=TOKEN)
    page.evaluate("at('access').requestSubmit()")
    account.expect("with the token", answered(), "Genuine")
    account.expect("the field is gone, and empty", page.evaluate("[at('access').hidden, at('token').value]"), [True, ""])
    choose(FIXTURES / "jws/transaction.jws")
    until("at('objects').textContent.includes('signed transaction')")
    account.expect("it is asked for once", page.evaluate("at('access').hidden"), True)
    kept = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.href, document.documentElement.outerHTML].join(' ')")
    account.expect("the token is kept nowhere", TOKEN in kept, False)
    account.expect("breaches", page.evaluate("breaches"), [])
    open_page(server)
    paste(text(GENUINE))
    until("!at('access').hidden")
    account.expect("a page loaded anew has forgotten it", page.evaluate("at('results').hidden"), True)


def large(server):
    """20,000 purchases, within ten seconds of processor time, and ten times the time of few elements."""
    open_page(server)
    before = page.processor_seconds()
    drop(next((work / "many").glob("many.*")))
    account.expect("20,000 purchases", answered(), "Genuine")
    busy = page.processor_seconds() - before
    account.expect("their processor time", busy, lambda seen: seen < 10)
    elements = page.evaluate("document.querySelectorAll('*').length")
    account.expect("their elements", elements, lambda seen: seen < 15_000)
    account.expect("a part of them is shown", shown(".more"), lambda seen: any("of 20,000" in each for each in seen))
    page.evaluate("[...document.querySelectorAll('.more')].find((e) => e.textContent.includes('20,000')).click()")
    account.expect("then more", page.evaluate("document.querySelectorAll('#purchases tbody tr').length"), 1100)
    account.expect("and the keyboard stands at the first of them", page.evaluate("document.activeElement.rowIndex"), 101)
    page.evaluate("at('words').focus()")
    page.call("Input.insertText", text="many.7 trial")
    account.expect("a filter", until("at('shown').value"), "1 of 20,000 purchases")
    take_screenshot("large")
    # A text as large is pasted without being put into the text box.
    drop(next((work / "many").glob("many.*")))
    paste(text(GENUINE), None)
    until("at('objects').textContent.includes('com.example.lumen')")
    time.sleep(2)
    account.expect("who asks again gets no late answer to what was asked before", facts()["App"], "com.example.lumen")
    paste(text(next((work / "many").glob("many.*"))), None)
    until("at('objects').textContent.includes('com.example.many')")
    account.expect("pasted too", [answered(), page.evaluate("at('text').value")], ["Genuine", ""])


def keyboard(server):
    open_page(server)
    key("Tab", 9)
    account.expect("the first stop of the keyboard is the link to the receipt, and shows",
                   page.evaluate("document.activeElement.className + (document.activeElement.getBoundingClientRect().left >= 0)"), "skiptrue")
    page.evaluate("document.activeElement.blur()")
    order = []
    for _ in range(5):
        key("Tab", 9)
        order.append(page.evaluate("document.activeElement.id || document.activeElement.type || document.activeElement.tagName"))
    account.expect("the order of the stops", order, ["text", "submit", "choose", "reset", "SUMMARY"])
    choose(GENUINE)
    answered()
    account.expect("the reader is told the answer", page.evaluate("document.activeElement.id"), "answer")
    account.expect("news are announced", page.evaluate("at('status').role"), "status")


def absent():
    server = Server("--port", "0", *ROOT, port=None)
    open_page(server)
    server.close()
    choose(GENUINE)
    account.expect("a server that is gone", answered(), "Not judged")
    account.expect("it says so", shown("#objects strong"), ["Not judged: the server did not answer"])


try:
    (work / "tokens").write_text(TOKEN + "\n")
    with Server(*ROOT, *XCODE, "--catalog", CATALOG) as server:
        policy(server)
        looks(server)
        forms(server)
        answers(server)
        keyboard(server)
        large(server)
    with Server(*ROOT, "--catalog", work / "catalog.json") as server:
        harmless(server)
    with Server(*ROOT, "--tokens", work / "tokens") as server:
        tokens(server)
    with Server(*ROOT) as server:
        catalogues(server)
    absent()
    account.expect("the network was not asked for", network.asked(), [])
finally:
    page.close()
account.end()
