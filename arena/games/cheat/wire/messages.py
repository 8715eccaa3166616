"""Converts Cheat's rules values to messages and back (cheat.proto)."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.games.cheat.rules.cards import MAX_NUMBER, NO_CARD, NO_RANK, Hand, cards_from_hand, sort_cards
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.events import (
    DeckCut,
    FinalWindowOpened,
    Overruled,
    PacketChosen,
    Passed,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.state import TurnOptions
from cheatarena.v1 import cheat_pb2, decision_pb2, snapshot_pb2
from cheatarena.v1.event_pb2 import Event

MAX_LISTED_CARDS = 54
"""Up to this many cards are sent one by one; more are sent as pairs of card and count."""


def cards_message(hand: Hand) -> cheat_pb2.CheatCards:
    if sum(hand) <= MAX_LISTED_CARDS:
        return cheat_pb2.CheatCards(cards=cards_from_hand(hand))
    pairs = [number for code, count in enumerate(hand) if count for number in (code, count)]
    return cheat_pb2.CheatCards(counted=pairs)


def _card_list_message(cards: bytes) -> cheat_pb2.CheatCards:
    if len(cards) <= MAX_LISTED_CARDS:
        return cheat_pb2.CheatCards(cards=cards)
    return cheat_pb2.CheatCards(counted=[number for code in sorted(set(cards)) for number in (code, cards.count(code))])


def _deck_cut_event(part: DeckCut) -> Event:
    return Event(cheat_deck_cut=cheat_pb2.CheatDeckCut(dealer=part.dealer, sizes=part.sizes))


def _packet_chosen_event(part: PacketChosen) -> Event:
    return Event(cheat_packet_chosen=cheat_pb2.CheatPacketChosen(seat=part.seat, packet=part.packet))


def _dealt_event(part: view_types.DealtView) -> Event:
    return Event(cheat_dealt=cheat_pb2.CheatDealt(hand_sizes=part.sizes, to_move=part.first, dealer=part.dealer))


def _played_event(part: view_types.PlayedView) -> Event:
    return Event(
        cheat_played=cheat_pb2.CheatPlayed(
            seat=part.seat,
            rank=part.rank,
            count=part.count,
            emptied=part.emptied,
            to_move=part.to_move,
            laid=None if part.laid == part.count else part.laid,
            cards=None if part.cards is None else _card_list_message(part.cards),
        )
    )


def _called_event(part: view_types.CalledView) -> Event:
    called = cheat_pb2.CheatCalled(
        caller=part.caller,
        accused=part.accused,
        right=part.right,
        taker=part.taker,
        taken_count=part.taken or 0,
        to_move=part.to_move,
        shown=None if part.cards is None else _card_list_message(part.cards),
        rest=None if part.rest is None else cards_message(part.rest),
    )
    return Event(cheat_called=called)


def _believed_event(part: view_types.BelievedView) -> Event:
    believed = cheat_pb2.CheatBelieved(
        believer=part.believer,
        mover=part.mover,
        right=part.right,
        pile_size=part.pile_size or 0,
        to_move=part.to_move,
        shown=None if part.cards is None else _card_list_message(part.cards),
        rest=None if part.rest is None else cards_message(part.rest),
    )
    return Event(cheat_believed=believed)


def _hand_checked_event(part: view_types.HandCheckedView) -> Event:
    return Event(
        cheat_hand_checked=cheat_pb2.CheatHandChecked(
            seat=part.seat, true_claim=part.is_true, taken_count=part.taken or 0
        )
    )


def _banished_event(part: view_types.PileBanishedView) -> Event:
    return Event(cheat_banished=cheat_pb2.CheatBanished(card_count=part.card_count or 0))


def _seat_left_event(part: view_types.SeatLeftView) -> Event:
    return Event(
        cheat_left=cheat_pb2.CheatLeft(
            seat=part.seat, card_count=part.card_count or 0, place=part.place, to_move=part.to_move
        )
    )


def _window_closed_event(part: WindowClosed) -> Event:
    return Event(cheat_window_closed=cheat_pb2.CheatWindowClosed(settled=part.settled, to_move=part.to_move))


FACT_ENCODERS: Mapping[type, Callable[[Any], Event]] = {
    view_types.DealtView: _dealt_event,
    view_types.PlayedView: _played_event,
    view_types.CalledView: _called_event,
    view_types.SeatLeftView: _seat_left_event,
    view_types.BelievedView: _believed_event,
    view_types.HandCheckedView: _hand_checked_event,
    view_types.PileBanishedView: _banished_event,
    DeckCut: _deck_cut_event,
    PacketChosen: _packet_chosen_event,
    WindowClosed: _window_closed_event,
    Passed: lambda part: Event(cheat_passed=cheat_pb2.CheatPassed(seat=part.seat, to_move=part.to_move)),
    TrickEnded: lambda part: Event(cheat_trick_ended=cheat_pb2.CheatTrickEnded(leader=part.leader)),
    FinalWindowOpened: lambda part: Event(cheat_final_window=cheat_pb2.CheatFinalWindow(mover=part.mover)),
    SeatPlaced: lambda part: Event(cheat_placed=cheat_pb2.CheatPlaced(seat=part.seat, place=part.place)),
    Overruled: lambda _: Event(cheat_overruled=cheat_pb2.CheatOverruled()),
    view_types.HandDealt: lambda part: Event(cheat_hand=cheat_pb2.CheatHand(cards=cards_message(part.hand))),
    view_types.CardsLaid: lambda part: Event(cheat_laid=cheat_pb2.CheatLaid(cards=_card_list_message(part.cards))),
    view_types.CardsShown: lambda part: Event(cheat_shown=cheat_pb2.CheatShown(cards=_card_list_message(part.cards))),
    view_types.CardsTaken: lambda part: Event(cheat_taken=cheat_pb2.CheatTaken(cards=cards_message(part.cards))),
}


def put_options(message: decision_pb2.Prompt, options: Any) -> None:
    """Set the options that a prompt offers. Raises TypeError for options of another game."""
    match options:
        case TurnOptions():
            turn = cheat_pb2.CheatTurn(
                ranks=options.ranks,
                counts=[bound for span in options.counts for bound in span],
                zero=options.zero,
                can_pass=options.can_pass,
                opens=options.opens,
                laid=options.laid or (),
                face_up=options.face_up,
                can_call=options.can_call,
                can_believe=options.can_believe,
            )
            message.cheat_turn.CopyFrom(turn)
        case WindowOptions():
            message.cheat_window.CopyFrom(cheat_pb2.CheatWindow(final=options.final, can_believe=options.can_believe))
        case CutOptions():
            message.cheat_cut.CopyFrom(
                cheat_pb2.CheatCut(packet_count=options.packet_count, card_count=options.card_count)
            )
        case ChooseOptions():
            message.cheat_choose.CopyFrom(cheat_pb2.CheatChoose(sizes=options.sizes, free=bytes(options.free)))
        case _:
            raise TypeError(f"no message for {type(options).__name__}")


def read_action(decision: decision_pb2.Decision) -> Action | None:
    """Return the action of a decision; None if it belongs to another game or is of an unknown kind.

    Numbers out of range are clamped to values that the rules refuse with a reason.
    """
    if decision.WhichOneof("action") != "cheat":
        return None
    action = decision.cheat
    kind = action.kind
    if kind == cheat_pb2.CHEAT_ACTION_KIND_PLAY:
        cards = sort_cards(action.cards)
        if cards and cards[-1] > NO_CARD:
            cards = bytes([min(code, NO_CARD) for code in cards])
        return Play(cards, min(action.count, MAX_NUMBER), min(action.rank, NO_RANK))
    if kind == cheat_pb2.CHEAT_ACTION_KIND_CUT:
        return Cut(tuple([min(size, MAX_NUMBER) for size in action.sizes]))
    if kind == cheat_pb2.CHEAT_ACTION_KIND_CHOOSE:
        return Choose(min(action.packet, MAX_NUMBER))
    return _PARAMETERLESS_ACTIONS.get(kind)


_PARAMETERLESS_ACTIONS: Mapping[int, Action] = {
    cheat_pb2.CHEAT_ACTION_KIND_PASS: PASS,
    cheat_pb2.CHEAT_ACTION_KIND_CALL: CALL,
    cheat_pb2.CHEAT_ACTION_KIND_DECLINE: DECLINE,
    cheat_pb2.CHEAT_ACTION_KIND_BELIEVE: BELIEVE,
}


def put_snapshot(message: snapshot_pb2.SeatSnapshot, view: view_types.CheatSnapshot) -> None:
    sizes = [size for size in view.hand_sizes if size is not None]
    claim = view.last or view.prev
    message.cheat.CopyFrom(
        cheat_pb2.CheatSnapshot(
            hand=None if view.hand is None else cards_message(view.hand),
            hand_sizes=sizes if len(sizes) == len(view.hand_sizes) else (),  # if one size is hidden, all are
            holders=bytes([seat for seat, size in enumerate(view.hand_sizes) if size != 0]),
            pile=[_layer_message(layer) for layer in view.pile],
            to_move=view.to_move,
            trick_start=view.trick_start,
            previous_rank=None if view.prev is None else view.prev.rank,
            previous_count=0 if view.prev is None else view.prev.count,
            mover=None if claim is None else claim.seat,
            callable=view.last is not None,
            passed=bytes(view.passed),
            places=bytes(view.places),
            turn_count=view.landed,
            required_rank=view.required_rank,
            banished_count=view.banished or 0,
            dealer=view.dealer,
            packets=[cheat_pb2.CheatPacket(size=packet.size, taker=packet.taker) for packet in view.packets],
        )
    )


def _layer_message(layer: view_types.LayerView) -> cheat_pb2.CheatLayer:
    return cheat_pb2.CheatLayer(
        seat=layer.seat or 0,
        rank=layer.rank or 0,
        count=layer.count or 0,
        own_cards=None if layer.cards is None else _card_list_message(layer.cards),
        abandoned=layer.rank is None,
        laid=None if layer.laid == layer.count else layer.laid,
    )
