"""Actions as short exact text, for the journal: `2K 7CKS` claims two kings, laying 7C and KS.

What a bot made up has a text too, since refused actions are kept: `??` is no card, `?` no rank.
"""

from arena.errors import NotationError
from arena.rules.cheat import cards as names
from arena.rules.cheat.actions import CALL, DECLINE, PASS, Action, Call, Decline, Pass, Play
from arena.rules.cheat.cards import NO_CARD, NO_RANK

_WORDS: dict[type, str] = {Pass: "pass", Call: "call", Decline: "decline"}
_ACTIONS: dict[str, Action] = {"pass": PASS, "call": CALL, "decline": DECLINE}
RANKS = names.RANKS + "?"
RANK_CODES = {**names.RANK_CODES, "?": NO_RANK}
NAMES = (*names.NAMES, "??")
CODES = {**names.CODES, "??": NO_CARD}
_EXPECTED = "pass, call, decline, or a play such as '2K 7CKS'"


def write_action(action: Action) -> str:
    """Write an action. Raises NotationError for a play with a card, rank or count that no text has."""
    return _write_play(action) if isinstance(action, Play) else _WORDS[type(action)]


def read_action(text: str) -> Action:
    """Read what `write_action` wrote. Raises NotationError."""
    return _ACTIONS.get(text) or _read_play(text)


def _write_play(play: Play) -> str:
    if play.count < 0 or not 0 <= play.rank < len(RANKS):
        raise NotationError(repr(play), "a count from 0 on and a rank from 0 to 13")
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


def _is_number(text: str) -> bool:
    """Tell whether this is a whole number as it is written: ASCII digits, no needless zero, of a sane length."""
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) <= 9
