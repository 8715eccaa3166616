"""The legal options of each question, as the server states them, and ready-made answers.

Some methods return None if their answer is not legal. So calls of these methods can be chained:
``options.attack(Attack.TAKE, 2) or options.draw_two() or Draw()``.
"""

import random
from itertools import combinations
from typing import Generic, TypeVar

from cheatarena.cheater.answers import (
    Allow,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Move,
    Pick,
    Play,
    Reaction,
    Take,
    TakeTop,
)
from cheatarena.cheater.cards import BUST, SHOW, TAKE, WILD, Card, Color, Hand
from cheatarena.cheater.legal import LegalAct, LegalDiscard, LegalPick, LegalReaction
from cheatarena.cheater.reading import describe_choices, read_choice
from cheatarena.cheater.table import Table

Choice = TypeVar("Choice")

CARD_OF = {Attack.TAKE: TAKE, Attack.SHOW: SHOW, Attack.BUST: BUST}
"""The card of each attack; a WILD can stand for any of them."""


class Choices(Generic[Choice]):
    """The part that all questions share: the legal answers as text."""

    __slots__ = ()

    def choices(self) -> list[Choice]:
        """Return every legal answer."""
        raise NotImplementedError

    def describe(self) -> str:
        """Return the legal answers as one line, for a log, a debugger or a language model. A long list is shortened."""
        return describe_choices(self.choices())

    def __str__(self) -> str:
        return self.describe()

    def parse(self, text: str) -> Choice:
        """Return the answer that a person or a language model wrote, for example ``WILD as BUST at seat 2``.

        It reads the text of every legal answer. Case makes no difference, commas may separate cards, and the order of
        discarded cards is that of `choices`. Raises NotationError if no legal answer has this text; the error lists
        what is legal.
        """
        return read_choice(text, self.choices())


class ActOptions(Choices[Move]):
    """The legal answers of the seat whose turn it is. `Draw` is always one of them."""

    __slots__ = ("hand", "playable", "powers", "targets")

    def __init__(self, act: LegalAct, table: Table) -> None:
        self.hand = table.hand
        """This bot's cards."""
        self.powers = act.powers
        """Usable powers of the CHEATER: 1 draw two, 2 take the top discard, 3 demand a hand."""
        self.playable = act.playable
        """The cards of the hand that may be played at another seat, without repeats."""
        self.targets = act.targets
        """Seats that may be attacked, clockwise."""

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """The attacks that are possible now: with the attack's own card, with a WILD, or with power 3."""
        by_card = [attack for attack, card in CARD_OF.items() if card in self.playable or WILD in self.playable]
        return (*by_card, Attack.DEMAND) if 3 in self.powers else tuple(by_card)

    def attack(self, attack: Attack, target: int) -> Play | Demand | None:
        """Return an attack on a seat, or None if it is illegal. The attack's own card is used before a WILD."""
        if target not in self.targets:
            return None
        if attack is Attack.DEMAND:
            return Demand(target) if 3 in self.powers else None
        if CARD_OF[attack] in self.playable:
            return Play(CARD_OF[attack], target)
        return Play(WILD, target, attack) if WILD in self.playable else None

    def draw_two(self) -> DrawTwo | None:
        """Return the answer that uses power 1, or None if it is illegal."""
        return DrawTwo() if 1 in self.powers else None

    def take_top(self) -> TakeTop | None:
        """Return the answer that uses power 2, or None if it is illegal."""
        return TakeTop() if 2 in self.powers else None

    def choices(self) -> list[Move]:
        """Return every legal answer."""
        powers = [power for power in (self.draw_two(), self.take_top()) if power is not None]
        moves: list[Move] = [Draw(), *powers]
        for target in self.targets:
            if 3 in self.powers:
                moves.append(Demand(target))
            moves += [Play(card, target) for card in self.playable if card != WILD]
            if WILD in self.playable:
                moves += [Play(WILD, target, attack) for attack in CARD_OF]
        return moves

    def random_move(self, rng: random.Random) -> Move:
        """Return a random legal answer."""
        return rng.choice(self.choices())


class DiscardOptions(Choices[Discard]):
    """The legal answers of a seat that must discard."""

    __slots__ = ("count", "hand")

    def __init__(self, discard: LegalDiscard, table: Table) -> None:
        self.hand = table.hand
        """This bot's cards, including drawn ones."""
        self.count = discard.count
        """Exact number of cards to discard."""

    def least_useful(self, color: int | None = None) -> Discard:
        """Discard the cards that help least to complete the word in a colour, by default the nearest word.

        Letters that the word does not need are discarded first, then action cards. See `least_useful_first`.
        """
        hand = self.hand
        wanted = hand.nearest if color is None else color
        return Discard(least_useful_first(hand, wanted)[: self.count])

    def choices(self) -> list[Discard]:
        """Return every legal answer once, in canonical order of the cards."""
        return [Discard(laid) for laid in sorted(set(combinations(self.hand, self.count)))]

    def random_discard(self, rng: random.Random) -> Discard:
        """Return a random legal answer."""
        return Discard(tuple(rng.sample(self.hand, self.count)))


