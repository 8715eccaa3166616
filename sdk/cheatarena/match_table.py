"""What a bot knows of its match, of whatever game. Facts are kept as they come, and taken in when somebody looks."""

import logging
import random
from collections.abc import Iterable, MutableMapping
from typing import Any, Protocol

from cheatarena.clock import Clock, ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.game import Game
from cheatarena.game_state import GameState
from cheatarena.receipts import Receipt, read_receipt
from cheatarena.terms import Pace, Terms, read_terms
from cheatarena.v1 import event_pb2, snapshot_pb2

MAX_PENDING_FACTS = 256
"""So many facts are kept without being taken in."""


class TimedQuestion(Protocol):
    """A question, as far as a table knows of it."""

    @property
    def deadline_us(self) -> int:
        """On the server's clock; 0 if it has none."""


class MatchTable:
    """One seat's view of its match. Seats are 0-based and clockwise; entrants are the same programs all match long."""

    def __init__(self, game: Game, match: int, entrant: int, clock: ServerClock) -> None:
        self.match = match
        """The match's number on its node."""
        self.entrant = entrant
        """The own index among the entrants."""
        self.queued_s = 0.0
        """How long the present question waited in this process before the bot was asked, in seconds."""
        self.question: TimedQuestion | None = None
        """The present question. None: there was none yet."""
        self._game = game
        self._server_clock = clock
        self._waiting: list[bytes] = []
        self._terms: Terms | None = None
        self._seed = b""
        self._receipt: Receipt | None = None
        self._random: random.Random | None = None
        self._state = game.state(0, 0, ())
        self._place_sums: tuple[int, ...] = ()
        self._termination = ""
        self._log: TableLog | None = None

    # The match.

    @property
    def terms(self) -> Terms:
        """What is played and how."""
        if self._terms is None:
            self._apply_pending_facts()
            if self._terms is None:
                raise ProtocolError(f"match {self.match} has not started")
        return self._terms

    @property
    def pace(self) -> Pace:
        """How decisions are timed."""
        return self.terms.pace

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat in this game; empty texts in an anonymous match."""
        entrants = self.terms.entrants
        return tuple(entrants[each] if each < len(entrants) else "" for each in self._current_state.seating)

    @property
    def entrants(self) -> tuple[int, ...]:
        """By seat in this game: the index of the entrant that sits there."""
        return self._current_state.seating

    @property
    def place_sums(self) -> tuple[int, ...]:
        """After the match: the sum of places over all games, by entrant; lower is better. Empty before."""
        self._apply_pending_facts()
        return self._place_sums

    @property
    def termination(self) -> str:
        """Why the match ended, or the game while the match goes on. Empty while it runs."""
        state = self._current_state
        return self._termination or state.termination

    @property
    def log(self) -> "TableLog":
        """A logger that writes match, game and turn in front. It writes to stderr, from the level CHEATARENA_LOG on."""
        if self._log is None:
            self._log = TableLog(self)
        return self._log

    @property
    def random(self) -> random.Random:
        """The seat's own source of chance, seeded by the server: the same match gives the same numbers."""
        if self._random is None:
            self._apply_pending_facts()
            self._random = random.Random(self._seed)  # noqa: S311 - meant to be repeatable
        return self._random

    @property
    def receipt(self) -> Receipt | None:
        """What ties the server to this match's cards since before the first one. None: it has come with none."""
        self._apply_pending_facts()
        return self._receipt

    @property
    def deadline_us(self) -> int:
        """The present question's deadline on the server's clock; 0 if it has none. See `clock`."""
        return self.question.deadline_us if self.question else 0

    @property
    def clock(self) -> Clock:
        """The time for the present question. Take it at the start of an async method: another question may follow."""
        deadline_us = self.deadline_us
        return Clock(self._server_clock.local_s(deadline_us) if deadline_us else float("inf"))

    # The game, as all games have it.

    @property
    def game(self) -> int:
        """The game's index in the match, from 0."""
        return self._current_state.game

    @property
    def turn(self) -> int:
        """Number of turns in this game: in Cheat moves and passes made, in CHEATER turns that have ended."""
        return self._current_state.turn_count

    @property
    def seat(self) -> int:
        """The own seat in this game."""
        return self._current_state.seat

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self._current_state.seating)

    @property
    def to_move(self) -> int | None:
        """Whose turn it is. None: nobody's, as after the game."""
        return self._current_state.to_move

    @property
    def places(self) -> tuple[int, ...]:
        """Places by seat, 1 is best; 0 where there is none yet."""
        return tuple(self._current_state.places)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._current_state.is_over

    # For the seat: how facts come in.

    def add(self, events: Iterable[bytes]) -> None:
        """Keep facts for later, each an encoded Event."""
        self._waiting += events
        if len(self._waiting) >= MAX_PENDING_FACTS:
            self._apply_pending_facts()

    def restore(self, snapshot: snapshot_pb2.SeatSnapshot) -> None:
        """Take a snapshot instead of all that was known."""
        self._waiting = [event.SerializeToString() for event in snapshot.events]
        self._apply_pending_facts()
        if snapshot.WhichOneof("game") == self._game.name:
            self._state.restore(getattr(snapshot, self._game.name))

    @property
    def _current_state(self) -> GameState:
        if self._waiting:
            self._apply_pending_facts()
        return self._state

    def _apply_pending_facts(self) -> None:
        waiting, self._waiting = self._waiting, []
        state, read = self._state, self._state.read
        for encoded in waiting:
            change, fact = read(encoded)
            if change is not None:
                change(state, fact)
            else:
                self._apply_match_fact(fact)
                state = self._state

    def _apply_match_fact(self, event: event_pb2.Event) -> None:
        match event.WhichOneof("fact"):
            case "match_started":
                self._terms = read_terms(event.match_started.terms, self._game.read_ruleset)
            case "entrant_seed":
                self._seed, self._random = event.entrant_seed.seed, None
            case "deal_receipt":
                self._receipt = read_receipt(event.deal_receipt)
            case "game_started":
                self._start_game(event.game_started)
            case "match_ended":
                self._place_sums = tuple(event.match_ended.place_sums)
                self._termination = event.match_ended.termination
            case _:
                pass

    def _start_game(self, fact: event_pb2.GameStarted) -> None:
        if self.entrant not in fact.entrants:
            raise ProtocolError(f"game {fact.game} of match {self.match} has no seat for entrant {self.entrant}")
        seat = fact.entrants.index(self.entrant)
        self._state = self._game.state(fact.game, seat, fact.entrants)
        self._state.ruleset = self._terms.ruleset if self._terms else None


class TableLog(logging.LoggerAdapter[logging.Logger]):
    """Writes match, game and turn in front of each line."""

    def __init__(self, table: MatchTable) -> None:
        super().__init__(logging.getLogger("cheatarena.bot"), {})
        self._table = table

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Put the place in front."""
        table = self._table
        return f"match {table.match} game {table.game} turn {table.turn}: {msg}", kwargs
