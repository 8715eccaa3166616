"""Values: dataclasses that nobody changes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value_class(*, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:  # noqa: A002  as in `dataclass`
    """Make a class a value: equal and hashed by its fields, and frozen for the type checker.

    Not frozen at run time: that would make it seven times as dear to make one, and a decision makes many.
    """
    return dataclass(slots=True, eq=eq, repr=repr, unsafe_hash=eq)
