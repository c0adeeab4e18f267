"""The snapshots of a part's answers in a Parquet file, the fastest format for Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .snapshot_rows import SnapshotRows, schema

if TYPE_CHECKING:
    from types import TracebackType


class SnapshotFile:
    """A Parquet file of rows, numbered from 0."""

    def __init__(self, path: str, partition: int, is_asked: bool) -> None:
        from pyarrow import parquet

        self.count, self._partition = 0, partition
        self._writer = parquet.ParquetWriter(
            path, schema(is_asked), compression="none", write_statistics=False,
            use_dictionary=["status", "refusal_code", "chain", "kind", "environment", "bundle_id", "realm"])
        self._rows = SnapshotRows(is_asked, self._writer.write_table)

    def add(self, line: bytes, kept: bytes | None) -> None:
        self._rows.add(self._partition, self.count, line, kept)
        self.count += 1

    def __enter__(self) -> SnapshotFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._rows.end()
        self._writer.close()
