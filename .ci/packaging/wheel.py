"""The wheel for Python, which contains the C library of the archive and its documentation."""

import os
import shutil
import sys

import static_build

WORK = static_build.PACKAGE / ".build/static-wheel"


def write(output, library, date, instructions, notice):
    """Writes the wheel to OUTPUT for the library at this path. NOTICE is the copyright file of its components."""
    beside = static_build.fresh(WORK / "beside")
    (beside / "INSTALL.md").write_bytes(instructions)
    (beside / "NOTICE").write_bytes(notice)
    for former in output.glob("appreceipt-*.whl"):
        former.unlink()
    made = static_build.output_of(static_build.PACKAGE / "Sources/Python/wheel", library, WORK, beside,
                                  env={**os.environ, "SOURCE_DATE_EPOCH": str(date)}).splitlines()
    if len(made) != 1:
        sys.exit(f"expected one wheel, found {made}")
    shutil.copy(made[0], output)
