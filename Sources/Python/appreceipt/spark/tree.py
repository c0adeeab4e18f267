"""The root over all records of an audit (RFC 6962), made of what each partition has of the tree: the number that
`appreceipt audit` tells of the same records under the same name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NODES = "partition int, number int, level int, place long, hash binary"


class Stretch:
    """Leaves that follow one another anywhere in a tree: the largest whole subtrees over them, from left to right."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, bytes]] = []

    def append(self, level: int, place: int, digest: bytes) -> None:
        """Adds the subtree over 2^level leaves of which there are `place` before it."""
        while place % 2 and self.nodes and self.nodes[-1][:2] == (level, place - 1):
            digest = sha256(b"\1" + self.nodes.pop()[2] + digest).digest()
            level, place = level + 1, place // 2
        self.nodes.append((level, place, digest))

    def root(self) -> str:
        """Of all leaves, from the first on."""
        if not self.nodes:
            return sha256().hexdigest()
        *others, (_, _, digest) = self.nodes
        for _, _, left in reversed(others):
            digest = sha256(b"\1" + left + digest).digest()
        return digest.hex()


def leaf(line: str, place: int, source: str, is_asked: bool) -> bytes:
    """The hash of an answer: of its line without what follows from the bytes that it names.

    - source: SHA-256 of the source's name, hexadecimal.
    - is_asked: whether a catalogue was given: the answers for its offers are no matter of the bytes alone.
    """
    statement, signature, rest = line.partition(',"signature":')
    if signature:
        # The last of them: what was signed may have a member of any name.
        statement += rest[rest.rindex(',"eligibility":'):] if is_asked else "}"
    return sha256(f"\0appreceipt record 1\nsource {source}\nplace {place}\n{statement}\n".encode()).digest()


def root(answers: DataFrame, starts: Mapping[int, int], source: str, is_asked: bool) -> str:
    """The root, hexadecimal.

    - answers: of `verified`.
    - starts: how many answers stand before each partition.
    - source: the name of what was audited.
    """
    name = sha256(source.encode()).hexdigest()
    rows = answers.select("partition", "number", "line", "place").mapInArrow(
        partial(_stretches, dict(starts), name, is_asked), NODES).collect()
    whole = Stretch()
    for row in sorted(rows, key=lambda row: (row.partition, row.number)):
        whole.append(row.level, row.place, bytes(row.hash))
    return whole.root()


def _stretches(starts: Mapping[int, int], source: str, is_asked: bool, batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow

    stretch, partition = Stretch(), None
    for batch in batches:
        for partition, number, line, place in zip(*(column.to_pylist() for column in batch.columns)):
            stretch.append(0, starts[partition] + number, leaf(line, place, source, is_asked))
    count = len(stretch.nodes)
    levels, places, hashes = zip(*stretch.nodes) if stretch.nodes else ((), (), ())
    yield pyarrow.record_batch(
        [pyarrow.array([partition] * count, "int32"), pyarrow.array(range(count), "int32"), pyarrow.array(levels, "int32"),
         pyarrow.array(places, "int64"), pyarrow.array(hashes, "binary")],
        ["partition", "number", "level", "place", "hash"])
