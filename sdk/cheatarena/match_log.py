"""Logs one line when a match begins and one at the end of each of its games, at INFO."""

import logging

from cheatarena.match_table import MatchTable
from cheatarena.plurals import format_count
from cheatarena.terms import Pace

logger = logging.getLogger("cheatarena")


class MatchLog:
    """Writes the lines about one match of a bot, and counts the bot's faults for them."""

    def __init__(self, table: MatchTable) -> None:
        self._table = table
        self._fault_count = 0
        """Faults since the last game ended."""

    def note_fact(self, kind: str | None) -> None:
        """Log a fact about the match. `kind` is the fact's field name in Event.

        If such lines are not logged, this does not read the table. So the table may apply its facts later, when the bot
        reads it.
        """
        if kind == "fault":
            self._fault_count += 1
        elif not logger.isEnabledFor(logging.INFO):
            return
        elif kind == "match_started":
            self._log_start()
        elif kind == "game_ended":
            self._log_game()
        elif kind == "match_ended" and self._table.termination != "finished":
            logger.info("match %d ended early: %s", self._table.match, self._table.termination)

    def _log_start(self) -> None:
        table, terms = self._table, self._table.terms
        others = [name for entrant, name in enumerate(terms.entrants) if entrant != table.entrant]
        named = ", ".join(others) if all(others) else format_count(len(others), "bot") + " without names"
        games = format_count(terms.game_count, "game")
        logger.info(
            "match %d: against %s; %s of %s, %s",
            table.match,
            named,
            games,
            getattr(terms.ruleset, "preset", "") or "rules without a name",  # a game may have no presets
            describe_pace(terms.pace),
        )

    def _log_game(self) -> None:
        table, faults, self._fault_count = self._table, self._fault_count, 0
        place = table.places[table.seat] if table.seat < len(table.places) else 0
        told = f"place {place} of {table.seat_count}" if place else "no place"
        why = "" if table.termination == "finished" else f" ({table.termination})"
        turns, faulty = format_count(table.turn, "turn"), format_count(faults, "fault") if faults else "no faults"
        logger.info("match %d game %d: %s after %s%s, %s", table.match, table.game, told, turns, why, faulty)


def describe_pace(pace: Pace) -> str:
    """Return the style and the time limits of a pace, in seconds."""
    if not pace.has_deadlines:
        return f"{pace.style}, without deadlines"
    return f"{pace.style}, {pace.turn_s:g} s a turn, {pace.call_s:g} s a call window"
