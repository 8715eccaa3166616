"""What a finished match leaves behind, derived from its records: results, events in canonical form, figures."""

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any

from arena.deal.encoding import canonical
from arena.match.facts import FaultKind, GameEnded
from arena.match.inputs import match_of
from arena.match.orders import Announce, Tell
from arena.match.ports import GameRow, MatchId, MatchRow
from arena.match.referee import Referee
from arena.match.replay import Moment, Replay
from arena.match.terms import Terms, describe_terms
from arena.rules.game import Game


@dataclass(frozen=True, slots=True)
class Record:
    """A match as it is kept for good."""

    match: MatchRow
    games: tuple[GameRow, ...]


def first_row(match_id: MatchId, number: int, terms: Terms, journal: str, created_at: float) -> MatchRow:
    """The row of a match that has just begun."""
    return MatchRow(
        match_id=match_id,
        number=number,
        journal=journal,
        created_at=created_at,
        game=terms.game.name,
        preset=terms.preset,
        terms=describe_terms(terms),
        entrants=terms.entrants,
        rated=terms.rated,
    )


def derive(row: MatchRow, records: Iterable[bytes], games: Mapping[str, Game]) -> Record:
    """Play the records again and give what is to be kept; `row` is the match's first row."""
    return Derivation(row, records, games).record()


class Derivation:
    """What is to be kept of a match, derived while its records come: nothing of what was played is played twice."""

    def __init__(self, row: MatchRow, records: Iterable[bytes], games: Mapping[str, Game]) -> None:
        """Play the first records again; `row` is the match's first row. Raises what `Replay` raises."""
        self._row = row
        self._replay = Replay(records, games)
        self._collector = _Collector(row, self._replay.terms)
        self._take(self._replay.moments())

    def go_on(self, records: Iterable[bytes]) -> None:
        """Play the records again that have come since."""
        self._take(self._replay.further(records))

    def record(self) -> Record:
        """What is to be kept of a match that has no further records."""
        referee = self._replay.referee
        final = replace(
            self._row,
            state="ended",
            termination="interrupted" if referee.ended is None else referee.ended.termination,
            strikes=strikes_of(referee),
            statistics=self._collector.statistics(referee),
        )
        return Record(final, tuple(self._collector.rows))

    def _take(self, moments: Iterable[Moment]) -> None:
        for moment in moments:
            self._collector.take(moment)


def strikes_of(referee: Referee) -> tuple[dict[str, int], ...]:
    """Strikes by entrant and kind."""
    return tuple({kind.value: conduct.strikes[kind] for kind in FaultKind} for conduct in referee.conducts)


def event_line(at: int, event: Any) -> bytes:
    """One event in canonical form: its instant, its name, its fields."""
    return canonical([at, type(event).__name__, plain(event)])


def plain(value: Any) -> Any:
    """Any of a game's values as plain ones: objects by field, cards as lists of numbers."""
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes | tuple | list | frozenset):
        return [plain(item) for item in (sorted(value) if isinstance(value, frozenset) else value)]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value


class _Collector:
    """Gathers a match's events game by game, and what is counted."""

    def __init__(self, row: MatchRow, terms: Terms) -> None:
        self._row = row
        self._terms = terms
        self._lines: list[bytes] = []
        self._seats: tuple[int, ...] = ()
        self._counts: list[Counter[str]] = [Counter() for _ in terms.entrants]
        self.rows: list[GameRow] = []

    def take(self, moment: Moment) -> None:
        """Add what one input led to."""
        for order in moment.orders:
            if isinstance(order, Tell):
                self._lines.append(event_line(moment.entry.at, order.event))
                self._tally(order.event)
            elif isinstance(order, Announce):
                fact = order.fact
                self._seats = getattr(fact, "entrants", self._seats)
                self._lines.append(event_line(moment.entry.at, fact))
                if isinstance(fact, GameEnded):
                    self._end_game(fact)

    def _tally(self, event: Any) -> None:
        for seat, word in self._terms.game.tally(event):
            self._counts[self._seats[seat]][word] += 1

    def _end_game(self, fact: GameEnded) -> None:
        raw = b"\n".join(self._lines)
        self._lines = []
        by_entrant = dict(zip(fact.entrants, fact.places, strict=True))
        self.rows.append(
            GameRow(
                match_id=self._row.match_id,
                game=fact.game,
                places=tuple(by_entrant[entrant] for entrant in range(len(by_entrant))),
                termination=fact.termination,
                turn_count=sum(counts["turns"] for counts in self._counts) - sum(r.turn_count for r in self.rows),
                rules_version=self._terms.game.version,
                digest=hashlib.sha256(raw).hexdigest(),
                events=zlib.compress(raw),
            )
        )

    def statistics(self, referee: Referee) -> tuple[dict[str, float], ...]:
        """Figures by entrant: counts of the game, decisions, mean think time in seconds."""
        figures: list[dict[str, float]] = []
        for conduct, counts in zip(referee.conducts, self._counts, strict=True):
            decisions = conduct.decision_count
            figures.append(
                {
                    **counts,
                    "decisions": decisions,
                    "think_s": conduct.think_us / 1e6 / decisions if decisions else 0.0,
                }
            )
        return tuple(figures)


def by_match(records: Iterable[bytes]) -> dict[int, list[bytes]]:
    """A journal's records by match number."""
    matches: dict[int, list[bytes]] = {}
    for record in records:
        matches.setdefault(match_of(record), []).append(record)
    return matches
