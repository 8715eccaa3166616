"""Actions as short exact text, for the journal: `play WILD 2 bust`, `take RC YT`, `discard PE`.

Refused actions are recorded too, so invalid values have a text: `??` is no card, a target is any whole number.
"""

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import NotationError
from arena.rules.cheater.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    IDLE,
    TAKE_TOP,
    Action,
    Allow,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Idle,
    Play,
    Take,
    TakeTop,
)
from arena.rules.cheater.cards import NAMES
from arena.rules.game import Seat

_NAMES = (*NAMES, "??")
_CODES = {name: code for code, name in enumerate(_NAMES)}
_WORDS: Mapping[type, str] = {Draw: "draw", DrawTwo: "draw2", TakeTop: "top", Idle: "idle", Allow: "allow"}
_ACTIONS: Mapping[str, Action] = {"draw": DRAW, "draw2": DRAW_TWO, "top": TAKE_TOP, "idle": IDLE, "allow": ALLOW}
_EXPECTED = (
    "draw, draw2, top, demand SEAT, play CARD SEAT [take, show or bust], idle, discard CARDS, allow, hide CARD, "
    "take CARD [CARD], or bust CARDS"
)


def write_action(action: Action) -> str:
    """Return the text of an action. Raises NotationError for a card or seat that has no text."""
    word = _WORDS.get(type(action))
    if word is not None:
        return word
    return " ".join(_action_words(action))


def read_action(text: str) -> Action:
    """Parse a text of `write_action`. Raises NotationError."""
    known = _ACTIONS.get(text)
    if known is not None:
        return known
    verb, *words = text.split(" ")
    reader = _READERS.get(verb)
    if reader is None:
        raise NotationError(text, _EXPECTED)
    try:
        return reader(words)
    except (KeyError, ValueError, IndexError):
        raise NotationError(text, _EXPECTED) from None


def _action_words(action: Action) -> list[str]:
    match action:
        case Demand(target):
            return ["demand", _seat_text(target)]
        case Play(card, target, wild_as):
            return ["play", _card_text(card), _seat_text(target), *([] if wild_as is None else [wild_as.value])]
        case Discard(cards):
            return ["discard", *map(_card_text, cards)]
        case Hide(card):
            return ["hide", _card_text(card)]
        case Take(card, None):
            return ["take", _card_text(card)]
        case Take(card, int(discard)):
            return ["take", _card_text(card), _card_text(discard)]
        case Bust(cards):
            return ["bust", *map(_card_text, cards)]
        case _:
            raise NotationError(repr(action), "an action of CHEATER")


def _card_text(card: int) -> str:
    if not 0 <= card < len(_NAMES):
        raise NotationError(repr(card), "a card code from 0 to 29")
    return _NAMES[card]


def _seat_text(seat: int) -> str:
    if seat < 0:
        raise NotationError(repr(seat), "a seat number of 0 or more")
    return str(seat)


def _read_seat(text: str) -> Seat:
    """Read a canonical whole number: ASCII digits, no leading zero, at most ten digits."""
    if not (text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) <= 10):
        raise ValueError(text)
    return Seat(int(text))


def _read_demand(words: list[str]) -> Action:
    (seat,) = words
    return Demand(_read_seat(seat))


def _read_play(words: list[str]) -> Action:
    card, seat, *wild = words
    if len(wild) > 1:
        raise ValueError(words)
    return Play(_CODES[card], _read_seat(seat), Attack(wild[0]) if wild else None)


def _read_discard(words: list[str]) -> Action:
    return Discard(bytes([_CODES[word] for word in words]))


def _read_hide(words: list[str]) -> Action:
    (card,) = words
    return Hide(_CODES[card])


def _read_take(words: list[str]) -> Action:
    card, *discard = words
    if len(discard) > 1:
        raise ValueError(words)
    return Take(_CODES[card], _CODES[discard[0]] if discard else None)


def _read_bust(words: list[str]) -> Action:
    return Bust(bytes([_CODES[word] for word in words]))


_READERS: Mapping[str, Callable[[list[Any]], Action]] = {
    "demand": _read_demand,
    "play": _read_play,
    "discard": _read_discard,
    "hide": _read_hide,
    "take": _read_take,
    "bust": _read_bust,
}
