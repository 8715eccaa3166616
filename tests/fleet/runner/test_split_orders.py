"""A match in parts is the match: as many games, and everybody as often in every seat."""

from collections import Counter
from dataclasses import replace

import pytest

from arena.fleet.runner.split_orders import reorder_report, repeat_order, split_order
from arena.games.cheat.rules.game import CHEAT
from arena.match.referee.match_order import MatchOrder, MatchReport
from arena.match.referee.pace import Pace
from arena.match.referee.ports import GameSummary, MatchId
from arena.match.referee.scalars import EntrantIndex
from arena.match.referee.terms import Seating, Terms

NAMES = ("ann", "bob", "cid", "dan")


def order(game_count: int, entrants=NAMES, seating=Seating.ROTATED) -> MatchOrder:
    return MatchOrder(entrants=entrants, game_count=game_count, seating=seating, key="k")


def seatings(part: MatchOrder) -> Counter[tuple[str, int]]:
    """How often everybody sits in each seat, by the terms of a match."""
    ruleset = CHEAT.build_ruleset("standard", {})
    terms = Terms(CHEAT, "standard", ruleset, Pace.sealed_defaults(), part.entrants, part.game_count, part.seating)
    return Counter(
        (name, terms.seat_of(EntrantIndex(entrant), game))
        for entrant, name in enumerate(part.entrants)
        for game in range(part.game_count)
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("games", "nodes"), [(8, 2), (9, 2), (10, 4), (7, 3), (100, 7), (3, 2), (1000, 16)])
def test_seats_rotate_as_in_one_match(games, nodes, seats):
    """Shares differ by at most one game, and no entrant has a seat more often than in one match."""
    whole = order(games, NAMES[:seats])

    parts = split_order(whole, nodes)

    counts = [part.game_count for part in parts]
    assert sum(counts) == games
    assert len(counts) == nodes
    assert max(counts) - min(counts) <= 1
    assert sum(map(seatings, parts), Counter()) == seatings(whole)


def test_part_continues_the_rotation_of_the_previous_one():
    """Of six games at four seats the first part has three; in the fourth game ann has seat 3, behind her bob."""
    first, second = split_order(order(6), 2)

    assert first.entrants == NAMES
    assert second.entrants == ("bob", "cid", "dan", "ann")
    assert first.key != second.key


@pytest.mark.parametrize(("games", "matches"), [(1, 4), (2, 6), (3, 4), (4, 1), (5, 8)])
def test_a_series_seats_everybody_as_often_in_every_seat(games, matches):
    """The number of all games is a multiple of the four seats, so that nobody is at a disadvantage."""
    series = repeat_order(order(games), matches)

    assert [match.game_count for match in series] == [games] * matches
    assert set(sum(map(seatings, series), Counter()).values()) == {games * matches // 4}
    assert len({match.key for match in series}) == matches


def test_matches_of_a_series_have_seeds_of_their_own_that_repeat():
    """The first is the seed itself, so that it repeats without a series; a longer series begins alike."""
    seeded = replace(order(2), seed=bytes(31) + b"1")

    seeds = [match.seed for match in repeat_order(seeded, 5)]

    assert seeds[0] == seeded.seed
    assert len(set(seeds)) == 5
    assert [match.seed for match in repeat_order(seeded, 3)] == seeds[:3]
    assert {match.seed for match in repeat_order(order(2), 3)} == {b""}, "the server draws them"


@pytest.mark.parametrize(("games", "nodes", "expected"), [(8, 2, [4, 4]), (14, 2, [8, 6]), (6, 4, [6]), (3, 2, [3])])
def test_fixed_seats_are_split_by_rounds(games, nodes, expected):
    """The first move rotates through the seats from a match's first game, so that a whole round is fair by itself."""
    parts = split_order(order(games, seating=Seating.FIXED), nodes)

    assert [part.game_count for part in parts] == expected
    assert {part.entrants for part in parts} == {NAMES}


def test_no_part_is_without_games():
    assert [part.game_count for part in split_order(order(2), 5)] == [1, 1]


def test_part_is_reported_with_places_of_the_whole():
    whole = order(6)
    part = split_order(whole, 2)[1]
    strikes = tuple({"late": count} for count in (2, 3, 4, 1))
    report = MatchReport(MatchId("M"), "ended", (GameSummary(0, (2, 3, 4, 1), "finished", 9),), "finished", strikes, ())

    told = reorder_report(report, part, whole)

    assert told.games[0].places == (1, 2, 3, 4)
    assert [each["late"] for each in told.strikes] == [1, 2, 3, 4]
    assert told.figures == ()
    assert replace(told, games=(), strikes=()) == replace(report, games=(), strikes=())
