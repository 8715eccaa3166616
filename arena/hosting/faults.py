"""The faults of a league: some of each entrant are kept with its blocks, and the report tells whose fault each was."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from arena.match.fault import Fault, culprit_of, fault_from, times_of
from arena.match.ports import MatchRow
from arena.replays.blame import explained
from arena.replays.voice import voice_of
from arena.report import play_view
from arena.rules.game import Game

MOST_OF_ONE: Final = 100
"""So many strikes of an entrant are explained in a league; later ones are counted. Replays explain them all."""


def worth_keeping(row: MatchRow, strikes: Mapping[str, int]) -> list[Mapping[str, Any]]:
    """The faults of a match that are kept with its block, as plain values; `strikes`: those before it, by name."""
    counts, kept = Counter(strikes), list[Mapping[str, Any]]()
    for fault in row.faults:
        name = row.entrants[fault["entrant"]]
        counts[name] += 1
        if counts[name] <= MOST_OF_ONE:
            kept.append(fault)
    return kept


def told_faults(block: Mapping[str, Any], game: Game) -> Iterator[play_view.Fault]:
    """Tell what was kept with a block."""
    for table in block["tables"]:
        for values in table.get("faults", ()):
            yield _told(fault_from(values), table["match_id"], table["seats"], game)


def _told(fault: Fault, match_id: str, seats: Sequence[str], game: Game) -> play_view.Fault:
    """One fault as the report tells it."""
    sentence = explained(fault, game, voice_of(game))
    return play_view.Fault(seats[fault.entrant], match_id, fault.turn, fault.kind.value, sentence, _blame(fault))


def _blame(fault: Fault) -> play_view.Blame:
    times, culprit = times_of(fault), culprit_of(fault)
    return play_view.Blame(
        bot_ms=_ms(times.bot_us),
        queue_ms=_ms(times.queue_us),
        wire_ms=_ms(times.wire_us),
        server_ms=_ms(times.server_us),
        loop_lag_ms=_ms(times.loop_lag_us),
        core_wait_ms=_ms(times.core_wait_us),
        culprit="" if culprit is None else culprit.value,
    )


def _ms(us: int | None) -> float | None:
    return None if us is None else us / 1000
