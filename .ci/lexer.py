"""Splits source text into comments, strings and code, for `prose` and `comment-free`."""

import io
import re
import tokenize
from typing import NamedTuple


class Token(NamedTuple):
    kind: str  # "comment", "string" or "code"
    text: str
    line: int
    end: int  # the number of the last line


C_TOKEN = re.compile(r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<space>\s+)|(?P<code>\w+|[-+*=<>!&|^~?%.]+|.)""", re.S | re.X)
SWIFT_TOKEN = re.compile(r"""(?P<comment>//[^\n]*)|(?P<nested>/\*)|(?P<string>\#*\"{3}(?=[ ]*\n)|\#*\")|(?P<space>\s+)
    |(?P<code>(?:(?<=\()|(?<=[,:][ ]))/[^/\s*](?:\\.|[^/\\\n])*/|\w+|[-+*=<>!&|^~?%.]+|.)""", re.S | re.X)


def swift_nested_end(text, start):
    """Returns the end of the block comment that begins at `start`. Such comments nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)


def swift_string_end(text, start, opening):
    """Returns the end of the string literal that begins with `opening` at `start`, including interpolations."""
    pounds = opening.rstrip('"')
    closing = opening[len(pounds):] + pounds
    at = start + len(opening)
    while at < len(text) and not text.startswith(closing, at):
        if text.startswith("\\" + pounds + "(", at):
            at = swift_interpolation_end(text, at + len(pounds) + 2)
        elif text.startswith("\\" + pounds, at):
            at += len(pounds) + 2
        else:
            at += 1
    return at + len(closing)


def swift_interpolation_end(text, at):
    """Returns the index after the parenthesis that closes the interpolation. Its content begins at `at`."""
    depth = 1
    while depth > 0 and at < len(text):
        token = SWIFT_TOKEN.match(text, at)
        at = swift_string_end(text, at, token[0]) if token.lastgroup == "string" else token.end()
        depth += {"(": 1, ")": -1}.get(token[0], 0)
    return at


def swift(text):
    at = 0
    while at < len(text):
        token = SWIFT_TOKEN.match(text, at)
        kind, end = token.lastgroup, token.end()
        if kind == "string":
            end = swift_string_end(text, at, token[0])
        elif kind == "nested":
            kind, end = "comment", swift_nested_end(text, at)
        if kind != "space":
            yield kind, at, end
        at = end


def c(text):
    for token in C_TOKEN.finditer(text):
        if token.lastgroup != "space":
            yield token.lastgroup, token.start(), token.end()


def located(spans, text):
    """Yields the tokens of `spans`, with line numbers."""
    line, last = 1, 0
    for kind, start, end in spans:
        line += text.count("\n", last, start)
        last = start
        yield Token(kind, text[start:end], line, line + text.count("\n", start, end))


def python(text):
    """Yields the tokens of Python. Docstrings are comments; indentation and line ends are code."""
    previous = None
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type != tokenize.NL]
    for index, token in enumerate(tokens):
        kind, value = "code", token.string
        if token.type == tokenize.COMMENT:
            kind = "comment"
        elif token.type == tokenize.STRING:
            opens = previous in (None, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            kind = "comment" if opens and tokens[index + 1].type == tokenize.NEWLINE else "string"
        elif token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            value = tokenize.tok_name[token.type]
        if token.type != tokenize.COMMENT:
            previous = token.type
        yield Token(kind, value, token.start[0], token.end[0])


def shell(text):
    """Yields the tokens of a script. A comment begins a line or follows white space outside of quotation marks; the rest is code."""
    for number, line in enumerate(text.split("\n"), 1):
        marks = (mark for mark in re.finditer(r"(?<!\S)#(?!!)", line)
                 if all(line[:mark.start()].count(quote) % 2 == 0 for quote in "\"'"))
        mark = next(marks, None)
        if mark is None or mark.start() > 0:
            yield Token("code", line[:mark.start() if mark else None].rstrip(), number, number)
        if mark:
            yield Token("comment", line[mark.start():], number, number)


LEXERS = {"swift": lambda text: located(swift(text), text), "python": python, "shell": shell,
          **dict.fromkeys(("c", "h", "js", "css", "go", "java", "json", "php"), lambda text: located(c(text), text))}
LANGUAGES = {"py": "python", **dict.fromkeys(("sh", "toml", "map", "rb", "dict"), "shell"),
             **dict.fromkeys(("mustache", "html", "yaml", "service"), "text"),
             **{suffix: suffix for suffix in ("md", *LEXERS)}}


def language(path, text):
    """Returns the key in `LEXERS` for a file, "md", "text" for other text with prose in it, or None.

    The extension decides. Without a known one, the first line does.
    """
    suffix = path.rpartition("/")[2].rpartition(".")[2] if "." in path.rpartition("/")[2] else ""
    scripts = "python" if re.match(r"#!.*python", text) else "shell" if text.startswith("#") else None
    return LANGUAGES.get(suffix, scripts)
