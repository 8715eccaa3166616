"""What a bot knows of its match and its game. Facts are kept as they come, and taken in when somebody looks."""

import logging
import random
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from cheatarena.cards import CARDS, Card, Hand
from cheatarena.clock import Clock, ServerClock
from cheatarena.errors import ProtocolError
from cheatarena.game_state import GameState
from cheatarena.inference import could_be_true
from cheatarena.receipts import Receipt, read_receipt
from cheatarena.terms import Claim, Pace, Ruleset, Terms, read_terms
from cheatarena.v1 import event_pb2, snapshot_pb2

MOST_WAITING = 256
"""So many facts are kept without being taken in."""


class Table:
    """One seat's view of its match. Seats are 0-based and clockwise; entrants are the same programs all match long."""

    def __init__(self, match: int, entrant: int, clock: ServerClock) -> None:
        self.match = match
        """The match's number on its node."""
        self.entrant = entrant
        """The own index among the entrants."""
        self.queued_s = 0.0
        """How long the present question waited in this process before the bot was asked, in seconds."""
        self.is_final_window = False
        """In a call window: whether the mover's win becomes final if nobody calls."""
        self.deadline_us = 0
        """The present question's deadline on the server's clock; 0 if it has none. See `clock`."""
        self._server_clock = clock
        self._waiting: list[bytes] = []
        self._terms: Terms | None = None
        self._seed = b""
        self._receipt: Receipt | None = None
        self._random: random.Random | None = None
        self._state = GameState(0, 0, ())
        self._place_sums: tuple[int, ...] = ()
        self._termination = ""
        self._log: TableLog | None = None

    # The match.

    @property
    def terms(self) -> Terms:
        """What is played and how."""
        if self._terms is None:
            self._catch_up()
            if self._terms is None:
                raise ProtocolError(f"match {self.match} has not started")
        return self._terms

    @property
    def ruleset(self) -> Ruleset:
        """All options of the ruleset."""
        return self.terms.ruleset

    @property
    def pace(self) -> Pace:
        """How decisions are timed."""
        return self.terms.pace

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat in this game; empty texts in an anonymous match."""
        entrants = self.terms.entrants
        return tuple(entrants[each] if each < len(entrants) else "" for each in self._now.seating)

    @property
    def entrants(self) -> tuple[int, ...]:
        """By seat in this game: the index of the entrant that sits there."""
        return self._now.seating

    @property
    def place_sums(self) -> tuple[int, ...]:
        """After the match: the sum of places over all games, by entrant; lower is better. Empty before."""
        self._catch_up()
        return self._place_sums

    @property
    def termination(self) -> str:
        """Why the match ended, or the game while the match goes on. Empty while it runs."""
        state = self._now
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
            self._catch_up()
            self._random = random.Random(self._seed)  # noqa: S311 - meant to be repeatable
        return self._random

    @property
    def receipt(self) -> Receipt | None:
        """What ties the server to this match's cards since before the first one. None: it has come with none."""
        self._catch_up()
        return self._receipt

    @property
    def clock(self) -> Clock:
        """The time for the present question. Take it at the start of an async method: another question may follow."""
        return Clock(self._server_clock.local_s(self.deadline_us) if self.deadline_us else float("inf"))

    # The game.

    @property
    def game(self) -> int:
        """The game's index in the match, from 0."""
        return self._now.game

    @property
    def turn(self) -> int:
        """Number of moves and passes made in this game."""
        return self._now.turn_count

    @property
    def seat(self) -> int:
        """The own seat in this game."""
        return self._now.seat

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self._now.seating)

    @property
    def to_move(self) -> int | None:
        """Whose turn it is. None: nobody's, before a final window has closed or after the game."""
        return self._now.to_move

    @property
    def hand(self) -> Hand:
        """The own cards. Changes as the game goes on."""
        return self._now.known.hand

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards by seat."""
        return tuple(self._now.known.sizes)

    @property
    def pile_size(self) -> int:
        """Number of cards on the pile, those of seats that left included."""
        return self._now.known.pile_size

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The moves on the pile, bottom first."""
        return tuple(self._now.known.pile)

    @property
    def previous(self) -> Claim | None:
        """The claim that the next move has to follow; it stays when its cards are taken. None: a trick starts."""
        return self._now.previous

    @property
    def last_claim(self) -> Claim | None:
        """The last card move while it lies on the pile, callable or not. None: nobody has moved, or it was taken."""
        return self._now.last

    @property
    def places(self) -> tuple[int, ...]:
        """Places by seat, 1 is best; 0 where there is none yet."""
        return tuple(self._now.places)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._now.is_over

    # What can be known.

    def is_impossible(self, claim: Claim) -> bool:
        """Tell whether a claim on the pile cannot be true, whatever the unseen cards are.

        Exact: it weighs the own hand, all cards that calls have shown and where they may have gone since, the sizes
        of all hands, packs and jokers (a joker fits every claim). With equal cards, that is jokers or several packs,
        it may miss a little, but what it calls impossible is impossible. A claim whose cards were taken: False.
        """
        return not could_be_true(claim, self._now.known, self.ruleset)

    def unseen(self, rank: int) -> int:
        """Count the cards of a rank that may be anywhere: not in the own hand, not laid by it, never shown."""
        return self.ruleset.copies - self._now.known.located(rank)

    def known_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that another seat certainly holds."""
        return _listed(self._now.known.elsewhere.certain(1 << seat))

    def seen_cards(self, seat: int) -> tuple[Card, ...]:
        """List the cards that a seat was seen to have and may still hold."""
        return _listed(self._now.known.elsewhere.possible(1 << seat))

    @property
    def known_pile(self) -> tuple[Card, ...]:
        """The cards that certainly lie on the pile: those that the own seat laid, and what follows from calls."""
        known = self._now.known
        return _listed(known.elsewhere.certain(~((1 << len(known.sizes)) - 1)))

    # For the seat: how facts come in.

    def add(self, events: Iterable[bytes]) -> None:
        """Keep facts for later, each an encoded Event."""
        self._waiting += events
        if len(self._waiting) >= MOST_WAITING:
            self._catch_up()

    def restore(self, snapshot: snapshot_pb2.SeatSnapshot) -> None:
        """Take a snapshot instead of all that was known."""
        self._waiting = []
        for event in snapshot.events:
            if not self._state.fold(event):
                self._take_in(event)
        if snapshot.HasField("cheat"):
            self._state.restore(snapshot.cheat)

    @property
    def _now(self) -> GameState:
        if self._waiting:
            self._catch_up()
        state = self._state
        if state.known.taker is not None:
            state.known.settle()
        return state

    def _catch_up(self) -> None:
        waiting, self._waiting = self._waiting, []
        state = self._state
        for encoded in waiting:
            if encoded and not state.fold_encoded(encoded):
                self._take_in(event_pb2.Event.FromString(encoded))
                state = self._state

    def _take_in(self, event: event_pb2.Event) -> None:
        match event.WhichOneof("fact"):
            case "match_started":
                self._terms = read_terms(event.match_started.terms)
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
        self._state = GameState(fact.game, fact.entrants.index(self.entrant), fact.entrants)


class TableLog(logging.LoggerAdapter[logging.Logger]):
    """Writes match, game and turn in front of each line."""

    def __init__(self, table: Table) -> None:
        super().__init__(logging.getLogger("cheatarena.bot"), {})
        self._table = table

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Put the place in front."""
        table = self._table
        return f"match {table.match} game {table.game} turn {table.turn}: {msg}", kwargs


def _listed(counts: Mapping[int, int]) -> tuple[Card, ...]:
    return tuple(CARDS[code] for code in sorted(counts) for _ in range(counts[code]))
