"""Parts of NDJSON: ranges of files, from which workers read the lines themselves."""

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
#: The number of bytes that fit in a processor's cache with their answers, and the verifier's limit.
STRETCH, MOST_AT_ONCE = 1 << 18, 1 << 20
#: Above the limit for a record. The verifier refuses a line that is cut off here.
LONGEST_LINE = 1 << 25
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")


@dataclass(frozen=True)
class Part:
    """The lines that begin in a range of a file.

    - number: The number of the part, from 0.
    - first, end: The range in bytes from the file's beginning. It is not empty.
    - place: The number of lines in previous parts.
    """

    number: int
    path: str
    first: int
    end: int
    place: int = 0

    def count(self) -> int:
        """Returns the number of lines."""
        import numpy

        with open(self.path, "rb", buffering=0) as file:
            # Every line except a file's first begins after the end of another.
            count, at = int(self.first == 0), max(self.first - 1, 0)
            file.seek(at)
            while at < self.end - 1 and (read := file.read(min(self.end - 1 - at, STRETCH))):
                count += int(numpy.count_nonzero(numpy.frombuffer(read, numpy.uint8) == ord("\n")))
                at += len(read)
            return count

    def stretches(self) -> Iterator[bytes]:
        """Yields the lines with their line ends, in batches for a verifier."""
        with open(self.path, "rb", buffering=STRETCH) as file:
            at = max(self.first - 1, 0)
            file.seek(at)
            is_within = self.first > 0  # a line that begins before the range
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


def task_count(context: SparkContext, count: int) -> int:
    """Returns the number of tasks for short work on this many parts. Starting a task takes as long as such work."""
    return min(count, 4 * int(context.defaultParallelism))


def path(spark: SparkSession, name: str) -> str | None:
    """Returns the path at which workers and this process find the file or folder that a Spark path names. Returns None
    if they may find it at different paths, or if the Spark path may name several files.
    """
    if "," in name or "\\" in name:
        return None
    found = spark._jvm.org.apache.hadoop.fs.Path(name)
    system = found.getFileSystem(spark._jsc.hadoopConfiguration())
    whole = str(system.makeQualified(found).toUri().getPath())
    return whole if system.getScheme() == "file" and not any(each in whole for each in "*?[]{}") else None


def parts(spark: SparkSession, name: str, minimum: int) -> list[Part]:
    """Returns the parts of a file, or of a folder's files in the order of their names. Returns an empty list if only
    Spark can read them.

    - minimum: The minimum number of parts, if there are enough bytes.
    """
    found = path(spark, name)
    if found is None or not os.path.isfile(found) and not os.path.isdir(found):
        return []
    files = [found] if os.path.isfile(found) else sorted(
        entry.path for entry in os.scandir(found) if not entry.name.startswith(("_", ".")))
    if not all(os.path.isfile(file) and not file.endswith(COMPRESSED) for file in files):
        return []
    sizes = list(map(os.path.getsize, files))
    size = max(1, min(MOST_BYTES, -(-sum(sizes) // max(minimum, 2 * spark.sparkContext.defaultParallelism))))
    stretches = [(file, first, min(first + size, end)) for file, end in zip(files, sizes) for first in range(0, end, size)]
    cut = [Part(number, *stretch) for number, stretch in enumerate(stretches)]
    context = spark.sparkContext
    counts = context.parallelize(cut, task_count(context, len(cut))).map(Part.count).collect() if cut else []
    return [replace(part, place=place) for part, place in zip(cut, accumulate(counts, initial=0))]
