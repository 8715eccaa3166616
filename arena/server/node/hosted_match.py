"""Defines a match hosted by a node, and the sessions, room and table that it works with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from arena.competition.pools.ports import Notice
from arena.match.feed.match_feed import MatchFeed
from arena.match.referee.deal import MatchDeal
from arena.match.referee.entropy import Entropy
from arena.match.referee.ports import MatchId
from arena.match.referee.referee import Referee
from arena.match.referee.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.referee.table import Audience, MatchTable
from arena.match.referee.terms import Terms
from arena.server.node.match_stage import OVER, MatchStage, may_follow
from arena.server.node.ready_deals import AssignedDeal
from arena.server.node.time_credits import MatchCredits

_RUNNING: Final = MatchStage.RUNNING

SessionKey = tuple[str, str]
"""The bot name of the token, and the instance; together they identify a session on this node."""


class ChallengePolicy(Enum):
    """Whose challenges a bot accepts."""

    OWN = "own"
    """Those of its owner's bots."""
    NOBODY = "nobody"
    EVERYBODY = "everybody"


class BotSession(Protocol):
    """Represents a connected bot process."""

    key: SessionKey
    capacity: int
    """The most seats that the bot is willing to hold; 0 if another version has replaced it, which gets its seats."""
    owner: str | None
    """The owner of the bot; None if it has none."""
    version: str
    """The version of the program that the bot has told; empty if it has told none."""
    pools: Mapping[str, int]
    """The pools that the bot wants to play in, each with the number of seats that it wants."""
    challenges: ChallengePolicy

    @property
    def round_trip_us(self) -> int | None:
        """The shortest of the latest round trips in microseconds; None until one is measured."""

    @property
    def heard_at(self) -> Instant:
        """When the latest frame of the bot arrived."""

    def can_play(self, game: str, preset: str) -> bool:
        """Return whether the bot plays this game and preset."""

    def describe_games(self) -> str:
        """Return the games and presets that the bot plays, as text."""

    def offer_seat(self, hosted: "HostedMatch", entrant: EntrantIndex, answer_by: Instant) -> None:
        """Offer a seat; the bot has to answer by `answer_by`."""

    def close_offer(self, hosted: "HostedMatch", entrant: EntrantIndex, reason: str) -> None:
        """Withdraw an offer, with a reason."""

    def ask_entropy(self, hosted: "HostedMatch", entrant: EntrantIndex, answer_by: Instant) -> None:
        """Ask for the entropy that the bot has promised."""

    def assign_seat(self, number: int, entrant: EntrantIndex) -> None:
        """Notify the bot that it holds a seat in a match."""

    def send_pool_notice(self, notice: Notice) -> None:
        """Tell the bot how many seats it gets in a pool."""

    def confirm_resumption(self) -> None:
        """Notify the bot that its stream has caught up: it has been sent everything about the seats that it holds."""


class Room(Audience, Protocol):
    """An audience whose sessions may enter and leave."""

    @property
    def feed(self) -> MatchFeed:
        """The feed that spectators watch."""

    def admit(self, referee: Referee, entrant: EntrantIndex, session: BotSession, after: StreamSequence | None) -> None:
        """Connect a session and send it the messages after the sequence `after`, or a snapshot if `after` is None."""

    def sequence_of(self, entrant: EntrantIndex) -> StreamSequence:
        """Return the sequence of the last message to this entrant."""

    def dismiss(self, entrant: EntrantIndex, session: BotSession) -> None:
        """Disconnect a session, unless another session has already taken its place."""

    def close(self) -> None:
        """Close the feed after the match; messages already on their way are still delivered."""


@dataclass(slots=True)
class HostedMatch:
    """Holds the state of a match on its node, from its reservation to its end."""

    number: int
    match_id: MatchId
    terms: Terms
    keys: tuple[SessionKey, ...]
    """The session key of each entrant."""
    room: Room
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
        """Go on to a stage. Raises ValueError if it may not follow."""
        if not may_follow(self.stage, stage):
            raise ValueError(f"a match that is {self.stage.value} cannot become {stage.value}")
        self.stage = stage

    @property
    def is_running(self) -> bool:
        """Whether the match is being played."""
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
