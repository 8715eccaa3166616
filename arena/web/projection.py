"""Makes the values that pages publish from those of the store."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

View = TypeVar("View", bound="DataclassInstance")


def project(source: object, kind: type[View], **given: Any) -> View:
    """Return a value for a page: the fields that are given, and all others of `kind` from the source.

    So `kind` alone says what is published. Raises AttributeError if the source lacks one of these fields.
    """
    taken = {each.name: getattr(source, each.name) for each in fields(kind) if each.name not in given}
    return kind(**taken, **given)
