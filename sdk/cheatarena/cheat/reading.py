"""Reads answers that a person or a language model wrote."""

import re
from collections.abc import Sequence
from typing import TypeVar

from cheatarena.cheat.cards import Card, Rank
from cheatarena.cheat.decisions import Play
from cheatarena.errors import NotationError

Word = TypeVar("Word")

PLAY = re.compile(r"(?:PLAY\s+)?(?P<laid>.*?)\s*\bAS\s+(?:(?P<count>\d+)\s*X\s*)?(?P<rank>\S+)", re.DOTALL)
"""Matches a play: the word `play` and a number, both optional, then cards and the claim."""


def read_word(text: str, legal: Sequence[Word]) -> Word:
    """Return the answer whose text is ``text``, in upper or lower case. Raises NotationError if there is none."""
    word = text.strip().rstrip(".!").lower()
    for answer in legal:
        if str(answer) == word:
            return answer
    raise NotationError(f"{text!r} is not an answer here, expected {' or '.join(map(str, legal))}")


def read_play(text: str) -> Play | None:
    """Return the play that a text describes, or None if the text does not have the form of a play.

    A number before the cards is the claimed number, and so is a number after ``as``. Cards may be separated by commas,
    ``10`` is ten, and case makes no difference. Raises NotationError if a card or the rank cannot be read.

    >>> print(read_play("play 2 7h 7S as 7"), "|", read_play("10D as 2 x t"), "|", read_play("play no cards as K"))
    7H 7S as 7 | TD as 2 x T | no cards as K
    """
    found = PLAY.fullmatch(text.strip().rstrip(".!").upper())
    if found is None:
        return None
    words = found["laid"].replace(",", " ").split()
    number = found["count"]
    if words and words[0].isdigit():
        number, *words = words
    if words in (["NO", "CARDS"], ["NOTHING"]):
        words = []
    laid = tuple(Card.of(_ten(word)) for word in words)
    count = len(laid) if number is None else int(number)
    return Play(laid, Rank.of(_ten(found["rank"])), count=None if count == len(laid) else count)


def _ten(word: str) -> str:
    return f"T{word[2:]}" if word.startswith("10") else word
