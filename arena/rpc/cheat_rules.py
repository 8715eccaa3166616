"""The options of a Cheat ruleset as a message (CheatRuleset in cheat.proto)."""

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


def _numbers(
    choices: type[Enum], message: Any, prefix: str, names: Mapping[Enum, str] | None = None
) -> dict[Enum, Any]:
    """The wire's number of each choice; most have the same name there."""
    return {choice: message.Value(f"CHEAT_{prefix}_{(names or {}).get(choice, choice.name)}") for choice in choices}


_NUMBERS: Mapping[Enum, Any] = {
    **_numbers(CheckMode, cheat_pb2.CheatCheck, "CHECK"),
    **_numbers(CountStep, cheat_pb2.CheatCount, "COUNT"),
    **_numbers(RankStart, cheat_pb2.CheatRankStart, "RANK_START", {RankStart.ACE: "A", RankStart.KING: "K"}),
    **_numbers(RankStep, cheat_pb2.CheatRankNext, "RANK_NEXT"),
    **_numbers(Passing, cheat_pb2.CheatPassing, "PASSING"),
    **_numbers(ExhaustedLeader, cheat_pb2.CheatExhaustedLeader, "EXHAUSTED_LEADER"),
    **_numbers(FirstMover, cheat_pb2.CheatFirstMover, "FIRST_MOVER"),
    **_numbers(DealMode, cheat_pb2.CheatDeal, "DEAL"),
    **_numbers(ExtraCards, cheat_pb2.CheatExtraCards, "EXTRA_CARDS"),
    **_numbers(RankMode, cheat_pb2.CheatRankMode, "RANK_MODE"),
    **_numbers(CallMode, cheat_pb2.CheatCallMode, "CALL_MODE"),
    **_numbers(CallerPriority, cheat_pb2.CheatCallerPriority, "CALLER_PRIORITY"),
    **_numbers(AfterCall, cheat_pb2.CheatAfterCall, "AFTER_CALL"),
    **_numbers(Objective, cheat_pb2.CheatObjective, "OBJECTIVE"),
}


def put_ruleset(message: ruleset_pb2.Ruleset, rules: Ruleset) -> None:
    """All options of a ruleset."""
    message.cheat.CopyFrom(
        cheat_pb2.CheatRuleset(
            decks=rules.decks or 0,
            jokers_per_deck=rules.jokers_per_deck,
            check=_NUMBERS[rules.check],
            count=_each(rules.count),
            rank_start=_each(rules.rank_start),
            rank_next=_each(rules.rank_next),
            passing=_NUMBERS[rules.passing],
            exhausted_leader=_NUMBERS[rules.exhausted_leader],
            max_turns=rules.max_turns,
            max_count=rules.max_count or 0,
            min_count=rules.min_count,
            first_mover=_NUMBERS[rules.first_mover],
            deal=_NUMBERS[rules.deal],
            extra_cards_to=_NUMBERS[rules.extra_cards_to],
            rank_mode=_NUMBERS[rules.rank_mode],
            call_mode=_NUMBERS[rules.call_mode],
            any_caller=rules.any_caller,
            caller_priority=_NUMBERS[rules.caller_priority],
            believe=rules.believe,
            banish_on_new_trick=rules.banish_on_new_trick,
            success_new_trick=rules.success_new_trick,
            failure_new_trick=rules.failure_new_trick,
            success_next=_NUMBERS[rules.success_next],
            failure_next=_NUMBERS[rules.failure_next],
            count_lies=rules.count_lies,
            sizes_visible=rules.sizes_visible,
            opening_face_up=rules.opening_face_up,
            honest_win=rules.honest_win,
            objective=_NUMBERS[rules.objective],
            win_resets_trick=rules.win_resets_trick,
        )
    )


def _each(choices: Iterable[Enum]) -> list[Any]:
    return [_NUMBERS[choice] for choice in choices]
