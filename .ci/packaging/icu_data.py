"""Reduces the data of Foundation's ICU from 34 MB for all languages to the data for English.

appreceipt and Mustache link Foundation, but the output of appreceipt is in English only, independent of the machine's settings. ICU
treats removed languages, character sets and units as unknown.
"""

import re
import struct
import subprocess

MEMBER = "icu_packaged_data.cpp.o"
OBJECT = "icu_data.o"
# The removed data: languages except English and the root; converters; dictionaries and rules for line breaks; transliteration.
# Also units; spelled-out numbers; names of languages, regions and characters; profiles of identifiers; collations of languages.
# Collations are not used, because all text is compared byte by byte.
LEFT_OUT = re.compile(
    r"(.*/)?(?!en(_001|_US|_US_POSIX)?\.res$)[a-z]{2,3}(_\w+)?\.res|.*\.(cnv|dict|spp|cfu)|brkitr/line_.*"
    r"|(translit|unit|rbnf|lang|region|coll)/.*|unames\.icu")


def items(data):
    """Yields (name, bytes) of each item, in the order of the names."""
    start = struct.unpack_from("<H", data)[0]
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise ValueError("ICU's data: unknown format")
    count, = struct.unpack_from("<I", data, start)
    places = [struct.unpack_from("<II", data, start + 4 + 8 * number) for number in range(count)]
    ends = [place for _, place in places[1:]] + [len(data) - start]
    for (name, place), end in zip(places, ends):
        name = data[start + name:data.index(b"\0", start + name)]
        yield name, data[start + place:start + end]


def reduced(data):
    kept = [(name, item) for name, item in items(data) if not LEFT_OUT.fullmatch(name.decode().partition("/")[2])]
    header = data[:struct.unpack_from("<H", data)[0]]
    names = b"".join(name + b"\0" for name, _ in kept)
    first = 4 + 8 * len(kept)
    # Each item starts at a multiple of 16, as with ICU's own tools.
    place = -(-(first + len(names)) // 16) * 16
    table, body, name_place = struct.pack("<I", len(kept)), b"", first
    for name, item in kept:
        table += struct.pack("<II", name_place, place + len(body))
        name_place += len(name) + 1
        body += item + bytes(-len(item) % 16)
    return header + (table + names).ljust(place, b"\0") + body


def linker_options(library, folder):
    """Writes an object file with the reduced data, and returns the linker options that replace the library's data with it."""
    def run(*words):
        return subprocess.run(words, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout

    run("ar", "x", library, MEMBER)
    symbol, = [line.split()[2] for line in run("nm", MEMBER).splitlines()]
    run("objcopy", "-O", "binary", "-j", ".rodata", MEMBER, "icu.dat")
    (folder / MEMBER).unlink()
    data = folder / "icu.dat"
    data.write_bytes(reduced(data.read_bytes()))
    # References to the symbol resolve to this one, so the library's data is not linked.
    name = f"__wrap_{symbol}"
    (folder / "icu.s").write_text(f'.section .rodata\n.balign 16\n.globl {name}\n.type {name}, @object\n{name}:\n'
                                  f'.incbin "icu.dat"\n.size {name}, . - {name}\n.section .note.GNU-stack,"",@progbits\n')
    run("clang", "-c", "icu.s", "-o", OBJECT)
    return [f"--wrap={symbol}", str(folder / OBJECT)]
