"""Parts of NDJSON: stretches of files, out of which workers read the lines themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

MOST_BYTES = 1 << 27
#: What fits a processor's cache with the answers to it, and what a verifier takes at once.
STRETCH, MOST_AT_ONCE = 1 << 18, 1 << 20
#: More than a record may have, which the verifier says of what is cut off there.
LONGEST_LINE = 1 << 25
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")


@dataclass(frozen=True)
class Part:
    """The lines that begin in a stretch of a file.

    - number: among the parts, from 0 on.
    - first, end: the stretch, in bytes from the file's beginning; it is not empty.
    - place: how many lines of all parts stand before it.
    """

    number: int
    path: str
    first: int
    end: int
    place: int = 0

    def count(self) -> int:
        """How many lines there are."""
        import numpy

        with open(self.path, "rb", buffering=0) as file:
            # Each but a file's first begins behind another's end.
            count, at = int(self.first == 0), max(self.first - 1, 0)
            file.seek(at)
            while at < self.end - 1 and (read := file.read(min(self.end - 1 - at, STRETCH))):
                count += int(numpy.count_nonzero(numpy.frombuffer(read, numpy.uint8) == ord("\n")))
                at += len(read)
            return count

    def stretches(self) -> Iterator[bytes]:
        """The lines with their ends, some at a time, as a verifier takes them."""
        with open(self.path, "rb", buffering=STRETCH) as file:
            at = max(self.first - 1, 0)
            file.seek(at)
            is_within = self.first > 0  # a line that begins before it
            while is_within and at < self.end:
                read = self._required(file.readline(min(self.end - at, LONGEST_LINE)), at)
                at += len(read)
                is_within = not read.endswith(b"\n")
            while at < self.end:
                start, read = at, self._required(file.read(min(STRETCH, self.end - at)), at)
                rest = b"" if read.endswith(b"\n") else file.readline(LONGEST_LINE)
                at += len(read) + len(rest)
                whole = read + rest if start else (read + rest).removeprefix(BYTE_ORDER_MARK)
                last = whole.rfind(b"\n", 0, len(whole) - len(rest)) + 1
                while len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = file.readline(LONGEST_LINE)
                    at += len(rest)
                if len(whole) > MOST_AT_ONCE and last:
                    yield whole[:last]
                    whole = whole[last:]
                yield whole[:LONGEST_LINE]

    def _required(self, read: bytes, at: int) -> bytes:
        if not read:
            raise EOFError(f"{self.path}: changed during the run; ends at byte {at}, expected {self.end}")
        return read


def some(context: SparkContext, count: int) -> int:
    """How many tasks, of short work on so many parts: each takes as long to begin as such work takes."""
    return min(count, 4 * int(context.defaultParallelism))


def path(spark: SparkSession, name: str) -> str | None:
    """Where workers find what Spark calls so, as this process does; None where it may stand elsewhere, or in several places."""
    if "," in name or "\\" in name:
        return None
    found = spark._jvm.org.apache.hadoop.fs.Path(name)
    system = found.getFileSystem(spark._jsc.hadoopConfiguration())
    whole = str(system.makeQualified(found).toUri().getPath())
    return whole if system.getScheme() == "file" and not any(each in whole for each in "*?[]{}") else None


def parts(spark: SparkSession, name: str, least: int) -> list[Part]:
    """Of a file, or of the files of a folder in the order of their names; none where Spark alone can read them.

    - least: at least so many, as far as there are bytes.
    """
    found = path(spark, name)
    if found is None or not os.path.isfile(found) and not os.path.isdir(found):
        return []
    files = [found] if os.path.isfile(found) else sorted(
        entry.path for entry in os.scandir(found) if not entry.name.startswith(("_", ".")))
    if not all(os.path.isfile(file) and not file.endswith(COMPRESSED) for file in files):
        return []
    sizes = list(map(os.path.getsize, files))
    size = max(1, min(MOST_BYTES, -(-sum(sizes) // max(least, 2 * spark.sparkContext.defaultParallelism))))
    stretches = [(file, first, min(first + size, end)) for file, end in zip(files, sizes) for first in range(0, end, size)]
    cut = [Part(number, *stretch) for number, stretch in enumerate(stretches)]
    context = spark.sparkContext
    counts = context.parallelize(cut, some(context, len(cut))).map(Part.count).collect() if cut else []
    return [replace(part, place=place) for part, place in zip(cut, accumulate(counts, initial=0))]
