"""What a match needs from outside: a journal, a store of results, a source of chance. Outer rooms implement these."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NewType, Protocol, TypeVar, runtime_checkable

from arena.rules.game import ChanceRequest

MatchId = NewType("MatchId", str)
"""Names a match for good: 26 characters, sortable by time."""


class Journal(Protocol):
    """An append-only record of inputs. Whoever is told something is told after `flush` returned."""

    def append(self, record: bytes) -> None:
        """Add a record to the current group. Cheap; nothing is written yet."""

    def flush(self) -> None:
        """Hand the current group to the operating system, so that it survives the end of this process.

        Raises JournalError when it cannot be written; the group is kept and `flush` may be tried again.
        """


@runtime_checkable
class SyncedJournal(Journal, Protocol):
    """A journal whose records survive a power cut, once they are synced."""

    @property
    def last_sync_records(self) -> Sequence[bytes]:
        """The records of the latest sync."""

    def sync(self) -> None:
        """Return when the disk has what was flushed; may run in a thread. Raises JournalError: then flush first."""


class NullJournal:
    """The journal of a match that nobody will play again."""

    def append(self, record: bytes) -> None:
        """Keep nothing."""

    def flush(self) -> None:
        """Keep nothing."""


class ChanceSource(Protocol):
    """Draws what a game asks for, the same for the same (game, chance)."""

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        """Give the values for a chance of the 0-based game of the match."""


ResultT = TypeVar("ResultT")


class BackgroundRunner(Protocol):
    """Does what takes long away from the loop that plays."""

    def __call__(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        """Do the work elsewhere and give its result to `then`, which runs in the loop; maybe at once."""


class Signer(Protocol):
    """Signs receipts."""

    public_key: bytes

    def sign(self, digest: bytes) -> bytes:
        """Give the Ed25519 signature of a digest."""


@dataclass(frozen=True, slots=True)
class DealRow:
    """A deal as the store keeps it: a link of a chain from which none can be dropped."""

    number: int
    """Place in the chain, from 1."""
    match_id: MatchId
    deal_id: str
    journal: str
    """Name of the journal file that holds its secrets while nobody may read them."""
    match_number: int
    created_at: float
    """Wall clock, seconds since 1970, for people only."""
    rules: bytes
    commitment: bytes
    link: bytes
    """The chain up to here."""
    revealed: Mapping[str, Any] | None = None
    """Everything else, as plain values; None while a game may still use it."""


class DealStore(Protocol):
    """Commitments and what they were opened with. One writer; each call is done wholly or not at all."""

    async def commit(self, row: DealRow) -> DealRow:
        """Add a commitment to the chain; number and link are made here. Raises StoreError."""

    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any]) -> None:
        """Keep what a commitment was opened with; nothing changes where that is known already."""

    async def deal(self, match_id: MatchId) -> DealRow | None:
        """Give a match's deal; None for a match that has none."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as the store keeps it."""

    match_id: MatchId
    number: int
    """The match's number on its node while it ran."""
    journal: str
    """Name of the journal file that holds its inputs."""
    created_at: float
    """Wall clock, seconds since 1970, for people only."""
    game: str
    preset: str
    terms: Mapping[str, Any]
    """All that was agreed, as plain values: ruleset, pace, seating, game count, entrants, rated."""
    entrants: tuple[str, ...]
    rated: bool
    state: str = "running"
    """`running` or `ended`."""
    termination: str = ""
    strikes: tuple[Mapping[str, int], ...] = ()
    """By entrant: late, illegal, missing, gone."""
    statistics: tuple[Mapping[str, int | float], ...] = ()
    """By entrant: figures for people, such as lies told and think times."""
    faults: tuple[Mapping[str, Any], ...] = ()
    """Strikes as plain values of `arena.match.strike_record`, ordered by entrant; only the first of many."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A finished game as the store keeps it; exists exactly once for (match, game)."""

    match_id: MatchId
    game: int
    places: tuple[int, ...]
    """By entrant, 1 is best."""
    termination: str
    turn_count: int
    rules_version: str
    digest: str
    """SHA-256, hex, over the game's events in canonical form."""
    events: bytes
    """The events in canonical form, compressed; derived from the journal once."""


class ResultStore(Protocol):
    """Matches and results. One writer; every call is one transaction."""

    async def add_match(self, row: MatchRow) -> None:
        """Keep a new match. Raises StoreError."""

    async def move_match(self, row: MatchRow) -> None:
        """Keep a match that goes on in another journal, under another number there. Raises StoreError."""

    async def add_games(self, rows: Sequence[GameRow]) -> None:
        """Keep finished games; one that is there already is left as it is."""

    async def end_match(self, row: MatchRow) -> None:
        """Replace the match's row by its final state."""

    async def match(self, match_id: MatchId) -> MatchRow:
        """Give a match. Raises UnknownNameError."""

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """Give a match's finished games in order."""

    async def matches(self, limit: int, before: MatchId | None = None) -> Sequence[MatchRow]:
        """List matches, newest first, older than `before`."""
