"""After an attempt that was void for a bot, the bot gains nothing by the replay."""

from dataclasses import replace

import pytest

from arena.competition.league.ports import DONE, VOID, BlockRow, LedgerEntry
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.organizer.audit.league_audit import compare_block, compare_void
from arena.organizer.play.block_results import lower_result, table_result_of
from arena.organizer.play.void_check import StoredMatch
from arena.organizer.seal.ledger import VoidForBot, find_voids_for_bots
from arena.plain_data import to_plain

TABLES = (("ann", "bob", "cid"), ("dot", "eve", "fay"))
REPLAY = tuple(map(MatchId, ("NEW1", "NEW2")))
OTHER_TABLE = (1, 2, 3)


def void_for(name: str, places: tuple[int, ...]) -> list[VoidForBot]:
    """Return a first attempt that was void for a bot, with the places of the first table."""
    row = BlockRow(4, 0, 1, "", TABLES, (MatchId("OLD1"), MatchId("OLD2")))
    values = {"block": 4, "attempt": 0, "name": name, "places": [list(places), list(OTHER_TABLE)]}
    return find_voids_for_bots([LedgerEntry(1, 0.0, VOID, values)], [row])


def stored(match_id: MatchId, names: tuple[str, ...], places: tuple[int, ...]) -> StoredMatch:
    match = MatchRow(match_id, 1, "j", 0.0, "cheat", "standard", {}, names, True, "ended", strikes=({},) * 3)
    return StoredMatch(match, [GameRow(match_id, 0, places, "finished", 9, "1", "", b"")])


def result(places: tuple[int, ...], table: int = 0):
    return replace(table_result_of(stored(REPLAY[table], TABLES[table], places), was_awaited=False), luck=(1.0,) * 3)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ((3, 1, 2), (1, 2, 3)),
        ((2, 1, 2), (1, 2, 2)),
        ((2, 1, 3), (2, 3, 1)),
        ((2, 1, 2), (2, 1, 3)),
    ],
    ids=["last", "shared last", "as high as now", "shared, and alone now"],
)
def test_places_of_the_void_game_count_unless_the_bot_is_lower_now(before, now):
    counted = lower_result(result(now), void_for("ann", before))

    assert counted == replace(result(now), places=before, luck=(), places_of="OLD1")


def test_lower_place_of_the_replay_counts():
    assert lower_result(result((3, 1, 2)), void_for("ann", (2, 1, 3))) == result((3, 1, 2))


def test_another_bot_of_the_block_keeps_its_replay():
    voids = void_for("ann", (3, 1, 2))

    assert lower_result(result((3, 2, 1), table=1), voids) == result((3, 2, 1), table=1)
    assert lower_result(result((1, 2, 3)), void_for("dot", (3, 1, 2))) == result((1, 2, 3))


def test_void_of_the_organizer_lowers_nothing():
    row = BlockRow(4, 0, 1, "", TABLES, REPLAY)
    acts = [LedgerEntry(1, 0.0, VOID, {"block": 4, "attempt": 0, "reason": "the host slept"})]

    assert find_voids_for_bots(acts, [row]) == []


def test_audit_computes_the_same():
    matches = [stored(REPLAY[0], TABLES[0], (1, 2, 3)), stored(REPLAY[1], TABLES[1], OTHER_TABLE)]
    voids = void_for("ann", (3, 1, 2))
    results = [lower_result(table_result_of(match, was_awaited=False), voids) for match in matches]
    row = BlockRow(4, 1, 1, "", TABLES, REPLAY, state=DONE, results=tuple(map(to_plain, results)))

    assert list(compare_block(row, matches, was_awaited=False, voids=voids)) == []
    assert [each[:18] for each in compare_block(row, matches, was_awaited=False)] == ["table 1: its place"] * 2


def test_audit_compares_the_places_that_the_ledger_keeps():
    played = [stored(MatchId("OLD1"), TABLES[0], (3, 1, 2)), stored(MatchId("OLD2"), TABLES[1], OTHER_TABLE)]
    ((_, right),), ((_, wrong),) = void_for("ann", (3, 1, 2)), void_for("ann", (1, 2, 3))

    assert list(compare_void(right, played, was_awaited=False)) == []
    assert len(list(compare_void(wrong, played, was_awaited=False))) == 1
