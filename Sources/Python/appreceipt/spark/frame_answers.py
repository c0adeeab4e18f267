"""Verification of a data frame's records in the executors. Spark writes the lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from . import starts, tree, verified
from .snapshot_rows import MEMBERS, PURCHASE, VERDICT_COLUMNS, SnapshotRows
from .tree import Stretch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ..verifier import Verifier


def _spelled(members: Mapping[str, str]) -> str:
    words = {"int64": "bigint", "bool": "boolean"}
    return ", ".join(f"{name} {words.get(kind, kind)}" for name, kind in members.items())


ROWS = f"""partition int, number long, {_spelled(dict.fromkeys(VERDICT_COLUMNS, "string"))}, {_spelled(MEMBERS)},
    purchases array<struct<{_spelled(PURCHASE)}>>, renewal struct<original_transaction_id string>, kept string"""


class FrameAnswers:
    """The answers to a frame's records. Every line is written to the folder `output`.

    - verifier: Has a `records_source`.
    """

    def __init__(self, frame: DataFrame, verifier: Verifier, output: str) -> None:
        from pyspark import StorageLevel

        # Persisted, so that each record is verified once. Spark recomputes partitions that are lost with an
        # executor.
        self._answers = verified(frame, verifier, starts(frame)).persist(StorageLevel.DISK_ONLY)
        self._answers.select("line").write.text(output)
        self.starts = starts(self._answers)

    def stretches(self) -> list[Stretch]:
        """Returns each partition's subtrees, in order."""
        nodes = self._answers.select("partition", "number", "leaf").mapInArrow(partial(_nodes, self.starts), tree.NODES)
        found: dict[int, Stretch] = {}
        for row in sorted(nodes.collect(), key=lambda row: (row.partition, row.number)):
            found.setdefault(row.partition, Stretch()).nodes.append((row.level, row.place, bytes(row.hash)))
        return list(found.values())

    def rows(self) -> DataFrame:
        """Returns a row for each answer, with its partition and its number there."""
        return self._answers.select("partition", "number", "line", "kept").mapInArrow(_rows_of, ROWS)

    def release(self) -> None:
        """Releases the persisted answers."""
        self._answers.unpersist()


def _nodes(starts: Mapping[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    stretch, partition = Stretch(), 0
    for batch in batches:
        for partition, number, leaf in zip(*(column.to_pylist() for column in batch.columns)):
            stretch.append(0, starts[partition] + number, leaf)
    yield tree.rows(partition, stretch)


def _rows_of(batches: Iterable[Any]) -> Iterator[Any]:
    tables: list[Any] = []
    rows = SnapshotRows(is_asked=True, take=tables.append)
    for batch in batches:
        for partition, number, line, kept in zip(*(column.to_pylist() for column in batch.columns)):
            rows.add(partition, number, line.encode(), None if kept is None else kept.encode())
        while tables:
            yield from tables.pop(0).to_batches()
    rows.end()
    for table in tables:
        yield from table.to_batches()
