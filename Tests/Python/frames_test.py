"""Checks columns of receipts as Arrow tables, in an environment with pandas and polars."""

import base64
import dataclasses
import datetime
import json
import unittest

import appreceipt.arrow
import given
import members_test
import pandas
import polars
import pyarrow


def filled(value, kind):
    """Returns the contract's JSON as an Arrow row, with null for members that some lines omit."""
    if value is None:
        return None
    if pyarrow.types.is_struct(kind):
        return {field.name: filled(value.get(field.name), field.type) for field in kind}
    if pyarrow.types.is_list(kind):
        return [filled(each, kind.value_type) for each in value]
    if pyarrow.types.is_timestamp(kind):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def listed(value):
    """Returns tuples as lists, as in Arrow."""
    if isinstance(value, dict):
        return {name: listed(each) for name, each in value.items()}
    return list(map(listed, value)) if isinstance(value, (tuple, list)) else value


class FramesTest(unittest.TestCase):
    def setUp(self):
        self.verifier = given.forged_verifier()
        self.cells = [path.read_bytes() for path in given.FORGED] + [None]
        self.table = appreceipt.arrow.verify(self.cells, self.verifier)

    def test_every_attribute_has_a_column(self):
        types = {"date": pyarrow.timestamp("ms", "UTC"), "integer": pyarrow.int64(), "flag": pyarrow.bool_()}
        receipt, purchase = (appreceipt.arrow.SCHEMA.field(name).type for name in ("receipt", "in_app"))
        # (record in Swift, Arrow's struct, the fields after the attributes)
        for record, struct, others in (("AppRecord", receipt, ["in_app", "unknown"]),
                                       ("PurchaseRecord", receipt.field("in_app").type.value_type, ["unknown"]),
                                       ("PurchaseRecord", purchase, ["subscription_group_identifier"])):
            expected = [(name, types.get(kind, pyarrow.string())) for _, name, kind in given.attributes(record)]
            found = [(field.name, field.type) for field in struct]
            with self.subTest(others):
                self.assertEqual((found[:-len(others)], [name for name, _ in found[-len(others):]]), (expected, others))

    def test_contract(self):
        schema = appreceipt.arrow.SCHEMA
        names = [name for name in schema.names if name not in given.KINDS.values()]
        expected = []
        for row, cell in enumerate(self.cells):
            lines = ['{"source":"-","sha256":null,"status":"absent"}'] if cell is None else given.tool_lines(
                cell, *given.tool_options(given.RECEIPT))
            for line in map(json.loads, lines):
                line |= {"row": row, "path": line["source"][2:] or None, "json": None}
                expected.append({name: filled(line.get(name), schema.field(name).type) for name in names})
        found = self.table.select(names).to_pylist()
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
        self.assertEqual(appreceipt.arrow.verify([], self.verifier).schema, appreceipt.arrow.SCHEMA)
        self.assertEqual(appreceipt.arrow.verify(["MAA="], self.verifier)["status"].to_pylist(), ["refused"])

    def test_values_of_other_stores(self):
        cells = ["sub_1MowQVLkdIwHu7ixeraBm864", "GPA.3372-4150-8203-17209", "MIIB" * 30, "x"]
        rows = appreceipt.arrow.verify(cells, self.verifier).select(["status", "kind"]).to_pylist()
        self.assertEqual([(each["status"], each["kind"]) for each in rows], [
            ("foreign", "stripe_id"), ("foreign", "google_play_order"), ("refused", None), ("refused", None)])

    def test_values_that_are_not_columns(self):
        frame = {"receipt": ["MAA="]}
        for column in ("text", b"bytes", None, 5, frame, pandas.DataFrame(frame), polars.DataFrame(frame), pyarrow.table(frame)):
            with self.subTest(type(column)), self.assertRaisesRegex(TypeError, "^column: must be a Series, an Arrow array or a list, not "):
                appreceipt.arrow.verify(column, self.verifier)
        self.assertRaises(TypeError, appreceipt.arrow.verify, ["MAA="])  # app and environment are required

    def test_typed_fields(self):
        """Checks that columns contain the objects' fields under their names, in one column for each kind."""
        kinds = given.KINDS
        jws = sorted((given.FIXTURES / "jws").glob("*.jws")) + sorted((given.FIXTURES / "eligibility/evidence").glob("*.jws"))
        cells = [path.read_text() for path in jws] + members_test.SIGNED
        verifier = given.forged_verifier()
        rows = {(row["row"], row["path"]): row for row in appreceipt.arrow.verify(cells, verifier).to_pylist()}
        told = set()
        for number, cell in enumerate(cells):
            for each in verifier.verify_all(cell):
                row = rows[number, each.path]
                if isinstance(each, appreceipt.Refused):
                    continue
                self.assertEqual([name for name in kinds.values() if row[name] is not None], [kinds[type(each)]])
                for name, found in row[kinds[type(each)]].items():
                    try:
                        wanted = getattr(each, name)
                    except ValueError:  # in the year 0
                        wanted = None
                    if dataclasses.is_dataclass(wanted):
                        wanted = dataclasses.asdict(wanted)
                    self.assertEqual(found, listed(wanted), (kinds[type(each)], name))
                    told |= {name} if wanted is not None else set()
        self.assertLessEqual({"app_transaction_id", "original_platform", "offer_period", "offer_discount_type", "billing_plan_type",
                              "commitment_info", "revocation_type", "revocation_percentage", "advanced_commerce_info",
                              "notification_type", "user_locale", "renewal_date"}, told)
