"""A data folder with pools, owners and bots, as a server leaves it, made without a server.

Ada's bot Ann plays with Bea's bot Bob and with Cid, who has no owner. The pool `main hall` has a closed season with a
report and one that runs; `masked` is anonymous.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from arena.competition.pools.ports import FitRow, MeetingRow, RatingRow, RoundRow, SeasonRow, SeatedBot, SeatingRow
from arena.games.catalogue import games
from arena.match.referee.facts import StrikeKind
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import MatchId
from arena.match.referee.strike_record import Conditions, StrikeRecord, strike_to_plain
from arena.match.referee.terms import describe_terms
from arena.server.store.account_values import BotProfile
from arena.server.store.open_store import Store, open_store
from tests.replays.narration.random_match import RandomMatch
from tests.support.recorded_matches import CREATED_AT, DataFolder, ManualMatch
from tests.support.web_data import play, play_first_game

POOL, MASKED = "main hall", "masked"
BOTS: Final = ("Ann", "Bob", "Cid")
HOUSE: Final = "house-honest"
SPOKEN: Final = "words that Ann alone has written"
"""The note of Ann in its first match."""
PROFILE: Final = BotProfile(
    "Counts <every> card, & bluffs only when cornered.", "Rust", "https://example.org/ann?a=1&b"
)
"""What Ada says of Ann."""
REPORT: Final = "<!doctype html><style>p { color: red }</style><p>The report of season 1</p>"


def _id(letter: str) -> MatchId:
    return MatchId(f"01JZ9QK3T5V7X9B2D4F6H8M00{letter}")


ENDED: Final = _id("A")
"""A match of the pool that is over. Ann wrote a note and got strikes."""
RUNNING: Final = _id("B")
"""A match of the pool that runs. Its first game is over."""
MASKED_RUNNING: Final = _id("C")
"""A match of the anonymous pool that runs. Its first game is over."""
FOREIGN: Final = _id("D")
"""A match without Ann."""
FAULTS: Final = (
    StrikeRecord(0, 0, 3, StrikeKind.LATE, 7, "turn", 200_000, 250_000, conditions=Conditions(is_connected=True)),
    StrikeRecord(1, 0, 4, StrikeKind.NO_ANSWER, 8, "turn", no_answer="crashed", words="only for Bea"),
)
"""A strike of Ann and one of Bob."""
ROUND: Final = "01JZ9QK3T5V7X9B2D4F6H8M000"


def make_pool_data(folder: Path) -> None:
    """Make the data folder."""
    ended, running, foreign = ManualMatch(ENDED), play_first_game(RUNNING), play(FOREIGN)
    masked = play_first_game(MASKED_RUNNING, anonymous=True)
    ended.answer(0, "2K KS4D", at=1_000, note=SPOKEN)
    ended.play_out()
    data = DataFolder(folder)
    for match_id, match in ((ENDED, ended), (RUNNING, running), (MASKED_RUNNING, masked), (FOREIGN, foreign)):
        data.write_journal(f"{match_id}-1", match)
    asyncio.run(_store(folder, ended, running, masked, foreign))


async def _store(
    folder: Path, ended: ManualMatch, running: RandomMatch, masked: RandomMatch, foreign: RandomMatch
) -> None:
    async with await open_store(folder) as store:
        for owner, bot in (("Ada", "Ann"), ("Bea", "Bob")):
            await store.owners.add(owner, f"{owner.lower()}@example.org", 3)
            await store.tokens.create(owner, ["own"], owner=owner)
            await store.owners.create_bot(owner, bot)
        await store.profiles.change("Ada", "Ann", PROFILE)
        await store.invitations.create("Ada", 2, timedelta(days=1))
        await _open_seasons(store, folder)
        await _add_match(store, ENDED, ended, BOTS, POOL, is_over=True, faults=FAULTS)
        await _add_match(store, RUNNING, running, BOTS, POOL)
        await _add_match(store, MASKED_RUNNING, masked, BOTS, MASKED)
        await _add_match(store, FOREIGN, foreign, ("Bob", "Cid", HOUSE), POOL, is_over=True)
        await store.pools.add_fit(_fit())


async def _open_seasons(store: Store, folder: Path) -> None:
    terms = {key: value for key, value in describe_terms(play(ENDED).bench.terms).items() if key != "entrants"}
    settings: Mapping[str, Any] = {"terms": terms, "seats": 3, "house_bots": [HOUSE]}
    first = SeasonRow(POOL, 1, CREATED_AT - 900_000, "d", settings, ends_at=CREATED_AT - 300_000)
    report = "pools/main-hall-season-1"
    (folder / report).mkdir(parents=True)
    (folder / report / "report.html").write_text(REPORT, encoding="utf-8")
    (folder / report / "report.json").write_text("{}", encoding="utf-8")
    (folder / report / "secret.key").write_text("no file of a report", encoding="utf-8")
    await store.pools.open_season(first)
    await store.pools.close_season(POOL, 1, CREATED_AT - 299_000, report)
    second = replace(first, season=2, started_at=CREATED_AT - 300_000, ends_at=CREATED_AT + 600_000)
    await store.pools.open_season(second)
    masked = replace(second, pool=MASKED, season=1, ends_at=None)
    await store.pools.open_season(replace(masked, settings={**settings, "terms": {**terms, "anonymous": True}}))
    for pool in (POOL, MASKED):
        await store.pools.add_round(RoundRow(_round_of(pool), pool, CREATED_AT, {"seats": 3}))


async def _add_match(
    store: Store,
    match_id: MatchId,
    match: ManualMatch | RandomMatch,
    bots: tuple[str, ...],
    pool: str,
    *,
    is_over: bool = False,
    faults: Sequence[StrikeRecord] = (),
) -> None:
    """Store a match with its seating, and with its games if it is over: a server stores them at the end."""
    row = new_match_row(match_id, match.bench.table.number, match.bench.terms, f"{match_id}-1.journal", CREATED_AT)
    row = replace(row, entrants=bots)
    await store.results.add_match(row)
    if is_over:
        record = derive_match_record(row, list(match.records), games())
        await store.results.add_games(record.match, record.games)
        plain = tuple(strike_to_plain(strike) for strike in faults)
        await store.results.end_match(replace(record.match, entrants=bots, faults=plain))
    seated = tuple(
        SeatedBot(bot, "one", "", "2", 1500.0 + 10 * number, 50.0, 1.5, is_house=bot == HOUSE)
        for number, bot in enumerate(bots)
    )
    season = 1 if pool == MASKED else 2
    reason = {"first": bots[0], "costs": dict.fromkeys(bots[1:], 0.25)}
    await store.pools.add_seating(SeatingRow(match_id, pool, season, _round_of(pool), CREATED_AT, True, seated, reason))


def _round_of(pool: str) -> str:
    return ROUND if pool == POOL else f"{ROUND[:-1]}1"


def _fit() -> FitRow:
    """Return ratings in which Ann and Bob have ranks, and the others are provisional: too few games, too wide."""
    figures = {
        "points": 30.0,
        "first_places": 20,
        "matches": 60,
        "decisions": 400,
        "think_s": 2.0,
        "slowest_share": 0.5,
    }
    figures |= {"lies": 40, "lies_caught": 10, "calls_right": 7, "calls_wrong": 3, "strikes_late": 2}
    ratings = (
        RatingRow("Ann", "1", 1450.0, 20.0, 50, _id("0"), 1400.0, 1500.0, figures),
        RatingRow("Ann", "2", 1540.0, 20.0, 60, ENDED, 1500.0, 1580.0, figures),
        RatingRow("Bob", "2", 1510.0, 20.0, 60, ENDED, 1460.0, 1560.0, figures),
        RatingRow("Cid", "2", 1600.0, 90.0, 29, ENDED, 1550.0, 1650.0, figures),
        RatingRow(HOUSE, "2", 1470.0, 90.0, 60, FOREIGN, 1300.0, 1570.0, figures),
    )
    meetings = [("Ann", "Bob", 60, 36.0), ("Ann", "Cid", 29, 12.5)]
    pairs = [MeetingRow(one, other, count, points) for one, other, count, points in meetings]
    pairs += [MeetingRow(each.other, each.bot, each.games, each.games - each.points) for each in pairs]
    return FitRow(POOL, 2, CREATED_AT, 9, (), 100, ratings, tuple(pairs))
