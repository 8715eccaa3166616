"""Events in the words of the table, for people who may see everything."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.rules.cheat.calling import is_truthful
from arena.rules.cheat.cards import RANKS, Hand, card_texts, listed
from arena.rules.cheat.events import (
    Called,
    Dealt,
    Event,
    FinalWindowOpened,
    Overruled,
    Passed,
    Played,
    SeatLeft,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)


def tell(event: Event) -> str:
    """Say what happened in one line."""
    return _TELLERS[type(event)](event)


def _tell_left(event: SeatLeft) -> str:
    return f"seat {event.seat} leaves with {_cards(event.cards)} and takes place {event.place}"


def _tell_dealt(event: Dealt) -> str:
    hands = "; ".join(f"seat {seat} holds {_cards(hand)}" for seat, hand in enumerate(event.hands))
    return f"{hands}; seat {event.first} begins"


def _tell_played(event: Played) -> str:
    laid = " ".join(card_texts(event.cards)) or "nothing"
    truth = "true" if is_truthful(event.cards, event.count, event.rank) else "a lie"
    out = ", its hand is empty" if event.emptied else ""
    return f"seat {event.seat} claims {event.count} x {RANKS[event.rank]} and lays {laid}: {truth}{out}"


def _tell_called(event: Called) -> str:
    verdict = "rightly" if event.right else "wrongly"
    shown = " ".join(card_texts(event.cards)) or "no cards"
    taken = f"seat {event.taker} takes {sum(event.taken)}"
    return f"seat {event.caller} calls seat {event.accused} {verdict}: {shown}; {taken}"


def _cards(hand: Hand) -> str:
    return " ".join(card_texts(listed(hand))) or "no cards"


_TELLERS: Mapping[type, Callable[[Any], str]] = {
    Dealt: _tell_dealt,
    Played: _tell_played,
    Passed: "seat {0.seat} passes".format,
    Called: _tell_called,
    Overruled: "seat {0.seat} called too, but a nearer call counted".format,
    TrickEnded: "the trick ends, seat {0.leader} leads the next".format,
    WindowClosed: "nobody calls".format,
    FinalWindowOpened: "last chance to call the move of seat {0.mover}".format,
    SeatPlaced: "seat {0.seat} takes place {0.place}".format,
    SeatLeft: _tell_left,
}
