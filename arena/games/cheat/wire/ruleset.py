"""Converts the options of a Cheat ruleset to a message and back (CheatRuleset in cheat.proto)."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

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


class _Choices(NamedTuple):
    """The choices of an option, and how their names on the wire are made."""

    kind: type[Enum]
    message: Any
    """The enum of the protocol."""
    prefix: str
    names: Mapping[Enum, str] = {}
    """The wire names that differ from a choice's own name."""

    def number_of(self, choice: Enum) -> Any:
        """Return the wire number of a choice."""
        return self.message.Value(f"CHEAT_{self.prefix}_{self.names.get(choice, choice.name)}")


_CHOICES = (
    _Choices(CheckMode, cheat_pb2.CheatCheck, "CHECK"),
    _Choices(CountStep, cheat_pb2.CheatCount, "COUNT"),
    _Choices(RankStart, cheat_pb2.CheatRankStart, "RANK_START", {RankStart.ACE: "A", RankStart.KING: "K"}),
    _Choices(RankStep, cheat_pb2.CheatRankNext, "RANK_NEXT"),
    _Choices(Passing, cheat_pb2.CheatPassing, "PASSING"),
    _Choices(ExhaustedLeader, cheat_pb2.CheatExhaustedLeader, "EXHAUSTED_LEADER"),
    _Choices(FirstMover, cheat_pb2.CheatFirstMover, "FIRST_MOVER"),
    _Choices(DealMode, cheat_pb2.CheatDeal, "DEAL"),
    _Choices(ExtraCards, cheat_pb2.CheatExtraCards, "EXTRA_CARDS"),
    _Choices(RankMode, cheat_pb2.CheatRankMode, "RANK_MODE"),
    _Choices(CallMode, cheat_pb2.CheatCallMode, "CALL_MODE"),
    _Choices(CallerPriority, cheat_pb2.CheatCallerPriority, "CALLER_PRIORITY"),
    _Choices(AfterCall, cheat_pb2.CheatAfterCall, "AFTER_CALL"),
    _Choices(Objective, cheat_pb2.CheatObjective, "OBJECTIVE"),
)
_ENUM_NUMBERS: Mapping[Enum, Any] = {
    choice: choices.number_of(choice) for choices in _CHOICES for choice in choices.kind
}
_ENUM_WORDS: Mapping[str, Mapping[int, str]] = {
    choices.message.DESCRIPTOR.name: {choices.number_of(choice): choice.value for choice in choices.kind}
    for choices in _CHOICES
}
"""The plain value of each choice by its wire number, by name of the protocol's enum."""
_UNSET_NUMBERS = ("decks", "max_count")
"""Options whose number is 0 on the wire if it is not set."""


def put_ruleset(message: ruleset_pb2.Ruleset, rules: Ruleset) -> None:
    """Set all options of a ruleset."""
    message.cheat.CopyFrom(
        cheat_pb2.CheatRuleset(
            decks=rules.decks or 0,
            jokers_per_deck=rules.jokers_per_deck,
            check=_ENUM_NUMBERS[rules.check],
            count=_enum_number_list(rules.count),
            rank_start=_enum_number_list(rules.rank_start),
            rank_next=_enum_number_list(rules.rank_next),
            passing=_ENUM_NUMBERS[rules.passing],
            exhausted_leader=_ENUM_NUMBERS[rules.exhausted_leader],
            max_turns=rules.max_turns,
            max_count=rules.max_count or 0,
            min_count=rules.min_count,
            first_mover=_ENUM_NUMBERS[rules.first_mover],
            deal=_ENUM_NUMBERS[rules.deal],
            extra_cards_to=_ENUM_NUMBERS[rules.extra_cards_to],
            rank_mode=_ENUM_NUMBERS[rules.rank_mode],
            call_mode=_ENUM_NUMBERS[rules.call_mode],
            any_caller=rules.any_caller,
            caller_priority=_ENUM_NUMBERS[rules.caller_priority],
            believe=rules.believe,
            banish_on_new_trick=rules.banish_on_new_trick,
            success_new_trick=rules.success_new_trick,
            failure_new_trick=rules.failure_new_trick,
            success_next=_ENUM_NUMBERS[rules.success_next],
            failure_next=_ENUM_NUMBERS[rules.failure_next],
            count_lies=rules.count_lies,
            sizes_visible=rules.sizes_visible,
            opening_face_up=rules.opening_face_up,
            honest_win=rules.honest_win,
            objective=_ENUM_NUMBERS[rules.objective],
            win_resets_trick=rules.win_resets_trick,
        )
    )


def _enum_number_list(choices: Iterable[Enum]) -> list[Any]:
    return [_ENUM_NUMBERS[choice] for choice in choices]


def read_options(message: ruleset_pb2.Ruleset) -> dict[str, object]:
    """Return the options in a message as plain values, which `build_ruleset` reads.

    The numbers of players are missing, because no message has them.
    Raises KeyError for a choice that this version does not know.
    """
    options = message.cheat
    return {field.name: _plain_value(field, getattr(options, field.name)) for field in options.DESCRIPTOR.fields}


def _plain_value(field: FieldDescriptor, value: Any) -> object:
    if field.enum_type is None:
        return NONE if field.name in _UNSET_NUMBERS and not value else value
    words = _ENUM_WORDS[field.enum_type.name]
    return words[value] if isinstance(value, int) else [words[number] for number in value]
