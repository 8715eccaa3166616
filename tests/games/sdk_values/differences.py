"""Turns values into plain data with the types in it, so that two values are equal only if all their parts are."""

import random
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from cheatarena.cheat.knowledge import Knowledge


def comparable(value: Any) -> Any:
    """Return a value that equals that of another value if both have the same type and the same parts."""
    kind = type(value)
    name = kind.__name__
    if value is None or isinstance(value, bool | float | str | bytes | range | Enum):
        return name, value
    if isinstance(value, int):
        return name, int(value)
    if isinstance(value, random.Random):
        return name, value.getstate()
    if isinstance(value, Mapping):
        return name, sorted((comparable(key), comparable(each)) for key, each in value.items())
    if isinstance(value, AbstractSet):
        return name, sorted(map(comparable, value))
    if isinstance(value, tuple | list):
        return name, getattr(value, "is_hidden", False), [comparable(each) for each in value]
    if isinstance(value, Knowledge):
        _ = value.elsewhere  # applies what is queued
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else _attribute_names(value)
    assert names or is_dataclass(kind), f"{name} has nothing to compare"
    return name, {each: comparable(getattr(value, each)) for each in names}


def _attribute_names(value: Any) -> list[str]:
    lists = ("__slots__", "__mypyc_attrs__")  # of a class in Python, and of a compiled one
    slots = [each for kind in type(value).__mro__ for name in lists for each in getattr(kind, name, ())]
    return sorted({*slots, *getattr(value, "__dict__", ())} - {"_listed"})  # a cache
