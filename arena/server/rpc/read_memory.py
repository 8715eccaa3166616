"""Lets the memory of large reads go back to the system.

gRPC reads what a client sends into blocks of 8 or 64 KB, in many threads. The C library of GNU gives threads heaps of
their own, and a block that lives longer keeps all below it. So a client that only sends bytes that no call needs would
make the server grow by gigabytes. A block that is mapped by itself goes back as soon as it is free, and the others are
used again if all threads share one heap.
"""

import ctypes
import sys
from contextlib import suppress
from typing import Final

_MAPPED_BYTES: Final = 64 * 1024
"""Blocks from this size on are mapped by themselves."""
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # parameters of mallopt(3), in malloc.h


def return_read_memory() -> None:
    """Map large blocks by themselves, and keep the others in one heap. Other C libraries have no such parameters."""
    if sys.platform != "linux":
        return
    with suppress(AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        libc.mallopt(_M_ARENA_MAX, 1)
