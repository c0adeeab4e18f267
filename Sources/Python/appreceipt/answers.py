"""The library's answers to records."""

from __future__ import annotations


class Answers:
    """The answer lines for records, in order.

    - leaves: The Merkle tree's leaf hash for each line, if the verifier has a `records_source`.
    """

    __slots__ = ("_end", "_keeps", "_text", "leaves")

    def __init__(self, text: bytes, returns_leaves: bool, keeps_evidence: bool) -> None:
        self._text, self._keeps, self._end = text, keeps_evidence, len(text)
        self.leaves: list[bytes] = []
        if returns_leaves:
            # JSON lines are never empty.
            self._end = text.rfind(b"\n\n") + 1
            hashes = bytes.fromhex(text[self._end:].decode())
            self.leaves = [hashes[place:place + 32] for place in range(0, len(hashes), 32)]

    @property
    def lines(self) -> memoryview:
        """The lines in UTF-8, each with its line end. With `records_evidence`, each line is followed by its snapshot."""
        return memoryview(self._text)[:self._end]

    @property
    def pairs(self) -> list[tuple[bytes, bytes | None]]:
        """The lines without their line ends, each with its snapshot, or None."""
        lines = self._text[:self._end].split(b"\n")[:-1]
        if not self._keeps:
            return [(line, None) for line in lines]
        return [(line, None if kept == b"null" else kept) for line, kept in zip(lines[::2], lines[1::2])]
