"""The Merkle root of an audit (RFC 6962), computed from the subtrees of each partition. It equals the root that
`appreceipt audit` prints for the same records.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

NODES = "partition int, number int, level int, place long, hash binary"


class Stretch:
    """Consecutive leaves anywhere in a tree, as the largest complete subtrees over them, from left to right."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, bytes]] = []

    @classmethod
    def of(cls, start: int, leaves: list[bytes]) -> Stretch:
        """Returns the stretch of leaves that begins at a place."""
        row, place, level = list(leaves), start, 0
        left: list[tuple[int, int, bytes]] = []
        right: list[tuple[int, int, bytes]] = []
        while row:
            # The first or last node may lack its sibling, which is in another stretch.
            if place % 2:
                left.append((level, place, row[0]))
                row, place = row[1:], place + 1
            if len(row) % 2:
                right.append((level, place + len(row) - 1, row.pop()))
            row = [sha256(b"\1" + one + other).digest() for one, other in zip(row[::2], row[1::2])]
            place, level = place // 2, level + 1
        made = cls()
        made.nodes = left + right[::-1]
        return made

    def append(self, level: int, place: int, digest: bytes) -> None:
        """Adds the subtree with the given level and place in that level."""
        while place % 2 and self.nodes and self.nodes[-1][:2] == (level, place - 1):
            digest = sha256(b"\1" + self.nodes.pop()[2] + digest).digest()
            level, place = level + 1, place // 2
        self.nodes.append((level, place, digest))

    def root(self) -> str:
        """Returns the root. The stretch must start at the first leaf."""
        if not self.nodes:
            return sha256().hexdigest()
        *others, (_, _, digest) = self.nodes
        for _, _, left in reversed(others):
            digest = sha256(b"\1" + left + digest).digest()
        return digest.hex()


def rows(partition: int, stretch: Stretch) -> Any:
    """Returns a partition's subtrees as rows of NODES."""
    import pyarrow

    count = len(stretch.nodes)
    levels, places, hashes = zip(*stretch.nodes) if count else ((), (), ())
    return pyarrow.record_batch(
        [pyarrow.array([partition] * count, "int32"), pyarrow.array(range(count), "int32"), pyarrow.array(levels, "int32"),
         pyarrow.array(places, "int64"), pyarrow.array(hashes, "binary")],
        ["partition", "number", "level", "place", "hash"])


def root(stretches: Iterable[Stretch]) -> str:
    """Returns the root in hexadecimal, from consecutive stretches that start at the first leaf."""
    whole = Stretch()
    for stretch in stretches:
        for node in stretch.nodes:
            whole.append(*node)
    return whole.root()
