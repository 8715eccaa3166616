"""Turns the protobuf messages of facts into the typed values that tables apply, and that a bot's `saw` gets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields
from types import ModuleType
from typing import Any, ClassVar, get_type_hints

from google.protobuf.message import Message

FactValueReader = Callable[[Any], Any]
"""Returns the typed value of a message, or of one field of a message."""


class Fact:
    """Something that happened in a game.

    The values and their fields have the names of the protobuf messages in `cheatarena.v1`. Bots that were written for
    these messages keep working: ``isinstance`` accepts the class of the message as well, and `HasField` works.
    """

    __slots__ = ()

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every fact is a dataclass

    message: ClassVar[type]
    """Class of the protobuf message; set when the reader of the game's facts is built."""

    # `isinstance` asks this property. Type checkers know only the attribute that objects have otherwise.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self.message

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        kind = type(self)
        return kind, tuple(getattr(self, field.name) for field in fields(kind))

    def HasField(self, name: str) -> bool:  # noqa: N802  the name of the method of messages
        """Return whether a field is set, as in a protobuf message. New bots compare the field with None."""
        value = getattr(self, name)
        return value is not None and not getattr(value, "is_hidden", False)


def build_value_reader(
    kinds: Iterable[type[Fact]], messages: ModuleType, converters: Mapping[Any, FactValueReader]
) -> FactValueReader:
    """Return the reader of a game's facts. It returns a message that is none of `kinds` unchanged.

    ``converters`` has a function for each annotated type that is not a plain number. An annotation ``X | None`` gives
    None if the field is not set. If a field contains a message, its function gets None if the message is not set.
    """
    readers: dict[type, FactValueReader] = {}
    for kind in kinds:
        kind.message = message = getattr(messages, kind.__name__)
        readers[message] = _build_reader(kind, converters)

    def read(message: Any) -> Any:
        reader = readers.get(type(message))
        return message if reader is None else reader(message)

    return read


def _build_reader(kind: type[Fact], converters: Mapping[Any, FactValueReader]) -> FactValueReader:
    hints = get_type_hints(kind)
    parts = tuple(_field_reader(kind, field.name, hints[field.name], converters) for field in fields(kind))
    return lambda message: kind(*[part(message) for part in parts])


def _field_reader(kind: type[Fact], name: str, hint: Any, converters: Mapping[Any, FactValueReader]) -> FactValueReader:
    plain = [each for each in getattr(hint, "__args__", ()) if each is not type(None)]
    is_optional = hint not in converters and len(plain) < len(getattr(hint, "__args__", ()))
    convert = converters.get(plain[0] if is_optional else hint)
    if is_optional:
        return lambda message: _convert(getattr(message, name), convert) if message.HasField(name) else None
    if convert is None:
        return lambda message: getattr(message, name)
    if _is_message(kind, name):
        return lambda message: convert(getattr(message, name) if message.HasField(name) else None)
    return lambda message: convert(getattr(message, name))


def _is_message(kind: type[Fact], name: str) -> bool:
    """Return whether a field contains one message."""
    return isinstance(getattr(kind.message(), name), Message)


def _convert(value: Any, convert: FactValueReader | None) -> Any:
    return value if convert is None else convert(value)
