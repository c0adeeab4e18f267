"""Records that workers read out of files and verify, whose lines they write into files.

Through Spark, a receipt's way to Python and its line's way back take longer than to verify it. Needs a file system that the
driver and all workers have in one place.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from . import tree
from .kept_file import KeptFile
from .kept_rows import NUMBERS_AS_TEXT
from .parts import Part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..verifier import Verifier

PARTS = "number int, path string, first long, end long, place long"
DONE = "number int, answers long, groups string"


@dataclass(frozen=True)
class Work:
    """What workers have to do with each part.

    - source, is_asked: as for a leaf of the tree.
    - output: the folder for the lines.
    - kept: the folder for what is kept of them.
    """

    verifier: Verifier
    source: str
    is_asked: bool
    output: str
    kept: str

    def do(self, part: Part, attempt: int) -> tuple[int, int, str | None]:
        """Writes a file of lines and one of rows. Whoever does it again writes the same bytes.

        - attempt: a number that no other attempt has.

        Returns the part's number, how many answers there are, and of a catalogue's products the groups, as JSON.
        """
        name = part_name(part.number)
        made, groups = f"{self.output}/.{name}-{attempt}", None
        rows = KeptFile(f"{self.kept}/.{name}-{attempt}", part.number, self.verifier.keeps_evidence, self.is_asked)
        with open(made, "wb", buffering=1 << 20) as file, rows:
            for place, record in enumerate(part.lines(), part.place + 1):
                if not record.strip(b" \t\r"):
                    continue
                lines = self.verifier.answer_lines(record, place)
                is_paired = self.verifier.keeps_evidence
                for line, kept in zip(lines[::2], lines[1::2]) if is_paired else ((line, None) for line in lines):
                    file.write(line)
                    file.write(b"\n")
                    rows.add(tree.leaf(line, place, self.source, self.is_asked), line, kept)
                    if self.is_asked and groups is None:
                        groups = _groups(line)
        # A worker that was ended leaves one of them, or none.
        os.replace(made, f"{self.output}/{name}")
        os.replace(rows.path, f"{self.kept}/{name}.parquet")
        return part.number, rows.count, groups


def part_name(number: int) -> str:
    """In the order of the numbers, as long as there is a disk for them."""
    return f"part-{number:07}"


def _groups(line: bytes) -> str | None:
    if b'"eligibility":[{' not in line:
        return None
    asked = NUMBERS_AS_TEXT.decode(line.decode())["eligibility"]
    return json.dumps([(each["product_id"], each["subscription_group"]) for each in asked]) if asked else None


class Direct:
    """The answers to the records of parts, of which every line is written."""

    def __init__(self, spark: SparkSession, parts: list[Part], work: Work) -> None:
        os.makedirs(work.output)
        os.makedirs(work.kept)
        rows = spark.sparkContext.parallelize(list(map(astuple, parts)), len(parts))
        self._spark, self._work, self._parts = spark, work, spark.createDataFrame(rows, PARTS)
        try:
            done = sorted(self._parts.mapInArrow(partial(_done, work), DONE).collect())
        except BaseException:
            self.forget()
            raise
        counts = [row.answers for row in done]
        self.starts = dict(zip((row.number for row in done), accumulate(counts, initial=0)))
        told = next((row.groups for row in done if row.groups), "[]")
        self.groups: list[tuple[str, str | None]] = list(map(tuple, json.loads(told)))
        for left in glob.glob(f"{glob.escape(work.output)}/.part-*"):
            os.remove(left)
        with open(f"{work.output}/_SUCCESS", "w"):
            pass

    def nodes(self) -> DataFrame:
        """What each partition has of the tree."""
        return self._parts.mapInArrow(partial(_nodes, self._work.kept, self.starts), tree.NODES)

    def told(self) -> DataFrame:
        """A row for each answer, with its partition and its number there."""
        return self._spark.read.parquet(f"file://{self._work.kept}")

    def forget(self) -> None:
        """Removes what is kept."""
        # An attempt that came too late may be writing there yet.
        shutil.rmtree(self._work.kept, ignore_errors=True)


def _done(work: Work, batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow
    from pyspark import TaskContext

    for batch in batches:
        for row in batch.to_pylist():
            number, count, groups = work.do(Part(**row), TaskContext.get().taskAttemptId())
            yield pyarrow.record_batch([pyarrow.array([number], "int32"), pyarrow.array([count], "int64"),
                                        pyarrow.array([groups], "string")], ["number", "answers", "groups"])


def _nodes(kept: str, starts: dict[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    from pyarrow import parquet

    for batch in batches:
        for row in batch.to_pylist():
            number = row["number"]
            leaves = parquet.read_table(f"{kept}/{part_name(number)}.parquet", columns=["leaf"])["leaf"].to_pylist()
            yield tree.nodes((number, place, leaf) for place, leaf in enumerate(leaves, starts[number]))
