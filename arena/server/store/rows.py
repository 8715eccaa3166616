"""Converts values to rows of the database, and back."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Row

from arena.errors import StoreDamagedError
from arena.plain_data import from_plain

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def columns_of(value: "DataclassInstance") -> dict[str, Any]:
    """Return a value's fields by column. The contents of the fields may be large and are not copied."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def value_from_row(row: Row[Any], kind: type[T]) -> T:
    """Return the value of a row; a NULL column gets the default of its field.

    Raises StoreDamagedError for a row that is not a value of this kind.
    """
    known = {str(name): item for name, item in row._asdict().items() if item is not None}
    try:
        return from_plain(known, kind)
    except ValueError as error:
        raise StoreDamagedError(f"the store has a {kind.__name__} that cannot be read: {error}") from error
