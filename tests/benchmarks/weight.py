"""How much memory something takes: as the system counts it for a process, and as a walk over objects finds it."""

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.feed.gate import Gate
from arena.feed.outbox import Outbox

_STATM = Path("/proc/self/statm")
_ELSEWHERE = (type, ModuleType, Gate, Outbox)
"""Where a walk ends: from code, the node's gate and the outboxes of sessions everything can be reached."""


def resident_bytes() -> int:
    """Memory of this process that is really there; 0 where the system does not say."""
    if not _STATM.exists():
        return 0
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def own_bytes(roots: Iterable[Any], kind: type | tuple[type, ...] = object) -> int:
    """Bytes of all of a kind that can be reached from one of the roots alone: what several share belongs to none."""
    sizes: dict[int, int] = {}
    holders: Counter[int] = Counter()
    for root in roots:
        reached = _reachable_objects(root)
        holders.update(reached.keys())
        sizes |= {number: sys.getsizeof(each) for number, each in reached.items() if isinstance(each, kind)}
    return sum(size for number, size in sizes.items() if holders[number] == 1)


def _reachable_objects(root: Any) -> dict[int, Any]:
    """All objects that an object holds, by id."""
    reached: dict[int, Any] = {}
    todo = [root]
    while todo:
        each = todo.pop()
        if id(each) not in reached and not isinstance(each, _ELSEWHERE) and not hasattr(each, "__code__"):
            reached[id(each)] = each
            todo += gc.get_referents(each)
    return reached
