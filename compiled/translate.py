"""Compiles modules in the current folder: `python -P translate.py PACKAGE LEVEL MODULE...`. `build` runs it.

Each module becomes a file beside its source, and all share one library, `PACKAGE__mypyc`. LEVEL is the C compiler's
level of optimisation.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

from mypyc.build import mypycify
from setuptools import setup  # type: ignore[import-untyped]  # it has no types
from setuptools._distutils.compilers.C.base import Compiler

_compile_in_turn = Compiler.compile


def compile_at_once(compiler: Compiler, sources: list[str], **settings: Any) -> list[str]:
    """Compile C files on all cores. setuptools would compile those of a library one after the other."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(chain.from_iterable(pool.map(lambda each: _compile_in_turn(compiler, [each], **settings), sources)))


if __name__ == "__main__":
    package, level, *modules = sys.argv[1:]
    sys.argv[1:] = ["--quiet", "build_ext", "--inplace"]
    extensions = mypycify(
        ["--config-file=mypy.ini", *modules],
        multi_file=True,
        group_name=package,
        opt_level=level,
        debug_level="0",
    )
    setattr(Compiler, "compile", compile_at_once)  # noqa: B010  mypy refuses the plain assignment to a method
    setup(name=package, ext_modules=extensions)
