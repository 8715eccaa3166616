"""Ends a program that runs under a Python too old for this package. Every Python since 2.7 can read this module.

`cheatarena` imports it first. pip refuses such a Python, but it does not see a folder that was copied.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  somebody may have copied the package
    sys.stderr.write(
        "cheatarena needs Python 3.11 or newer, and %s is Python %d.%d: start the program with a newer one\n"  # noqa: UP031  read by old Pythons
        % ((sys.executable or "this",) + sys.version_info[:2])  # noqa: RUF005  read by old Pythons
    )
    sys.exit(64)
