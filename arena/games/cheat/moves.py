"""Describes a move of Cheat in few words, from its events as everybody or as one seat got them, and marks it.

The events are plain values, so that lines from a server can be described in the same way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import RANKS, card_texts, cards_from_hand
from arena.replays.narration.hand_text import shorten_cards
from arena.replays.narration.phrasing import BriefMove, Mark, ToldEvent

_CARD_MOVES: Final = ("Played", "PlayedView")
MOVES: Final = (*_CARD_MOVES, "Passed")
_CALLS: Final = ("Called", "CalledView")
_BELIEFS: Final = ("Believed", "BelievedView")
_CHECKS: Final = ("HandChecked", "HandCheckedView")
_QUIET: Final = ("CardsLaid", "WindowClosed", "TrickEnded", "FinalWindowOpened", "DealtView")
"""Types of events without words of their own: other lines tell their effects, or they are told with the claim."""


def describe_cheat_move(events: Sequence[ToldEvent]) -> BriefMove:
    """Return the move in few words. A seat that does not know the cards is not told whether the move is a lie."""
    laid = next((bytes(event.value["cards"]) for event in events if event.name == "CardsLaid"), None)
    told = [(event, list(_marks_of(event, laid))) for event in events]
    texts = [text for event in events if (text := _text_of(event, laid))]
    caught = next((seat for event in events if (seat := _caught_seat(event)) is not None), None)
    return BriefMove("; ".join(texts), tuple(dict.fromkeys(mark for _, marks in told for mark in marks)), caught)


def _caught_seat(event: ToldEvent) -> int | None:
    """Return the seat whose lie an event has caught: by a right call, or by the check of its empty hand."""
    value = event.value
    if event.name in _CALLS and value["right"]:
        return int(value["accused"])
    return int(value["seat"]) if event.name in _CHECKS and not value["is_true"] else None


def _marks_of(event: ToldEvent, laid: bytes | None) -> Iterator[Mark]:
    value = event.value
    if event.name in _CARD_MOVES:
        if _is_lie(value, laid):
            yield Mark.LIE
    elif event.name in _CALLS:
        yield from (Mark.LIE, Mark.RIGHT_CALL) if value["right"] else (Mark.WRONG_CALL,)
    elif event.name in _BELIEFS:
        yield from () if value["right"] else (Mark.LIE,)


def _is_lie(claim: Mapping[str, Any], laid: bytes | None) -> bool:
    cards = _known_cards(claim, laid)
    return cards is not None and not is_truthful(cards, claim["count"], claim["rank"])


def _known_cards(claim: Mapping[str, Any], laid: bytes | None) -> bytes | None:
    """Return the cards of a claim if its event has them or its seat laid them itself."""
    return laid if claim.get("cards") is None else bytes(claim["cards"])


def _text_of(event: ToldEvent, laid: bytes | None) -> str:
    """Return an event in few words; empty if it needs none. The marks say what was true and who was right."""
    value = event.value
    if event.name in _CARD_MOVES:
        return _claim_text(value, laid)
    if event.name == "Called":
        return _call_text(value, sum(value["taken"]), ())
    if event.name == "CalledView":
        return _call_text(value, value["taken"], value["cards"])
    if event.name == "CardsTaken":
        return f"taken by this seat: {_cards_text(cards_from_hand(value['cards']))}"
    if event.name == "Overruled" and "seat" in value and event.text.startswith("seat"):
        return f"seat {value['seat']} called too"
    return "" if event.name in _QUIET else event.text


def _claim_text(claim: Mapping[str, Any], laid: bytes | None) -> str:
    cards = _known_cards(claim, laid)
    text = f"seat {claim['seat']}: {claim['count']} x {RANKS[claim['rank']]}"
    if cards is None:
        text += "" if claim.get("laid") in (None, claim["count"]) else f", {claim['laid']} laid"
    elif claim.get("face_up") or (claim.get("cards") is not None and "face_up" not in claim):
        text += f", face up: {_cards_text(cards)}"
    else:
        text += f", lays {_cards_text(cards)}"
    return text + (", hand empty" if claim["emptied"] else "")


def _call_text(call: Mapping[str, Any], taken: int | None, cards: Sequence[int] | None) -> str:
    shown = f" ({_cards_text(bytes(cards))})" if cards else ""
    size = "the pile" if taken is None else taken
    taker = " and" if call["taker"] == call["caller"] else f", seat {call['taker']}"
    return f"seat {call['caller']} calls{shown}{taker} takes {size}"


def _cards_text(cards: bytes) -> str:
    return shorten_cards(card_texts(cards)) or "no cards"
