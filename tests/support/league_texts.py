"""A league's view in which every text was written by somebody who means harm."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any


def poisoned(value: Any, poison: str) -> Any:
    """The same value with a text before every text in it, names and keys too."""
    if isinstance(value, str):
        return poison + value
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: poisoned(getattr(value, each.name), poison) for each in fields(value)})
    if isinstance(value, Mapping):
        return {poisoned(key, poison): poisoned(item, poison) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(poisoned(item, poison) for item in value)
    return value
