"""Puts pools into a store for studies of their pages: one with ratings, meetings and seatings, one that is closed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, permutations
from random import Random
from typing import Any, Final

from sqlalchemy import Connection, insert

from arena.competition.pools.ports import FitRow, MeetingRow, PlayedGame, RatingRow, RoundRow, SeasonRow
from arena.match.referee.ports import MatchId
from arena.organizer.report.report_page import write_report
from arena.organizer.seasons.season_close import REPORTS_FOLDER, report_folder_name
from arena.organizer.seasons.season_view import build_season_view
from arena.server.store.open_store import Store
from arena.server.store.pool_tables import POOL_MATCHES, POOL_SEATS
from tests.support.recorded_matches import CREATED_AT
from tools.studies.pool_week import SEATS, draw_places

POOL: Final = "open"
HOURS: Final = 48
"""Hours for which there are ratings."""
CLOSED_POOL: Final = "summer"
_ROUND: Final = "01JZ8QK3T5V7X9B2D4F6H8M000"
_GAMES_AN_HOUR: Final = 12
_ROWS: Final = 5_000
"""Matches that one transaction adds."""


async def add_pool(
    store: Store,
    terms: Mapping[str, Any],
    matches: Mapping[MatchId, Sequence[str]],
    bots: Sequence[str],
    *,
    now: float = CREATED_AT,
    seed: int = 1,
    house: Sequence[str] = (),
    met: Sequence[tuple[str, str]] | None = None,
) -> None:
    """Add a pool whose season has these matches, by id, each with its entrants.

    `now` is in seconds since 1970. `terms` are those of its tables. Each hour the ratings of `bots` drift at random and
    grow more certain; a third of the bots have two versions. `met` has the pairs that have met, each in both orders;
    without it, all bots have.
    """
    seats = max(len(entrants) for entrants in matches.values())
    settings = {"terms": terms, "seats": seats, "house_bots": list(house)}
    began = now - HOURS * 3_600
    await store.pools.open_season(SeasonRow(POOL, 1, began, "d", settings, ends_at=now + 5 * 86_400))
    await store.pools.add_round(RoundRow(_ROUND, POOL, now, {}))
    left = iter(matches.items())
    while rows := list(islice(left, _ROWS)):
        await store.database.write(partial(_seat, rows, house, now))
    random = Random(seed)
    strengths = {bot: random.gauss(1500, 90) for bot in bots}
    for hour in range(HOURS):
        at = began + hour * 3_600
        ratings = tuple(row for bot in bots for row in _rate(bot, strengths[bot], hour, random, newest=max(matches)))
        pairs = () if hour < HOURS - 1 else permutations(bots, 2) if met is None else met
        meetings = tuple(_meet(pairs, strengths, random))
        games = _GAMES_AN_HOUR * (hour + 1) * len(bots) // seats
        await store.pools.add_fit(FitRow(POOL, 1, at, len(matches), (), games, ratings, meetings))


async def add_closed_pool(
    store: Store, terms: Mapping[str, Any], bots: Sequence[str], *, games: int = 300, now: float, seed: int
) -> None:
    """Add a pool whose only season is closed, with the report of games that follow from the strengths of its bots."""
    settings = {"terms": terms, "seats": SEATS, "house_bots": []}
    week = 7 * 86_400
    season = SeasonRow(CLOSED_POOL, 1, now - 3 * week, "d", settings, ends_at=now - week)
    random = Random(seed)
    strengths = {bot: random.gauss(0, 120) for bot in bots}
    played = [_play(number, random.sample(sorted(bots), SEATS), strengths, random) for number in range(games)]
    report = f"{REPORTS_FOLDER}/{report_folder_name(season)}"
    write_report(build_season_view(season, played, {}, is_over=True, now=now - week), store.folder / report)
    await store.pools.open_season(season)
    newest = played[-1].match_id
    ratings = tuple(
        row for bot in bots for row in _rate(bot, 1500 + strengths[bot], games // _GAMES_AN_HOUR, random, newest=newest)
    )
    await store.pools.add_fit(FitRow(CLOSED_POOL, 1, now - week, games, (), games, ratings, ()))
    await store.pools.close_season(CLOSED_POOL, 1, now - week, report)


def _play(number: int, names: Sequence[str], strengths: Mapping[str, float], random: Random) -> PlayedGame:
    places = draw_places([strengths[name] for name in names], random)
    return PlayedGame(MatchId(f"{number:026d}"), 0, tuple((name, "1") for name in names), places)


def _seat(
    rows: Sequence[tuple[MatchId, Sequence[str]]], house: Sequence[str], now: float, connection: Connection
) -> None:
    key = {"pool": POOL, "season": 1, "round_id": _ROUND, "at": now, "rated": True}
    connection.execute(
        insert(POOL_MATCHES),
        [
            {**key, "match_id": match_id, "reason": {"first": bots[0], "costs": dict.fromkeys(bots[1:], 0.4)}}
            for match_id, bots in rows
        ],
    )
    known = {"version": "2", "owner": "", "instance": "one", "rating": 1512.0, "spread": 24.0, "waited_s": 0.8}
    connection.execute(
        insert(POOL_SEATS),
        [
            {**known, "match_id": match_id, "entrant": number, "bot": bot, "is_house": bot in house}
            for match_id, bots in rows
            for number, bot in enumerate(bots)
        ],
    )


def _rate(bot: str, strength: float, hour: int, random: Random, newest: MatchId) -> list[RatingRow]:
    """Return the ratings of a bot's versions after some hours. Its second version appears halfway."""
    has_two = sum(bot.encode()) % 3 == 0
    versions = ["1", "2"] if has_two and hour >= HOURS // 2 else ["1"]
    rows = []
    for number, version in enumerate(versions):
        since = hour - number * HOURS // 2
        reach = 400.0 / (since + 2) ** 0.5
        rating = strength + 60 * number + random.gauss(0, reach / 6)
        games = _GAMES_AN_HOUR * (since + 1)
        figures = {"points": 0.5 * games, "first_places": games // 4, "matches": games, "decisions": 40 * games}
        figures |= {"think_s": 0.3 * games, "slowest_share": 0.4, "lies": 9 * games, "lies_caught": 3 * games}
        figures |= {"calls_right": 3 * games, "calls_wrong": games, "strikes_late": games // 50}
        low, high = rating - reach, rating + reach
        last = newest if number + 1 == len(versions) else MatchId("0" * 26)
        rows.append(RatingRow(bot, version, rating, reach / 2, games, last, low, high, figures))
    return rows


def _meet(pairs: Iterable[tuple[str, str]], strengths: Mapping[str, float], random: Random) -> Iterator[MeetingRow]:
    for one, other in pairs:
        games = random.randrange(20, 80)
        yield MeetingRow(one, other, games, games / (1 + 10 ** ((strengths[other] - strengths[one]) / 400)))
