"""Seasons, seatings and ratings of pools come back from the store as they were stored."""

from dataclasses import replace

from arena.competition.pools.ports import (
    CLOSED,
    FitRow,
    MeetingRow,
    RatingRow,
    RoundRow,
    SeasonRow,
    SeatedBot,
    SeatingRow,
)
from arena.match.referee.ports import GameRow, MatchId, MatchRow
from arena.server.store.open_store import Store

SEASON = SeasonRow("open", 1, 100.0, "digest", {"seats": 2})
ROUND = RoundRow("0" * 26, "open", 100.0, {"seats": 2})


def match_id(number: int) -> MatchId:
    return MatchId(f"{number:026d}")


def seating(number: int, *bots: str, rated: bool = True) -> SeatingRow:
    seated = tuple(
        SeatedBot(bot, "one", "Ada", "1", 1500.0, 350.0, 0.4, is_house=bot.startswith("house")) for bot in bots
    )
    return SeatingRow(match_id(number), "open", 1, ROUND.round_id, 100.0, rated, seated, {"first": bots[0]})


async def play(store: Store, number: int, places: tuple[int, ...], *, games: int = 1, ends: bool = True) -> None:
    row = MatchRow(
        match_id(number), number, "j", 1.0, "cheat", "standard", {"seating": "rotated"}, ("a", "b"), rated=True
    )
    await store.results.add_match(row)
    await store.results.add_games(
        row, [GameRow(match_id(number), game, places, "emptied", 9, "1", "0" * 64, b"") for game in range(games)]
    )
    if ends:
        figures = ({"decisions": 4, "lies": 1}, {"decisions": 5, "lies": 2})
        ended = replace(row, state="ended", termination="finished", strikes=({"late": 2}, {}), statistics=figures)
        await store.results.end_match(ended)


async def seat(store: Store, *seatings: SeatingRow) -> None:
    await store.pools.add_round(ROUND)
    for each in seatings:
        await store.pools.add_seating(each)


async def test_season_without_an_end_opens_once_ends_and_closes(store):
    assert await store.pools.newest_season("open") is None
    await store.pools.open_season(SEASON)
    await store.pools.open_season(replace(SEASON, started_at=200.0))
    assert await store.pools.newest_season("open") == SEASON
    await store.pools.end_season("open", 1, 300.0)
    await store.pools.end_season("open", 1, 400.0)
    await store.pools.close_season("open", 1, 310.0, "pools/x")
    closed = replace(SEASON, ends_at=300.0, state=CLOSED, closed_at=310.0, report="pools/x")
    assert await store.pools.seasons() == [closed]


async def test_seating_comes_back_with_its_round(store):
    await seat(store, row := seating(1, "a", "house-b"))
    assert await store.pools.seating(match_id(1)) == row
    assert await store.pools.seating(match_id(2)) is None
    assert await store.pools.rounds({ROUND.round_id}) == {ROUND.round_id: ROUND}
    assert await store.pools.recent_meetings("open", 10) == [["a", "house-b"]]
    assert (await store.pools.season_bots("open", 1))["house-b"].is_house


async def test_seatings_are_listed_newest_first_in_pages(store):
    await seat(store, *(seating(number, "a", "b") for number in range(1, 6)))
    newest = await store.pools.seatings("open", 2)
    assert [row.match_id for row in newest] == [match_id(5), match_id(4)]
    older = await store.pools.seatings("open", 9, before=match_id(4))
    assert [row.match_id for row in older] == [match_id(3), match_id(2), match_id(1)]


async def test_games_of_ended_rated_matches_count_by_seat(store):
    await seat(store, seating(1, "a", "b"), seating(2, "a", "b", rated=False), seating(3, "a", "b"))
    await play(store, 1, (1, 2), games=2)
    await play(store, 2, (1, 2))
    await play(store, 3, (1, 2), ends=False)
    games = await store.pools.played_games("open", 1)
    assert [(game.match_id, game.seats, game.places) for game in games] == [
        (match_id(1), (("a", "1"), ("b", "1")), (1, 2)),
        (match_id(1), (("b", "1"), ("a", "1")), (2, 1)),
    ]


