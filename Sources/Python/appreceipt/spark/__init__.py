"""Verification on Apache Spark, in the executors. `python -m appreceipt.spark` runs an audit. Other jobs can use
`verified`.
"""

from __future__ import annotations

import atexit
import importlib.resources
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .._library import version
from ..records import line
from ..verifier import Verifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ANSWERS = "partition int, number long, line string, place long"
LEAF, KEPT = ", leaf binary", ", kept string"


def ship(spark: SparkSession) -> None:
    """Distributes this package with its library to the workers. Workers also need pandas and pyarrow, which
    PySpark requires.
    """
    spark.sparkContext.addPyFile(_archive())


@cache
def _archive() -> str:
    # The archive stays until the end of the process, because executors fetch it whenever they start.
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = f"{folder}/appreceipt-{version()}.zip"
    with zipfile.ZipFile(archive, "w") as package:
        _add(importlib.resources.files("appreceipt"), "appreceipt", package)
    return archive


def _add(resource: Any, name: str, package: zipfile.ZipFile) -> None:
    if resource.is_file():
        package.writestr(name, resource.read_bytes())
    elif resource.name != "__pycache__":
        for each in resource.iterdir():
            _add(each, f"{name}/{each.name}", package)


def verified(frame: DataFrame, verifier: Verifier, starts: Mapping[int, int] | None = None) -> DataFrame:
    """Returns the lines of `appreceipt audit --ndjson` for records. Each line has its partition, its number there,
    from 0, and the place of its record, from 1. If the verifier has a catalog, the lines contain verdicts on
    offers. With a `records_source`, `leaf` is the hash of each line's leaf. With `records_evidence`, `kept` is the
    snapshot for answers about customers, or null.

    - frame: A column `value` with lines of NDJSON as text or bytes, or a column `receipt` as text or bytes, and
      optional `id` and `subject`.
    - starts: The number of records before each partition, from `starts`. Without it, places count within the
      partition.
    """
    more = (LEAF if verifier.returns_leaves else "") + (KEPT if verifier.keeps_evidence else "")
    return frame.mapInArrow(partial(_answered, verifier, starts or {}), ANSWERS + more)


def starts(frame: DataFrame) -> dict[int, int]:
    """Returns the number of rows before each partition. Reads the whole frame."""
    from pyspark.sql.functions import spark_partition_id

    return summed(frame.select(spark_partition_id().alias("partition")).groupBy("partition").count())


def summed(counted: DataFrame) -> dict[int, int]:
    """Returns the number of rows before each partition, from a frame with the `count` of each."""
    counts = dict(sorted((row.partition, row["count"]) for row in counted.collect()))
    return dict(zip(counts, accumulate(counts.values(), initial=0)))


def _answered(verifier: Verifier, starts: Mapping[int, int], batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow
    from pyspark import TaskContext

    partition = TaskContext.get().partitionId()
    start, place = 0, starts.get(partition, 0)

    def batch_of(pairs: list[tuple[bytes, bytes | None]], leaves: list[bytes], places: list[int]) -> Any:
        nonlocal start
        numbers = range(start, start + len(places))
        start += len(places)
        columns = {
            "partition": pyarrow.array([partition] * len(places), "int32"), "number": pyarrow.array(numbers, "int64"),
            "line": pyarrow.array([line for line, _ in pairs], "string"), "place": pyarrow.array(places, "int64")}
        if verifier.returns_leaves:
            columns["leaf"] = pyarrow.array(leaves, "binary")
        if verifier.keeps_evidence:
            columns["kept"] = pyarrow.array([kept for _, kept in pairs], "string")
        return pyarrow.record_batch(list(columns.values()), list(columns))

    for batch in batches:
        names, pairs, leaves, places, size = batch.schema.names, [], [], [], 0
        for row in zip(*(column.to_pylist() for column in batch.columns)):
            place += 1
            record = _line(row[0]) if names == ["value"] else line(names, row)
            if not record:
                continue
            answers = verifier.answers(record, place)
            more = answers.pairs
            pairs += more
            leaves += answers.leaves
            places += [place] * len(more)
            size += len(answers.lines)
            if size > 1 << 24:
                yield batch_of(pairs, leaves, places)
                pairs, leaves, places, size = [], [], [], 0
        yield batch_of(pairs, leaves, places)


def _line(value: bytes | str | None) -> bytes:
    """Returns the line as bytes, or empty if it is blank."""
    line = value.encode() if isinstance(value, str) else value or b""
    return line if line.strip(b" \t\r") else b""
