"""The root over all records of an audit (RFC 6962), made of what each partition has of the tree: the number that
`appreceipt audit` tells of the same records under the same name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
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


def leaf(line: bytes, place: int, source: str, is_asked: bool) -> bytes:
    """The hash of an answer: of its line without what follows from the bytes that it names.

    - source: the name of what was audited.
    - is_asked: whether a catalogue was given: the answers for its offers are no matter of the bytes alone.
    """
    statement, signature, rest = line.partition(b',"signature":')
    if signature:
        # The last of them: what was signed may have a member of any name.
        statement += rest[rest.rindex(b',"eligibility":'):] if is_asked else b"}"
    return sha256(b"\0appreceipt record 1\nsource %b\nplace %d\n%b\n" % (_named(source), place, statement)).digest()


@cache
def _named(source: str) -> bytes:
    return sha256(source.encode()).hexdigest().encode()


def nodes(leaves: Iterable[tuple[int, int, bytes]]) -> Any:
    """What a partition has of the tree, as rows of NODES.

    - leaves: one after the other, each behind its partition and its place in the tree, from 0 on.
    """
    import pyarrow

    stretch, partition = Stretch(), None
    for partition, place, digest in leaves:
        stretch.append(0, place, digest)
    count = len(stretch.nodes)
    levels, places, hashes = zip(*stretch.nodes) if stretch.nodes else ((), (), ())
    return pyarrow.record_batch(
        [pyarrow.array([partition] * count, "int32"), pyarrow.array(range(count), "int32"), pyarrow.array(levels, "int32"),
         pyarrow.array(places, "int64"), pyarrow.array(hashes, "binary")],
        ["partition", "number", "level", "place", "hash"])


def root(nodes: DataFrame) -> str:
    """The root, hexadecimal, of the nodes of all partitions."""
    whole = Stretch()
    for row in sorted(nodes.collect(), key=lambda row: (row.partition, row.number)):
        whole.append(row.level, row.place, bytes(row.hash))
    return whole.root()
