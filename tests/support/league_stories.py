"""Games played at random, as replay pages for a published league."""

import json
from pathlib import Path

from arena.games.catalogue import games
from arena.league.model import Block, TableResult
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.match.terms import Terms, describe_terms
from arena.replays.library_entry import LibraryEntry
from arena.report.replay_page import ReplayPage, build_replay_page
from arena.report.view import LeagueGame
from arena.rules.cheat.game import CHEAT
from arena.rules.game import Game
from tests.replays.random_match import MATCH, RandomMatch
from tests.support.recorded_matches import CREATED_AT


def entry_of(match_id: str, terms: Terms) -> LibraryEntry:
    """Return the library's entry of a finished match."""
    return LibraryEntry(
        match_id=MatchId(match_id),
        created_at=CREATED_AT,
        preset=terms.preset,
        terms=json.loads(json.dumps(describe_terms(terms))),
        entrants=terms.entrants,
        journal=Path("j.journal"),
        number=1,
        state="finished",
        is_stored=True,
    )


def row_of(story: ReplayPage, seats: tuple[str, ...]) -> LeagueGame:
    """Return the row of a report for the first game of a replay page."""
    end = next(line for line in story.lines if line.kind == "end")
    places = tuple(end.facts["places"])
    result = TableResult(story.match_id, seats, places, end.facts["termination"], turn_count=end.turn or 0)
    return LeagueGame(Block(1, 1, (seats,)), 1, result)


def proven_story(game: Game = CHEAT, seats: int = 4, seed: int = 3) -> tuple[ReplayPage, LeagueGame]:
    """Play a game at random with a real deal; return its replay page, with the file that proves it, and its row."""
    match = RandomMatch(game, seats, seed).play()
    terms = match.bench.terms
    story = build_replay_page(entry_of(MATCH, terms), Replay(match.records, games()), match.file())
    return story, row_of(story, terms.entrants)
