"""Columns of receipts as Arrow tables, in an environment with pandas and polars."""

import base64
import datetime
import json
import unittest

import appreceipt.arrow
import given
import pandas
import polars
import pyarrow


def filled(value, kind):
    """The contract's JSON as a row of Arrow has it: with null for what a kind of line leaves out."""
    if value is None:
        return None
    if pyarrow.types.is_struct(kind):
        return {field.name: filled(value.get(field.name), field.type) for field in kind}
    if pyarrow.types.is_list(kind):
        return [filled(each, kind.value_type) for each in value]
    if pyarrow.types.is_timestamp(kind):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


class FramesTest(unittest.TestCase):
    def setUp(self):
        self.verifier = given.forged_verifier()
        self.cells = [path.read_bytes() for path in given.FORGED] + [None]
        self.table = appreceipt.arrow.verify(self.cells, self.verifier)

    def test_contract(self):
        schema = appreceipt.arrow.SCHEMA
        expected = []
        for row, cell in enumerate(self.cells):
            lines = ['{"source":"-","sha256":null,"status":"absent"}'] if cell is None else given.tool_lines(
                cell, *given.tool_options(given.RECEIPT))
            for line in map(json.loads, lines):
                line |= {"row": row, "path": line["source"][2:] or None}
                expected.append({field.name: filled(line.get(field.name), field.type) for field in schema})
        found = self.table.to_pylist()
        for line in found:
            self.assertEqual(json.loads(line["json"])["status"], line["status"])
            line["json"] = None
        self.assertEqual(found, expected)

    def test_columns(self):
        texts = [None if cell is None else base64.b64encode(cell).decode() for cell in self.cells[:20] + [None]]
        expected = appreceipt.arrow.verify(texts, self.verifier)
        for column in (pandas.Series(texts), pandas.Series(texts, dtype="string"), polars.Series(texts, dtype=polars.String),
                       polars.DataFrame({"receipt": texts})["receipt"], pyarrow.array(texts),
                       pyarrow.chunked_array([texts[:5], [], texts[5:]]), pyarrow.array(texts, pyarrow.large_string())):
            self.assertTrue(appreceipt.arrow.verify(column, self.verifier).equals(expected), type(column))
        self.assertEqual(polars.from_arrow(expected)["status"].to_list(), expected["status"].to_pylist())
        self.assertEqual(list(expected.to_pandas()["sha256"]), expected["sha256"].to_pylist())
        self.assertEqual(appreceipt.arrow.verify([]).schema, appreceipt.arrow.SCHEMA)
        self.assertEqual(appreceipt.arrow.verify(["MAA="])["status"].to_pylist(), ["refused"])
