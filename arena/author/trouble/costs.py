"""What a phase cost the bot: strikes, automatic moves, places, decision times and lost connections.

Everything is computed from the records of the phase's match, so it is what the server saw.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.match.game import Game
from arena.match.referee.facts import StrikeIssued, StrikeKind
from arena.match.referee.inputs import Disconnect, Reconnect
from arena.match.referee.match_order import MatchReport
from arena.match.referee.orders import TellStrike
from arena.match.referee.ports import MatchRow
from arena.match.referee.replay import Moment, Replay
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.strike_record import Culprit, StrikeRecord, culprit_of
from arena.plain_data import from_plain

US: Final = 1e6


@dataclass(frozen=True, slots=True)
class Cost:
    """What one phase cost the bot."""

    strike_count: int
    own_strike_count: int
    """The strikes that only the bot itself can avoid."""
    automatic_move_count: int
    places: tuple[int, ...]
    """The places of the bot in the finished games; 1 is best."""
    unplayed_count: int
    """The games of the phase that were not finished."""
    decision_s: tuple[float, ...]
    """Seconds for each accepted decision as the server measured them, sorted."""
    lost_count: int
    """How often the connection of the bot was lost."""
    return_count: int
    """How often the bot came back."""
    away_s: float
    """Seconds without a connection, over the whole phase."""
    longest_away_s: float
    is_gone: bool
    """Whether the bot lost its seat."""

    @property
    def mean_place(self) -> float | None:
        """The mean place; None if no game was finished."""
        return sum(self.places) / len(self.places) if self.places else None

    def decision_quantile_s(self, share: float) -> float | None:
        """Return the seconds within which a share (0 to 1) of the decisions came; None if there are none.

        >>> Cost(0, 0, 0, (), 0, (0.1, 0.2, 0.3), 0, 0, 0.0, 0.0, False).decision_quantile_s(0.5)
        0.2
        """
        if not self.decision_s:
            return None
        return self.decision_s[min(len(self.decision_s) - 1, int(share * len(self.decision_s)))]


@dataclass(frozen=True, slots=True)
class _Strike:
    issued: StrikeIssued
    absence: int | None
    """The index of the absence in which it was issued, from 0; None if the bot was connected."""


def measure_cost(
    report: MatchReport,
    row: MatchRow,
    records: Sequence[bytes],
    games: Mapping[str, Game],
    name: str,
    patience_s: float,
) -> Cost:
    """Return what a match cost the bot with this name.

    A strike during an absence is the bot's own if the absence lasted for more than `patience_s` seconds, or if the bot
    never came back.
    """
    replay = Replay(records, games)
    entrant = EntrantIndex(row.entrants.index(name))
    reading = _Reading(replay, entrant)
    strikes = [strike for moment in replay.moments() for strike in reading.read(moment)]
    faults = [each for each in from_plain(row.faults, tuple[StrikeRecord, ...]) if each.entrant == entrant]
    places = tuple(game.places[entrant] for game in report.games)
    return Cost(
        strike_count=len(strikes),
        own_strike_count=_count_own(strikes, faults, [each > patience_s for each in reading.absences_s]),
        automatic_move_count=sum(each.issued.automatic is not None for each in strikes),
        places=places,
        unplayed_count=replay.terms.game_count - len(places),
        decision_s=tuple(sorted(reading.decision_s)),
        lost_count=reading.lost_count,
        return_count=len(reading.absences_s),
        away_s=sum(reading.absences_s) + reading.present_absence_s,
        longest_away_s=max([*reading.absences_s, reading.present_absence_s]),
        is_gone=any(each.issued.kind is StrikeKind.GONE for each in strikes),
    )


def with_gaps(cost: Cost, gaps_s: Sequence[float]) -> Cost:
    """Return the cost with other gaps in the connection, in seconds. The bot came back after each of these gaps."""
    return replace(
        cost,
        lost_count=len(gaps_s),
        return_count=len(gaps_s),
        away_s=sum(gaps_s),
        longest_away_s=max(gaps_s, default=0.0),
    )


class _Reading:
    """Follows one entrant through the moments of a match."""

    def __init__(self, replay: Replay, entrant: EntrantIndex) -> None:
        self.decision_s: list[float] = []
        self.absences_s: list[float] = []
        """The absences that are over."""
        self.lost_count = 0
        self._record = replay.referee.entrant_records[entrant]
        self._entrant = entrant
        self._known = (0, 0)
        """The decisions that were read, and the microseconds that they took."""
        self._lost_at: Instant | None = None
        self._now = Instant(0)

    def read(self, moment: Moment) -> Iterator[_Strike]:
        """Read a moment, and yield the entrant's strikes in it."""
        entry, record = moment.entry, self._record
        self._now = entry.at
        absence = None if self._lost_at is None else len(self.absences_s)
        for order in moment.orders:
            if isinstance(order, TellStrike) and order.struck.entrant == self._entrant:
                yield _Strike(order.struck, absence)
        if record.decision_count > self._known[0]:
            self.decision_s.append((record.think_us - self._known[1]) / US)
            self._known = (record.decision_count, record.think_us)
        if isinstance(entry, Disconnect | Reconnect) and entry.entrant == self._entrant:
            self._read_connection(entry)

    @property
    def present_absence_s(self) -> float:
        """Seconds since the connection was lost, if it is lost."""
        return 0.0 if self._lost_at is None else (self._now - self._lost_at) / US

    def _read_connection(self, entry: Disconnect | Reconnect) -> None:
        if isinstance(entry, Disconnect):
            self.lost_count += self._lost_at is None
            self._lost_at = entry.at if self._lost_at is None else self._lost_at
        elif self._lost_at is not None:
            self.absences_s.append(self.present_absence_s)
            self._lost_at = None


def _count_own(strikes: Sequence[_Strike], faults: Sequence[StrikeRecord], are_long: Sequence[bool]) -> int:
    """Return how many strikes are the bot's own.

    `faults` are the records of the first strikes. `are_long` says for each finished absence whether it was too long.
    """
    count, was_own = 0, True
    for index, strike in enumerate(strikes):
        if strike.absence is not None:
            was_own = strike.absence >= len(are_long) or are_long[strike.absence]
        elif strike.issued.kind is not StrikeKind.GONE:  # a seat is lost because of the strikes before
            was_own = index >= len(faults) or culprit_of(faults[index]) in (Culprit.BOT, None)
        count += was_own
    return count
