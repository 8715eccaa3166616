"""A match that a node hosts, and the stages that it goes through.

    reserved ──▶ offered ──▶ entropy ──▶ shuffled ──▶ running ──▶ ended
                    └──────────────────────▲

A match that another node has begun goes from reserved to running. From every stage before `running`, a match may be
dropped. A match that is not over may be released: another node goes on with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from arena.match.feed.match_feed import MatchFeed
from arena.match.referee.deal import MatchDeal
from arena.match.referee.entropy import Entropy
from arena.match.referee.inputs import NewRoundTrip
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import EntrantIndex, Instant, SessionKey
from arena.match.referee.table import MatchTable
from arena.match.referee.terms import Terms
from arena.server.node.deals import AssignedDeal
from arena.server.node.session import Session
from arena.server.node.time_credits import MatchCredits

_PRECISION_US: Final = 1_000
"""Round trips are recorded in whole milliseconds, so that a match has few such records."""


class MatchStage(Enum):
    """How far a match has come."""

    RESERVED = "reserved"
    """The deal is being committed, or the match waits to be taken up again. No seat is offered yet."""
    OFFERED = "offered"
    ENTROPY = "entropy"
    """Bots that promised entropy are asked for it."""
    SHUFFLED = "shuffled"
    """The deck is being shuffled; this takes long only for a long deck."""
    RUNNING = "running"
    ENDED = "ended"
    """It was played, to its end or until it was cancelled."""
    DROPPED = "dropped"
    """It was cancelled or withdrawn before it began."""
    RELEASED = "released"


_S: Final = MatchStage
_RUNNING: Final = MatchStage.RUNNING
_LEFT_OPEN: Final = frozenset({_S.DROPPED, _S.RELEASED})
OVER: Final = frozenset({_S.ENDED, *_LEFT_OPEN})
"""The stages in which a match takes no more input."""
_FOLLOWING: Final[Mapping[MatchStage, frozenset[MatchStage]]] = {
    _S.RESERVED: frozenset({_S.OFFERED, _S.RUNNING}) | _LEFT_OPEN,
    _S.OFFERED: frozenset({_S.ENTROPY, _S.SHUFFLED}) | _LEFT_OPEN,
    _S.ENTROPY: frozenset({_S.SHUFFLED}) | _LEFT_OPEN,
    _S.SHUFFLED: frozenset({_S.RUNNING}) | _LEFT_OPEN,
    _S.RUNNING: frozenset({_S.ENDED, _S.RELEASED}),
    **dict.fromkeys(OVER, frozenset()),
}


def may_follow(stage: MatchStage, following: MatchStage) -> bool:
    """Return whether a match may go from one stage to another.

    >>> may_follow(MatchStage.OFFERED, MatchStage.ENTROPY), may_follow(MatchStage.ENDED, MatchStage.RUNNING)
    (True, False)
    """
    return following in _FOLLOWING[stage]


@dataclass(slots=True)
class HostedMatch:
    """The state of a match on its node, from its reservation to its end."""

    number: int
    match_id: MatchId
    terms: Terms
    keys: tuple[SessionKey, ...]
    feed: MatchFeed
    table: MatchTable
    credits: MatchCredits
    created_at: float
    """Wall clock, seconds since 1970."""
    deal: MatchDeal
    assigned_deal: AssignedDeal
    """The deal as it was assigned when the match was created."""
    offer_until: Instant = Instant(0)  # noqa: RUF009  a number never changes
    stage: MatchStage = MatchStage.RESERVED
    """Changed by `enter` alone."""
    entropy: Entropy = field(default_factory=Entropy)
    shuffled_from: Instant | None = None
    """When the shuffle of a long deck began; None before that."""
    answers: dict[EntrantIndex, bool] = field(default_factory=dict)
    """Whether each entrant that answered has accepted its offer."""
    required: frozenset[EntrantIndex] = frozenset()
    """The entrants that the match requires. If one does not accept its offer, the match is withdrawn."""
    absent: tuple[EntrantIndex, ...] = ()
    """The entrants that did not accept their offer, and those that left before the start. None of them holds a seat."""
    is_resumed: bool = False
    """Whether the match began on another node."""
    is_rerun: bool = False
    """Whether the match repeats another match's records. If so, it has no deadlines of its own and is not stored."""

    def enter(self, stage: MatchStage) -> None:
        """Raises ValueError if the stage may not follow."""
        if not may_follow(self.stage, stage):
            raise ValueError(f"a match that is {self.stage.value} cannot become {stage.value}")
        self.stage = stage

    @property
    def is_running(self) -> bool:
        return self.stage is _RUNNING

    @property
    def is_over(self) -> bool:
        """Whether the match takes no more input."""
        # Asked for every decision. To hash a stage takes as long as reading the decision, to compare it does not.
        return self.stage is not _RUNNING and self.stage in OVER

    @property
    def due(self) -> Instant | None:
        """The next deadline of the match; None if there is none."""
        if self.is_rerun:
            return None
        match self.stage:
            case MatchStage.OFFERED:
                return self.offer_until
            case MatchStage.ENTROPY:
                return self.entropy.until
            case MatchStage.SHUFFLED:
                return self.shuffled_from if self.deal.prepared is not None else None
            case MatchStage.RUNNING:
                return self.table.referee.due
            case _:
                return None

    # ---- round trips, which only a match with lag purses records

    def known_round_trips(self, sessions: Mapping[SessionKey, Session]) -> tuple[int, ...]:
        """Return round trips as they are recorded, 0 if unknown. Empty without lag purses."""
        if not self.terms.pace.lag_purse:
            return ()
        found = [sessions[key].round_trip_us if key in sessions else None for key in self.keys]
        return tuple(_round_up(us or 0) for us in found)

    def record_round_trip(self, entrant: EntrantIndex, shortest_us: int | None, at: Instant, now: Instant) -> None:
        """Do nothing if the round trip is unknown or has not changed."""
        if shortest_us is None or not self.terms.pace.lag_purse or not self.is_running:
            return
        us = _round_up(shortest_us)
        if self.table.referee.entrant_records[entrant].clock.round_trip_us != us:
            self.table.apply(NewRoundTrip(at, now, entrant, us))


def _round_up(us: int) -> int:
    return -(-us // _PRECISION_US) * _PRECISION_US
