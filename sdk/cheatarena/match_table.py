"""A bot's view of its match, in any game. Facts are queued on arrival, and applied when the bot reads the table."""

import logging
import random
from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any, Protocol

from cheatarena.clock import Clock, ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.faults import RULE_REASONS
from cheatarena.game import Game
from cheatarena.game_state import FactHandler, GameState
from cheatarena.match_facts import GameResult, Strike, read_strike
from cheatarena.plurals import format_count
from cheatarena.receipts import Receipt, read_receipt
from cheatarena.terms import Pace, Terms, read_terms
from cheatarena.v1 import event_pb2, snapshot_pb2

MAX_PENDING_FACTS = 256
"""When this many facts are queued, they are applied, although the bot has not read the table."""


class TimedQuestion(Protocol):
    """The parts of a question that a table needs."""

    def explain(self, table: Any, answer: object) -> str:
        """Return why an answer is illegal, and what is legal instead; may be empty."""

    @property
    def deadline_us(self) -> int:
        """Deadline on the server's clock, in microseconds; 0 if there is no deadline."""

    @property
    def is_reaction(self) -> bool:
        """Whether the question is about what another seat has done, such as a call window."""


class MatchTable:
    """A bot's view of its match.

    Seats are counted clockwise from 0. An entrant may change seats between games, but its index among the entrants
    stays the same.
    """

    def __init__(self, game: Game, match: int, entrant: int, clock: ServerClock) -> None:
        self.match = match
        """The match's number on its node."""
        self.entrant = entrant
        """This bot's index among the entrants."""
        self.queued_s = 0.0
        """Seconds that the current question waited in this process before the bot was asked."""
        self.question: TimedQuestion | None = None
        """The current question; None before the first one."""
        self._old_question: TimedQuestion | None = None
        """The question that was current when the last facts came."""
        self._game = game
        self._server_clock = clock
        self._pending: list[bytes] = []
        self._terms: Terms | None = None
        self._seed = b""
        self._receipt: Receipt | None = None
        self._random: random.Random | None = None
        self._state = game.state(0, 0, ())
        self._place_sums: tuple[int, ...] = ()
        self._termination = ""
        self._strikes: tuple[Strike, ...] = ()
        self._results: tuple[GameResult, ...] = ()
        self._log: TableLog | None = None

    # ---- the match

    @property
    def terms(self) -> Terms:
        """Ruleset, pace and entrants of the match."""
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
        """The name of the entrant in each seat of this game; empty strings in an anonymous match."""
        entrants = self.terms.entrants
        return tuple(entrants[each] if each < len(entrants) else "" for each in self._current_state.seating)

    @property
    def entrants(self) -> tuple[int, ...]:
        """The index of the entrant in each seat of this game."""
        return self._current_state.seating

    @property
    def place_sums(self) -> tuple[int, ...]:
        """The sum of each entrant's places over all games; lower is better. Empty until the match has ended."""
        self._apply_pending_facts()
        return self._place_sums

    @property
    def termination(self) -> str:
        """Why the match ended. Until the match ends, this says why the game ended; empty while the game is running."""
        state = self._current_state
        return self._termination or state.termination

    @property
    def strikes(self) -> tuple[Strike, ...]:
        """This bot's strikes in this match, oldest first. Strikes from before a snapshot may be missing."""
        self._apply_pending_facts()
        return self._strikes

    @property
    def results(self) -> tuple[GameResult, ...]:
        """The results of the games that are over, oldest first. Games from before a snapshot are missing."""
        state = self._current_state
        return (*self._results, _read_result(state)) if state.is_over else self._results

    @property
    def log(self) -> "TableLog":
        """A logger that puts match, game and turn before each line. They count from 0, as in replays.

        If the program uses `run`, the lines go to stderr, and CHEATARENA_LOG sets the lowest level that is written.
        """
        if self._log is None:
            self._log = TableLog(self)
        return self._log

    @property
    def random(self) -> random.Random:
        """This bot's own random source. The server sends its seed. The same seed gives the same numbers again."""
        if self._random is None:
            self._apply_pending_facts()
            self._random = random.Random(self._seed)  # noqa: S311  repeatable on purpose
        return self._random

    @property
    def receipt(self) -> Receipt | None:
        """The server's commitment to this match's cards, received before the first card; None if there is none."""
        self._apply_pending_facts()
        return self._receipt

    @property
    def deadline_us(self) -> int:
        """The current question's deadline on the server's clock, in microseconds; 0 without a deadline. See `clock`."""
        return self.question.deadline_us if self.question else 0

    @property
    def clock(self) -> Clock:
        """The clock of the current question.

        An async method must read this before its first await. During an await, another question may become the
        current one.
        """
        deadline_us = self.deadline_us
        return Clock(self._server_clock.local_s(deadline_us) if deadline_us else float("inf"))

    # ---- the game

    @property
    def game(self) -> int:
        """Index of the game in the match, from 0."""
        return self._current_state.game

    @property
    def turn(self) -> int:
        """Number of turns so far in this game: moves and passes in Cheat, ended turns in CHEATER.

        In a call window of Cheat, the move in question is counted already. Its turn, in replays and in this bot's log,
        has the number before.
        """
        return self._current_state.turn_count

    @property
    def _logged_turn(self) -> int:
        """The turn that `arena replay show` shows for this moment. A call window belongs to the move that it judges.

        The turns of a game count from 0.
        """
        state, question = self._current_state, self.question
        is_next = question is not None and question is not self._old_question and not question.is_reaction
        return state.turn_count if is_next else state.last_turn

    @property
    def seat(self) -> int:
        """This bot's seat in this game."""
        return self._current_state.seat

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self._current_state.seating)

    @property
    def to_move(self) -> int | None:
        """The seat whose turn it is; None if it is nobody's turn, for example after the game."""
        return self._current_state.to_move

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat: 1 is the best, 0 means that the seat has no place yet."""
        return tuple(self._current_state.places)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._current_state.is_over

    # ---- as text

    def describe(self) -> str:
        """Return what this bot knows as several lines of text, for a log, a debugger or a language model.

        The text has at most a few thousand characters, whatever the number of cards. It contains nothing that the bot
        may not know.
        """
        if self._is_before_first_game:
            return str(self)
        return "\n".join((self._describe_place(), *self._describe_seats(), *self._describe_cards()))

    def explain_refusal(self, answer: object, reason: str) -> str:
        """Return why an answer to the current question was refused, as far as known, and what is legal instead.

        The text is empty if no rule of the game is the reason, for example if the answer came too late.
        """
        if self.question is None or reason not in RULE_REASONS:
            return ""
        return self.question.explain(self, answer)

    def __str__(self) -> str:
        """Return the situation in one line."""
        if self._is_before_first_game:
            return f"match {self.match}, before the first game"
        return f"{self._position}: {self._summarize()}"

    def _summarize(self) -> str:
        """Return cards and pile in a few words."""
        raise NotImplementedError

    def _describe_seat(self, seat: int) -> str:
        """Return what is known about one seat."""
        raise NotImplementedError

    def _describe_cards(self) -> list[str]:
        """Return lines about the cards that belong to no other seat."""
        raise NotImplementedError

    @property
    def _is_before_first_game(self) -> bool:
        return not self._current_state.seating or self._terms is None

    @property
    def _position(self) -> str:
        return f"game {self.game}, turn {self._logged_turn}, seat {self.seat} of {self.seat_count}"

    def _describe_place(self) -> str:
        state, terms = self._current_state, self.terms
        mover = "it is nobody's turn" if state.to_move is None else f"seat {state.to_move} is to move"
        if state.is_over:
            mover = f"the game is over ({state.termination})"
        turns = format_count(self.turn, "turn")
        game = f"Game {self.game + 1} of {terms.game_count}, {terms.ruleset.preset}, {turns} so far"
        return f"{game}: {mover}. You are seat {self.seat}."

    def _describe_seats(self) -> list[str]:
        lines = []
        for seat, name in enumerate(self.names):
            who = f"seat {seat}{' (you)' if seat == self.seat else ''}{f' {name}' if name else ''}"
            place = self.places[seat]
            lines.append(f"{who}: {self._describe_seat(seat)}{f', place {place}' if place else ''}")
        return lines

    # ---- updates, called by the seat

    def add(self, events: Iterable[bytes]) -> None:
        """Queue facts. Each fact is an encoded Event."""
        self._old_question = self.question
        self._pending += events
        if len(self._pending) >= MAX_PENDING_FACTS:
            self._apply_pending_facts()

    def apply(self, facts: Iterable[tuple[FactHandler, Any]]) -> None:
        """Apply facts of the game immediately, each with its handler (`Game.fact_handlers`)."""
        self._old_question = self.question
        state = self._state
        for handler, fact in facts:
            handler(state, fact)

    def note_new_facts(self) -> None:
        """Record that the current question is older than the newest facts."""
        self._old_question = self.question

    def start_match(self, terms: Terms) -> None:
        """Record that the match has begun."""
        self._terms = terms

    def set_seed(self, seed: bytes) -> None:
        """Record the seed of the bot's random source."""
        self._seed, self._random = seed, None

    def start_game(self, game: int, entrants: Sequence[int]) -> None:
        """Begin a game with these entrants, by seat. Raises ProtocolError if this bot is not one of them."""
        if self.entrant not in entrants:
            raise ProtocolError(f"game {game} of match {self.match} has no seat for entrant {self.entrant}")
        if self._state.is_over:
            self._results = (*self._results, _read_result(self._state))
        self._state = self._game.state(game, entrants.index(self.entrant), entrants)
        self._state.ruleset = self._terms.ruleset if self._terms else None

    def add_strike(self, strike: Strike) -> None:
        """Record a strike of this bot."""
        self._strikes = (*self._strikes, strike)

    def end_match(self, place_sums: Iterable[int], termination: str) -> None:
        """Record how the match ended."""
        self._place_sums = tuple(place_sums)
        self._termination = termination

    def restore(self, snapshot: snapshot_pb2.SeatSnapshot) -> None:
        """Forget everything known so far, and read the snapshot instead."""
        self._pending = [event.SerializeToString() for event in snapshot.events]
        self._apply_pending_facts()
        if snapshot.WhichOneof("game") == self._game.name:
            self._state.restore(getattr(snapshot, self._game.name))

    @property
    def _current_state(self) -> GameState:
        if self._pending:
            self._apply_pending_facts()
        return self._state

    def _apply_pending_facts(self) -> None:
        pending, self._pending = self._pending, []
        state, read = self._state, self._game.read_event
        for encoded in pending:
            handler, fact = read(encoded)
            if handler is not None:
                handler(state, fact)
            else:
                self._apply_match_fact(fact)
                state = self._state

    def _apply_match_fact(self, event: event_pb2.Event) -> None:
        match event.WhichOneof("fact"):
            case "match_started":
                self.start_match(read_terms(event.match_started.terms, self._game.read_ruleset))
            case "entrant_seed":
                self.set_seed(event.entrant_seed.seed)
            case "deal_receipt":
                self._receipt = read_receipt(event.deal_receipt)
            case "game_started":
                self.start_game(event.game_started.game, event.game_started.entrants)
            case "fault":
                self.add_strike(read_strike(event.fault, self._state.game))
            case "match_ended":
                self.end_match(event.match_ended.place_sums, event.match_ended.termination)
            case _:
                pass


def describe_card_count(number: int | None) -> str:
    """Return a number of cards as text; None means that the number is hidden.

    >>> describe_card_count(1), describe_card_count(7), describe_card_count(None)
    ('1 card', '7 cards', '? cards')
    """
    return "? cards" if number is None else format_count(number, "card")


def _read_result(state: GameState) -> GameResult:
    return GameResult(state.game, state.seating, tuple(state.places), state.termination)


class TableLog(logging.LoggerAdapter[logging.Logger]):
    """Prefixes each line with match, game and turn."""

    def __init__(self, table: MatchTable) -> None:
        super().__init__(logging.getLogger("cheatarena.bot"), {})
        self._table = table

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Return the message with match, game and turn in front of it."""
        table = self._table
        return f"match {table.match} game {table.game} turn {table._logged_turn}: {msg}", kwargs  # noqa: SLF001  its own table
