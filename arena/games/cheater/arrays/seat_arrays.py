"""The arrays of one table of CHEATER: what its seats see and may do, question by question."""

from collections.abc import Sequence
from typing import Any, Final

from arena.games.cheater.arrays.layout import ACTIONS, HIDING, MAX_SEATS, OTHERS, PLAYS
from arena.games.cheater.arrays.moves import MoveMemory
from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    TAKE_TOP,
    Action,
    Attack,
    Bust,
    Demand,
    Discard,
    Hide,
    Play,
    Take,
)
from arena.games.cheater.rules.cards import CODE_COUNT
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import Phase, State
from arena.match.game import Question, Seat

_LAYOUT: Final = ACTIONS["steps"]
_SIZE: Final = _LAYOUT.size
_DRAW: Final = _LAYOUT.starts["draw"]
_DRAW_TWO: Final = _LAYOUT.starts["draw_two"]
_TAKE_TOP: Final = _LAYOUT.starts["take_top"]
_DEMAND: Final = _LAYOUT.starts["demand"]
_PLAY: Final = _LAYOUT.starts["play"]
_ALLOW: Final = _LAYOUT.starts["allow"]
_HIDE: Final = _LAYOUT.starts["hide"]
_CARD: Final = _LAYOUT.starts["card"]
_DONE: Final = _LAYOUT.starts["done"]

_PHASES: Final = (Phase.ACT, Phase.DISCARD, Phase.REACTION, Phase.PICK)
_ATTACKS: Final = (Attack.TAKE, Attack.SHOW, Attack.BUST, Attack.DEMAND)
_MOST: Final = 127


class CheaterSeatArrays:
    """Implements `arena.games.arrays.SeatArrays` for a table of CHEATER."""

    def __init__(self, rules: Ruleset, seat_count: int) -> None:
        self._rules = rules
        self._count = seat_count
        self._moves = MoveMemory(seat_count)
        self._asked = 0
        self._options: Any = None
        self._own = b""
        self._held = b""
        """The cards from which the seat chooses, without those that it has chosen."""
        self._chosen = b""

    def begin(self) -> None:
        self._moves.begin()

    def follow(self, events: Sequence[Any]) -> None:
        self._moves.follow(events)

    def ask(self, state: State, question: Question) -> None:
        self._asked = question.seat
        self._options = options = question.options
        self._chosen = b""
        self._own = state.hands[self._asked]
        self._held = options.hand if isinstance(options, PickOptions) else self._own

    def mask(self) -> bytes:
        options, mask = self._options, bytearray(_SIZE)
        if isinstance(options, ActOptions):
            self._mask_act(options, mask)
        elif isinstance(options, ReactionOptions):
            mask[_ALLOW] = 1
            for index, card in enumerate(HIDING):
                mask[_HIDE + index] = card in options.hiding
        else:
            for card in self._held:
                mask[_CARD + card] = 1
            mask[_DONE] = isinstance(options, PickOptions) and options.attack is Attack.BUST
        return bytes(mask)

    def choose(self, action: int) -> Action | None:
        if action >= _CARD:
            return self._choose_card(action)
        if action == _ALLOW:
            return ALLOW
        if action >= _HIDE:
            return Hide(HIDING[action - _HIDE])
        if action >= _PLAY:
            play, other = divmod(action - _PLAY, OTHERS)
            card, wild_as = PLAYS[play]
            return Play(card, self._seat_at(other), wild_as)
        if action >= _DEMAND:
            return Demand(self._seat_at(action - _DEMAND))
        return (DRAW, DRAW_TWO, TAKE_TOP)[action - _DRAW]

    def observe(self, state: State, seat: Seat) -> bytes:
        chosen = self._chosen if seat == self._asked else b""
        attacking = state.attacking
        attack = -1 if attacking is None else _ATTACKS.index(attacking.attack)
        phase = _PHASES.index(state.phase) if state.ended is None and state.phase in _PHASES else -1
        to_move = state.to_move
        others = [(seat + distance) % self._count for distance in range(1, self._count)]
        return b"".join(
            (
                _count_codes(state.hands[seat]),
                _count_codes(chosen),
                _one_hot(4, phase),
                bytes((self._count,)),
                (bytes(state.places) * 2)[seat : seat + self._count].ljust(MAX_SEATS, b"\0"),
                self._seat_values(to_move, seat),
                self._seat_values(state.cheater, seat),
                bytes(state.dice).ljust(2, b"\0"),
                _one_hot(4, attack),
                self._seat_values(None if attacking is None else attacking.target, seat),
                bytes((state.die, len(state.draw_pile))),
                _one_hot(CODE_COUNT, state.discards[-1] if state.discards else -1),
                _count_codes(state.discards),
                *[_count_codes(state.known[other]) for other in others],
                bytes((MAX_SEATS - self._count) * CODE_COUNT),
                self._moves.write(seat),
                bytes((min(_MOST, state.turns * _MOST // self._rules.max_turns), self._rules.titles)),
            )
        )

    def _mask_act(self, options: ActOptions, mask: bytearray) -> None:
        mask[_DRAW] = 1
        mask[_DRAW_TWO] = 1 in options.powers
        mask[_TAKE_TOP] = 2 in options.powers
        for target in options.targets:
            other = (target - self._asked) % self._count - 1
            mask[_DEMAND + other] = 3 in options.powers
            for index, (card, _) in enumerate(PLAYS):
                mask[_PLAY + index * OTHERS + other] = card in options.playable

    def _choose_card(self, action: int) -> Action | None:
        """Add a card to the answer. Return the answer if it is complete."""
        options = self._options
        if action == _DONE:
            return Bust(self._chosen)
        card = bytes((action - _CARD,))
        self._chosen += card
        at = self._held.index(card)
        self._held = self._held[:at] + self._held[at + 1 :]
        if isinstance(options, DiscardOptions):
            return Discard(self._chosen) if len(self._chosen) == options.count else None
        if options.attack is Attack.BUST:
            return Bust(self._chosen) if len(self._chosen) == min(options.most, len(options.hand)) else None
        if options.attack is Attack.TAKE:
            return Take(self._chosen[0])
        if len(self._chosen) == 1:
            self._held = self._own + card
            return None
        return Take(self._chosen[0], self._chosen[1])

    def _seat_at(self, other: int) -> Seat:
        return Seat((self._asked + other + 1) % self._count)

    def _seat_values(self, seat: Seat | None, observer: Seat) -> bytes:
        return _one_hot(MAX_SEATS, -1 if seat is None else (seat - observer) % self._count)


def _one_hot(size: int, index: int) -> bytes:
    return bytes([int(each == index) for each in range(size)])


def _count_codes(cards: bytes) -> bytes:
    counts = bytearray(CODE_COUNT)
    for card in cards:
        counts[card] += 1
    return bytes(counts)
