"""A value class behaves as the dataclass that it stands for."""

import copy
import dataclasses
import pickle
from dataclasses import dataclass, field

import pytest

from arena.match.value_class import value_class


@value_class()
class Value:
    """A value of every kind of field."""

    number: int
    name: str = "x"
    tags: dict[str, int] = field(default_factory=dict, hash=False)
    note: str = field(default="", compare=False)
    secret: str = field(default="s", repr=False)


@dataclass(slots=True, unsafe_hash=True)
class Plain:
    """What `value_class` stands for."""

    number: int
    name: str = "x"
    tags: dict[str, int] = field(default_factory=dict, hash=False)
    note: str = field(default="", compare=False)
    secret: str = field(default="s", repr=False)


@value_class()
class Single:
    """One field."""

    number: int


@value_class()
class Empty:
    """No field."""


@value_class()
class Own:
    """It compares, hashes and shows itself."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.name.lower() == self.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())

    def __repr__(self) -> str:
        return self.name


@value_class(eq=False, repr=False)
class Identity:
    """Each instance is another one."""

    number: int


CHANGES = [
    {},
    {"number": 2},
    {"name": "y"},
    {"tags": {"a": 1}},
    {"note": "seen"},
    {"secret": "t"},
]


@pytest.mark.parametrize("first", CHANGES, ids=str)
@pytest.mark.parametrize("second", CHANGES, ids=str)
def test_values_are_compared_hashed_and_shown_as_dataclasses(first, second):
    values, plain = ([kind(**{"number": 1, **changes}) for changes in (first, second)] for kind in (Value, Plain))

    assert (values[0] == values[1]) == (plain[0] == plain[1])
    assert [hash(each) for each in values] == [hash(each) for each in plain]
    assert [repr(each) for each in values] == [repr(each).replace("Plain", "Value") for each in plain]


def test_one_field_and_none_are_compared_as_many():
    assert Single(3) == Single(3) != Single(4)
    assert hash(Single(3)) == hash((3,))
    assert Empty() == Empty()
    assert hash(Empty()) == hash(())
    assert (repr(Single(3)), repr(Empty())) == ("Single(number=3)", "Empty()")


def test_value_equals_no_value_of_another_class():
    others: list[object] = [Plain(1), 1, (1, "x", {}), Single(1)]
    assert Value(1) not in others
    assert Empty() not in others


def test_own_methods_stay():
    assert Own("Ann") == Own("ann")
    assert len({Own("Ann"), Own("ann")}) == 1
    assert repr(Own("Ann")) == "Ann"


def test_without_eq_and_repr_an_instance_is_itself():
    one = Identity(1)

    assert one != Identity(1)
    assert hash(one) == object.__hash__(one)
    assert "object at" in repr(one)


def test_values_are_copied_replaced_matched_and_pickled():
    value = Value(1, tags={"a": 2})

    assert copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == dataclasses.replace(value) == value
    assert dataclasses.replace(value, number=2) == Value(2, tags={"a": 2})
    assert dataclasses.asdict(value)["tags"] == {"a": 2}
    assert Value.__match_args__ == Plain.__match_args__
    with pytest.raises(AttributeError):
        value.other = 1  # type: ignore[attr-defined]  # it has slots
