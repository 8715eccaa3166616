"""Converts a snapshot message to a seat's knowledge."""

from collections.abc import Iterable, Sequence

from cheatarena.cheat.cards import CARDS, RANKS, Card
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import Packet
from cheatarena.cheat.knowledge import Knowledge
from cheatarena.cheat.ruleset import Ruleset
from cheatarena.v1 import cheat_pb2


def knowledge_from_snapshot(snapshot: cheat_pb2.CheatSnapshot, seat: int, seat_count: int, rules: Ruleset) -> Knowledge:
    """Return a seat's knowledge of the cards."""
    hides_sizes = not rules.sizes_visible
    sizes: Sequence[int | None] = snapshot.hand_sizes
    if hides_sizes:
        sizes = [None if seat in snapshot.holders else 0 for seat in range(seat_count)]
    known = Knowledge(seat, sizes)
    known.hides_sizes = hides_sizes
    known.deal_own(read_cards(snapshot.hand))
    known.banished_size = snapshot.banished_count
    for layer in snapshot.pile:
        cards = tuple(CARDS[card] for card in read_cards(layer.own_cards)) if layer.HasField("own_cards") else None
        if layer.abandoned:
            known.restore_abandoned(len(cards) if cards is not None else layer.count or None, cards or ())
        else:
            known.restore_layer(_claim_from_layer(layer, cards, is_hidden=hides_sizes and rules.count_lies))
    return known


def _claim_from_layer(layer: cheat_pb2.CheatLayer, cards: tuple[Card, ...] | None, *, is_hidden: bool) -> Claim:
    """Return the claim of a move on the pile.

    If `is_hidden`, the number of cards laid is unknown unless the layer states it.
    """
    laid: int | None = None if layer.count and is_hidden else layer.count
    if layer.HasField("laid"):
        laid = layer.laid
    if cards is None and not layer.count:
        cards = ()
    return Claim(layer.seat, RANKS[layer.rank], layer.count, cards, laid=laid if cards is None else len(cards))


def previous_from_snapshot(snapshot: cheat_pb2.CheatSnapshot, last: Claim | None) -> Claim | None:
    """Return the claim that the next move must follow, or None at the start of a trick.

    If `last` has the same seat, rank and count, return the object `last` instead of a new claim.
    """
    if not snapshot.HasField("previous_rank"):
        return None
    rank, count = RANKS[snapshot.previous_rank], snapshot.previous_count
    mover = snapshot.mover if snapshot.HasField("mover") else -1
    if last is not None and (last.seat, last.rank, last.count) == (mover, rank, count):
        return last
    return Claim(seat=mover, rank=rank, count=count)


def packets_from_snapshot(snapshot: cheat_pb2.CheatSnapshot) -> tuple[Packet, ...]:
    """Return the packets while the seats choose them; otherwise return an empty tuple."""
    return tuple(Packet(each.size, each.taker if each.HasField("taker") else None) for each in snapshot.packets)


def read_cards(message: cheat_pb2.CheatCards) -> Iterable[int]:
    """Return the card codes of a message, 0 to 52, each copy separately."""
    if cards := message.cards:
        return cards
    counted = iter(message.counted)
    return [Card(card) for card, number in zip(counted, counted, strict=True) for _ in range(number)]
