"""What is legal in each question of CHEATER, as plain values."""

from dataclasses import dataclass

from cheatarena.cheater.answers import Attack
from cheatarena.cheater.cards import CARDS, Card, Hand
from cheatarena.v1 import cheater_pb2


@dataclass(frozen=True, slots=True)
class LegalAct:
    """What the seat in turn may do instead of drawing a card."""

    powers: tuple[int, ...]
    """Usable powers of the CHEATER."""
    playable: tuple[Card, ...]
    """The cards that may be played at another seat, without repeats."""
    targets: tuple[int, ...]
    """Seats that may be attacked, clockwise."""


@dataclass(frozen=True, slots=True)
class LegalDiscard:
    """What a seat that must discard may do."""

    count: int
    """Exact number of cards to discard."""


@dataclass(frozen=True, slots=True)
class LegalReaction:
    """What an attacked seat may do."""

    attacker: int
    attack: Attack
    hiding: tuple[Card, ...]
    """The cards with which the seat can hide its hand, without repeats; may be empty."""


@dataclass(frozen=True, slots=True)
class LegalPick:
    """What an attacker may do to the hand that it sees."""

    attack: Attack
    target: int
    shown: Hand
    """The hand that it sees."""
    most: int
    """With a BUST: the most cards that may be discarded."""


def read_act(act: cheater_pb2.CheaterAct) -> LegalAct:
    return LegalAct(tuple(act.powers), tuple(CARDS[card] for card in act.playable), tuple(act.targets))


def read_discard(discard: cheater_pb2.CheaterDiscard) -> LegalDiscard:
    return LegalDiscard(discard.count)


def read_reaction(reaction: cheater_pb2.CheaterReaction) -> LegalReaction:
    hiding = tuple(CARDS[card] for card in reaction.hiding)
    return LegalReaction(reaction.attacker, Attack(reaction.attack), hiding)


def read_pick(pick: cheater_pb2.CheaterPick) -> LegalPick:
    return LegalPick(Attack(pick.attack), pick.target, Hand(pick.hand), pick.most)
