"""Builds the wheel with the library in APPRECEIPT_LIBRARY. The wheel has the package's version and works with any
Python version.
"""

import os
import pathlib
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).parent
VERSION = re.search(r'packageVersion = "(.+)"', (HERE.parent / "AppReceipt/PackageVersion.swift").read_text())[1]


class WithLibrary(build_py):
    def run(self):
        super().run()
        # Copies the content without its mode, which depends on the builder.
        shutil.copyfile(os.environ["APPRECEIPT_LIBRARY"], pathlib.Path(self.build_lib) / "appreceipt/libappreceipt.so")


class AnyPython(bdist_wheel):
    """A wheel for one platform and any Python version, because the library is called through ctypes."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=VERSION, distclass=Binary, cmdclass={"build_py": WithLibrary, "bdist_wheel": AnyPython})
