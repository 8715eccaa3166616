"""The state of a game of CHEATER as one seat sees it, and the handlers of facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cheatarena.cheater.answers import Attack
from cheatarena.cheater.attacking import Attacking
from cheatarena.cheater.cards import CARDS, Card, Color, Hand
from cheatarena.cheater.facts import (
    CheaterAttacked,
    CheaterBusted,
    CheaterDealt,
    CheaterDieRolled,
    CheaterDiscarded,
    CheaterDrawn,
    CheaterDrew,
    CheaterHand,
    CheaterHandShown,
    CheaterHidden,
    CheaterLeft,
    CheaterReshuffled,
    CheaterRolled,
    CheaterStartRolled,
    CheaterStopped,
    CheaterTaken,
    CheaterTookTop,
    CheaterWon,
    read_fact,
)
from cheatarena.errors import ProtocolError
from cheatarena.game_state import FactHandler, GameState, build_fact_reader
from cheatarena.v1 import cheater_pb2

HAND_SIZE = 7


class CheaterState(GameState):
    """The state of a game of CHEATER as one seat sees it."""

    __slots__ = (
        "attacking", "cheater", "color", "dice", "die", "discards", "draw_count", "hand", "known", "sizes", "titles",
        "winner",
    )  # fmt: skip

    def __init__(self, game: int, seat: int, seating: Sequence[int]) -> None:
        super().__init__(game, seat, seating)
        self.hand = Hand()
        self.sizes = [0] * len(self.seating)
        """Number of cards by seat."""
        self.known = [Hand()] * len(self.seating)
        """For each seat, the cards that all seats know to be in its hand."""
        self.discards: list[Card] = []
        """The discard pile, top card last."""
        self.draw_count = 0
        self.cheater: int | None = None
        self.dice: tuple[int, ...] = ()
        self.attacking: Attacking | None = None
        self.die = 0
        self.winner: int | None = None
        self.color: Color | None = None
        self.titles: tuple[str, ...] = ()

    def on_dealt(self, fact: CheaterDealt) -> None:
        """Begin the game: every seat has seven cards."""
        self.sizes = [HAND_SIZE] * fact.seat_count
        self.known = [Hand()] * fact.seat_count
        self.discards = [fact.top]
        self.draw_count = fact.draw_count

    def on_dealt_hand(self, fact: CheaterHand) -> None:
        self.hand = Hand(fact.cards)

    def on_start_rolled(self, fact: CheaterStartRolled) -> None:
        """Record which seat begins. If seats are tied, no seat begins yet."""
        self.to_move = fact.first

    def on_rolled(self, fact: CheaterRolled) -> None:
        """Begin a turn. Count the previous turn, if there was one."""
        self.turn_count += bool(self.dice)
        self.to_move = fact.seat
        self.dice = fact.dice
        self.cheater = fact.cheater
        self.attacking, self.die = None, 0

    def on_drew(self, fact: CheaterDrew) -> None:
        """Move cards from the draw pile to a hand; only their number is known."""
        self.sizes[fact.seat] += fact.count
        self.draw_count -= fact.count

    def on_drawn(self, fact: CheaterDrawn) -> None:
        self.hand = self.hand.plus(fact.cards)

    def on_took_top(self, fact: CheaterTookTop) -> None:
        """Give the top discard to a seat."""
        self.discards.pop()
        self._gain(fact.seat, fact.card)

    def on_discarded(self, fact: CheaterDiscarded) -> None:
        """Move cards of a seat to the discard pile."""
        self._lay(fact.seat, fact.cards)

    def on_attacked(self, fact: CheaterAttacked) -> None:
        """Record an attack, and discard its card."""
        self.attacking = Attacking(fact.attack, fact.target, fact.card)
        if self.attacking.card is not None:
            self._lay(fact.seat, (self.attacking.card,))

    def on_hidden(self, fact: CheaterHidden) -> None:
        """Discard the card with which a seat hid its hand."""
        self._lay(fact.seat, (fact.card,))

    def on_hand_shown(self, fact: CheaterHandShown) -> None:
        self.known[fact.seat] = Hand(fact.cards)

    def on_die_rolled(self, fact: CheaterDieRolled) -> None:
        self.die = fact.value

    def on_taken(self, fact: CheaterTaken) -> None:
        """Move a card openly from one hand to another."""
        self._lose(fact.target, (fact.card,))
        self._gain(fact.seat, fact.card)

    def on_busted(self, fact: CheaterBusted) -> None:
        """Discard cards of the attacked seat."""
        self._lay(fact.target, fact.cards)

    def on_reshuffled(self, fact: CheaterReshuffled) -> None:
        """Keep only the top discard; the others are the new draw pile."""
        del self.discards[:-1]
        self.draw_count = fact.draw_count

    def on_left(self, fact: CheaterLeft) -> None:
        """Record that a seat left, and move its cards to the draw pile."""
        seat = fact.seat
        self.sizes[seat], self.known[seat] = 0, Hand()
        self.draw_count += fact.card_count
        self.places[seat] = fact.place
        self.cheater = fact.cheater
        if seat == self.seat:
            self.hand = Hand()

    def on_won(self, fact: CheaterWon) -> None:
        """Record the winner, the colour of the word, and the titles."""
        self.winner = fact.seat
        self.color = fact.color
        self.titles = fact.titles

    def restore(self, snapshot: cheater_pb2.CheaterSnapshot) -> None:
        """Replace the state with the state in a snapshot."""
        self.hand = Hand(snapshot.hand)
        self.sizes = list(snapshot.hand_sizes)
        self.known = [Hand(cards) for cards in snapshot.known]
        self.discards = [CARDS[card] for card in snapshot.discards]
        self.draw_count = snapshot.draw_count
        self.to_move = snapshot.to_move if snapshot.HasField("to_move") else None
        self.cheater = snapshot.cheater if snapshot.HasField("cheater") else None
        self.dice = tuple(snapshot.dice)
        self.attacking = _read_attacking(snapshot.attacking) if snapshot.HasField("attacking") else None
        self.die = snapshot.die
        self.places = list(snapshot.places)
        self.turn_count = snapshot.turn_count

    def _lay(self, seat: int, cards: Iterable[int]) -> None:
        laid = [CARDS[card] for card in cards]
        self._lose(seat, laid)
        self.discards += laid

    def _lose(self, seat: int, cards: Sequence[int]) -> None:
        """Remove cards from a hand. All seats see these cards."""
        if seat == self.seat:
            if not self.hand.has(cards):
                raise ProtocolError(f"the own seat cannot have lost {Hand(cards)}, it held {self.hand}")
            self.hand = self.hand.minus(cards)
        self.known[seat] = self.known[seat].minus(cards)
        self.sizes[seat] -= len(cards)

    def _gain(self, seat: int, card: int) -> None:
        """Add a card to a hand. All seats see this card."""
        if seat == self.seat:
            self.hand = self.hand.plus((card,))
        self.known[seat] = self.known[seat].plus((card,))
        self.sizes[seat] += 1


FACT_HANDLERS: Final[Mapping[type, FactHandler]] = {
    CheaterDealt: CheaterState.on_dealt,
    CheaterHand: CheaterState.on_dealt_hand,
    CheaterStartRolled: CheaterState.on_start_rolled,
    CheaterRolled: CheaterState.on_rolled,
    CheaterDrew: CheaterState.on_drew,
    CheaterDrawn: CheaterState.on_drawn,
    CheaterTookTop: CheaterState.on_took_top,
    CheaterDiscarded: CheaterState.on_discarded,
    CheaterAttacked: CheaterState.on_attacked,
    CheaterHidden: CheaterState.on_hidden,
    CheaterHandShown: CheaterState.on_hand_shown,
    CheaterDieRolled: CheaterState.on_die_rolled,
    CheaterTaken: CheaterState.on_taken,
    CheaterBusted: CheaterState.on_busted,
    CheaterReshuffled: CheaterState.on_reshuffled,
    CheaterLeft: CheaterState.on_left,
    CheaterWon: CheaterState.on_won,
    CheaterStopped: GameState.ignore,
}
"""The handler of each fact, by the fact's type."""

read_event: Final = build_fact_reader(FACT_HANDLERS, read_fact)
"""Decodes the facts of this game."""


def _read_attacking(message: cheater_pb2.CheaterAttacking) -> Attacking:
    card = CARDS[message.card] if message.HasField("card") else None
    return Attacking(Attack(message.attack), message.target, card)
