"""Converts the options of a Cheat ruleset to a message (CheatRuleset in cheat.proto)."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from arena.rules.cheat.ruleset import (
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


def _enum_numbers(
    choices: type[Enum], message: Any, prefix: str, names: Mapping[Enum, str] | None = None
) -> dict[Enum, Any]:
    """Return the wire number of each choice. `names` has the wire names that differ from the choice's own name."""
    return {choice: message.Value(f"CHEAT_{prefix}_{(names or {}).get(choice, choice.name)}") for choice in choices}


_ENUM_NUMBERS: Mapping[Enum, Any] = {
    **_enum_numbers(CheckMode, cheat_pb2.CheatCheck, "CHECK"),
    **_enum_numbers(CountStep, cheat_pb2.CheatCount, "COUNT"),
    **_enum_numbers(RankStart, cheat_pb2.CheatRankStart, "RANK_START", {RankStart.ACE: "A", RankStart.KING: "K"}),
    **_enum_numbers(RankStep, cheat_pb2.CheatRankNext, "RANK_NEXT"),
    **_enum_numbers(Passing, cheat_pb2.CheatPassing, "PASSING"),
    **_enum_numbers(ExhaustedLeader, cheat_pb2.CheatExhaustedLeader, "EXHAUSTED_LEADER"),
    **_enum_numbers(FirstMover, cheat_pb2.CheatFirstMover, "FIRST_MOVER"),
    **_enum_numbers(DealMode, cheat_pb2.CheatDeal, "DEAL"),
    **_enum_numbers(ExtraCards, cheat_pb2.CheatExtraCards, "EXTRA_CARDS"),
    **_enum_numbers(RankMode, cheat_pb2.CheatRankMode, "RANK_MODE"),
    **_enum_numbers(CallMode, cheat_pb2.CheatCallMode, "CALL_MODE"),
    **_enum_numbers(CallerPriority, cheat_pb2.CheatCallerPriority, "CALLER_PRIORITY"),
    **_enum_numbers(AfterCall, cheat_pb2.CheatAfterCall, "AFTER_CALL"),
    **_enum_numbers(Objective, cheat_pb2.CheatObjective, "OBJECTIVE"),
}


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
