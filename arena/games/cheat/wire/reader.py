"""Reads what spectators are told of Cheat: the public facts and the snapshots of cheat.proto.

The inverse of the encoders in `cheat.py`. A number that the ruleset hides is 0 or absent in a message, and None here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.cards import hand_from_cards
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.state import Claim
from arena.match.game import Seat
from cheatarena.v1 import cheat_pb2, event_pb2, snapshot_pb2


def read_fact(event: event_pb2.Event, rules: Ruleset) -> Any | None:
    """Return the public part of an event that a fact of Cheat tells; None for any other fact."""
    name = event.WhichOneof("fact")
    reader = None if name is None else _FACT_READERS.get(name)
    return None if reader is None else reader(getattr(event, str(name)), rules)


def _read_dealt(message: cheat_pb2.CheatDealt, rules: Ruleset) -> view_types.DealtView:
    sizes = tuple(message.hand_sizes) if rules.sizes_visible else None
    return view_types.DealtView(sizes, Seat(message.to_move), Seat(message.dealer))


def _read_played(message: cheat_pb2.CheatPlayed, rules: Ruleset) -> view_types.PlayedView:
    cards = _cards_if_set(message, "cards")
    laid = None
    if rules.sizes_visible or cards is not None:
        laid = message.laid if message.HasField("laid") else message.count
    return view_types.PlayedView(
        Seat(message.seat), message.rank, message.count, message.emptied, _seat_to_move(message), laid, cards
    )


def _read_called(message: cheat_pb2.CheatCalled, rules: Ruleset) -> view_types.CalledView:
    rest = _cards_if_set(message, "rest")
    return view_types.CalledView(
        caller=Seat(message.caller),
        accused=Seat(message.accused),
        right=message.right,
        cards=_cards_if_set(message, "shown"),
        rest=None if rest is None else hand_from_cards(rest),
        taker=Seat(message.taker),
        taken=_count_if_visible(message.taken_count, rules),
        to_move=_seat_to_move(message),
    )


def _read_believed(message: cheat_pb2.CheatBelieved, rules: Ruleset) -> view_types.BelievedView:
    rest = _cards_if_set(message, "rest")
    return view_types.BelievedView(
        believer=Seat(message.believer),
        mover=Seat(message.mover),
        right=message.right,
        cards=_cards_if_set(message, "shown"),
        rest=None if rest is None else hand_from_cards(rest),
        taker=None if message.right else Seat(message.believer),
        pile_size=_count_if_visible(message.pile_size, rules),
        to_move=_seat_to_move(message),
    )


def _read_checked(message: cheat_pb2.CheatHandChecked, rules: Ruleset) -> view_types.HandCheckedView:
    taken = 0 if message.true_claim else _count_if_visible(message.taken_count, rules)
    return view_types.HandCheckedView(Seat(message.seat), message.true_claim, taken)


def _read_left(message: cheat_pb2.CheatLeft, rules: Ruleset) -> view_types.SeatLeftView:
    count = _count_if_visible(message.card_count, rules)
    return view_types.SeatLeftView(Seat(message.seat), count, message.place, _seat_to_move(message))


def _count_if_visible(count: int, rules: Ruleset) -> int | None:
    return count if rules.sizes_visible else None


def _seat_to_move(message: Any) -> Seat | None:
    return Seat(message.to_move) if message.HasField("to_move") else None


def _cards_if_set(message: Any, field: str) -> bytes | None:
    return _read_cards(getattr(message, field)) if message.HasField(field) else None


def _read_cards(message: cheat_pb2.CheatCards) -> bytes:
    pairs = iter(message.counted)
    counted = b"".join([bytes([card]) * number for card, number in zip(pairs, pairs, strict=True)])
    return counted or bytes(message.cards)


_FACT_READERS: Mapping[str, Callable[[Any, Ruleset], Any]] = {
    "cheat_dealt": _read_dealt,
    "cheat_played": _read_played,
    "cheat_called": _read_called,
    "cheat_believed": _read_believed,
    "cheat_hand_checked": _read_checked,
    "cheat_left": _read_left,
    "cheat_banished": lambda message, rules: view_types.PileBanishedView(_count_if_visible(message.card_count, rules)),
    "cheat_deck_cut": lambda message, _: DeckCut(Seat(message.dealer), tuple(message.sizes)),
    "cheat_packet_chosen": lambda message, _: PacketChosen(Seat(message.seat), message.packet),
    "cheat_window_closed": lambda message, _: WindowClosed(message.settled, _seat_to_move(message)),
    "cheat_passed": lambda message, _: Passed(Seat(message.seat), _seat_to_move(message)),
    "cheat_trick_ended": lambda message, _: TrickEnded(Seat(message.leader)),
    "cheat_final_window": lambda message, _: FinalWindowOpened(Seat(message.mover)),
    "cheat_placed": lambda message, _: SeatPlaced(Seat(message.seat), message.place),
}
"""The reader of each public fact, by the name of its field."""


def read_snapshot(message: snapshot_pb2.SeatSnapshot, rules: Ruleset) -> view_types.CheatSnapshot | None:
    """Return what a spectator may know of the running game; None between games."""
    if not message.HasField("cheat"):
        return None
    snapshot = message.cheat
    sizes: tuple[int | None, ...] = tuple(snapshot.hand_sizes)
    if not sizes:
        sizes = tuple(None if seat in snapshot.holders else 0 for seat in range(len(snapshot.places)))
    pile = tuple(_read_layer(layer, rules) for layer in snapshot.pile)
    return view_types.CheatSnapshot(
        hand=None,
        hand_sizes=sizes,
        pile=pile,
        banished=_count_if_visible(snapshot.banished_count, rules),
        to_move=_seat_to_move(snapshot),
        prev=_read_previous_claim(snapshot),
        trick_start=snapshot.trick_start,
        required_rank=snapshot.required_rank if snapshot.HasField("required_rank") else None,
        last=_read_last_claim(snapshot),
        passed=tuple(map(Seat, snapshot.passed)),
        places=tuple(snapshot.places),
        landed=snapshot.turn_count,
        dealer=Seat(snapshot.dealer),
        packets=tuple(map(_read_packet, snapshot.packets)),
    )


def _read_previous_claim(snapshot: cheat_pb2.CheatSnapshot) -> Claim | None:
    if not snapshot.HasField("previous_rank"):
        return None
    return Claim(Seat(snapshot.mover), snapshot.previous_rank, snapshot.previous_count)


def _read_last_claim(snapshot: cheat_pb2.CheatSnapshot) -> Claim | None:
    """Return the claim that may be called. It is that of the topmost move."""
    if not snapshot.callable or not snapshot.pile:
        return None
    top = snapshot.pile[-1]
    return Claim(Seat(snapshot.mover), top.rank, top.count)


def _read_layer(layer: cheat_pb2.CheatLayer, rules: Ruleset) -> view_types.LayerView:
    cards = _cards_if_set(layer, "own_cards")
    is_known = rules.sizes_visible or cards is not None
    if layer.abandoned:
        count = layer.count if is_known else None
        return view_types.LayerView(Seat(layer.seat), None, count, count, cards)
    laid = (layer.laid if layer.HasField("laid") else layer.count) if is_known else None
    return view_types.LayerView(Seat(layer.seat), layer.rank, layer.count, laid, cards)


def _read_packet(packet: cheat_pb2.CheatPacket) -> view_types.PacketView:
    return view_types.PacketView(packet.size, Seat(packet.taker) if packet.HasField("taker") else None)
