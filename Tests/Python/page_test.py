"""Runs the Python code of the documentation and of the README, and compares what it prints with its comments."""

import base64
import contextlib
import datetime
import io
import os
import pathlib
import re
import unittest

import given

# Each page, the number of its blocks, and the folder in which they run.
PAGES = [(given.PACKAGE / "Sources/AppReceipt/AppReceipt.docc/FromPython.md", 5, given.FIXTURES),
         (given.PACKAGE / "README.md", 1, given.PACKAGE)]


class PageTest(unittest.TestCase):
    def test_blocks(self):
        for page, count, folder in PAGES:
            with self.subTest(page.name):
                self.run_blocks(page, count, folder)

    def run_blocks(self, page, count, folder):
        receipt = (given.FIXTURES / "genuine/receipts/ideas-mac-mindnode-sha256-production.der").read_bytes()
        # Values that the text around the code blocks assumes.
        names = {"receipt_of_another_app": receipt, "text_of_a_receipt": base64.b64encode(receipt).decode(),
                 "datetime": datetime, "pathlib": pathlib}
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), count)
        before = os.getcwd()
        os.chdir(folder)
        try:
            for block in blocks:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(block, page.name, "exec"), names)
                self.assertEqual(printed.getvalue().splitlines(), re.findall(r"# prints: (.*)$", block, re.MULTILINE))
        finally:
            os.chdir(before)
