"""A data folder with a match of every kind that the web pages tell apart, made without a server."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee import deal_serialization
from arena.match.referee.deal import SHARED_DEAL_PREFIX
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import MatchId
from arena.server.store.open_store import Store, open_store
from tests.replays.narration.random_match import RandomMatch
from tests.support.recorded_matches import CREATED_AT, DataFolder, HasRecords, ManualMatch


def _id(letter: str) -> MatchId:
    return MatchId(f"01JZ8QK3T5V7X9B2D4F6H8M00{letter}")


TWO_GAMES: Final = _id("A")
"""A match of two games of Cheat, over, with a deal that is opened."""
CHEATER_GAME: Final = _id("B")
"""The same with one game of CHEATER."""
NOTED: Final = _id("C")
"""A match without a deal, whose bots write notes."""
SHARED: Final = _id("D")
"""A match that is over, whose deal other games still use."""
HOSTILE: Final = _id("E")
"""A match whose entrants have hostile names. No game of it was finished."""
RUNNING: Final = _id("F")
"""An anonymous match of two games that runs. Its first game is over."""
IDS: Final = (RUNNING, HOSTILE, SHARED, NOTED, CHEATER_GAME, TWO_GAMES)
"""Newest first."""

SECRET_NOTE: Final = "my own secret words"
HOSTILE_NAMES: Final = ("<script>document.title='it ran'</script>", "a\u202eb\"'&", "nice/1")


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match to put into a data folder."""

    match_id: MatchId
    match: RandomMatch | ManualMatch
    deal_id: str = ""
    """The id of the deal that is stored; empty for the match's own."""
    is_opened: bool = True
    is_over: bool = True

    @property
    def journal(self) -> str:
        """The name of the match's own journal, without its ending."""
        return f"{self.match_id}-1"


def make_web_data(folder: Path) -> Path:
    """Make the data folder."""
    matches = [
        PlayedMatch(TWO_GAMES, play(TWO_GAMES, games=2)),
        PlayedMatch(CHEATER_GAME, RandomMatch(CHEATER, 3, 5, match_id=CHEATER_GAME).play()),
        PlayedMatch(NOTED, _play_with_notes()),
        PlayedMatch(SHARED, play(SHARED), f"{SHARED_DEAL_PREFIX}01ARYZ6S41TSV4RRFFQ69G5FAV.1.0", is_opened=False),
        PlayedMatch(RUNNING, play_first_game(RUNNING, anonymous=True), is_opened=False, is_over=False),
    ]
    data = DataFolder(folder)
    for each in matches:
        data.write_journal(each.journal, each.match)
    asyncio.run(_store(folder, matches))
    return folder


def play(match_id: MatchId, games: int = 1, *, anonymous: bool = False) -> RandomMatch:
    """Play a short match of Cheat at random."""
    return _begin(match_id, games, anonymous=anonymous).play()


def play_first_game(match_id: MatchId, *, anonymous: bool = False) -> RandomMatch:
    """Play the first of two short games of Cheat at random, and a little of the second, as of a match that runs."""
    match = _begin(match_id, 2, anonymous=anonymous)
    while not match.bench.referee.results:
        match.play(1)
    return match.play(3)


def _begin(match_id: MatchId, games: int, *, anonymous: bool) -> RandomMatch:
    return RandomMatch(CHEAT, 3, 3, match_id=match_id, games=games, anonymous=anonymous, options={"max_turns": 40})


def _play_with_notes() -> ManualMatch:
    match = ManualMatch(NOTED)
    match.answer(0, "2K KS4D", at=1_000, note=SECRET_NOTE)
    return match.play_out()


async def _store(folder: Path, matches: list[PlayedMatch]) -> None:
    async with await open_store(folder) as store:
        for each in matches:
            await store_match(store, each)
        nobody = new_match_row(HOSTILE, 1, matches[0].match.bench.terms, "none.journal", CREATED_AT)
        row = replace(nobody, entrants=HOSTILE_NAMES, state="ended", termination="interrupted")
        await store.results.add_match(row)


async def store_match(store: Store, played: PlayedMatch) -> None:
    """Put a match into a store as a server does, with its games if it is over, and with its deal if it has one."""
    match, terms = played.match, played.match.bench.terms
    number, journal = match.bench.table.number, f"{played.journal}.journal"
    row = new_match_row(played.match_id, number, terms, journal, CREATED_AT)
    await store.results.add_match(row)
    if played.is_over:
        record = derive_match_record(row, _records(match), games())
        await store.results.add_games(record.match, record.games)
        await store.results.end_match(record.match)
    if isinstance(match, RandomMatch):
        deal = deal_serialization.new_deal_row(match.deal.secret, played.match_id, number, journal, CREATED_AT)
        await store.deals.commit(replace(deal, deal_id=played.deal_id or deal.deal_id))
        if played.is_opened:
            revealed = deal_serialization.describe_revealed_deal(match.deal.reveal())
            await store.deals.reveal(played.match_id, revealed)


def _records(match: HasRecords) -> list[bytes]:
    return list(match.records)
