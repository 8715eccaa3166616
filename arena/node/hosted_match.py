"""A match from its offers to its end, and who has to do with it: sessions of bots, and the room that tells them."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from arena.feed.match_feed import MatchFeed
from arena.match.deal import MatchDeal
from arena.match.entropy import Entropy
from arena.match.inputs import Input
from arena.match.match_record import MatchRecorder
from arena.match.ports import MatchId
from arena.match.referee import Referee
from arena.match.scalars import EntrantIndex, Instant, StreamSequence
from arena.match.table import Audience
from arena.match.terms import Terms
from arena.node.ready_deals import AssignedDeal

SessionKey = tuple[str, str]
"""Name that the token stands for, and instance: what a session is on this node."""


class BotSession(Protocol):
    """A connected bot process."""

    key: SessionKey
    capacity: int
    """The most seats that it wants to hold."""

    def can_play(self, game: str, preset: str) -> bool:
        """Whether it knows this game and preset."""

    def offer_seat(self, booking: "HostedMatch", entrant: EntrantIndex, answer_by: Instant) -> None:
        """Offer it a seat."""

    def close_offer(self, booking: "HostedMatch", entrant: EntrantIndex, reason: str) -> None:
        """Tell it that an offer is gone."""

    def ask_entropy(self, booking: "HostedMatch", entrant: EntrantIndex, answer_by: Instant) -> None:
        """Ask for the entropy that it has promised."""

    def assign_seat(self, number: int, entrant: EntrantIndex) -> None:
        """Tell it where its table is."""


class Room(Audience, Protocol):
    """An audience that guests enter and leave."""

    @property
    def feed(self) -> MatchFeed:
        """Where spectators watch."""

    def admit(self, referee: Referee, entrant: EntrantIndex, guest: BotSession, after: StreamSequence | None) -> None:
        """Tell this guest everything from now on, and what it has missed after a sequence, or a snapshot."""

    def sequence_of(self, entrant: EntrantIndex) -> StreamSequence:
        """How many messages this entrant has been sent."""

    def dismiss(self, entrant: EntrantIndex, guest: BotSession) -> None:
        """Tell this guest nothing any more, unless another one has its place."""

    def close(self) -> None:
        """The match is over: whoever watches it is told no more than is on its way."""


class MatchTable(Protocol):
    """Where a match is played: `arena.match.table.Table`, or what stands in for it."""

    @property
    def referee(self) -> Referee:
        """Knows how the match stands."""

    @property
    def recorder(self) -> MatchRecorder | None:
        """Writes down what is to be kept of the match; None: nothing is."""

    def apply(self, entry: Input) -> None:
        """Take an input."""


class LobbyStage(Enum):
    """What a match waits for before it runs."""

    RESERVED = "reserved"
    """Its deal is to be kept; nobody is told of it yet."""
    OFFERED = "offered"
    ENTROPY = "entropy"
    """Bots that promised to add to the luck are asked to."""
    SHUFFLED = "shuffled"
    """A long deck is made ready."""


@dataclass(slots=True)
class HostedMatch:
    """A match from its offers to its end."""

    number: int
    match_id: MatchId
    terms: Terms
    keys: tuple[SessionKey, ...]
    """The session of each entrant."""
    room: Room
    table: MatchTable
    created_at: float
    """Wall clock, seconds since 1970."""
    deal: MatchDeal
    assigned_deal: AssignedDeal
    """What was ready of the deal when the match was made."""
    offer_until: Instant = Instant(0)  # noqa: RUF009  a number
    stage: LobbyStage = LobbyStage.RESERVED
    entropy: Entropy = field(default_factory=Entropy)
    shuffled_from: Instant | None = None
    """Since when a long deck is made ready."""
    answers: dict[EntrantIndex, bool] = field(default_factory=dict)
    """By entrant: whether it has accepted."""
    absent: tuple[EntrantIndex, ...] = ()
    """Entrants that did not accept; they hold no seat."""
    disk_credit_prompt_id: int = 0
    """The last prompt whose time was given back for the disk's slowness; -1: that of entropy was."""
    is_running: bool = False
    is_resumed: bool = False
    """It began on another node."""
    is_over: bool = False
    is_rerun: bool = False
    """It follows the records of another match: nothing is due in it by itself, and nothing of it is kept."""

    def session_key_of(self, entrant: EntrantIndex) -> SessionKey | None:
        """The session of an entrant; None for a number that is none, or that holds no seat."""
        return self.keys[entrant] if 0 <= entrant < len(self.keys) and entrant not in self.absent else None

    @property
    def due(self) -> Instant | None:
        """When something happens by itself next."""
        if self.is_over or self.is_rerun:
            return None
        if self.is_running:
            return self.table.referee.due
        match self.stage:
            case LobbyStage.RESERVED:
                return None
            case LobbyStage.OFFERED:
                return self.offer_until
            case LobbyStage.ENTROPY:
                return self.entropy.until
            case LobbyStage.SHUFFLED:
                return self.shuffled_from if self.deal.prepared is not None else None
