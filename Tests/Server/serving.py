"""A process of `appreceipt serve`, low-level connections to it, and the record of a script's expectations."""

import base64
import copy
import json
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Peers"))
from cases import der  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
FIXTURES = TOP / "Fixtures"
CORPUS = TOP.parent / "shared/corpus"
TOOL = os.environ.get("TOOL", "appreceipt")
ROOT = ["--root", str(FIXTURES / "roots/root.cer")]
# A timeout in seconds that suffices on a busy machine.
PATIENCE = 60


def environment():
    """Returns the environment without settings of the server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("APPRECEIPT_")}


def serve(*options, variables=None, files=None, soft_files=None, **streams):
    """Starts the process. Its environment has no settings but `variables`. `files` and `soft_files` limit its open files."""
    limit = f"-n {files}" if files else f"-S -n {soft_files}" if soft_files else None
    limited = ["sh", "-c", f'ulimit {limit} && exec "$@"', "sh"] if limit else []
    return subprocess.Popen([*limited, TOOL, "serve", *map(str, options)], env=environment() | (variables or {}), cwd=TOP,
                            stdin=subprocess.DEVNULL, **streams)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server:
    """A server process, which listens on a free port once it is created."""

    def __init__(self, *options, variables=None, port="0", tls=None, **limits):
        self.output = tempfile.NamedTemporaryFile(prefix="serve", suffix=".log")
        self.tls = tls
        port = [] if port is None else ["--port", port]
        self.process = serve(*port, *options, variables=variables, stdout=self.output, stderr=self.output, **limits)
        listening = self.wait_for(r"listening on (https?)://(\[[^]]+\]|[^:\s]+):(\d+)\D")
        self.scheme, self.host, self.port = listening[1], listening[2].strip("[]"), int(listening[3])

    def wait_for(self, pattern):
        """Waits until the log matches a pattern, and returns the match."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if match := re.search(pattern, self.log()):
                return match
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.close()
        raise RuntimeError(f"no {pattern!r} (status {self.process.poll()}) in:\n{self.log()}")

    def wait_until(self, holds):
        """Waits until a function returns true, at most as long as a busy machine needs."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise TimeoutError(f"not within {PATIENCE} s; the log:\n{self.log()[-2000:]}")
            time.sleep(0.01)

    def log(self):
        return pathlib.Path(self.output.name).read_text(errors="replace")

    def at(self, port):
        """Returns the same process at another of its ports."""
        other = copy.copy(self)
        other.port = port
        return other

    @property
    def url(self):
        return f"{self.scheme}://{self.host}:{self.port}"

    def resident(self):
        """Returns the resident memory in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """Sends SIGTERM and returns the exit status."""
        self.signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, method, path, body=None, headers=(), timeout=PATIENCE):
        """Sends a request on a new connection and returns its answer."""
        with Connection(self, timeout) as connection:
            connection.send(request(method, path, body, [*headers, ("Connection", "close")]))
            return connection.response(method)

    def lives(self):
        return self.process.poll() is None and self.ask("GET", "/health/live").status == 200


