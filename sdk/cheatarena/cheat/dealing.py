"""The questions of the deal `cut_and_choose`, and ready-made answers.

The dealer cuts the deck into packets. The other seats choose one packet each, clockwise, and the dealer gets the last
one. Nobody sees a card before all packets are chosen.
"""

import random
from dataclasses import dataclass
from itertools import pairwise

from cheatarena.cheat.decisions import Choose, Cut
from cheatarena.v1 import cheat_pb2


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet of the deck."""

    size: int
    """Number of cards."""
    taker: int | None = None
    """The seat that chose this packet; None if the packet is still free."""


@dataclass(frozen=True, slots=True)
class CutOptions:
    """The question to the dealer: cut `card_count` cards into `packet_count` packets."""

    packet_count: int
    """Number of packets to make."""
    card_count: int
    """Number of cards in the deck."""

    def even(self) -> Cut:
        """Cut the deck as evenly as possible, the thicker packets last."""
        size, thicker = divmod(self.card_count, self.packet_count)
        return Cut((size,) * (self.packet_count - thicker) + (size + 1,) * thicker)

    def random_cut(self, rng: random.Random) -> Cut:
        """Cut the deck at random places."""
        ends = [0, *sorted(rng.sample(range(1, self.card_count), self.packet_count - 1)), self.card_count]
        return Cut(tuple(end - start for start, end in pairwise(ends)))


@dataclass(frozen=True, slots=True)
class ChooseOptions:
    """The packets, and which of them may be chosen."""

    sizes: tuple[int, ...]
    """Number of cards in each packet, in the order of the cut, including taken packets."""
    free: tuple[int, ...]
    """Indexes of the remaining packets, ascending."""

    def thinnest(self) -> Choose:
        """Choose the packet with the fewest cards, the first one on a tie."""
        return Choose(min(self.free, key=lambda packet: self.sizes[packet]))

    def thickest(self) -> Choose:
        """Choose the packet with the most cards, the first one on a tie."""
        return Choose(max(self.free, key=lambda packet: self.sizes[packet]))

    def random_choice(self, rng: random.Random) -> Choose:
        """Choose a random remaining packet."""
        return Choose(rng.choice(self.free))


def read_cut(cut: cheat_pb2.CheatCut) -> CutOptions:
    return CutOptions(cut.packet_count, cut.card_count)


def read_choose(choose: cheat_pb2.CheatChoose) -> ChooseOptions:
    return ChooseOptions(tuple(choose.sizes), tuple(choose.free))
