"""Games for insight: events of the rules as the store has them, and the terms that they were played on."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from arena.games.catalogue import pack_of
from arena.match.game import Game
from arena.match.referee.match_record import event_line
from arena.match.referee.scalars import Instant
from arena.replays.analytics.counts import SeatAnalytics
from arena.replays.analytics.match_analytics import analyze_game


def terms_of(game: Game, seat_count: int, style: str = "sealed", preset: str = "", **options: Any) -> Mapping[str, Any]:
    """What insight reads of a match's terms."""
    ruleset = game.build_ruleset(preset or game.presets[0], options)
    names = [f"bot{seat}" for seat in range(seat_count)]
    return {"entrants": names, "ruleset": game.ruleset_options(ruleset), "pace": {"style": style}}


def read(game: Game, events: Iterable[Any], terms: Mapping[str, Any]) -> tuple[SeatAnalytics, ...]:
    """Read events as if they came from the store."""
    return analyze_game(
        pack_of(game.name).load_analytics().build_analyzer(terms),
        [json.loads(event_line(Instant(0), event)) for event in events],
    )
