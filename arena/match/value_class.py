"""The decorator for value classes: dataclasses that are never changed after construction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value_class(*, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:  # noqa: A002  as in `dataclass`
    """Make a class a value: instances are compared and hashed by their fields. To the type checker, they are frozen.

    Instances are not frozen at run time. Freezing would make construction seven times slower, and the rules
    construct many values for each decision.
    """
    return dataclass(slots=True, eq=eq, repr=repr, unsafe_hash=eq)
