"""Verification of records that workers read from files. Workers also write the lines to files.

With Spark, transferring a receipt to Python and its line back takes longer than verification. This needs a file
system that the driver and all workers share under one path.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO

from .snapshot_file import SnapshotFile
from .parts import STRETCH, Part, task_count
from .tree import Stretch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..answers import Answers
    from ..verifier import Verifier

@dataclass(frozen=True)
class Work:
    """The task for each part.

    - verifier: Has a `records_source`.
    - is_asked: Whether a catalog was given.
    - output: The folder for the lines.
    - kept: The folder for the leaves and the snapshots.
    """

    verifier: Verifier
    is_asked: bool
    output: str
    kept: str

    def do(self, part: Part, attempt: int) -> int:
        """Writes a file of lines, a file of leaves, and a file of rows if evidence is stored. Repeating it writes the
        same bytes.

        - attempt: A number that is unique among attempts.

        Returns the number of answers.
        """
        name = part_name(part.number)
        made = f"{self.output}/.{name}-{attempt}"
        leaves, rows = (f"{self.kept}/.{name}-{kind}-{attempt}" for kind in ("leaves", "rows"))
        with open(made, "wb", buffering=STRETCH) as lines, open(leaves, "wb") as hashes:
            if self.verifier.keeps_evidence:
                count = self._write_and_keep(part, lines, hashes, rows)
            else:
                count = self._write(part, lines, hashes)
        # An interrupted worker leaves some of these files, or none.
        os.replace(made, f"{self.output}/{name}")
        os.replace(leaves, f"{self.kept}/{name}.leaves")
        if self.verifier.keeps_evidence:
            os.replace(rows, f"{self.kept}/{name}.parquet")
        return count

    def _answers(self, part: Part) -> Iterator[Answers]:
        place = part.place + 1
        for stretch in part.stretches():
            answers, place = self.verifier.answer_records(stretch, place)
            yield answers

    def _write(self, part: Part, lines: BinaryIO, hashes: BinaryIO) -> int:
        count = 0
        for answers in self._answers(part):
            lines.write(answers.lines)
            hashes.write(b"".join(answers.leaves))
            count += len(answers.leaves)
        return count

    def _write_and_keep(self, part: Part, lines: BinaryIO, hashes: BinaryIO, path: str) -> int:
        with SnapshotFile(path, part.number, self.is_asked) as rows:
            for answers in self._answers(part):
                hashes.write(b"".join(answers.leaves))
                for line, kept in answers.pairs:
                    lines.write(line)
                    lines.write(b"\n")
                    rows.add(line, kept)
        return rows.count


def part_name(number: int) -> str:
    """Returns the name of a part. Names sort like numbers for any realistic number of parts."""
    return f"part-{number:07}"


class FileAnswers:
    """The answers to the records of parts. Every line is written."""

    def __init__(self, spark: SparkSession, parts: list[Part], work: Work) -> None:
        os.makedirs(work.output)
        os.makedirs(work.kept)
        self._spark, self._work = spark, work
        try:
            done = spark.sparkContext.parallelize(parts, len(parts)).map(partial(_done, work)).collect()
        except BaseException:
            self.release()
            raise
        self._counts = done
        self.starts = dict(enumerate(accumulate(self._counts[:-1], initial=0)))
        for left in glob.glob(f"{glob.escape(work.output)}/.part-*"):
            os.remove(left)
        with open(f"{work.output}/_SUCCESS", "w"):
            pass

    def stretches(self) -> list[Stretch]:
        """Returns each part's subtrees, in order."""
        context = self._spark.sparkContext
        numbered = [(number, self.starts[number], count) for number, count in enumerate(self._counts)]
        made = context.parallelize(numbered, task_count(context, len(numbered))).map(partial(_stretch, self._work.kept))
        return list(made.collect())

    def rows(self) -> DataFrame:
        """Returns a row for each answer, with its partition and its number there."""
        return self._spark.read.option("pathGlobFilter", "*.parquet").parquet(f"file://{self._work.kept}")

    def release(self) -> None:
        """Removes the leaves and the snapshots."""
        # A late attempt may still write to this folder.
        shutil.rmtree(self._work.kept, ignore_errors=True)


def _done(work: Work, part: Part) -> int:
    from pyspark import TaskContext

    return work.do(part, TaskContext.get().taskAttemptId())


def _stretch(kept: str, part: tuple[int, int, int]) -> Stretch:
    number, start, count = part
    whole, place = Stretch(), start
    with open(f"{kept}/{part_name(number)}.leaves", "rb") as file:
        while found := file.read(32 << 16):
            leaves = [found[at:at + 32] for at in range(0, len(found), 32)]
            for node in Stretch.of(place, leaves).nodes:
                whole.append(*node)
            place += len(leaves)
    if place != start + count:
        raise EOFError(f"part {number}: {count} answers, but {place - start} leaves")
    return whole
