"""Manual pages of the C library, from the documentation in its headers and an example program for each function."""

import datetime
import re
import textwrap

from static_build import PACKAGE

HEADERS = [PACKAGE / "Sources/CAppReceipt" / name for name in ("appreceipt.h", "appreceipt_batch.h")]
EXAMPLES = PACKAGE / "Sources/Release/examples"
LIBRARY = "libappreceipt"
COMMENT = re.compile(r"/\*\* (.*?)\*/\n(.*?[;{])", re.DOTALL)


def unwrapped(comment):
    """Returns a comment's text without the stars."""
    return re.sub(r"^ \* ?", "", comment, flags=re.MULTILINE).strip()


def escaped(text, begins=True):
    """Escapes text so that roff prints it unchanged in any locale. If `begins` is true, a dot
    at the start of a line is not a request."""
    names = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", '"': r"\(dq", "^": r"\(ha", "~": r"\(ti", "…": "..."}
    text = text.translate(str.maketrans(names))
    return "\n".join(re.sub(r"^(?=\.)", r"\\&", line) for line in text.split("\n")) if begins else text


def literal(text):
    return f".Bd -literal -offset indent\n{escaped(textwrap.dedent(text))}\n.Ed"


def running(text):
    """Returns text as roff, with the line breaks of the header."""
    pieces = re.split(r"`([^`]*)`", text)
    return escaped("".join(piece if number % 2 == 0 else f"\0{piece}\1" for number, piece in enumerate(pieces))) \
        .replace("\0", r"\fB").replace("\1", r"\fR")


def described(text):
    """Returns paragraphs as roff. Indented lines remain unchanged."""
    done = []
    for paragraph in text.split("\n\n"):
        parts = re.split(r"((?:^ +.*\n?)+)", paragraph, flags=re.MULTILINE)
        done.append("\n".join(literal(part.rstrip("\n")) + "\n.Pp" if part.startswith(" ") else running(part.strip())
                              for part in parts if part.strip()))
    return "\n.Pp\n".join(done)


def codes(header):
    """Returns the list of result codes from the header."""
    body = re.search(r"^enum appreceipt_code \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)[1]
    rows = re.findall(r"/\*\* (.*?) \*/\s*(APPRECEIPT_\w+) = (\d)", body, re.DOTALL)
    return ".Bl -tag -width Ds\n" + "\n".join(
        f".It Dv {name} Pq {number}\n{running(' '.join(text.split()))}" for text, name, number in rows) + "\n.El"


def page(name, day, what, sections):
    text = f".Dd {day:%B} {day.day}, {day:%Y}\n.Dt {name.upper()} 3\n.Os appreceipt\n.Sh NAME\n.Nm {name}\n.Nd {what}\n"
    return text + "".join(f".Sh {title}\n{body}\n" for title, body in sections)


def synopsis(header, prototype):
    """Returns the name and the synopsis of a prototype: result, name and arguments."""
    returned, name, arguments = re.fullmatch(r"(.*?)(appreceipt_\w+)\((.*)\);", " ".join(prototype.split())).groups()
    called = [] if arguments == "void" else arguments.split(", ")
    lines = [f".Ft {returned.strip()}", f".Fo {name}", *(f'.Fa "{each}"' for each in called or ["void"]), ".Fc"]
    return name, "\n".join([f".In {header}", *lines])


def linked():
    return f"{LIBRARY}\n.Pq \\-lappreceipt"


def others(names, name):
    return " ,\n".join(f".Xr {each} {section}" for each, section in
                       sorted([*((each, 3) for each in names if each != name), ("appreceipt", 1)]))


def pages(date):
    """Returns {file name: page}, one for each function and one for the library."""
    day = datetime.datetime.fromtimestamp(date, datetime.timezone.utc)
    header = HEADERS[0].read_text()
    functions = [(unwrapped(comment), *synopsis(path.name, declared)) for path in HEADERS
                 for comment, declared in COMMENT.findall(path.read_text()) if declared.endswith(");")]
    names = [LIBRARY, *(name for _, name, _ in functions)]
    overview = unwrapped(" * " + re.match(r"/\* (.*?)\*/", header, re.DOTALL)[1])
    done = {f"{LIBRARY}.3": page(LIBRARY, day, "verifies what Apple signs, offline", [
        ("LIBRARY", linked()), ("SYNOPSIS", ".In appreceipt.h"), ("DESCRIPTION", described(overview)),
        ("RETURN VALUES", codes(header)), ("SEE ALSO", others(names, LIBRARY))])}
    for comment, name, declared in functions:
        text, *tags = re.split(r"^@", comment, flags=re.MULTILINE)
        said = [" ".join(tag.split()).split(" ", 2 if tag.startswith("param") else 1) for tag in tags]
        arguments = [(each[1], each[2]) for each in said if each[0] == "param"]
        returned = [each[1] for each in said if each[0] == "return"]
        first = re.match(r"(.*?)[.,:](?:\s|$)", " ".join(text.replace("`", "").split()))[1]
        sections = [("LIBRARY", linked()), ("SYNOPSIS", declared), ("DESCRIPTION", described(text.strip()))]
        if arguments:
            sections[-1] = ("DESCRIPTION", sections[-1][1] + "\n.Bl -tag -width Ds\n" + "\n".join(
                f".It Fa {argument}\n{running(meaning)}" for argument, meaning in arguments) + "\n.El")
        if returned:
            sections.append(("RETURN VALUES", running(returned[0]) + "\n" + codes(header)))
        example = (EXAMPLES / f"{name}.c").read_text().rstrip("\n")
        sections += [("EXAMPLES", literal(example)), ("SEE ALSO", others(names, name))]
        done[f"{name}.3"] = page(name, day, escaped(first[0].lower() + first[1:], begins=False), sections)
    return done


if __name__ == "__main__":
    import pathlib
    import sys

    for file_name, text in pages(int(sys.argv[2])).items():
        pathlib.Path(sys.argv[1], file_name).write_text(text)
