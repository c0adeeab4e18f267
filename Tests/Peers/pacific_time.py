"""Computes Pacific times with Python's zoneinfo, for Fixtures/answers/pacific-time.tsv: pacific_time.py [--check]

The table has three instants at each clock change from 1976 to 2050, and random ones up to 2050. It also has
instants in the year 4001, which receipts of Xcode contain. With --check, the file must equal the current data of
zoneinfo.
"""

import pathlib
import random
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

FILE = pathlib.Path(__file__).parent.parent.parent / "Fixtures/answers/pacific-time.tsv"
ZONE = ZoneInfo("America/Los_Angeles")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MILLISECOND = timedelta(milliseconds=1)
SEED = 14


def milliseconds(instant):
    return (instant - EPOCH) // MILLISECOND


def offset(instant):
    return instant.astimezone(ZONE).utcoffset()


def changes(first, last):
    """Yields the first instant of each new offset. Searches by hours, because California's clocks never changed within
    an hour.
    """
    instant, end = datetime(first, 1, 1, tzinfo=timezone.utc), datetime(last + 1, 1, 1, tzinfo=timezone.utc)
    while instant < end:
        instant += timedelta(hours=1)
        if offset(instant) != offset(instant - MILLISECOND):
            yield instant


def instants():
    for change in changes(1976, 2050):
        yield from (change - MILLISECOND, change, change + timedelta(hours=1))
    generator = random.Random(SEED)
    for first, last, count in ((2008, 2050, 600), (1976, 2007, 60), (4001, 4001, 12)):
        start, end = (milliseconds(datetime(year, 1, 1, tzinfo=timezone.utc)) for year in (first, last + 1))
        for _ in range(count):
            yield EPOCH + generator.randrange(start, end) * MILLISECOND


def lines():
    for instant in instants():
        yield f"{milliseconds(instant)}\t{instant.astimezone(ZONE):%Y-%m-%d %H:%M:%S}\n"


text = "".join(lines())
if "--check" in sys.argv:
    said = FILE.read_text()
    assert said == text, "Fixtures/answers/pacific-time.tsv differs from zoneinfo"
    print(f"Pacific time: {said.count(chr(10))} instants agree with zoneinfo")
else:
    FILE.write_text(text)
