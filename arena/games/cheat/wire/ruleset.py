"""Converts the options of a Cheat ruleset to a message and back (CheatRuleset in cheat.proto)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from arena.games.cheat.rules.option_readers import NONE
from arena.games.cheat.rules.ruleset import (
    AfterCall,
    CallerPriority,
    CallMode,
    CheckMode,
    CountStep,
    DealMode,
    ExhaustedLeader,
    ExtraCards,
    FirstMover,
    Objective,
    Passing,
    RankMode,
    RankStart,
    RankStep,
    Ruleset,
)
from cheatarena.v1 import cheat_pb2, ruleset_pb2

_ENUMS: tuple[tuple[type[Enum], Any], ...] = (
    (CheckMode, cheat_pb2.CheatCheck),
    (CountStep, cheat_pb2.CheatCount),
    (RankStart, cheat_pb2.CheatRankStart),
    (RankStep, cheat_pb2.CheatRankNext),
    (Passing, cheat_pb2.CheatPassing),
    (ExhaustedLeader, cheat_pb2.CheatExhaustedLeader),
    (FirstMover, cheat_pb2.CheatFirstMover),
    (DealMode, cheat_pb2.CheatDeal),
    (ExtraCards, cheat_pb2.CheatExtraCards),
    (RankMode, cheat_pb2.CheatRankMode),
    (CallMode, cheat_pb2.CheatCallMode),
    (CallerPriority, cheat_pb2.CheatCallerPriority),
    (AfterCall, cheat_pb2.CheatAfterCall),
    (Objective, cheat_pb2.CheatObjective),
)
"""The choices of the rules, and the enum of the protocol that has the same names after its prefix."""
_OTHER_NAMES: Mapping[Enum, str] = {RankStart.ACE: "A", RankStart.KING: "K"}
"""The names on the wire that differ from a choice's own name."""


def _number_of(choice: Enum, message: Any) -> int:
    prefix = message.DESCRIPTOR.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return int(message.Value(prefix + _OTHER_NAMES.get(choice, choice.name)))


_NUMBERS: Mapping[Enum, int] = {choice: _number_of(choice, message) for kind, message in _ENUMS for choice in kind}
_WORDS: Mapping[str, Mapping[int, str]] = {
    message.DESCRIPTOR.name: {_NUMBERS[choice]: choice.value for choice in kind} for kind, message in _ENUMS
}
"""The plain value of each choice by its number on the wire, by name of the protocol's enum."""
_FIELDS = cheat_pb2.CheatRuleset.DESCRIPTOR.fields
"""The options that are sent. They have the names of the fields of `Ruleset`."""
_UNSET_NUMBERS = ("decks", "max_count")
"""Options whose number is 0 on the wire if it is not set."""


def put_ruleset(message: ruleset_pb2.Ruleset, rules: Ruleset) -> None:
    options: dict[str, Any] = {field.name: _wire_value(getattr(rules, field.name)) for field in _FIELDS}
    message.cheat.CopyFrom(cheat_pb2.CheatRuleset(**options))


def _wire_value(value: object) -> object:
    if isinstance(value, tuple):
        return [_NUMBERS[choice] for choice in value]
    if isinstance(value, Enum):
        return _NUMBERS[value]
    return 0 if value is None else value


def read_options(message: ruleset_pb2.Ruleset) -> dict[str, object]:
    """Return the options in a message as plain values, which `build_ruleset` reads.

    The numbers of players are missing, because no message has them.
    Raises KeyError for a choice that this version does not know.
    """
    return {field.name: _plain_value(field, getattr(message.cheat, field.name)) for field in _FIELDS}


def _plain_value(field: FieldDescriptor, value: Any) -> object:
    if field.enum_type is None:
        return NONE if field.name in _UNSET_NUMBERS and not value else value
    words = _WORDS[field.enum_type.name]
    return words[value] if isinstance(value, int) else [words[number] for number in value]
