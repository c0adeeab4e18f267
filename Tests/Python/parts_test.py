"""Checks that each line of divided NDJSON is read once, in order."""

import io
import pathlib
import tempfile
import unittest
import unittest.mock

from appreceipt.spark import parts
from appreceipt.spark.parts import Part

TEXTS = {
    "lines": b"one\ntwo\nthree\n",
    "a last line without a line end": b"one\ntwo",
    "blank lines": b"\n\none\n\n\ntwo\n\n",
    "Windows line ends": b"one\r\ntwo\r\n\r\n",
    "one line without an end": b"one",
    "only a line end": b"\n",
    "bytes that are not text": b"one\xff\n\xfe\0two\n",
}


class PartsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "export.ndjson")

    def parts(self, text, size):
        self.path.write_bytes(text)
        starts = range(0, len(text), size)
        return [Part(number, str(self.path), first, min(first + size, len(text))) for number, first in enumerate(starts)]

    def test_every_cut(self):
        for name, text in TEXTS.items():
            for size in range(1, len(text) + 2):
                for stretch in (2, 3, 5, 1000):
                    with self.subTest(name, size=size, stretch=stretch), unittest.mock.patch.object(parts, "STRETCH", stretch):
                        cut = self.parts(text, size)
                        self.assertEqual(b"".join(each for part in cut for each in part.stretches()), text)
                        self.assertEqual([part.count() for part in cut], [len(lines(part)) for part in cut])

    def test_byte_order_mark(self):
        for size in range(1, 12):
            cut = self.parts(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", size)
            self.assertEqual([line for part in cut for line in lines(part)], [b"one\n", b"\xef\xbb\xbftwo\n"])

    def test_a_file_that_was_cut_off(self):
        part = self.parts(b"one\ntwo\n", 8)[0]
        self.path.write_bytes(b"one\n")
        with self.assertRaisesRegex(EOFError, "ends at byte 4"):
            list(part.stretches())

    def test_long_lines_are_not_stored_whole(self):
        text = b"0123456789abcdef\nnext\n0123456789\n          \n     \n"
        with unittest.mock.patch.object(parts, "LONGEST_LINE", 6):
            for size in range(1, len(text) + 2):
                for stretch in (2, 3, 5):
                    with self.subTest(size=size, stretch=stretch), unittest.mock.patch.object(parts, "STRETCH", stretch):
                        cut = self.parts(text, size)
                        self.assertEqual([line[:6] for part in cut for line in lines(part)],
                                         [b"012345", b"next\n", b"012345", b"      ", b"     \n"])
                        self.assertTrue(all(len(each) <= 6 for part in cut for each in part.stretches()))
                        self.assertEqual(sum(part.count() for part in cut), 5)

    def test_batches_are_within_the_limit(self):
        # With short and long lines, each batch has at most this many bytes, or is a single line.
        text = b"".join(b"x" * (7 * number % 23) + b"\n" for number in range(200))
        for most in (8, 16):
            with unittest.mock.patch.multiple(parts, STRETCH=8, MOST_AT_ONCE=most):
                for size in (1, 7, 50, len(text)):
                    found = [each for part in self.parts(text, size) for each in part.stretches()]
                    self.assertEqual(b"".join(found), text)
                    self.assertEqual([each for each in found if len(each) > most and each.count(b"\n") > 1], [])

    def test_parts_do_not_read_beyond_their_end(self):
        text = b"x" * 1000 + b"\n"
        file = Counted(text)
        with unittest.mock.patch.object(parts, "open", lambda *_, **__: file, create=True):
            self.assertEqual(list(self.parts(text, 100)[3].stretches()), [])
        self.assertEqual(file.taken, 101)


def lines(part):
    return [line for stretch in part.stretches() for line in stretch.splitlines(keepends=True)]


class Counted(io.BytesIO):
    """A file that counts the bytes read from it."""

    taken = 0

    def readline(self, size=-1):
        line = super().readline(size)
        self.taken += len(line)
        return line
