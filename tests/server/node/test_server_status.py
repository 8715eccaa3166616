"""What organizers see of a node: which bots are slow, and by how much."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.facts import StrikeKind
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex
from arena.server.node.match_totals import EndedMatches, MatchTotals
from arena.server.node.server_status import BotSpeed, NodeFigures, measure_node, slowest_bots

SEALED = Pace.sealed_defaults()
"""Two seconds a turn."""
UNTIMED = Pace(SEALED.style, 2_000, 1_000, no_deadlines=True)


def make_record(*answers_us: int, strikes: int = 0, share: float = 0.0) -> EntrantRecord:
    """Return a record with these answers; the largest share is that of the last one."""
    record = EntrantRecord(EntrantIndex(0), 0)
    for answer_us in answers_us:
        record.note_answer(answer_us, share, is_move=True)
    record.strikes.update({StrikeKind.LATE: strikes, StrikeKind.GONE: 5})
    return record


def make_match(pace: Pace, *, is_running: bool = True, **records: EntrantRecord) -> Any:
    return SimpleNamespace(
        is_running=is_running,
        keys=[(name.partition("_")[0], name) for name in records],
        terms=SimpleNamespace(pace=pace),
        table=SimpleNamespace(referee=SimpleNamespace(entrant_records=list(records.values()))),
    )


async def measure(*matches: Any, ended: EndedMatches | None = None) -> tuple[NodeFigures, tuple[BotSpeed, ...]]:
    node: Any = SimpleNamespace(
        name="N1",
        uptime_us=7,
        sessions={1: 1, 2: 2},
        stalls_us=[60_000, 5_000],
        ended=ended or EndedMatches(),
        registry=SimpleNamespace(matches=dict(enumerate(matches))),
    )
    return await measure_node(node)


@pytest.mark.replaces_code
async def test_node_counts_matches_decisions_and_stalls():
    ended = EndedMatches()
    ended.on_match_ended(make_match(SEALED, ann=make_record(1, 1, 1)))
    offered = make_match(SEALED, is_running=False, ann=make_record())

    figures, _ = await measure(make_match(SEALED, ann=make_record(5), bob=make_record(5, 5)), offered, ended=ended)

    assert figures == NodeFigures("N1", 7, 2, 1, 1, 1, 6, 2, 65_000)


async def test_bot_is_summed_over_its_seats_in_all_running_matches():
    """1000 and 3000 us in one match, 2000 us in another: 2000 us in the mean."""
    _, (pace,) = await measure(
        make_match(SEALED, ann_1=make_record(1000, 3000, strikes=1, share=0.2), ann_2=make_record(strikes=1)),
        make_match(SEALED, ann_1=make_record(2000, share=0.5)),
    )

    assert (pace.bot, pace.seat_count, pace.decision_count, pace.mean_think_us) == ("ann", 3, 3, 2000)
    assert (pace.slowest_share, pace.strike_count) == (0.5, 2)


async def test_slow_share_is_of_the_time_for_a_turn_and_unknown_without_deadlines():
    """All answers take 1.05 to 1.1 s of 2 s; 95 % lie below some value between 2**20 and 2**21 us."""
    answers = [1_050_000] * 20
    _, paces = await measure(
        make_match(SEALED, ann=make_record(*answers)), make_match(UNTIMED, bob=make_record(*answers))
    )

    timed, untimed = paces
    assert (timed.bot, untimed.bot) == ("ann", "bob")
    assert 2**20 < timed.slow_think_us <= 2**21
    assert timed.slow_share == timed.slow_think_us / 2_000_000
    assert (untimed.slow_think_us, untimed.slow_share) == (timed.slow_think_us, 0.0)


def test_quantile_lies_in_the_octave_that_holds_it():
    """96 answers of about 100 us and 4 of about 50 ms: 95 % are quick, 97 % are not."""
    totals = MatchTotals().add([make_record(*[100] * 96, *[50_000] * 4)])

    assert 64 <= totals.think_quantile_us(0.95) <= 128
    assert 32_768 <= totals.think_quantile_us(0.97) <= 65_536
    assert MatchTotals().think_quantile_us(0.95) == 0


def test_twenty_slowest_bots_are_listed_the_slowest_first():
    paces = [BotSpeed(f"bot {number}", 1, 1, 5, 10, number / 100, 0.0, 0) for number in range(30)]
    idle = BotSpeed("idle", 1, 0, 0, 0, 0.9, 0.0, 0)

    listed = slowest_bots([*paces, idle])

    assert [each.bot for each in listed] == [f"bot {number}" for number in range(29, 9, -1)]