async def test_each_match_is_read_once_even_if_it_ends_after_later_ones(store):
    await seat(store, seating(1, "a", "b"), seating(2, "a", "b"))
    await play(store, 1, (1, 2), ends=False)
    await play(store, 2, (1, 2))
    first = await store.pools.read_season("open", 1)
    assert [game.match_id for game in first.games] == [match_id(2)]
    assert (first.upto, first.unended) == (2, (match_id(1),))
    assert [(program, figures["lies"]) for program, figures in first.figures] == [(("a", "1"), 1), (("b", "1"), 2)]
    assert first.figures[0][1]["strikes_late"] == 2

    row = await store.results.match(match_id(1))
    await store.results.end_match(replace(row, state="ended", strikes=({}, {}), statistics=({}, {})))
    second = await store.pools.read_season("open", 1, first.upto, first.unended)
    assert [game.match_id for game in second.games] == [match_id(1)]
    assert second.unended == ()
    third = await store.pools.read_season("open", 1, second.upto, second.unended)
    assert (third.games, third.upto) == ([], 2)


async def test_unended_seatings_end_with_their_matches_and_stored_matches_cannot_be_dropped(store):
    await seat(store, seating(1, "a", "b"), seating(2, "a", "b"), seating(3, "a", "b"))
    await play(store, 1, (1, 2))
    await play(store, 2, (1, 2), ends=False)
    assert [row.match_id for row in await store.pools.unended_seatings("open")] == [match_id(2), match_id(3)]
    await store.pools.drop_seatings([match_id(2), match_id(3)])
    assert [row.match_id for row in await store.pools.unended_seatings("open")] == [match_id(2)]


async def test_fit_replaces_the_last_one_and_keeps_a_point_for_each_hour(store):
    first = RatingRow("a", "1", 1510.0, 90.0, 3, match_id(1), None, 1700.0, {"lies": 3})
    fit = FitRow("open", 1, 3_600.0, 1, (), 3, (first,), (MeetingRow("a", "b", 3, 1.5),))
    assert await store.pools.newest_fit("open", 1) is None
    await store.pools.add_fit(fit)
    assert await store.pools.newest_fit("open", 1) == replace(fit, ratings=(replace(first, figures={}),), meetings=())
    assert await store.pools.ratings_of("a", "open", 1) == [first]
    assert await store.pools.meetings("open", 1, "a") == [MeetingRow("a", "b", 3, 1.5)]

    second = replace(first, rating=1530.0, low=1400.0, games=5)
    await store.pools.add_fit(replace(fit, fitted_at=3_700.0, ratings=(second,), meetings=()))
    third = replace(first, rating=1550.0, games=9)
    await store.pools.add_fit(replace(fit, fitted_at=7_300.0, ratings=(third,), unended=(match_id(2),)))
    newest = await store.pools.newest_fit("open", 1)
    assert newest is not None
    assert (newest.ratings, newest.unended) == ((replace(third, figures={}),), (match_id(2),))
    points = await store.pools.points("a", "open", 1)
    assert [(hour, row.rating, row.games) for hour, row in points] == [(1, 1530.0, 5), (2, 1550.0, 9)]


async def test_match_whose_id_is_lower_than_one_read_before_is_read_too(store):
    """Ids of deals that were made ahead may be in any order."""
    await seat(store, seating(5, "a", "b"))
    await play(store, 5, (1, 2))
    first = await store.pools.read_season("open", 1)
    await store.pools.add_seating(seating(3, "a", "b"))
    await play(store, 3, (1, 2))
    second = await store.pools.read_season("open", 1, first.upto, first.unended)
    assert [game.match_id for game in second.games] == [match_id(3)]
    later = await store.pools.played_games("open", 1, first.upto, first.unended)
    assert [game.match_id for game in later] == [match_id(3)]


async def test_number_of_a_dropped_seating_is_not_used_again(store):
    await seat(store, seating(1, "a", "b"), seating(2, "a", "b"))
    first = await store.pools.read_season("open", 1)
    await store.pools.drop_seatings([match_id(2)])
    await store.pools.add_seating(seating(3, "a", "b"))
    await play(store, 3, (1, 2))
    second = await store.pools.read_season("open", 1, first.upto, first.unended)
    assert [game.match_id for game in second.games] == [match_id(3)]
