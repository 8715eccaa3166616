"""The arrays of one seat of Cheat, made from what a bot at the other end of a connection sees.

    facts ──▶ events ─┐
                      ├─▶ the arrays of an environment ──▶ action ──▶ answer
    table ──▶ state ──┘

Events and states are those of the rules, without what the seat does not see, so bots and environments share an encoder.
"""

from typing import Any, ClassVar

from arena.games.cheat import seen_values
from arena.games.cheat.arrays.card_counts import count_cards, count_to_bytes
from arena.games.cheat.arrays.seat_arrays import CheatSeatArrays
from arena.games.cheat.rules import events
from arena.games.cheat.rules.actions import Action
from arena.games.cheat.rules.cards import hand_from_cards
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.ruleset import Passing, Ruleset
from arena.games.cheat.rules.state import NO_SEATS, Claim, Layer, Phase, State, TurnOptions
from arena.match.game import GameSetup, Question, Seat, Style
from cheatarena.cheat.bot import Bot
from cheatarena.cheat.decisions import Answer
from cheatarena.cheat.facts import CheatHand
from cheatarena.cheat.ruleset import Ruleset as BotRuleset
from cheatarena.cheat.table import Table
from cheatarena.facts import Fact
from cheatarena.player import Player


class CheatSeenArrays:
    """Implements `arena.games.arrays.SeenArrays` for one game of Cheat."""

    bot_class: ClassVar[type[Player]] = Bot

    def __init__(self, table: Table, encoding: str) -> None:
        count = table.seat_count
        self._rules = rules = seen_values.read_ruleset(table.ruleset)
        self._seat = Seat(table.seat)
        self._start: State = CHEAT.initial_state(rules, GameSetup(count, 0, Style.SEALED))
        self._fact: Fact | None = None
        """The last fact, which private facts may follow."""
        self._own: dict[type, bytes] = {}
        self._turns = 0
        """Moves and passes so far, by the facts."""
        self._last: Claim | None = None
        """The claim that may be called."""
        self._passed = NO_SEATS
        self.arrays = CheatSeatArrays(rules, count, encoding)

    @staticmethod
    def read_ruleset(seen: BotRuleset) -> Ruleset:
        return seen_values.read_ruleset(seen)

    def saw(self, fact: Fact) -> None:
        if isinstance(fact, seen_values.PRIVATE):
            self._own[type(fact)] = bytes(fact.cards)
            return
        self._follow()
        self._fact = fact
        if isinstance(fact, CheatHand):
            self.arrays.memory.hands[self._seat] = count_cards(bytes(fact.cards))

    def ask(self, table: Any) -> State:
        self._follow()
        question = table.question
        is_turn = question.kind.method == "turn"
        options: Any = seen_values.read_turn(question.legal) if is_turn else WindowOptions(*question.legal)
        memory, hand = self.arrays.memory, count_cards(bytes(table.hand))
        if self._turns != table.turn or memory.hands[self._seat] != hand:
            self._begin_anew(table, hand)
            self._last = seen_values.read_claim(table.last_claim) if not is_turn or options.can_call else None
        memory.pile_size, memory.banished_size = table.pile_size or 0, table.banished_size or 0
        state = self._read_table(table)
        if is_turn:
            self._begin_turn(state, options)
        else:
            state.phase, state.closing = Phase.WINDOW, options.final
        state.passed = self._passed
        state.last = None if self._last is None else Layer(self._last, b"", None, False)
        self.arrays.ask(state, Question(self._seat, options))
        return state

    def answer(self, action: Action) -> Answer:
        return seen_values.write_answer(action)

    def _read_table(self, table: Table) -> State:
        """Return the state of a turn, as far as the table shows it."""
        state = self._start.draft()
        state.phase = Phase.TURN
        hands = list(state.hands)
        hands[self._seat] = hand_from_cards(table.hand)
        state.hands = tuple(hands)
        state.sizes = tuple([1 if size is None else size for size in table.hand_sizes])  # an empty hand is not hidden
        state.places = table.places
        state.landed = table.turn
        state.turn = Seat(table.to_move or 0)
        state.required_rank = int(table.required_rank or 0)
        state.prev = seen_values.read_claim(table.previous)
        return state

    def _begin_turn(self, state: State, options: TurnOptions) -> None:
        """Do what the rules do at the beginning of a turn without an event."""
        if self._rules.passing is Passing.PASS_TURN:
            self._passed -= {self._seat}
        if state.prev is None and not (self._rules.any_caller or options.can_call):
            self._last = None

    def _begin_anew(self, table: Table, hand: int) -> None:
        """Take over what the table knows, since a snapshot came instead of facts. Earlier moves stay unknown."""
        seat, count, memory = self._seat, table.seat_count, self.arrays.memory
        memory.begin()
        memory.hands[seat] = hand
        memory.pile_known[seat] = count_cards(bytes(table.known_pile))
        memory.banished_known[seat] = count_cards(bytes(table.known_banished))
        for place in range(count - 1):
            cards = table.known_cards((seat + 1 + place) % count)
            memory.known[seat][place] = count_to_bytes(count_cards(bytes(cards)))
        self._passed, self._turns = NO_SEATS, table.turn

    def _follow(self) -> None:
        """Tell the arrays of the last fact, now that it is complete."""
        fact, self._fact = self._fact, None
        if fact is None:
            return
        pile = seen_values.seen_pile(fact, self._own)
        if pile is not None:
            self.arrays.memory.pile = count_cards(pile)
        event = seen_values.read_fact(fact, self._own, self._rules)
        self._own.clear()
        if event is not None:
            self._note(event)
            self.arrays.follow([event])

    def _note(self, event: events.Event) -> None:
        """Note who has passed, and which claim may be called, as the rules do."""
        match event:
            case events.Played():
                self._turns += 1
                self._last = None if event.face_up else Claim(event.seat, event.rank, event.count)
                if self._rules.passing is Passing.SINGLE_TURN:
                    self._passed |= {event.seat}
                elif self._rules.passing is Passing.PASS_TURN:
                    self._passed = NO_SEATS
            case events.Passed():
                self._turns += 1
                self._passed |= {event.seat}
            case events.TrickEnded():
                self._passed = NO_SEATS
            case events.SeatLeft() if self._last is None or self._last.seat != event.seat:
                pass
            case events.WindowClosed(settled=False) | events.PileBanished():
                pass
            case _:
                self._last = None
