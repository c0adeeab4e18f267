"""Checks the server as an operator receives it: the file, the image in an empty root, and the package in a fresh Debian.

systemd starts the package's service, if this machine allows that.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import yaml

from carried import FIXTURES, OUTPUT, TOP, Expectations
from fresh_debian import inside, made
from packaging_test import layout, run

PATIENCE = 60
PROGRAM = OUTPUT / "appreceipt-server"
ROOT = FIXTURES / "roots/root.cer"
RECEIPT = FIXTURES / "receipts/refund.der"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def asked(port, path, data=None):
    """Returns the status and body of a request, after retries while the server starts."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data, timeout=PATIENCE) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def verifies(expect, port, what):
    body = json.dumps({"receipt-data": base64.b64encode(RECEIPT.read_bytes()).decode()}).encode()
    status, answer = asked(port, "/verifyReceipt", body)
    expect.same((status, json.loads(answer)["status"]), (200, 0), f"{what} verifies a receipt")


@contextlib.contextmanager
def started(*command, **options):
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def the_file(expect):
    size = PROGRAM.stat().st_size
    expect(size <= 60_000_000, f"{size} bytes, at most 60 MB")
    headers = run("readelf", "--wide", "--program-headers", PROGRAM).stdout
    expect("LOAD" in headers and "INTERP" not in headers and "DYNAMIC" not in headers, "the server is linked statically")
    content = PROGRAM.read_bytes()
    for path in (str(TOP), str(OUTPUT), "/var/local/", "/.build/"):
        expect(path.encode() not in content, f"the server does not contain the path {path}")
    print(f"    {size} bytes")
    checked = run(PROGRAM, "serve", "--check-config", "--root", ROOT)
    expect.same((checked.returncode, checked.stdout), (0, f"appreceipt: settings: root={ROOT}\n"), "valid settings")
    checked = run(PROGRAM, "serve", "--check-config", "--port", "x")
    expect(checked.returncode == 64 and "--port" in checked.stdout, f"invalid settings: {checked}")


def container(root, config, port, *arguments):
    """Returns the command that runs the image's program as a container does: as its user, in its root, with its variables."""
    user, group = config["User"].split(":")
    return ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *config["Env"], f"APPRECEIPT_PORT={port}", "chroot", f"--userspec={user}:{group}", root, *arguments]


def the_image(expect, folder, bill, version):
    archive = OUTPUT / f"appreceipt-server-{version}-oci.tar"
    root, config = layout(expect, archive, version, folder)
    expect(hashlib.sha256((root / "appreceipt-server").read_bytes()).hexdigest() in bill, "the bill of materials has the server's sum")
    shutil.copy(ROOT, root / "root.cer")
    port = free_port()
    refused = run(*container(root, config, port, *config["Entrypoint"]))
    expect(refused.returncode == 64 and "--insecure" in refused.stdout, f"the image is not open by default: {refused}")
    health = config["Healthcheck"]["Test"][1:]
    # The root has no /proc. If libdispatch needed it, about one check of eight would end with a signal.
    expect.same({run(*container(root, config, port, *health)).returncode for _ in range(40)}, {1}, "the health check fails without a server")
    with started(*container(root, config, port, *config["Entrypoint"], "--insecure", "--root", "/root.cer")):
        verifies(expect, port, "the image")
        expect.same(run(*container(root, config, port, *health)).returncode, 0, "the health check passes")