def request(method, path, body=None, headers=()):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers)]
    if body is not None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if not any(name == "Transfer-Encoding" for name, _ in headers):
            lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Response:
    def __init__(self, status, headers, body=b""):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Connection:
    """A connection to a server. A reset counts as the end of the data."""

    def __init__(self, server, timeout=PATIENCE, receiving=None, segment=None):
        # The server listens on the first address of its host, too.
        family, _, _, _, address = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)[0]
        self.socket = socket.socket(family)
        if receiving:  # The connection keeps the receive window with which it is created.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receiving)
        if segment:  # The server's buffer for sending depends on the length of segments.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        if server.tls:
            self.socket = server.tls.wrap_socket(self.socket, server_hostname="localhost")
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends data and returns whether all of it was sent."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def end(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def receive(self):
        try:
            piece = self.socket.recv(1 << 16)
        except ConnectionResetError:
            piece = b""
        self.buffer += piece
        return piece

    def ended(self):
        """Returns whether the connection ends without more data before the timeout."""
        try:
            return not self.buffer and not self.receive()
        except TimeoutError:
            return False

    def until(self, mark):
        while mark not in self.buffer:
            if not self.receive():
                return None
        found, self.buffer = self.buffer.split(mark, 1)
        return found

    def exactly(self, count):
        while len(self.buffer) < count:
            if not self.receive():
                raise EOFError(f"{len(self.buffer)} bytes, expected {count}")
        found, self.buffer = self.buffer[:count], self.buffer[count:]
        return found

    def head(self):
        """Returns the head of the next response, or None if the connection ends before it."""
        text = self.until(b"\r\n\r\n")
        if text is None:
            if self.buffer:
                raise EOFError("the response ends in its head")
            return None
        first, *lines = text.decode("latin-1").split("\r\n")
        fields = (line.split(":", 1) for line in lines)
        return Response(int(first.split(" ")[1]), {name.lower(): value.strip() for name, value in fields})

    def chunks(self):
        """Yields the chunks of a body. Raises EOFError if the connection ends before the last one."""
        while size := int(self.until(b"\r\n") or self.exactly(1 << 30), 16):
            yield self.exactly(size)
            self.exactly(2)
        self.exactly(2)

    def response(self, method="POST"):
        response = self.head()
        while response and 100 <= response.status < 200:
            response = self.head()
        if response is None or method == "HEAD" or response.status in (204, 304):
            return response
        if response.headers.get("transfer-encoding") == "chunked":
            response.body = b"".join(self.chunks())
        elif "content-length" in response.headers:
            response.body = self.exactly(int(response.headers["content-length"]))
        else:
            while self.receive():
                pass
            response.body, self.buffer = self.buffer, b""
        return response


def flood(server, data, count, end):
    """Keeps sending data on `count` connections until `end` is set, and yields the bytes received so far. `data` are whole
    requests, far more than the server reads at once.
    """
    with selectors.DefaultSelector() as selector:
        received = 0

        def connect():
            connection = Connection(server)
            connection.socket.setblocking(False)
            selector.register(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, [memoryview(data)])

        for _ in range(count):
            connect()
        while not end.is_set():
            for key, events in selector.select(1):
                try:
                    if events & selectors.EVENT_READ:
                        got = len(key.fileobj.recv(1 << 20))
                        received += got
                        if not got:
                            raise ConnectionResetError
                    if events & selectors.EVENT_WRITE:
                        key.data[0] = key.data[0][key.fileobj.send(key.data[0]):] or memoryview(data)
                except BlockingIOError:
                    pass
                except OSError:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
                    connect()
            yield received
        for key in list(selector.get_map().values()):
            key.fileobj.close()


class Account:
    """The record of a script's expectations and their results."""

    def __init__(self, title):
        self.title, self.passed, self.failed = title, 0, 0

    def expect(self, row, seen, *wanted):
        """Records whether a value equals one of `wanted`, or satisfies a function among them."""
        if any(each(seen) if callable(each) else type(each) is type(seen) and each == seen for each in wanted):
            self.passed += 1
            return True
        self.failed += 1
        wanted = " or ".join("a value that satisfies the condition" if callable(each) else repr(each)[:300] for each in wanted)
        print(f"{self.title}: {row}: {seen!r:.600}, expected {wanted}", file=sys.stderr, flush=True)
        return False

    def end(self):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed", flush=True)
        sys.exit(self.failed > 0)


def text(path):
    """Returns a receipt of Fixtures in base64."""
    return base64.b64encode(der(FIXTURES / path)).decode()


def kept_to_itself(account, log, private):
    """Checks that a log contains neither the texts in `private` nor a transaction ID of Fixtures."""
    expected = (FIXTURES / "receipts.expected.ndjson").read_text()
    private = {*private, *re.findall(r'"transaction_id":"(\d{6,})"', expected)}
    account.expect("there is a log", len(log) > 100, True)
    account.expect("private texts in the log", [word for word in private if word in log], [])
