"""A Chromium process that the tests control with the DevTools protocol over a pipe."""

import base64
import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Chromium:
    def __init__(self, *flags):
        # Child processes may still write to the folder after Chromium ended.
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        down, self.commands = os.pipe()
        self.answers, up = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   "--disable-sync", "--disable-default-apps", "--disable-extensions", "--hide-scrollbars",
                   f"--user-data-dir={self.profile.name}", *flags, "about:blank"]
        # The protocol uses descriptors 3 and 4, which are free only in a separate process.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (down, up)]
        place = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execvp(sys.argv[3], sys.argv[3:])"
        self.process = subprocess.Popen(
            [sys.executable, "-c", place, *map(str, ends), *command], pass_fds=ends, stderr=subprocess.DEVNULL)
        for end in (down, up, *ends):
            os.close(end)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise EOFError("chromium ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, scheme="light", scripts=True):
        """Opens a page. Afterwards, `events` contains the events since the request."""
        self.call("Page.navigate", url="about:blank")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def becomes(self, expression, seconds=60):
        """Waits until a JavaScript expression is true. Returns whether it became true in time."""
        end = time.monotonic() + seconds
        while not (holds := self.evaluate(expression)) and time.monotonic() < end:
            time.sleep(0.02)
        return holds

    def processor_seconds(self):
        """Returns the processor time of the browser and its descendants."""
        parents, seconds = {}, {}
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(process)] = int(fields[1])
            seconds[int(process)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        own = {self.process.pid}
        while more := {child for child, parent in parents.items() if parent in own} - own:
            own |= more
        return sum(seconds[process] for process in own if process in seconds)

    def screenshot(self, path, top=0, height=None):
        clip = {"x": 0, "y": top, "width": self.evaluate("innerWidth"), "height": height or 900, "scale": 1}
        data = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()


class DeadEnd:
    """A proxy that receives every network request, records it and does not answer."""

    def __init__(self):
        self.requests, self.listener = [], socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            connection, _ = self.listener.accept()
            self.requests.append(connection.recv(200))
            connection.close()

    def asked(self):
        """Returns the page's requests, without Chromium's own (updates, the time, accounts) and unused connections."""
        return [line for line in self.requests if line and b".google.com" not in line and b".googleapis.com" not in line]
