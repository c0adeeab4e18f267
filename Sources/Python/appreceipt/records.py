"""Writes the records of Parquet files as NDJSON, for an audit on one machine. Needs pyarrow: `pip install
'appreceipt[arrow]'`.

    python -m appreceipt.records export.parquet | appreceipt audit - --output audit.sqlite

The lines are those that the Spark job makes of the same file, so the answers and the Merkle root are the same.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, BinaryIO

NAMES = ("id", "receipt", "subject")
# The number of rows in memory. A receipt may have megabytes.
ROWS = 256


def line(names: Sequence[str], row: Sequence[Any]) -> bytes:
    """Returns a row as JSON. Bytes become base64."""
    return json.dumps(dict(zip(names, row)), default=_json).encode()


def _json(cell: Any) -> Any:
    """Returns a JSON value for a cell of another type."""
    if isinstance(cell, (bytes, bytearray)):
        return base64.b64encode(cell).decode()
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return int(cell)
    return str(cell)


def lines(path: str, columns: Sequence[str] | None = None) -> Iterator[bytes]:
    """Yields the lines of a Parquet file, or of the files in a folder in the order of their names.

    - columns: The columns to write. Without them, `id`, `receipt` and `subject`; all columns if there is no `receipt`.

    Raises ValueError if a column is missing, and the errors of pyarrow if a file is damaged.
    """
    from pyarrow import parquet

    for each in _files(path):
        with parquet.ParquetFile(each) as file:
            there = file.schema_arrow.names
            if missing := [name for name in columns or () if name not in there]:
                raise ValueError(f"{each}: no column {', '.join(missing)}; found {', '.join(there)}"[:1000])
            names = list(columns or ([name for name in NAMES if name in there] if "receipt" in there else there))
            for batch in file.iter_batches(ROWS, columns=names):
                cells = [batch.column(batch.schema.get_field_index(name)).to_pylist() for name in names]
                for row in zip(*cells):
                    yield line(names, row)


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    return sorted(entry.path for entry in os.scandir(path) if not entry.name.startswith(("_", ".")))


def write(paths: Sequence[str], columns: Sequence[str] | None, output: BinaryIO) -> str | None:
    """Writes the lines of all files. Returns the error that stopped it, or None.

    After an error, the last line is not complete. The audit then reports an unreadable record, and does not succeed.
    """
    for path in paths:
        try:
            for each in lines(path, columns):
                output.write(each + b"\n")
        except BrokenPipeError:
            raise
        except Exception as error:  # pyarrow has many kinds
            output.write(b'{"incomplete": ' + json.dumps(f"{path}: {error}").encode() + b"\n")
            return f"{path}: {error}"
    return None


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m appreceipt.records", description="Write the records of Parquet files as NDJSON for appreceipt audit.",
        epilog="Example: python -m appreceipt.records export.parquet | appreceipt audit - --output audit.sqlite")
    parser.add_argument("input", nargs="+", help="Parquet files, or folders with Parquet files")
    parser.add_argument(
        "--columns", help="the columns to write, separated by commas; the default is id, receipt and subject, or all columns "
        "if there is no receipt")
    options = parser.parse_args(words)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        sys.exit("error: pyarrow is required; run pip install 'appreceipt[arrow]'")
    try:
        error = write(options.input, options.columns.split(",") if options.columns else None, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The audit ended early and reported the reason. At its own end, Python would report the broken pipe, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    if error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
