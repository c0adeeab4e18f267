"""What the library answers to records."""

from __future__ import annotations


class Answers:
    """Lines for records, in their order.

    - leaves: where the verifier has a `records_source`, of each line the hash of its leaf in the tree of an audit.
    """

    __slots__ = ("_end", "_keeps", "_text", "leaves")

    def __init__(self, text: bytes, tells_leaves: bool, keeps_evidence: bool) -> None:
        self._text, self._keeps, self._end = text, keeps_evidence, len(text)
        self.leaves: list[bytes] = []
        if tells_leaves:
            # No line of JSON is empty.
            self._end = text.rfind(b"\n\n") + 1
            hashes = bytes.fromhex(text[self._end:].decode())
            self.leaves = [hashes[place:place + 32] for place in range(0, len(hashes), 32)]

    @property
    def lines(self) -> memoryview:
        """UTF-8, each with its end. Where the verifier was made with `records_evidence` each stands before what is kept of it."""
        return memoryview(self._text)[:self._end]

    @property
    def pairs(self) -> list[tuple[bytes, bytes | None]]:
        """Each line without its end, and what is kept of it, if anything is."""
        lines = self._text[:self._end].split(b"\n")[:-1]
        if not self._keeps:
            return [(line, None) for line in lines]
        return [(line, None if kept == b"null" else kept) for line, kept in zip(lines[::2], lines[1::2])]
