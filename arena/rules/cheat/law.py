"""Everything about a game that never changes while it runs, worked out once from ruleset, style and number of seats."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from arena.rules.cheat.cards import RANK_COUNT
from arena.rules.cheat.ruleset import CountStep, ExhaustedLeader, Passing, RankStart, RankStep, Ruleset
from arena.rules.game import Seat, Style

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
"""How far a step goes, and whether it must pass from king to ace or back (True) or must not (False) (spec A4)."""

OTHERS_DISTANCE = 3
"""`others` begins at this distance on the circle of ranks."""

CountRanges: TypeAlias = tuple[tuple[int, int], ...]
"""Inclusive (first, last) ranges, ascending, not touching."""


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """The law of one game."""

    rules: Ruleset
    sealed: bool
    ring: tuple[tuple[Seat, ...], ...]
    """For each seat, all seats clockwise from the next one, ending with itself."""
    opening_ranks: bytes
    """Ranks that may start a trick, ascending."""
    next_ranks: tuple[bytes, ...]
    """For each claimed rank, the ranks that may follow it, ascending."""
    next_counts: tuple[CountRanges, ...]
    """For each claimed count from 0 on, the positive counts that may follow it, hand size aside."""
    max_count: int
    max_turns: int
    zero: bool
    """Inside a trick no cards at all may be claimed."""
    last_mover_leads: bool
    """The last mover leads when no further claim exists."""
    offers_pass: bool
    """A pass may be chosen inside a trick."""
    skips_passed: bool
    """A seat that has passed gets no turn until the trick ends."""


@lru_cache(maxsize=256)
def law_of(rules: Ruleset, style: Style, seat_count: int) -> Law:
    """Work out the law of a game."""
    return Law(
        rules=rules,
        sealed=style is Style.SEALED,
        ring=tuple(_clockwise_after(seat, seat_count) for seat in range(seat_count)),
        opening_ranks=_opening_ranks(rules),
        next_ranks=tuple(ranks_after(rank, rules.rank_next) for rank in range(RANK_COUNT)),
        next_counts=tuple(counts_after(count, rules) for count in range(rules.max_count + 1)),
        max_count=rules.max_count,
        max_turns=rules.max_turns,
        zero=CountStep.ZERO in rules.count,
        last_mover_leads=rules.exhausted_leader is ExhaustedLeader.LAST_MOVER,
        offers_pass=rules.passing in (Passing.PASS_TURN, Passing.PASS_TRICK),
        skips_passed=rules.passing in (Passing.PASS_TRICK, Passing.SINGLE_TURN),
    )


def ranks_after(rank: int, steps: tuple[RankStep, ...]) -> bytes:
    """Ranks that these steps allow after a claimed rank, ascending (spec A4)."""
    return bytes(target for target in range(RANK_COUNT) if any(_is_step(step, rank, target) for step in steps))


def counts_after(count: int, rules: Ruleset) -> CountRanges:
    """Positive counts that may follow a claimed count, hand size aside (spec A5.2)."""
    allowed = {
        CountStep.LESS: (1, count - 1),
        CountStep.SAME: (max(count, 1), count),
        CountStep.MORE: (count + 1, rules.max_count),
    }
    return _merged([bounds for step, bounds in allowed.items() if step in rules.count and bounds[0] <= bounds[1]])


def _merged(ranges: list[tuple[int, int]]) -> CountRanges:
    """Join ascending ranges that touch."""
    merged: list[tuple[int, int]] = []
    for first, last in ranges:
        touches = bool(merged) and merged[-1][1] == first - 1
        merged.append((merged.pop()[0] if touches else first, last))
    return tuple(merged)


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
    return bytes(rank for start in RankStart if start in rules.rank_start for rank in parts[start])


def _clockwise_after(seat: int, seat_count: int) -> tuple[Seat, ...]:
    return tuple(Seat((seat + step) % seat_count) for step in range(1, seat_count + 1))
