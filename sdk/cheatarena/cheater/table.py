"""A bot's view of its match and its game of CHEATER."""

from cheatarena.cheater.attacking import Attacking
from cheatarena.cheater.cards import CARDS, Card, Color, Hand, copies
from cheatarena.cheater.ruleset import Ruleset, pack_count
from cheatarena.cheater.state import CheaterState
from cheatarena.match_table import MatchTable, describe_card_count


class Table(MatchTable):
    """A bot's view of its match.

    Seats are counted clockwise from 0. An entrant may change seats between games, but its index among the entrants
    stays the same.
    """

    _current_state: CheaterState  # the property of `MatchTable`, typed for this game

    @property
    def ruleset(self) -> Ruleset:
        """All options of the ruleset."""
        ruleset: Ruleset = self.terms.ruleset
        return ruleset

    # ---- the game

    @property
    def hand(self) -> Hand:
        """This bot's cards."""
        return self._current_state.hand

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of cards by seat: seven between turns, 0 for a seat that has left."""
        return tuple(self._current_state.sizes)

    @property
    def others(self) -> tuple[int, ...]:
        """The other seats that have not left, clockwise from this bot's seat."""
        state = self._current_state
        ring = (state.seat + distance for distance in range(1, len(state.seating)))
        return tuple(seat for seat in (each % len(state.seating) for each in ring) if state.sizes[seat])

    @property
    def discards(self) -> tuple[Card, ...]:
        """All cards of the discard pile, top card last. They are public."""
        return tuple(self._current_state.discards)

    @property
    def top(self) -> Card | None:
        """The top card of the discard pile; None if it is empty."""
        discards = self._current_state.discards
        return discards[-1] if discards else None

    @property
    def draw_count(self) -> int:
        """Number of cards in the draw pile."""
        return self._current_state.draw_count

    @property
    def cheater(self) -> int | None:
        """The seat that is the CHEATER; None while the marker lies in the centre."""
        return self._current_state.cheater

    @property
    def is_cheater(self) -> bool:
        """Whether this bot is the CHEATER."""
        state = self._current_state
        return state.cheater == state.seat

    @property
    def dice(self) -> tuple[int, ...]:
        """The two dice of this turn; empty before the first turn."""
        return self._current_state.dice

    @property
    def attacking(self) -> Attacking | None:
        """The attack of this turn; None if no seat has attacked in this turn."""
        return self._current_state.attacking

    @property
    def die(self) -> int:
        """The die of this turn's BUST; 0 if the die was not rolled."""
        return self._current_state.die

    @property
    def winner(self) -> int | None:
        """The seat that has won; None if no seat has."""
        return self._current_state.winner

    @property
    def color(self) -> Color | None:
        """The colour of the winning word; None if no hand spelled a word."""
        return self._current_state.color

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the winner: ``excellent``, ``ultimate``, ``infinite``."""
        return self._current_state.titles

    # ---- what this bot knows

    def known_cards(self, seat: int) -> Hand:
        """Return the cards that all seats know to be in a seat's hand, because they were shown or taken openly.

        For this bot's own seat, these are the cards that the other seats know.
        """
        return self._current_state.known[seat]

    def unseen(self, card: int) -> int:
        """Return how many copies of a card this bot cannot locate. They are in the draw pile or in other hands."""
        state = self._current_state
        seen = state.hand.count(CARDS[card]) + state.discards.count(CARDS[card])
        seen += sum(hand.count(CARDS[card]) for seat, hand in enumerate(state.known) if seat != state.seat)
        return copies(CARDS[card]) * pack_count(len(state.seating)) - seen

    def is_possible(self, color: int) -> bool:
        """Return whether this bot can complete the word in a colour without a card from the discard pile.

        If the result is False, a card that the bot lacks is in the discard pile. Only power 2 or a reshuffle can bring
        it back.
        """
        missing = self.hand.missing(color)
        held = [card for seat in self.others for card in self.known_cards(seat)]
        return all(missing.count(card) <= self.unseen(card) + held.count(card) for card in missing)

    def danger(self, seat: int) -> int:
        """Return how many letters of its nearest word a seat is known to hold, 0 to 7. With 7, it has won."""
        known = self.known_cards(seat)
        return 7 - known.distance(known.nearest)

    # ---- as text

    def _summarize(self) -> str:
        return f"hand {self.hand}; dice {self._dice_text}; top {self.top or 'none'}"

    def _describe_seat(self, seat: int) -> str:
        marker = ", the CHEATER" if seat == self.cheater else ""
        if seat == self.seat:
            return f"{describe_card_count(len(self.hand))}: {self.hand or 'none'}{marker}"
        known = self.known_cards(seat)
        return f"{describe_card_count(self.hand_sizes[seat])}{f', among them {known}' if known else ''}{marker}"

    def _describe_cards(self) -> list[str]:
        nearest, missing = self.hand.nearest, self.hand.missing(self.hand.nearest)
        lines = [
            f"dice: {self._dice_text}",
            f"discard pile: {describe_card_count(len(self.discards))}, {self.top or 'none'} on top",
            f"draw pile: {describe_card_count(self.draw_count)}",
            f"nearest word: {nearest.name.lower()}, missing {' '.join(map(str, missing)) or 'nothing'}",
        ]
        if self.attacking is not None:
            lines.append(f"attack of this turn: {self.attacking.attack} at seat {self.attacking.target}")
        if self.known_cards(self.seat):
            lines.append(f"the others know of your hand: {self.known_cards(self.seat)}")
        return lines

    @property
    def _dice_text(self) -> str:
        return " and ".join(map(str, self.dice)) or "not rolled"
