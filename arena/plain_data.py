"""Converts values to plain data and back. Plain data is data that JSON can represent.

Everything that is stored, hashed or published is converted here:

    object         becomes a mapping by field name
    enum           becomes its value
    tuple          becomes a list
    set            becomes a sorted list
    mapping        keeps its values; its keys become texts and are sorted
"""

from collections.abc import Callable, Mapping
from functools import cache
from json import JSONEncoder
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_LEAVES: Final = frozenset({int, str, float, bool, type(None)})
_CANONICAL: Final = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=list)
"""Its `default` is called only for bytes: `_to_builtins` has converted everything else that JSON lacks."""


def to_plain(value: object, write_bytes: Callable[[bytes], object] = list) -> Any:
    """Return a value as plain data. Bytes, such as cards, become lists of numbers unless `write_bytes` converts them.

    Raises TypeError for a value that has no plain form.
    """
    plain = _to_builtins(value)
    return plain if type(plain) in _LEAVES else _to_lists(plain, write_bytes)


def canonical_json(value: object) -> bytes:
    """Return a value as bytes that are the same on every machine: JSON with sorted keys and no spaces, in UTF-8.

    Hashes depend on these bytes. They are written by Python's `json`, because msgspec writes exponents in another way.
    """
    return _CANONICAL.encode(_to_builtins(value)).encode()


def from_plain(plain: object, kind: type[T], read_bytes: Callable[[str], bytes] | None = None) -> T:
    """Return plain data as a value of this kind. Fields with a default may be missing; unknown fields are ignored.

    `read_bytes` converts each text that stands for bytes; without it, the data must contain bytes in these places.
    Raises ValueError for data of another kind.
    """
    if read_bytes is not None:
        plain = _with_bytes(plain, _type_info(kind), read_bytes)  # type: ignore[arg-type]  # a class has a hash
    return msgspec.convert(plain, kind, builtin_types=(bytes,))


def take_fields(value: object, *names: str) -> dict[str, Any]:
    """Return the named attributes of a value, in this order."""
    return {name: getattr(value, name) for name in names}


def to_finite_plain(value: object) -> Any:
    """Return a value as plain data, with bytes in base 64. NaN and infinity become None, since JSON lacks them."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=_to_known_kind))


def _to_builtins(value: object) -> Any:
    """Return a value as mappings, lists, tuples, numbers, texts and bytes."""
    return msgspec.to_builtins(
        value, builtin_types=(bytes,), str_keys=True, order="deterministic", enc_hook=_to_known_kind
    )


def _to_known_kind(value: object) -> object:
    """Convert a value that msgspec cannot write: a mapping that is no dict, or a float of numpy. Raises TypeError."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a {type(value).__name__} has no plain form")


_type_info = cache(msgspec.inspect.type_info)


def _with_bytes(plain: object, kind: msgspec.inspect.Type, read_bytes: Callable[[str], bytes]) -> object:
    """Return plain data with bytes in place of each text that its kind declares as bytes.

    Data of another kind is left as it is; the conversion that follows refuses it.
    """
    match kind, plain:
        case msgspec.inspect.BytesType(), str():
            return read_bytes(plain)
        case msgspec.inspect.VarTupleType(item_type=item_kind), list() | tuple():
            return [_with_bytes(item, item_kind, read_bytes) for item in plain]
        case msgspec.inspect.DataclassType(fields=fields), Mapping():
            kinds = {each.name: each.type for each in fields}
            return {name: _with_bytes(item, kinds[name], read_bytes) for name, item in plain.items() if name in kinds}
        case _:
            return plain


def _to_lists(plain: Any, write_bytes: Callable[[bytes], object]) -> Any:
    """Return builtins with lists in place of tuples, and with bytes converted by `write_bytes`.

    Mappings are changed in place: `_to_builtins` has just made them.
    """
    if type(plain) is dict:
        for name, item in plain.items():
            if type(item) not in _LEAVES:
                plain[name] = _to_lists(item, write_bytes)
        return plain
    if type(plain) is bytes:
        return write_bytes(plain)
    if all(type(item) in _LEAVES for item in plain):
        return list(plain)
    return [item if type(item) in _LEAVES else _to_lists(item, write_bytes) for item in plain]
