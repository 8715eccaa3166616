"""Values of a report in which every text is hostile."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from arena.replays.analytics.bot_figures import Ratio


def poison_texts(value: Any, poison: str) -> Any:
    """Return a value with ``poison`` put before every text in it, including names and keys."""
    if isinstance(value, str):
        return poison + value
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: poison_texts(getattr(value, each.name), poison) for each in fields(value)})
    if isinstance(value, Mapping):
        return {poison_texts(key, poison): poison_texts(item, poison) for key, item in value.items()}
    if isinstance(value, Ratio):
        return value
    if isinstance(value, tuple | list | frozenset):
        return type(value)(poison_texts(item, poison) for item in value)
    return value
