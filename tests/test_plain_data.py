"""The codec: how each kind of value is converted, and which values are refused."""

import json
import re
from dataclasses import dataclass, field
from enum import Enum
from math import inf, nan
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.plain_data import canonical_json, from_plain, to_finite_plain, to_plain


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    colour: Colour
    raw: bytes = b""


@dataclass(frozen=True, slots=True)
class Whole:
    name: str
    parts: tuple[Part, ...] = ()
    counts: MappingProxyType[str, int] = field(default_factory=lambda: MappingProxyType({}))
    seen: frozenset[int] = frozenset()


WHOLE = Whole("a", (Part(Colour.RED, b"\x01\xff"),), MappingProxyType({"z": 1, "b": 2}), frozenset({3, 1}))


def test_object_is_converted_field_by_field():
    plain = {"name": "a", "parts": [{"colour": "red", "raw": [1, 255]}], "counts": {"b": 2, "z": 1}, "seen": [1, 3]}

    assert to_plain(WHOLE) == plain


def test_bytes_are_written_as_the_caller_chooses():
    assert to_plain([WHOLE.parts, (1, b"\x02")], bytes.hex) == [[{"colour": "red", "raw": "01ff"}], [1, "02"]]
    assert to_plain(b"\x02", bytes.hex) == "02"


def test_given_values_are_not_modified():
    given: dict[str, Any] = {"a": (b"\x01", [b"\x02"]), "b": {"c": (1,)}}

    to_plain(given)

    assert given == {"a": (b"\x01", [b"\x02"]), "b": {"c": (1,)}}


def test_written_values_are_read_back():
    """Fields with a default may be missing; unknown fields are not read."""
    assert from_plain({"colour": "red", "raw": b"\x01", "more": 1}, Part) == Part(Colour.RED, b"\x01")
    assert from_plain([{"colour": "red"}], tuple[Part, ...]) == (Part(Colour.RED),)


@pytest.mark.parametrize(
    ("plain", "why"),
    [
        ({}, "missing required field `colour`"),
        ({"colour": "blue"}, "Invalid enum value 'blue' - at `$.colour`"),
        ({"colour": "red", "raw": 3}, "Expected `bytes`, got `int` - at `$.raw`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_value_of_wrong_type_is_refused(plain, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        from_plain(plain, Part)


def test_value_without_plain_form_is_refused():
    with pytest.raises(TypeError, match="a complex has no plain form"):
        to_plain([1j])


def test_numbers_that_json_lacks_become_none():
    assert to_finite_plain((inf, {1: nan}, np.float64(0.5), -0.0, 1e22)) == [None, {"1": None}, 0.5, 0.0, 1e22]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@pytest.mark.slow
@given(PLAIN)
def test_canonical_json_of_plain_data_equals_standard_library_output(value):
    """The verifiers have only the standard library, and must read and hash the same bytes."""
    assert (
        canonical_json(value) == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    )


def test_canonical_json_of_objects_equals_that_of_their_plain_data():
    assert canonical_json([1, WHOLE]) == canonical_json(to_plain([1, WHOLE]))


def test_bytes_are_read_where_the_type_has_them():
    """A text in a field of bytes is decoded, all other texts stay; values that cannot be decoded are refused."""
    plain = [{"colour": "red", "raw": "01ff"}]

    assert from_plain(plain, tuple[Part, ...], bytes.fromhex) == (Part(Colour.RED, b"\x01\xff"),)
    with pytest.raises(ValueError, match="non-hexadecimal"):
        from_plain([{"colour": "red", "raw": "zz"}], tuple[Part, ...], bytes.fromhex)
    with pytest.raises(ValueError, match=re.escape("Expected `bytes`, got `int` - at `$[0].raw`")):
        from_plain([{"colour": "red", "raw": 1}], tuple[Part, ...], bytes.fromhex)
