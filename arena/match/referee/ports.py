"""Interfaces that a match needs and that outer packages implement: journal, result store, chance source and others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NewType, Protocol, TypeVar, runtime_checkable

from arena.ids import WallTime
from arena.match.game import ChanceRequest
from arena.match.value_class import value_class

MatchId = NewType("MatchId", str)
"""A permanent match id: 26 characters, sortable by time."""


class Journal(Protocol):
    """An append-only record of inputs. Messages leave only after `flush` has returned."""

    def append(self, record: bytes) -> None:
        """Add a record to the current group. This is cheap; nothing is written yet."""

    def flush(self) -> None:
        """Hand the current group to the operating system, so that it survives the end of this process.

        Raises JournalError if it cannot be written; the group is kept and `flush` may be tried again.
        """


@runtime_checkable
class SyncedJournal(Journal, Protocol):
    """A journal whose records survive a power cut once they are synced."""

    @property
    def last_sync_records(self) -> Sequence[bytes]: ...

    def sync(self) -> None:
        """Write flushed records to the disk; may run in a thread. Raises JournalError; to retry, call `flush` first."""


class NullJournal:
    """The journal of a match that will not be replayed; it discards all records."""

    def append(self, record: bytes) -> None:
        """Discard a record."""

    def flush(self) -> None:
        """Do nothing."""


class ChanceSource(Protocol):
    """Draws values for a game. The same game and chance always give the same values."""

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        """Return the values of a draw in a game; `game` is its 0-based number in the match."""


ResultT = TypeVar("ResultT")


class BackgroundRunner(Protocol):
    """Runs long work outside the event loop."""

    def __call__(self, work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
        """Run `work` outside the loop, then pass its result to `then` in the loop.

        Both functions may end before this call returns.
        """


def run_inline(work: Callable[[], ResultT], then: Callable[[ResultT], object]) -> None:
    """Run the work immediately: a `BackgroundRunner` for callers without an event loop."""
    then(work())


class Signer(Protocol):
    public_key: bytes
    signs_elsewhere: bool
    """Whether a signature has to be waited for, outside the event loop, unless the deal is shared."""

    def sign(self, digest: bytes) -> bytes:
        """Return the Ed25519 signature of a digest."""


@value_class()
class DealRow:
    """A deal as stored, with its link in the chain of all deals."""

    number: int
    """Position in the chain, from 1."""
    match_id: MatchId
    deal_id: str
    journal: str
    """Name of the journal file that contains the deal's secrets. The store gets them when the deal is revealed."""
    match_number: int
    created_at: WallTime
    """For people only."""
    rules: bytes
    commitment: bytes
    link: bytes
    """Hash of the chain up to this deal."""
    revealed: Mapping[str, Any] | None = None
    """The revealed deal as plain values; None while a game may still use it."""


class DealStore(Protocol):
    """Stores commitments and revealed deals. It has one writer, and every call is atomic."""

    async def commit(self, row: DealRow) -> DealRow:
        """Add a commitment to the chain and return it with its number and link. Raises StoreError."""

    async def reveal(self, match_id: MatchId, revealed: Mapping[str, Any], journal: str = "") -> None:
        """Store a match's revealed deal; nothing changes if it is revealed already.

        If `journal` is given, nothing changes either if the match goes on in another journal by now, because its cards
        are still in play there.
        """

    async def deal(self, match_id: MatchId) -> DealRow | None:
        """Return a match's deal; None if the match has none."""


@value_class()
class MatchRow:
    match_id: MatchId
    number: int
    """The match's number on its node while it ran."""
    journal: str
    """Name of the journal file that contains the match's inputs."""
    created_at: WallTime
    """For people only."""
    game: str
    preset: str
    terms: Mapping[str, Any]
    """The terms as plain values: ruleset, pace, seating, game count, entrants, rated."""
    entrants: tuple[str, ...]
    rated: bool
    state: str = "running"
    """`running` or `ended`."""
    termination: str = ""
    strikes: tuple[Mapping[str, int], ...] = ()
    """By entrant: how many strikes of each kind (late, illegal, missing, gone)."""
    statistics: tuple[Mapping[str, int | float], ...] = ()
    """By entrant: figures for people, such as lies told and think times."""
    faults: tuple[Mapping[str, Any], ...] = ()
    """The first strikes of each entrant, ordered by entrant, as plain values of `arena.match.referee.strike_record`."""


@value_class()
class GameRow:
    """A finished game as stored. No two rows have the same match and game."""

    match_id: MatchId
    game: int
    places: tuple[int, ...]
    """The places by entrant; 1 is best."""
    termination: str
    turn_count: int
    rules_version: str
    digest: str
    """SHA-256, hex, over the game's events in canonical form."""
    events: bytes
    """The events in canonical form, compressed; sealed while other tables may play the deal (see `sealed_results`)."""


@value_class()
class GameSummary:
    """A finished game without its events."""

    game: int
    places: tuple[int, ...]
    """The places by entrant. 1 is best, and tied entrants share a place."""
    termination: str
    turn_count: int


@value_class()
class MatchSummary:
    """A match as stored, with those parts of its games and its deal that a list of matches shows."""

    row: MatchRow
    """The row of the match, without its faults unless they were asked for."""
    games: tuple[GameSummary, ...]
    """The finished games, in order."""
    deal: DealRow | None
    """The deal; None if the match has none."""
    damage: str = ""
    """Why the match cannot be read, as a sentence; then the other fields tell only its id and when it began."""

    @property
    def are_cards_open(self) -> bool:
        """Whether everybody may see the cards: the match has ended, and no other game may still use its deal."""
        return self.row.state == "ended" and (self.deal is None or self.deal.revealed is not None)


@value_class()
class MatchSearch:
    """The matches to find in the store. A match has to fit every part that is not None."""

    bot: str | None = None
    """Name of a bot that plays in the match; its instances (NAME/1) fit too."""
    other: str | None = None
    """Name of another bot that plays in it; only together with `bot`."""
    game: str | None = None
    state: str | None = None
    """`running` or `ended`."""
    season: tuple[str, int] | None = None
    """The pool that made the match, and the number of the season."""
    shows_names: bool = False
    """Whether anonymous matches that have not ended are left out."""


EVERY_MATCH: Final = MatchSearch()


class ResultStore(Protocol):
    """Stores matches and results. It has one writer, and every call is one transaction."""

    async def add_match(self, row: MatchRow) -> None:
        """Store a new match. Raises StoreError."""

    async def move_matches(self, rows: Sequence[MatchRow]) -> None:
        """Store that matches and their deals continue in another journal under other numbers. Raises StoreError.

        Their games so far are dropped: they are added anew, with the instants of the other journal.
        """

    async def add_games(self, match: MatchRow, rows: Sequence[GameRow]) -> None:
        """Store finished games of a match; those stored already stay unchanged. Raises what `end_match` raises."""

    async def end_match(self, row: MatchRow) -> None:
        """Store how a match has ended. What its row says of its beginning stays.

        Raises MatchMovedError if the match goes on in another journal, or under another number, than the row names.
        Raises UnknownNameError, StoreError.
        """

    async def match(self, match_id: MatchId) -> MatchRow:
        """Return a match. Raises UnknownNameError."""

    async def games(self, match_id: MatchId) -> Sequence[GameRow]:
        """Return a match's finished games in order."""

    async def summaries(
        self, limit: int, before: MatchId | None = None, wanted: MatchSearch = EVERY_MATCH
    ) -> Sequence[MatchSummary]:
        """Return at most `limit` wanted matches older than `before`, newest first, with their games and deals."""
