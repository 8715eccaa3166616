"""The faults of a league: blocks keep the first faults of each entrant, and the report explains who was to blame."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from arena.games.catalogue import phrasing_of
from arena.match.game import Game
from arena.match.referee.ports import MatchRow
from arena.match.referee.strike_record import StrikeRecord, culprit_of, response_times_of
from arena.organizer.report.play_view import StrikeView
from arena.plain_data import from_plain
from arena.replays.narration.blame import explain_strike
from arena.replays.narration.move_numbers import shown_turn

MAX_EXPLAINED_STRIKES: Final = 100
"""How many strikes of each entrant a league's report explains. Later strikes are only counted. Replays explain all."""


def select_faults_to_keep(row: MatchRow, strikes: Mapping[str, int]) -> list[Mapping[str, Any]]:
    """Return the faults of a match to keep with its block, as plain values.

    `strikes` maps each entrant to its number of earlier faults.
    """
    counts, selected = Counter(strikes), list[Mapping[str, Any]]()
    for fault in row.faults:
        name = row.entrants[fault["entrant"]]
        counts[name] += 1
        if counts[name] <= MAX_EXPLAINED_STRIKES:
            selected.append(fault)
    return selected


def explain_faults(block: Mapping[str, Any], game: Game) -> Iterator[StrikeView]:
    """Yield an explanation of each fault kept with a block."""
    for table in block["tables"]:
        for values in table.get("faults", ()):
            fault = from_plain(values, StrikeRecord)
            name, match_id = table["seats"][fault.entrant], table["match_id"]
            phrasing = phrasing_of(game)
            sentence = explain_strike(replace(fault, words=""), game, phrasing)  # reports are public
            turn = shown_turn(fault.prompt, fault.turn, phrasing)
            times, culprit = response_times_of(fault), culprit_of(fault)
            yield StrikeView(name, match_id, turn, fault.kind, sentence, times, culprit)
