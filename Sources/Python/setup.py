"""The wheel holds the library that APPRECEIPT_LIBRARY names. It has the version of the whole package, and fits any Python."""

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
        # Not its mode, which is of whoever built it.
        shutil.copyfile(os.environ["APPRECEIPT_LIBRARY"], pathlib.Path(self.build_lib) / "appreceipt/libappreceipt.so")


class AnyPython(bdist_wheel):
    """It is called through ctypes: of the platform it is, of no version of Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=VERSION, distclass=Binary, cmdclass={"build_py": WithLibrary, "bdist_wheel": AnyPython})
