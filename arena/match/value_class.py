"""The decorator for value classes: dataclasses that are never changed after construction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(*, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:  # noqa: A002  as in `dataclass`
    """Make a class a value: instances are compared and hashed by their fields. To the type checker, they are frozen.

    Instances are not frozen at run time. Freezing would make construction seven times slower, and the rules
    construct many values for each decision. Only `__init__` is compiled for each class: compiling the
    rest, as `dataclass` does, takes half the time of importing a module of values, and a process imports hundreds.
    """

    def decorate(kind: type[T]) -> type[T]:
        made = dataclass(slots=True, eq=False, repr=False)(kind)
        added = [*_comparison(made)] * eq + [_shower(made)] * repr
        for method in added:
            if method.__name__ not in vars(kind):
                setattr(made, method.__name__, method)
        return made

    return decorate


def _comparison(kind: type) -> tuple[Callable[..., Any], ...]:
    """Return `__eq__` and `__hash__` that behave like those of `dataclass`."""
    compared = _reader([each.name for each in fields(kind) if each.compare])
    hashed = _reader([each.name for each in fields(kind) if (each.compare if each.hash is None else each.hash)])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807  a method of `kind`
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807  as above
        return hash(hashed(self))

    return __eq__, __hash__


def _reader(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that reads these attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)  # `attrgetter` would return one value alone


def _shower(kind: type) -> Callable[..., str]:
    """Return a `__repr__` that behaves like that of `dataclass`."""
    shown = [each.name for each in fields(kind) if each.repr]

    @recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807  a method of `kind`
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__
