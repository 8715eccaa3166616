"""Games played at random, as matches of a published league."""

import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

from arena.competition.league.model import Block, TableResult
from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Game
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.match.referee.terms import Terms, describe_terms
from arena.organizer.report.game_page import GamePage
from arena.organizer.report.player_steps import PlayerStep, SeenTable
from arena.organizer.report.published_match import PublishedMatch, build_published_match
from arena.organizer.report.view import LeagueGame
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.watch.drawing import DrawnCards, DrawnRow, DrawnSeat
from arena.server.wire.narration_line import NarrationLine
from tests.replays.narration.random_match import MATCH, RandomMatch
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
    places = tuple(end.data["places"])
    result = TableResult(story.match_id, seats, places, end.data["termination"], turn_count=end.turn or 0)
    return LeagueGame(Block(1, 1, (seats,)), 1, result)


def proven_story(game: Game = CHEAT, seats: int = 4, seed: int = 3) -> tuple[PublishedMatch, LeagueGame]:
    """Play a game at random with a real deal; return its match, with the file that proves it, and its row."""
    match = RandomMatch(game, seats, seed).play()
    terms = match.bench.terms
    story = build_published_match(entry_of(MATCH, terms), Replay(match.records, games()), match.file())
    return story, row_of(story, terms.entrants)


def _draw_told(text: str, seat_count: int) -> tuple[list[DrawnSeat], list[DrawnRow]]:
    cards = DrawnCards((text.replace(" ", ""),), claim=text)
    seats = [DrawnSeat(seat, text, cards, badges=(text,)) for seat in range(seat_count)]
    return seats, [DrawnRow(text, text, (cards,))]


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
            table=SeenTable([text] * len(names), [(text, text)], text, *_draw_told(text, len(names))),
            shows_counts=True,
        )
        for number, (text, kind) in enumerate(zip(texts, cycle(("event", "fault"))))
    ]
    places = range(1, len(names) + 1)
    page = GamePage(match_id, 0, texts[0], texts[0], names, places, names, steps, remark=texts[-1])
    return PublishedMatch(match_id, [page], b"{}")
