"""What is kept of a part's answers: a Parquet file, out of which Spark reads it as fast as nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kept_rows import KeptRows, schema

if TYPE_CHECKING:
    from types import TracebackType


class KeptFile:
    """Rows in a Parquet file, numbered from 0 on."""

    def __init__(self, path: str, partition: int, is_asked: bool) -> None:
        from pyarrow import parquet

        self.count, self._partition = 0, partition
        self._writer = parquet.ParquetWriter(
            path, schema(is_asked), compression="none", write_statistics=False,
            use_dictionary=["status", "refusal_code", "chain", "kind", "environment", "bundle_id", "realm"])
        self._rows = KeptRows(is_asked, self._writer.write_table)

    def add(self, line: bytes, kept: bytes | None) -> None:
        self._rows.add(self._partition, self.count, line, kept)
        self.count += 1

    def __enter__(self) -> KeptFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._rows.end()
        self._writer.close()