def the_instructions(expect, folder, version):
    """Runs the commands of INSTALL.md in the unpacked archive, in a network namespace, in which the port is free."""
    run("tar", "-xzf", OUTPUT / f"appreceipt-{version}-linux-x86_64.tar.gz", "-C", folder, check=True)
    root = pathlib.Path(folder, f"appreceipt-{version}-linux-x86_64")
    steps, _, rest = (root / "INSTALL.md").read_text().partition("## The server\n")[2].partition("\nThe answer begins with `")
    commands = re.findall(r"^    (.*)$", steps, re.MULTILINE)
    expect.same(len(commands), 4, "the commands of the section on the server")
    promised = rest.partition("`")[0]
    # The server ends with the namespace of the processes.
    answer = subprocess.run(["timeout", str(PATIENCE), "unshare", "--net", "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-euc",
                             "\n".join(["ip link set lo up", *commands])],
                            cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(promised and answer.stdout.startswith(promised), f"within a minute, the answer that INSTALL.md promises: {answer}")


def kubernetes(expect, version):
    documents = list(yaml.safe_load_all((TOP / "Sources/Service/kubernetes.yaml").read_text()))
    expect.same([each["kind"] for each in documents], ["Deployment", "Service", "NetworkPolicy"], "the manifests")
    pod = documents[0]["spec"]["template"]["spec"]
    one = pod["containers"][0]
    expect.same(pod["enableServiceLinks"], False, "no service links")
    expect.same((one["securityContext"]["readOnlyRootFilesystem"], pod["securityContext"]["runAsNonRoot"]), (True, True), "a read-only root")
    expect("memory" in one["resources"]["limits"], "a memory limit")
    # The port of the manifest may be in use on this machine.
    port, health = free_port(), free_port()
    probes = [one[probe]["httpGet"] for probe in ("readinessProbe", "livenessProbe")]
    named = {each["name"]: each["containerPort"] for each in one["ports"]}
    expect.same({str(named[probe["port"]]) for probe in probes}, {one["args"][one["args"].index("--health-port") + 1]}, "the probes' port")
    checked = run(PROGRAM, "serve", *one["args"], "--check-config", env={"APPRECEIPT_HOST": "0.0.0.0"})
    expect(checked.returncode == 0, f"its arguments are valid: {checked.stdout}")
    options = [*one["args"], "--port", str(port), "--health-port", str(health)]
    with started(PROGRAM, "serve", *options, env={"APPRECEIPT_HOST": "0.0.0.0"}) as server:
        for probe in probes:
            expect.same(asked(health, probe["path"])[0], 200, probe["path"])
        server.kill()  # Otherwise it would wait for --drain-time.


def the_package(expect, folder, version):
    """Installs the package in a fresh Debian. Starts its service as the unit says, by systemd if possible."""
    root = f"{folder}/debian"
    made(root, "systemd", "systemd-sysv", "adduser", "init-system-helpers")
    package = OUTPUT / f"appreceipt-server_{version}_amd64.deb"
    shutil.copy(package, f"{root}/tmp")
    shutil.copy(ROOT, f"{root}/etc/root.cer")
    installed = inside(root, "dpkg", "--install", f"/tmp/{package.name}")
    expect(installed.returncode == 0, f"installed: {installed.stdout}{installed.stderr}")
    expect.same(inside(root, "dpkg", "--verify", "appreceipt-server").stdout, "", "every file is unchanged")
    expect("appreceipt" in inside(root, "getent", "passwd", "appreceipt").stdout, "the user exists")
    expect.same(inside(root, "stat", "-c", "%U:%G %a", "/etc/appreceipt").stdout, "root:appreceipt 750\n", "the folder of the settings")
    expect("enabled" in inside(root, "systemctl", "is-enabled", "appreceipt-server").stdout, "the service is enabled")
    for unit in ("appreceipt-server.service", "appreceipt-server.socket"):
        seen = inside(root, "systemd-analyze", "verify", "--man=no", f"/lib/systemd/system/{unit}")
        expect.same((seen.returncode, seen.stdout + seen.stderr), (0, ""), f"{unit} is valid")
    settings = pathlib.Path(root, "etc/appreceipt/environment")
    port = free_port()
    settings.write_text(settings.read_text() + f"APPRECEIPT_ROOT=/etc/root.cer\nAPPRECEIPT_PORT={port}\n")
    unit = pathlib.Path(root, "lib/systemd/system/appreceipt-server.service").read_text()
    command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1].split()
    given = dict(line.split("=", 1) for line in settings.read_text().splitlines() if line and not line.startswith("#"))
    as_user = ["setpriv", "--reuid=appreceipt", "--regid=appreceipt", "--init-groups", "--no-new-privs"]
    with started("chroot", root, *as_user, *command, env={"PATH": "/usr/sbin:/usr/bin:/bin", **given}):
        verifies(expect, port, "ExecStart in the fresh Debian")
    by_systemd(expect, root, port)
    removed = inside(root, "dpkg", "--purge", "appreceipt-server")
    expect(removed.returncode == 0, f"removed: {removed.stderr}")
    left = [path for path in ("usr/bin/appreceipt-server", "etc/appreceipt", "lib/systemd/system/appreceipt-server.service",
                              "etc/systemd/system/multi-user.target.wants/appreceipt-server.service")
            if os.path.lexists(f"{root}/{path}")]
    expect.same(left, [], "left behind")


