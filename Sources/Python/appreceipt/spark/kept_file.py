"""What is kept of a part's answers: a Parquet file, out of which Spark reads it as fast as nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kept_rows import KeptRows, schema

if TYPE_CHECKING:
    from types import TracebackType


class KeptFile:
    """Rows in a Parquet file, numbered from 0 on."""

    def __init__(self, path: str, partition: int, keeps_evidence: bool, is_asked: bool) -> None:
        from pyarrow import parquet

        self.path, self.count, self._partition = path, 0, partition
        self._writer = parquet.ParquetWriter(
            path, schema(keeps_evidence, is_asked), compression="none", write_statistics=False,
            use_dictionary=["status", "refusal_code", "chain", "kind", "environment", "bundle_id", "realm"])
        self._rows = KeptRows(keeps_evidence, is_asked, self._writer.write_table)

    def add(self, leaf: bytes, line: bytes, kept: bytes | None) -> None:
        self._rows.add(self._partition, self.count, leaf, line, kept)
        self.count += 1

    def __enter__(self) -> KeptFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._rows.end()
        self._writer.close()
