"""Actions as short exact text, for the journal: `2K 7CKS` claims two kings and lays 7C and KS.

`cut 18,18,16` cuts the deck into three packets; `choose 0` takes the first of them.

Refused actions are also recorded, so invalid values need a text: `??` is an invalid card, `?` an invalid rank.
"""

from arena.errors import NotationError
from arena.games.cheat.rules import cards as names
from arena.games.cheat.rules.actions import (
    BELIEVE,
    CALL,
    DECLINE,
    PASS,
    Action,
    Believe,
    Call,
    Choose,
    Cut,
    Decline,
    Pass,
    Play,
)
from arena.games.cheat.rules.cards import NO_CARD, NO_RANK

_WORDS: dict[type, str] = {Pass: "pass", Call: "call", Believe: "believe", Decline: "decline"}
_ACTIONS: dict[str, Action] = {"pass": PASS, "call": CALL, "believe": BELIEVE, "decline": DECLINE}
RANKS = names.RANKS + "?"
RANK_CODES = {**names.RANK_CODES, "?": NO_RANK}
NAMES = (*names.NAMES, "??")
CODES = {**names.CODES, "??": NO_CARD}
_EXPECTED = "pass, call, believe, decline, a play such as '2K 7CKS', 'cut 18,18,16' or 'choose 0'"


def write_action(action: Action) -> str:
    """Return the text of an action. Raises NotationError for a card, rank or number that has no text."""
    word = _WORDS.get(type(action))
    if word is not None:
        return word
    match action:
        case Play():
            return _write_play(action)
        case Cut(sizes):
            return f"cut {','.join([_write_number(size) for size in sizes])}".rstrip()
        case Choose(packet):
            return f"choose {_write_number(packet)}"
        case _:
            raise TypeError(f"expected an action, got {action!r}")


def read_action(text: str) -> Action:
    """Parse a text of `write_action`. Raises NotationError."""
    action = _ACTIONS.get(text)
    if action is not None:
        return action
    word, space, numbers = text.partition(" ")
    if word == "choose":
        return Choose(_read_number(numbers, text))
    if word == "cut":
        return Cut(tuple([_read_number(size, text) for size in numbers.split(",")] if space else ()))
    return _read_play(text)


def _write_play(play: Play) -> str:
    if play.count < 0 or not 0 <= play.rank < len(RANKS):
        raise NotationError(repr(play), "a count of 0 or more and a rank from 0 to 13")
    try:
        cards = "".join([NAMES[code] for code in play.cards])
    except IndexError:
        raise NotationError(repr(play), "card codes from 0 to 53") from None
    return f"{play.count}{RANKS[play.rank]} {cards}" if cards else f"{play.count}{RANKS[play.rank]}"


def _read_play(text: str) -> Play:
    claim, space, cards = text.partition(" ")
    count, rank = claim[:-1], claim[-1:]
    if rank not in RANK_CODES or not _is_number(count) or bool(space) != bool(cards) or len(cards) % 2:
        raise NotationError(text, _EXPECTED)
    try:
        codes = bytes([CODES[cards[at : at + 2]] for at in range(0, len(cards), 2)])
    except KeyError:
        raise NotationError(text, _EXPECTED) from None
    return Play(codes, int(count), RANK_CODES[rank])


def _write_number(number: int) -> str:
    if number < 0:
        raise NotationError(repr(number), "a number of 0 or more")
    return str(number)


def _read_number(number: str, text: str) -> int:
    if not _is_number(number):
        raise NotationError(text, _EXPECTED)
    return int(number)


def _is_number(text: str) -> bool:
    """Return whether this is a canonical whole number: ASCII digits, no leading zero, at most nine digits."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) <= 9
