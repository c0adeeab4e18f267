"""Records of a data frame, verified within the executors, and their lines written by Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from . import starts, tree, verified
from .kept_rows import MEMBERS, PURCHASE, TOLD, KeptRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ..verifier import Verifier

ASKED = "struct<eligibility array<struct<product_id string, subscription_group string>>>"


def _spelled(members: Mapping[str, str]) -> str:
    words = {"int64": "bigint", "bool": "boolean"}
    return ", ".join(f"{name} {words.get(kind, kind)}" for name, kind in members.items())


ROWS = f"""partition int, number long, leaf binary, {_spelled(dict.fromkeys(TOLD, "string"))}, {_spelled(MEMBERS)},
    purchases array<struct<{_spelled(PURCHASE)}>>, renewal struct<original_transaction_id string>, kept string"""


class Through:
    """The answers to a frame's records, of which every line is written into the folder `output`.

    - source, is_asked: as for a leaf of the tree.
    """

    def __init__(self, frame: DataFrame, verifier: Verifier, source: str, is_asked: bool, output: str) -> None:
        from pyspark import StorageLevel

        # Kept, so that each record is verified once; what is lost with its executor is made again.
        self._answers = verified(frame, verifier, starts(frame)).persist(StorageLevel.DISK_ONLY)
        self._answers.select("line").write.text(output)
        self._source, self._is_asked, self.starts = source, is_asked, starts(self._answers)

    @property
    def groups(self) -> list[tuple[str, str | None]]:
        """The catalogue's group of each product, which every line with verdicts tells."""
        from pyspark.sql.functions import col, from_json

        # What was signed may have a member of any name: the text alone is no answer.
        asked = self._answers.where("contains(line, '\"eligibility\":[{')").select(from_json(col("line"), ASKED).alias("v"))
        for row in asked.where("size(v.eligibility) > 0").limit(1).collect():
            return [(each.product_id, each.subscription_group) for each in row.v.eligibility]
        return []

    def nodes(self) -> DataFrame:
        """What each partition has of the tree."""
        return self._answers.select("partition", "number", "line", "place").mapInArrow(
            partial(_nodes, self._source, self._is_asked, self.starts), tree.NODES)

    def told(self) -> DataFrame:
        """A row for each answer, with its partition and its number there."""
        return self._answers.select("partition", "number", "line", "kept").mapInArrow(_told, ROWS)

    def forget(self) -> None:
        """Lets go of what is kept."""
        self._answers.unpersist()


def _nodes(source: str, is_asked: bool, starts: Mapping[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    yield tree.nodes(
        (partition, starts[partition] + number, tree.leaf(line.encode(), place, source, is_asked))
        for batch in batches
        for partition, number, line, place in zip(*(column.to_pylist() for column in batch.columns)))


def _told(batches: Iterable[Any]) -> Iterator[Any]:
    tables: list[Any] = []
    rows = KeptRows(keeps_evidence=True, is_asked=True, take=tables.append)
    for batch in batches:
        for partition, number, line, kept in zip(*(column.to_pylist() for column in batch.columns)):
            rows.add(partition, number, None, line.encode(), None if kept is None else kept.encode())
        while tables:
            yield from tables.pop(0).to_batches()
    rows.end()
    for table in tables:
        yield from table.to_batches()
