"""The facts of a match, apart from the events of its games.

All facts are public except `StrikeIssued` and `DealReceipt`, which only the entrant concerned receives.
"""

from dataclasses import field
from enum import Enum
from typing import Any, Final

from arena.match.deal.commitment import Contribution
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.value_class import value_class


@value_class()
class MatchStarted:
    """The match begins. The terms contain all details of the match."""


@value_class()
class GameStarted:
    game: int
    """The 0-based number of the game in the match."""
    entrants: tuple[EntrantIndex, ...]
    """The entrant of each seat."""


@value_class()
class GameEnded:
    game: int
    places: tuple[int, ...]
    """The places by seat. 1 is best, and tied seats share a place."""
    termination: str
    """The rules' word for how the game ended, or `forfeit`."""
    entrants: tuple[EntrantIndex, ...]
    """The entrant of each seat."""

    @property
    def places_by_entrant(self) -> tuple[int, ...]:
        return tuple(place for _, place in sorted(zip(self.entrants, self.places, strict=True)))


@value_class()
class IntermissionStarted:
    """A break before the next game begins."""

    until: Instant
    """The latest instant at which the break ends, in microseconds on the node's clock."""


@value_class()
class MatchEnded:
    termination: str
    """How the match ended: `finished`, `forfeited`, `cancelled` or `interrupted`."""
    place_sums: tuple[int, ...]
    """Each entrant's sum of places over all games."""


@value_class()
class DealReceipt:
    """The receipt that binds the server to a deal before its first card; each entrant has its own."""

    digest: bytes
    signature: bytes
    """The Ed25519 signature of the digest."""
    public_key: bytes


@value_class()
class DealRevealed:
    """The match's deal is revealed, as no game will use it again."""

    deal_id: str
    rules_hash: bytes
    seed: bytes = field(repr=False)
    commitment: bytes
    root: bytes
    """Hash of the first deck; empty if no deal was prepared."""
    contributions: tuple[Contribution, ...]
    """The contributions in entrant order. Only entrants that promised entropy have one."""
    salts: tuple[bytes, ...]
    """The salt r of each entrant's receipt."""
    receipts: tuple[DealReceipt, ...] = ()
    """The receipts by entrant, as they were issued before the first card; empty if no card was dealt."""
    terms_salt: bytes = field(default=b"", repr=False)
    """The salt t of the terms hash; no bot gets it. Empty in deals of release 0.1.0."""
    terms_hash: bytes = b""
    """The hash of match id and terms in the receipts; empty if the receipts bind no terms."""


class StrikeKind(Enum):
    LATE = "late"
    ILLEGAL = "illegal"
    MISSING = "missing"
    GONE = "gone"
    CRASHED = "crashed"
    NO_ANSWER = "no_answer"


STRIKE_NAMES: Final = tuple(kind.value for kind in StrikeKind)
"""The kinds of strikes as they are stored and printed. Counts of old releases lack the newer ones."""
ANSWER_STRIKES: Final = (StrikeKind.LATE, StrikeKind.ILLEGAL, StrikeKind.MISSING)
"""The kinds of strikes for a prompt whose answer was late, illegal or missing."""


@value_class()
class StrikePrompt:
    """The question that a strike is about."""

    kind: str
    at: Instant
    """When the time for the answer began, in microseconds on the node's clock. Credits move this instant."""
    deadline: Instant | None


@value_class()
class StrikeIssued:
    entrant: EntrantIndex
    kind: StrikeKind
    prompt_id: PromptId = PromptId(0)
    """The prompt that the strike concerns; 0 if it concerns none."""
    reason: str = ""
    """For LATE and ILLEGAL: a code of the rules or of the protocol."""
    automatic: Any = None
    """The automatic action that stands in place of an answer; None if there was none, as for a missed window."""
    asked: StrikePrompt | None = field(default=None, compare=False)
    """The question that the strike concerns; None if it concerns none, or if the question is no longer remembered."""
    action: Any = field(default=None, compare=False)
    """For LATE and ILLEGAL: the action received; None if it could not be read."""
    no_answer: "NoAnswerGiven | None" = field(default=None, compare=False)
    """What the bot said instead of an answer; None if it said nothing."""


class NoAnswerCause(Enum):
    CRASHED = "crashed"
    """Its code raised an exception."""
    ILLEGAL = "illegal"
    """Its client found that the answer breaks a rule, and did not send it."""
    EMPTY = "empty"
    """Its code returned nothing, or something that is no answer."""
    GAVE_UP = "gave_up"
    """Its own time limit passed, or its answers were refused."""


@value_class()
class NoAnswerGiven:
    """What a bot says instead of an answer."""

    cause: NoAnswerCause
    reason: str = ""
    """For ILLEGAL: the code of the rule that the answer would have broken."""
    words: str = field(default="", compare=False)
    """What the bot's author wants to read. Only the bot's owner sees it."""

    @property
    def strike_kind(self) -> StrikeKind:
        return _STRIKE_KINDS.get(self.cause, StrikeKind.NO_ANSWER)


_STRIKE_KINDS = {NoAnswerCause.CRASHED: StrikeKind.CRASHED, NoAnswerCause.ILLEGAL: StrikeKind.ILLEGAL}
