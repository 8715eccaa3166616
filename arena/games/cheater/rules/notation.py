"""Actions as short exact text, for the journal: `play WILD 2 bust`, `take RC YT`, `discard PE`.

Refused actions are also recorded, so invalid values need a text: `??` is an invalid card, and a target may be any whole
number.
"""

from collections.abc import Mapping
from contextlib import suppress

from arena.errors import NotationError
from arena.games.cheater.rules.actions import (
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
from arena.games.cheater.rules.cards import NAMES
from arena.match.game import Seat

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
    match action:
        case Demand(target):
            words = ["demand", _seat_text(target)]
        case Play(card, target, wild_as):
            words = ["play", _card_text(card), _seat_text(target), *([] if wild_as is None else [wild_as.value])]
        case Discard(cards):
            words = ["discard", *map(_card_text, cards)]
        case Hide(card):
            words = ["hide", _card_text(card)]
        case Take(card, None):
            words = ["take", _card_text(card)]
        case Take(card, int(discard)):
            words = ["take", _card_text(card), _card_text(discard)]
        case Bust(cards):
            words = ["bust", *map(_card_text, cards)]
        case _:
            raise NotationError(repr(action), "an action of CHEATER")
    return " ".join(words)


def read_action(text: str) -> Action:
    """Parse a text of `write_action`. Raises NotationError."""
    action = _ACTIONS.get(text)
    if action is not None:
        return action
    with suppress(KeyError, ValueError):
        match text.split(" "):
            case ["demand", seat]:
                return Demand(_read_seat(seat))
            case ["play", card, seat]:
                return Play(_CODES[card], _read_seat(seat))
            case ["play", card, seat, attack]:
                return Play(_CODES[card], _read_seat(seat), Attack(attack))
            case ["discard", *cards]:
                return Discard(bytes([_CODES[card] for card in cards]))
            case ["hide", card]:
                return Hide(_CODES[card])
            case ["take", card]:
                return Take(_CODES[card])
            case ["take", card, discard]:
                return Take(_CODES[card], _CODES[discard])
            case ["bust", *cards]:
                return Bust(bytes([_CODES[card] for card in cards]))
            case _:
                pass
    raise NotationError(text, _EXPECTED)


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
