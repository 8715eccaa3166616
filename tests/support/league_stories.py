"""Games played at random, as matches of a published league."""

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from arena.games.catalogue import games
from arena.league.model import Block, TableResult
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.match.terms import Terms, describe_terms
from arena.replays.library_entry import LibraryEntry
from arena.replays.narration_lines import NarrationLine
from arena.report.game_page import GamePage
from arena.report.player_steps import PlayerStep, SeenTable
from arena.report.published_match import PublishedMatch, build_published_match
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


def row_of(story: PublishedMatch, seats: tuple[str, ...]) -> LeagueGame:
    """Return the row of a report for the first game of a match."""
    end = story.pages[0].steps[-1].line
    places = tuple(end.facts["places"])
    result = TableResult(story.match_id, seats, places, end.facts["termination"], turn_count=end.turn or 0)
    return LeagueGame(Block(1, 1, (seats,)), 1, result)


def proven_story(game: Game = CHEAT, seats: int = 4, seed: int = 3) -> tuple[PublishedMatch, LeagueGame]:
    """Play a game at random with a real deal; return its match, with the file that proves it, and its row."""
    match = RandomMatch(game, seats, seed).play()
    terms = match.bench.terms
    story = build_published_match(entry_of(MATCH, terms), Replay(match.records, games()), match.file())
    return story, row_of(story, terms.entrants)


def told_match(match_id: str, texts: Sequence[str], names: Sequence[str] = ("Ann", "Bob")) -> PublishedMatch:
    """Return a match with a line for each text: names, details and remarks are these texts too."""
    steps = [
        PlayerStep(
            NarrationLine(kind, text, 0, 0, number),
            text,
            [(text, text)],
            number,
            starts_move=True,
            caught=text,
            table=SeenTable([text] * len(names), [(text, text)], text),
            shows_counts=True,
        )
        for number, (text, kind) in enumerate(zip(texts, cycle(("event", "fault"))))
    ]
    places = range(1, len(names) + 1)
    page = GamePage(match_id, 0, texts[0], texts[0], names, places, names, steps, texts[-1])
    return PublishedMatch(match_id, [page], b"{}")
