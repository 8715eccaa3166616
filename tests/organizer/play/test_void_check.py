"""A block spoilt by the arena is void and replayed; one spoilt by its bots counts."""

import pytest

from arena.competition.league.ports import VOID, BlockRow, LedgerEntry
from arena.errors import EnvironmentFaultError
from arena.match.referee.facts import StrikeKind
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.match.referee.strike_record import Conditions, StrikeRecord
from arena.organizer.play.void_check import MAX_LOST_GAMES, MAX_SPARED_BLOCKS, StoredMatch, VoidReason, why_void
from arena.plain_data import to_plain

ONE, TWO = MatchId("ONE"), MatchId("TWO")
ROW = BlockRow(4, 0, 1, "", (("ann", "bob"), ("cid", "dot")), (ONE, TWO))
SLOW = Conditions(is_connected=True, round_trip_us=200)
HELD_UP = Conditions(is_connected=True, round_trip_us=200, loop_lag_us=30_000)


def kept(
    match_id: MatchId, *faults: StrikeRecord, entrants: tuple[str, ...] = ("ann", "bob"), games: int = 1
) -> StoredMatch:
    rows = [GameRow(match_id, 0, (1, 2), "finished", 9, "1", "", b"")] * games
    told = tuple(to_plain(fault) for fault in faults)
    return StoredMatch(
        MatchRow(match_id, 1, "j", 0.0, "cheat", "standard", {}, entrants, True, "ended", faults=told), rows
    )


def missing(conditions: Conditions, entrant: int = 1) -> StrikeRecord:
    return StrikeRecord(entrant, 0, 3, StrikeKind.MISSING, allowed_us=200_000, conditions=conditions)


def void(number: int, block: int = 4, **values: str) -> LedgerEntry:
    return LedgerEntry(number, 0.0, VOID, {"block": block, "by": "host", **values})


GOOD = kept(TWO, entrants=("cid", "dot"))


def test_block_without_faults_counts():
    assert why_void(ROW, [kept(ONE), GOOD], (), {}) is None


def test_bot_slow_by_itself_keeps_its_strike():
    assert why_void(ROW, [kept(ONE, missing(SLOW)), GOOD], (), {}) is None


def test_bot_delayed_by_the_machine_is_spared_and_named():
    assert why_void(ROW, [kept(ONE, missing(HELD_UP)), GOOD], (), {}) == VoidReason(
        "the machine took time of bob in game ONE", "bob"
    )


def test_illegal_answers_are_unrelated_to_time():
    fault = StrikeRecord(1, 0, 3, StrikeKind.ILLEGAL, came_us=1000, conditions=HELD_UP)
    assert why_void(ROW, [kept(ONE, fault), GOOD], (), {}) is None


def test_no_bot_is_spared_more_than_three_times():
    """Otherwise anyone able to slow the machine down could have each bad deal redealt."""
    spared = [void(number, block=number, name="bob") for number in range(MAX_SPARED_BLOCKS)]

    assert why_void(ROW, [kept(ONE, missing(HELD_UP)), GOOD], spared, {}) is None
    assert why_void(ROW, [kept(ONE, missing(HELD_UP, entrant=0)), GOOD], spared, {}) is not None


@pytest.mark.parametrize("lost", [None, kept(ONE, games=0)])
def test_unstored_game_is_replayed(lost):
    assert why_void(ROW, [lost, GOOD], (), {}) == VoidReason("game ONE was not kept")


def test_block_that_keeps_losing_games_is_an_internal_error():
    lost = [void(number) for number in range(MAX_LOST_GAMES)]

    with pytest.raises(EnvironmentFaultError, match="block 4 lost a game 3 times"):
        why_void(ROW, [None, GOOD], lost, {})
    assert why_void(ROW, [None, GOOD], [void(number, name="bob") for number in range(9)], {}) is not None
    assert why_void(ROW, [None, GOOD], [void(number, block=5) for number in range(9)], {}) is not None


def test_bots_of_one_owner_are_spared_together():
    spared = [void(number, block=number, name="ann") for number in range(MAX_SPARED_BLOCKS)]

    assert why_void(ROW, [kept(ONE, missing(HELD_UP)), GOOD], spared, {"ann": "eve", "bob": "eve"}) is None
    assert why_void(ROW, [kept(ONE, missing(HELD_UP)), GOOD], spared, {"ann": "eve", "bob": "dan"}) is not None


def test_no_block_is_void_twice_for_machine_delays():
    assert why_void(ROW, [kept(ONE, missing(HELD_UP)), GOOD], [void(1, block=4, name="cid")], {}) is None