class ReactionOptions(Choices[Reaction]):
    """The legal answers of an attacked seat. `Allow` is always one of them."""

    __slots__ = ("attack", "attacker", "hand", "hiding")

    def __init__(self, reaction: LegalReaction, table: Table) -> None:
        self.hand = table.hand
        """This bot's cards."""
        self.attacker = reaction.attacker
        """The attacking seat."""
        self.attack = reaction.attack
        """The kind of attack."""
        self.hiding = reaction.hiding
        """The cards with which this bot can hide its hand, without repeats; may be empty."""

    def hide(self) -> Hide | None:
        """Return the answer that hides the hand, or None if no card can hide it. A HIDE is used before a WILD."""
        return Hide(self.hiding[0]) if self.hiding else None

    def choices(self) -> list[Reaction]:
        """Return every legal answer."""
        return [Allow(), *map(Hide, self.hiding)]

    def random_reaction(self, rng: random.Random) -> Reaction:
        """Return a random legal answer."""
        return rng.choice(self.choices())


class PickOptions(Choices[Pick]):
    """The legal answers of an attacker to the hand that it sees."""

    __slots__ = ("attack", "hand", "most", "shown", "target")

    def __init__(self, pick: LegalPick, table: Table) -> None:
        self.hand = table.hand
        """This bot's cards."""
        self.attack = pick.attack
        """TAKE: take one card. DEMAND: take one card and discard one. BUST: discard up to `most` cards."""
        self.target = pick.target
        """The seat that shows its hand."""
        self.shown = pick.shown
        """The shown hand."""
        self.most = pick.most
        """With a BUST: the most cards that may be discarded."""

    def wanted(self, color: int | None = None) -> tuple[Card, ...]:
        """Return the distinct shown cards that this bot lacks for the word in a colour, by default its nearest word."""
        missing = self.hand.missing(self.hand.nearest if color is None else color)
        return tuple(card for card in dict.fromkeys(self.shown) if card in missing)

    def take(self, card: Card, color: int | None = None) -> Take:
        """Take a card. After a DEMAND, also discard the card that helps least to complete the word in a colour."""
        if self.attack is not Attack.DEMAND:
            return Take(card)
        hand = self.hand.plus((card,))
        return Take(card, least_useful_first(hand, hand.nearest if color is None else color)[0])

    def best(self, color: int | None = None) -> Pick:
        """Return a pick that helps to complete this bot's word in a colour, by default its nearest word.

        If no shown card helps, take a letter of the target's nearest word. After a BUST, discard as many letters of
        the target's nearest word as the die allows.
        """
        words = self.shown.letters(self.shown.nearest)
        if self.attack is Attack.BUST:
            return Bust(words[: self.most])
        wanted = self.wanted(color) or words or self.shown
        return self.take(wanted[0], color)

    def choices(self) -> list[Pick]:
        """Return every legal answer once. The cards of a BUST are in canonical order."""
        if self.attack is Attack.BUST:
            counts = range(min(self.most, len(self.shown)) + 1)
            return [Bust(laid) for count in counts for laid in sorted(set(combinations(self.shown, count)))]
        cards = tuple(dict.fromkeys(self.shown))
        if self.attack is Attack.TAKE:
            return [Take(card) for card in cards]
        return [Take(card, gone) for card in cards for gone in dict.fromkeys(self.hand.plus((card,)))]

    def random_pick(self, rng: random.Random) -> Pick:
        """Return a random legal answer."""
        return rng.choice(self.choices())


def least_useful_first(hand: Hand, color: int) -> tuple[Card, ...]:
    """Return a hand ordered by usefulness for the word in a colour, least useful first.

    The order is:

    1. letters that the word does not need, beginning with the colour that has the fewest useful cards
    2. action cards
    3. letters that the word needs
    """
    # A letter counts as at most 7 here, and an action card as 8. So action cards follow all spare letters.
    have = {each: 7 - hand.distance(each) for each in Color}
    spare = sorted(hand.spare(color), key=lambda card: (8 if card.color is None else have[card.color], card))
    return (*spare, *hand.letters(color))
