"""Everything that stays constant during a game, computed once from ruleset, style and number of seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from arena.games.cheat.rules.cards import RANK_COUNT
from arena.games.cheat.rules.ruleset import (
    CallMode,
    CountStep,
    ExhaustedLeader,
    Objective,
    Passing,
    RankMode,
    RankStart,
    RankStep,
    Ruleset,
)
from arena.match.game import Seat, Style

SINGLE_STEPS: dict[RankStep, tuple[int, bool]] = {
    RankStep.SAME: (0, False),
    RankStep.UP1: (1, False),
    RankStep.UP1_WRAP: (1, True),
    RankStep.DOWN1: (-1, False),
    RankStep.DOWN1_WRAP: (-1, True),
    RankStep.UP2: (2, False),
    RankStep.UP2_WRAP: (2, True),
    RankStep.DOWN2: (-2, False),
    RankStep.DOWN2_WRAP: (-2, True),
}
"""For each step, its length in ranks, and whether it crosses the border between king and ace (spec A4)."""

OTHERS_DISTANCE = 3
"""Smallest distance on the circle of ranks that counts as `others` (spec A4)."""

CountRanges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges as (first, last), both inclusive. They are ascending, and no two of them touch."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRules:
    """The rules of one game, in the form that the engine uses."""

    rules: Ruleset
    sealed: bool
    ring: tuple[tuple[Seat, ...], ...]
    """For each seat, all seats clockwise. The list begins with the next seat and ends with the seat itself."""
    decks: int
    """Packs shuffled together."""
    opening_ranks: bytes
    """Ranks that may start a trick, ascending."""
    next_ranks: tuple[bytes, ...]
    """For each claimed rank, the ranks that may follow it, ascending."""
    next_counts: tuple[CountRanges, ...]
    """For each claimed count from 0 on, the positive counts that may follow it, whatever the size of the hand."""
    opening_counts: CountRanges
    """Positive counts that may start a trick, whatever the size of the hand."""
    min_count: int
    max_count: int
    max_turns: int
    zero: bool
    """Whether a claim of no cards is allowed inside a trick."""
    last_mover_leads: bool
    """Whether the last mover leads the next trick when no claim can follow the last claim."""
    offers_pass: bool
    """Whether a pass may be chosen inside a trick."""
    skips_passed: bool
    """Whether a seat that has passed gets no turn until the trick ends."""
    rotates: bool
    """Whether only one rank is legal at a time. That rank goes up by one after every card move."""
    face_up: bool
    """Whether the first move of a trick lies face up and must be true."""
    count_lies: bool
    """Whether the number of cards laid may differ from the number claimed."""
    is_plain: bool
    """Whether every move lays as many cards as it claims, face down, and a turn offers no call."""
    any_caller: bool
    """Whether every active seat except the mover may call."""
    in_turn: bool
    """Whether a call is one of the choices of a turn. If so, the only windows are final windows."""
    believes: bool
    banishes: bool
    """Whether the pile of a finished trick is banished as soon as its last move can no longer be called."""
    win_ends_all: bool
    """Whether every pending win has a final window, because the first seat out wins or a win starts a new trick."""


@lru_cache(maxsize=256)
def compile_rules(rules: Ruleset, style: Style, seat_count: int) -> CompiledRules:
    max_count = rules.max_claim(seat_count)
    rotates = rules.rank_mode is RankMode.ROTATION
    opening = ((rules.min_count, max_count),)
    return CompiledRules(
        rules=rules,
        sealed=style is Style.SEALED,
        ring=tuple(_clockwise_after(seat, seat_count) for seat in range(seat_count)),
        decks=rules.decks_for(seat_count),
        opening_ranks=_opening_ranks(rules),
        next_ranks=tuple(
            next_rank(rank) if rotates else ranks_after(rank, rules.rank_next) for rank in range(RANK_COUNT)
        ),
        next_counts=(opening,) * (max_count + 1) if rotates else counts_by_claim(rules, max_count),
        opening_counts=opening,
        min_count=rules.min_count,
        max_count=max_count,
        max_turns=rules.max_turns,
        zero=CountStep.ZERO in rules.count and not rotates,
        last_mover_leads=rules.exhausted_leader is ExhaustedLeader.LAST_MOVER,
        offers_pass=rules.passing in (Passing.PASS_TURN, Passing.PASS_TRICK),
        skips_passed=rules.passing in (Passing.PASS_TRICK, Passing.SINGLE_TURN),
        rotates=rotates,
        face_up=rules.opening_face_up,
        count_lies=rules.count_lies,
        is_plain=not (rules.opening_face_up or rules.count_lies or rules.call_mode is CallMode.TURN_ACTION),
        any_caller=rules.any_caller,
        in_turn=rules.call_mode is CallMode.TURN_ACTION,
        believes=rules.believe,
        banishes=rules.banish_on_new_trick,
        win_ends_all=rules.objective is Objective.FIRST_OUT_WINS or rules.win_resets_trick,
    )


def next_rank(rank: int) -> bytes:
    """Return the one rank that follows in a rotation (spec A4)."""
    return bytes(((rank + 1) % RANK_COUNT,))


def ranks_after(rank: int, steps: tuple[RankStep, ...]) -> bytes:
    """Return the ranks that these steps allow after a claimed rank, in ascending order (spec A4)."""
    return bytes([target for target in range(RANK_COUNT) if any(_is_step(step, rank, target) for step in steps)])


def counts_by_claim(rules: Ruleset, max_count: int) -> tuple[CountRanges, ...]:
    """Return, for each claimed count from 0 to `max_count`, the positive counts that may follow it."""
    return tuple(counts_after(count, rules, max_count) for count in range(max_count + 1))


def counts_after(count: int, rules: Ruleset, max_count: int) -> CountRanges:
    """Return the positive counts that may follow a claimed count, whatever the size of the hand (spec A5.2)."""
    allowed = {
        CountStep.LESS: (rules.min_count, count - 1),
        CountStep.SAME: (max(count, rules.min_count), count),
        CountStep.MORE: (max(count + 1, rules.min_count), max_count),
    }
    return merge_ranges([bounds for step, bounds in allowed.items() if step in rules.count and bounds[0] <= bounds[1]])


def merge_ranges(ranges: Sequence[tuple[int, int]]) -> CountRanges:
    """Join ranges that touch each other. The ranges must be ascending. The result is also ascending."""
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        touches = bool(joined) and joined[-1][1] == first - 1
        joined.append((joined.pop()[0] if touches else first, last))
    return tuple(joined)


def _is_step(step: RankStep, rank: int, target: int) -> bool:
    if step is RankStep.OTHERS:
        distance = abs(target - rank)
        return min(distance, RANK_COUNT - distance) >= OTHERS_DISTANCE
    offset, wraps = SINGLE_STEPS[step]
    reached = rank + offset
    return target == reached % RANK_COUNT and wraps != (0 <= reached < RANK_COUNT)


def _opening_ranks(rules: Ruleset) -> bytes:
    king = RANK_COUNT - 1
    parts = {
        RankStart.ACE: range(1),
        RankStart.OTHERS: range(1, king),
        RankStart.KING: range(king, RANK_COUNT),
    }
    return bytes([rank for start in RankStart if start in rules.rank_start for rank in parts[start]])


def _clockwise_after(seat: int, seat_count: int) -> tuple[Seat, ...]:
    return tuple(Seat((seat + step) % seat_count) for step in range(1, seat_count + 1))
