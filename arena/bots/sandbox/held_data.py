"""Keeps data in memory behind a descriptor, for a program that reads it once."""

import os


def hold_data(data: bytes) -> int:
    """Return a descriptor from which data can be read once. The caller closes it."""
    descriptor = os.memfd_create("box")
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
