"""Games that were played at random with real deals, as stories for a published league."""

import json
from pathlib import Path

from arena.match.replay import Replay
from arena.match.terms import describe_terms
from arena.replays.library import Entry
from arena.report.story import Story, story_of
from arena.report.view import GameRow
from arena.rpc.games import games
from arena.rules.cheat.game import CHEAT
from arena.rules.game import Game
from tests.replays.proven import MATCH, Proven
from tests.support.played import CREATED_AT


def proven_story(game: Game = CHEAT, seats: int = 4, seed: int = 3) -> tuple[Story, GameRow]:
    """A whole game with the file that proves it, and its row."""
    match = Proven(game, seats, seed).play()
    terms = match.bench.terms
    entry = Entry(
        match_id=MATCH,
        created_at=CREATED_AT,
        preset=terms.preset,
        terms=json.loads(json.dumps(describe_terms(terms))),
        entrants=terms.entrants,
        journal=Path("j.journal"),
        number=match.bench.table.number,
        state="finished",
        is_stored=True,
    )
    story = story_of(entry, Replay(match.records, games()), match.file())
    end = next(line for line in story.lines if line.kind == "end")
    places = tuple(end.facts["places"])
    row = GameRow(MATCH, 1, 1, 1, tuple(terms.entrants), places, end.facts["termination"], 36)
    return story, row
