"""Checks that the code of the documentation page does what its comments say."""

import base64
import contextlib
import datetime
import io
import os
import pathlib
import re
import unittest

import given

PAGE = given.PACKAGE / "Sources/AppReceipt/AppReceipt.docc/FromPython.md"


class PageTest(unittest.TestCase):
    def test_blocks(self):
        receipt = (given.FIXTURES / "genuine/receipts/ideas-mac-mindnode-sha256-production.der").read_bytes()
        # Values that the text around the code blocks assumes.
        names = {"receipt_of_another_app": receipt, "text_of_a_receipt": base64.b64encode(receipt).decode(),
                 "datetime": datetime, "pathlib": pathlib}
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 5)
        before = os.getcwd()
        os.chdir(given.FIXTURES)
        try:
            for block in blocks:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(block, PAGE.name, "exec"), names)
                self.assertEqual(printed.getvalue().splitlines(), re.findall(r"# prints: (.*)$", block, re.MULTILINE))
        finally:
            os.chdir(before)
