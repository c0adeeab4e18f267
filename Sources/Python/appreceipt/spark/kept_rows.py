"""What findings and customers' answers need of answers: rows of a Parquet file."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

#: Columns of what a verdict's line tells.
TOLD = ("id", "subject", "status", "refusal_code", "chain")
#: Members of what is kept of something genuine, and of a purchase in it.
MEMBERS = {"kind": "string", "created_at": "int64", "content_sha256": "string", "sha256": "string", "environment": "string",
           "bundle_id": "string", "realm": "string"}
PURCHASE = {
    "product_id": "string", "product_type": "string", "transaction_id": "string", "original_transaction_id": "string",
    "purchase_date": "int64", "expires_date": "int64", "cancellation_date": "int64", "is_trial_period": "bool",
    "is_in_intro_offer_period": "bool", "promotional_offer_identifier": "string", "ownership_type": "string",
    "is_upgraded": "bool"}
BATCH, BATCH_BYTES = 1024, 1 << 24
#: What stands before the chain in lines of PKCS #7 and of JWS; no text holds a quotation mark as it is.
SIGNATURE_NAME = b',"signature":'
SIGNATURE = re.compile(rb',"signature":\{"digest":"\w+","verified_at":"[\w:.-]+","chain":')

NUMBERS_AS_TEXT = json.JSONDecoder(parse_int=str, parse_float=str)


class KeptRows:
    """Writes them to a path: a row for each answer, with its partition, its number there and its leaf in the tree.

    - keeps_evidence: whether there is more than that.
    - is_asked: whether there is `kept`, of which customers' answers are made.
    """

    def __init__(self, path: str, partition: int, keeps_evidence: bool, is_asked: bool) -> None:
        import pyarrow
        from pyarrow import json, parquet

        alias = pyarrow.type_for_alias
        self.path, self.count = path, 0
        self._partition, self._keeps_evidence, self._is_asked = partition, keeps_evidence, is_asked
        self._chain, self._size = b"[]", 0
        self._rows: list[tuple[Any, ...]] = []
        self._kept: list[bytes] = []
        members = [
            *((name, alias(kind)) for name, kind in MEMBERS.items()),
            ("purchases", pyarrow.list_(pyarrow.struct([(name, alias(kind)) for name, kind in PURCHASE.items()]))),
            ("renewal", pyarrow.struct([("original_transaction_id", alias("string"))]))]
        self._parsing = json.ParseOptions(explicit_schema=pyarrow.schema(members), unexpected_field_behavior="ignore")
        columns = [("partition", alias("int32")), ("number", alias("int64")), ("leaf", alias("binary"))]
        if keeps_evidence:
            columns += [*((name, alias("string")) for name in TOLD), *members, *([("kept", alias("string"))] if is_asked else [])]
        self._schema = pyarrow.schema(columns)
        self._writer = parquet.ParquetWriter(
            path, self._schema, compression="none", write_statistics=False,
            use_dictionary=["status", "refusal_code", "chain", "kind", "environment", "bundle_id", "realm"])

    def add(self, leaf: bytes, line: bytes, kept: bytes | None) -> None:
        """
        - kept: as `Verifier.answer_lines` has it, where it keeps evidence.
        """
        row: tuple[Any, ...] = (leaf,)
        if kept is not None:
            is_genuine = kept != b"null"
            row += self._told(line, is_genuine)
            self._kept.append(kept if is_genuine else b"{}")
            self._size += len(kept)
        self._rows.append(row)
        self._size += sum(len(each or "") for each in row)
        self.count += 1
        if len(self._rows) == BATCH or self._size > BATCH_BYTES:
            self._write()

    def _told(self, line: bytes, is_genuine: bool) -> tuple[str | bytes | None, ...]:
        """The columns TOLD. The lines of what is genuine are long, for all that was decoded, and read in part."""
        # The first of the name is the line's own.
        found = SIGNATURE.match(line, line.find(SIGNATURE_NAME)) if is_genuine else None
        if not found:
            members = NUMBERS_AS_TEXT.decode(line.decode())
            signature, refusal = (members.get(name) or {} for name in ("signature", "refusal"))
            chain = json.dumps(signature["chain"]) if signature.get("chain") else None
            return members["id"], members.get("subject"), members["status"], refusal.get("code"), chain
        if not line.startswith(self._chain, found.end()):
            text = line[found.end():].decode()
            self._chain = text[:json.JSONDecoder().raw_decode(text)[1]].encode()
        head = NUMBERS_AS_TEXT.decode(line[:found.start()].decode() + "}")
        return head["id"], head.get("subject"), head["status"], None, self._chain

    def _write(self) -> None:
        import pyarrow
        from pyarrow import json

        count, fields = len(self._rows), iter(self._schema)
        columns = [[self._partition] * count, range(self.count - count, self.count), *zip(*self._rows)]
        arrays = [pyarrow.array(column, next(fields).type) for column in columns]
        if self._keeps_evidence:
            lines = b"\n".join(self._kept)
            reading = json.ReadOptions(use_threads=False, block_size=len(lines) + 1)
            arrays += json.read_json(io.BytesIO(lines), reading, self._parsing).columns
            if self._is_asked:
                arrays.append(pyarrow.array([None if kept == b"{}" else kept for kept in self._kept], "string"))
        self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))
        self._rows, self._kept, self._size = [], [], 0

    def __enter__(self) -> KeptRows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._rows and kind is None:
            self._write()
        self._writer.close()

