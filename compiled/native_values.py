"""Gives rewritten value classes what dataclasses have: for `fields`, `replace`, copies, pickles, matching and msgspec.

The compiled build copies this module to `arena/native_values.py`.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def register(kind: type, doc: str | None, fields: Sequence[tuple[str, Any, Mapping[str, Any]]]) -> None:
    """Give a class the attributes of a dataclass. A field is a name, an annotation and the options of its `field`."""
    specified = [(name, annotation, dataclasses.field(**options)) for name, annotation, options in fields]
    model = dataclasses.make_dataclass(kind.__name__, specified, init=False, repr=False, eq=False)
    for name in ("__dataclass_fields__", "__dataclass_params__", "__annotations__"):
        setattr(kind, name, getattr(model, name))
    kind.__doc__ = doc
    kind.__reduce__ = _reduce  # type: ignore[method-assign,assignment]  # for copies and pickles


def _reduce(value: Any) -> tuple[type, tuple[Any, ...]]:
    """Return how to make a copy of a value: mypyc makes no instance without the arguments of `__init__`."""
    return type(value), tuple(getattr(value, each.name) for each in dataclasses.fields(value))


def fields(kind: Any) -> tuple["dataclasses.Field[Any]", ...]:
    """Return the fields, as `dataclasses.fields` does."""
    return dataclasses.fields(kind)


def replace(value: T, /, **changes: Any) -> T:
    """Return a copy with some fields changed, as `dataclasses.replace` does."""
    changed: T = dataclasses.replace(value, **changes)  # type: ignore[type-var]  # `register` makes it one
    return changed


def asdict(value: Any) -> dict[str, Any]:
    """Return the fields as a mapping, as `dataclasses.asdict` does."""
    return dataclasses.asdict(value)
