"""Measures the verification of forged receipts with this package, the tool and the peer. See `benchmark`."""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from apple_purchase_receipt_verifier import Config
from apple_purchase_receipt_verifier import Verifier as Peer

import appreceipt

TOOL, SECONDS = sys.argv[1], float(sys.argv[2])
COUNT = 2000


def rate(verify, inputs, seconds=SECONDS):
    """Returns verifications a second, by this thread's processor time and by elapsed time."""
    count, end = 0, time.perf_counter() + seconds
    start, busy = time.perf_counter(), time.thread_time()
    while time.perf_counter() < end:
        for data in inputs:
            verify(data)
        count += len(inputs)
    return count / (time.thread_time() - busy), count / (time.perf_counter() - start)


def rate_of_each(verifier, inputs):
    """Returns the same for `verify_each`."""
    def verify(inputs):
        for _ in verifier.verify_each(inputs):
            pass
    busy, clock = rate(verify, [inputs])
    return busy * len(inputs), clock * len(inputs)


def together(rate, threads):
    """Returns verifications a second of several threads, by elapsed time."""
    rates = []
    made = [threading.Thread(target=lambda: rates.append(rate()[1])) for _ in range(threads)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()
    return sum(rates)


def stream(folder, series):
    """Returns receipts a second of the tool's own stream on one core."""
    (folder / "many.ndjson").write_bytes(series * 10)
    command = ["sh", "-c", 'exec "$@" > /dev/null', "sh", TOOL, "audit", folder / "many.ndjson", "--ndjson", "-", "--jobs", "1",
               "--root", folder / "root.cer", "--as-of", "2024-06-01T00:00:00Z"]
    best = 0
    for _ in range(2):
        start = time.perf_counter()
        subprocess.run(command, stderr=subprocess.DEVNULL)
        best = max(best, 10 * COUNT / (time.perf_counter() - start))
    return best


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([TOOL, "forge", "--count", str(COUNT), "--seed", "15", "--output", folder / "series.ndjson",
                        "--roots", folder], check=True)
        series = (folder / "series.ndjson").read_bytes()
        receipts = [base64.b64decode(json.loads(line)["receipt"]) for line in series.splitlines()]
        root = (folder / "root.cer").read_bytes()
        verifier = appreceipt.Verifier([root], bundle_ids="any", environment="any")
        genuine = [data for data in receipts if not isinstance(verifier.verify_all(data)[0], appreceipt.Refused)]
        short = [data for data in genuine if len(data) < 5200]
        peer = Peer(Config(roots=[root]))
        tool = stream(folder, series)
    print(f"{len(short)} genuine receipts of {sum(map(len, short)) // len(short)} bytes; all {len(genuine)}: "
          f"{sum(map(len, genuine)) // len(genuine)} bytes")
    busy, clock = rate(verifier.verify, short)
    print(f"this package, not decoded        {busy:9,.0f} a second of processor time ({1e6 / busy:.1f} µs), {clock:,.0f} of elapsed time")
    _, one = rate(verifier.verify, short)
    two = together(lambda: rate(verifier.verify, short), 2)
    print(f"  two threads, a call for each   {two:9,.0f} a second of elapsed time: {two / one:.2f} times one")
    _, one = rate_of_each(verifier, short)
    two = together(lambda: rate_of_each(verifier, short), 2)
    print(f"  verify_each, one thread, two   {one:9,.0f}, {two:,.0f}: {two / one:.2f} times one")
    handle, _ = rate(verifier._handle.verify, short)
    print(f"  of it, the library's answer    {1e6 / handle:9.1f} µs")
    decoded, _ = rate(lambda data: verifier.verify(data).bundle_id, short)
    print(f"  and decoded                    {decoded:9,.0f} a second ({1e6 / decoded:.1f} µs)")
    ours, _ = rate(verifier.answer, receipts)
    print(f"the tool's stream, all receipts  {tool:9,.0f} a second of elapsed time; this package, same receipts: {ours:,.0f}, "
          f"{ours / tool:.2f} times as many")
    theirs, _ = rate(peer.verify_receipt, [base64.b64encode(data).decode() for data in genuine[:50]])
    both, _ = rate(verifier.verify, genuine[:50])
    print(f"the peer, of the same receipts   {theirs:9,.0f} a second ({1e6 / theirs:.0f} µs); this package {both:,.0f}: "
          f"{both / theirs:.0f} times as many")


main()