# Runs in the booted Debian, once the test has an answer from the service.
IN_SYSTEMD = """#!/bin/sh
until [ -e /go ]; do sleep 0.1; done
active() { systemctl is-active appreceipt-server; }
active
systemctl show --property=User --value appreceipt-server
systemctl reload appreceipt-server; echo "valid settings $?"; active
echo APPRECEIPT_COLOR=blue >> /etc/appreceipt/environment
systemctl reload appreceipt-server 2> /dev/null; echo "an unknown setting $?"; active
sed -i '$d' /etc/appreceipt/environment
systemctl stop appreceipt-server; active
systemctl start appreceipt-server.socket
appreceipt-server serve --check-health --unix-socket /run/appreceipt-server.sock; echo "health $?"; active
systemctl poweroff 2> /dev/null
"""
IN_SYSTEMD_SAYS = ("active\nappreceipt\nvalid settings 0\nactive\nan unknown setting 1\nactive\ninactive\nhealth 0\nactive\n")


def by_systemd(expect, root, port):
    """Boots the Debian with systemd in a container, and expects the service to answer, to reload, to stop, and to start for its
    socket."""
    units = pathlib.Path(root, "etc/systemd/system")
    # The sandbox allows one port, which the test cannot choose.
    (units / "appreceipt-server.service.d").mkdir(parents=True, exist_ok=True)
    (units / "appreceipt-server.service.d/test.conf").write_text(f"[Service]\nSocketBindAllow=tcp:{port}\n")
    (units / "check.service").write_text("[Unit]\nAfter=appreceipt-server.service\n[Service]\nExecStart=/check\n"
                                         "StandardOutput=file:/said\n")
    (units / "multi-user.target.wants").mkdir(exist_ok=True)
    (units / "multi-user.target.wants/check.service").symlink_to("../check.service")
    pathlib.Path(root, "check").write_text(IN_SYSTEMD)
    pathlib.Path(root, "check").chmod(0o755)
    nspawn = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--directory", root]
    if run(*nspawn, "true").returncode:
        print("    not tried: systemd in a container, which this machine does not allow")
        return
    with started(*nspawn, "--boot") as container:
        verifies(expect, port, "the service that systemd started")
        pathlib.Path(root, "go").touch()
        container.wait(PATIENCE)
    expect.same(pathlib.Path(root, "said").read_text(), IN_SYSTEMD_SAYS, "the service in systemd")


def main():
    expect = Expectations()
    version = next(OUTPUT.glob("appreceipt-*-linux-x86_64.tar.gz")).name.split("-")[1]
    bill = (OUTPUT / f"appreceipt-{version}.spdx.json").read_text()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two, tempfile.TemporaryDirectory() as three:
        for folder in (one, two, three):
            os.chmod(folder, 0o755)
        the_file(expect)
        the_image(expect, one, bill, version)
        the_instructions(expect, three, version)
        kubernetes(expect, version)
        the_package(expect, two, version)
    expect.end("the server")


if __name__ == "__main__":
    main()
