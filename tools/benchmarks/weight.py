"""Measures memory: of a process as the system reports it, and of objects by a walk over their references."""

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.match.feed.gate import Gate
from arena.match.feed.outbox import Outbox

_STATM = Path("/proc/self/statm")
_ELSEWHERE = (type, ModuleType, Gate, Outbox)
"""Types at which a walk ends, because every object can be reached from them."""


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes; 0 if the system does not report it."""
    if not _STATM.exists():
        return 0
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def own_bytes(roots: Iterable[Any], kind: type | tuple[type, ...] = object) -> int:
    """Return the bytes of all objects of a kind that can be reached from exactly one of the roots."""
    sizes: dict[int, int] = {}
    holders: Counter[int] = Counter()
    for root in roots:
        reached = _reachable_objects(root)
        holders.update(reached.keys())
        sizes |= {number: sys.getsizeof(each) for number, each in reached.items() if isinstance(each, kind)}
    return sum(size for number, size in sizes.items() if holders[number] == 1)


def _reachable_objects(root: Any) -> dict[int, Any]:
    """Return an object and all objects that can be reached from it, by id."""
    reached: dict[int, Any] = {}
    todo = [root]
    while todo:
        each = todo.pop()
        if id(each) not in reached and not isinstance(each, _ELSEWHERE) and not hasattr(each, "__code__"):
            reached[id(each)] = each
            todo += gc.get_referents(each)
    return reached
