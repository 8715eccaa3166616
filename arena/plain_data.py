"""Values as plain data, which is what JSON holds, and back: the one codec for what is stored, hashed or published.

An object is a mapping by field, an enum its value, a tuple a list; sets are sorted; keys of mappings are texts, sorted.
"""

from collections.abc import Callable, Mapping
from functools import cache
from json import JSONEncoder
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

_LEAVES: Final = frozenset({int, str, float, bool, type(None)})
_CANONICAL: Final = JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=list)
"""Only bytes are left to its default."""


def to_plain(value: object, write_bytes: Callable[[bytes], object] = list) -> Any:
    """Return a value as plain data; bytes, such as cards, are lists of numbers unless `write_bytes` is given.

    Raises TypeError for a value that has no plain form.
    """
    plain = _to_builtins(value)
    return plain if type(plain) in _LEAVES else _to_lists(plain, write_bytes)


def canonical_json(value: object) -> bytes:
    """Return a value as bytes that are the same on every machine: JSON with sorted keys and no spaces, in UTF-8.

    Hashes depend on them. `json` writes them, since msgspec writes numbers with exponents in another way.
    """
    return _CANONICAL.encode(_to_builtins(value)).encode()


def from_plain(plain: object, kind: type[T], read_bytes: Callable[[str], bytes] | None = None) -> T:
    """Return plain data as a value of this kind: fields that have a default may be missing, unknown ones are ignored.

    Bytes have to be bytes already, or texts for `read_bytes`. Raises ValueError for data of another kind.
    """
    if read_bytes is not None:
        plain = _with_bytes(plain, _type_info(kind), read_bytes)  # type: ignore[arg-type]  # a class has a hash
    return msgspec.convert(plain, kind, builtin_types=(bytes,))


def to_finite_plain(value: object) -> Any:
    """Return a value as plain data in which None takes the place of numbers that JSON lacks; bytes are base 64."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=_to_known_kind))


def _to_builtins(value: object) -> Any:
    """Return a value as mappings, lists, tuples, numbers, texts and bytes."""
    return msgspec.to_builtins(
        value, builtin_types=(bytes,), str_keys=True, order="deterministic", enc_hook=_to_known_kind
    )


def _to_known_kind(value: object) -> object:
    """Convert what is not of the very kinds that are written: mappings of other classes and numbers of numpy."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a {type(value).__name__} has no plain form")


_type_info = cache(msgspec.inspect.type_info)


def _with_bytes(plain: object, kind: msgspec.inspect.Type, read_bytes: Callable[[str], bytes]) -> object:
    """Return plain data with bytes where its kind has them; what is not of its kind stays, to be refused."""
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
    """Return builtins with lists for tuples, and with bytes written; mappings are our own and change in place."""
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
