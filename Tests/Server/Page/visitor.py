"""A user of the page of `appreceipt serve` in Chromium, with a keyboard, a clipboard and files."""

import base64
import json
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Browser"))
from chromium import Chromium  # noqa: E402

# A script that records every violation of the policy from the start of the page.
BREACHES = """
  window.breaches = [];
  addEventListener("securitypolicyviolation", ({effectiveDirective: directive, blockedURI: address}) =>
    breaches.push(`${directive} ${address}`));"""


class Visitor(Chromium):
    def __init__(self, proxy, shots):
        # Chromium connects directly to the server on loopback, and to the proxy for other hosts.
        super().__init__(f"--proxy-server={proxy}")
        self.shots = shots
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.call("Page.addScriptToEvaluateOnNewDocument", source=BREACHES)

    def visit(self, server, width=1280, scheme="light"):
        self.open(f"{server.url}/", width, scheme)

    # Actions

    def choose(self, *paths, field="files"):
        document = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=document, selector=f"#{field}")["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=list(map(str, paths)))

    def press(self, name, code, modifiers=0, **more):
        for kind, more in (("rawKeyDown", more), ("keyUp", {})):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code,
                      modifiers=modifiers, **more)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def paste(self, text, focus="text"):
        """Pastes a text from the clipboard with the keyboard."""
        self.evaluate(f"navigator.clipboard.writeText({json.dumps(text)})")
        self.evaluate(f"document.activeElement.blur(); {f'at(`{focus}`).focus()' if focus else ''}")
        self.press("v", 86, modifiers=2, commands=["paste"])

    def drop(self, *paths):
        data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=600, y=700, data=data)

    def drop_named(self, *files):
        """Drops files, given as pairs of name and content. File systems would not allow some of the names."""
        files = [[name, base64.b64encode(content).decode()] for name, content in files]
        self.evaluate(f"""(() => {{
          const dataTransfer = new DataTransfer();
          for (const [name, text] of {json.dumps(files)})
            dataTransfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
          document.body.dispatchEvent(new DragEvent("drop", {{ dataTransfer, bubbles: true, cancelable: true }}));
        }})()""")

    def open_all(self):
        """Opens all details elements."""
        self.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")

    # Observations

    def until(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not (seen := self.evaluate(expression)):
            if time.monotonic() > end:
                raise TimeoutError(f"{expression}; the status is {self.evaluate('at(`status`).textContent')!r}")
            time.sleep(0.02)
        return seen

    def answered(self):
        """Waits for the answer and returns its headline."""
        self.until("!at('results').hidden && !document.body.classList.contains('busy')")
        return self.evaluate("at('answer').textContent")

    def each(self, selector, expression):
        """Returns the value of a JavaScript expression for each matching element `e`."""
        return self.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => {expression})")

    def shown(self, selector):
        """Returns the texts of the visible matching elements."""
        return [text for text in self.each(selector, "e.checkVisibility() && e.innerText") if text is not False]

    def facts(self):
        return dict(self.each("#objects dl.facts dt", "[e.textContent, e.nextElementSibling.textContent]"))

    def take_screenshot(self, name):
        height = min(self.evaluate("document.documentElement.scrollHeight"), 4000)
        self.screenshot(self.shots / f"{name}.png", 0, height)
