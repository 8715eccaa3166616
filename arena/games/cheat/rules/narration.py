"""What an event of Cheat means to people: a sentence, and the counters of each seat, such as lies told and caught."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import RANKS, Hand, card_texts, cards_from_hand
from arena.games.cheat.rules.events import (
    Believed,
    Called,
    Dealt,
    DeckCut,
    Event,
    FinalWindowOpened,
    HandChecked,
    Overruled,
    PacketChosen,
    Passed,
    PileBanished,
    Played,
    SeatLeft,
    SeatPlaced,
    TrickEnded,
    WindowClosed,
)
from arena.match.game import Seat


def describe_event(event: Event) -> str:
    return _NARRATORS[type(event)](event)


def _narrate_left(event: SeatLeft) -> str:
    return f"seat {event.seat} leaves with {_hand_text(event.cards)} and takes place {event.place}"


def _narrate_dealt(event: Dealt) -> str:
    hands = "; ".join(f"seat {seat} holds {_hand_text(hand)}" for seat, hand in enumerate(event.hands))
    return f"{hands}; seat {event.first} begins"


def _narrate_played(event: Played) -> str:
    laid = " ".join(card_texts(event.cards)) or "nothing"
    truth = "true" if is_truthful(event.cards, event.count, event.rank) else "a lie"
    out = ", its hand is empty" if event.emptied else ""
    verb = "opens with" if event.face_up else "claims"
    return f"seat {event.seat} {verb} {event.count} x {RANKS[event.rank]} and lays {laid}: {truth}{out}"


def _narrate_called(event: Called) -> str:
    verdict = "rightly" if event.right else "wrongly"
    shown = " ".join(card_texts(event.cards)) or "no cards"
    taken = f"seat {event.taker} takes {sum(event.taken)}"
    return f"seat {event.caller} calls seat {event.accused} {verdict}: {shown}; {taken}"


def _narrate_believed(event: Believed) -> str:
    verdict = "rightly" if event.right else "wrongly"
    shown = " ".join(card_texts(event.cards)) or "no cards"
    size = sum(event.pile)
    effect = f"{size} are banished" if event.right else f"seat {event.believer} takes {size}"
    return f"seat {event.believer} believes seat {event.mover} {verdict}: {shown}; {effect}"


def _narrate_checked(event: HandChecked) -> str:
    if event.is_true:
        return f"the empty hand of seat {event.seat} is checked: its last move was true"
    return f"the empty hand of seat {event.seat} is checked: its last move was a lie, it takes {sum(event.pile)}"


def _hand_text(hand: Hand) -> str:
    return " ".join(card_texts(cards_from_hand(hand))) or "no cards"


_NARRATORS: Mapping[type, Callable[[Any], str]] = {
    DeckCut: lambda event: f"seat {event.dealer} cuts the deck into {', '.join(map(str, event.sizes))}",
    PacketChosen: lambda event: f"seat {event.seat} chooses packet {event.packet + 1}",
    Dealt: _narrate_dealt,
    Played: _narrate_played,
    Passed: "seat {0.seat} passes".format,
    Called: _narrate_called,
    Believed: _narrate_believed,
    HandChecked: _narrate_checked,
    PileBanished: lambda event: f"the pile is banished: {_hand_text(event.cards)}",
    Overruled: "seat {0.seat} called too, but a nearer call counted".format,
    TrickEnded: "the trick ends, seat {0.leader} leads the next".format,
    WindowClosed: lambda event: "nobody calls" if event.settled else "no call yet",
    FinalWindowOpened: "last chance to call the move of seat {0.mover}".format,
    SeatPlaced: "seat {0.seat} takes place {0.place}".format,
    SeatLeft: _narrate_left,
}


def event_statistics(event: Event) -> Iterator[tuple[Seat, str]]:
    """Yield the counters that an event increments, as (seat, counter name).

    The counters are `turns`, `plays`, `lies`, `lies_caught`, `calls_right`, `calls_wrong`, `beliefs_right` and
    `beliefs_wrong`.
    """
    if isinstance(event, Played):
        yield event.seat, "turns"
        yield event.seat, "plays"
        if not is_truthful(event.cards, event.count, event.rank):
            yield event.seat, "lies"
    elif isinstance(event, Passed):
        yield event.seat, "turns"
    elif isinstance(event, Called):
        yield event.caller, "calls_right" if event.right else "calls_wrong"
        if event.right:
            yield event.accused, "lies_caught"
    elif isinstance(event, Believed):
        yield event.believer, "beliefs_right" if event.right else "beliefs_wrong"
    elif isinstance(event, HandChecked) and not event.is_true:
        yield event.seat, "lies_caught"
