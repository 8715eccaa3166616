"""Reads answers that a person or a language model wrote, and lists the legal ones as text."""

from collections.abc import Sequence
from typing import TypeVar

from cheatarena.errors import NotationError

Choice = TypeVar("Choice")

MAX_LISTED = 24
"""The largest number of legal answers that a text lists."""


def describe_choices(choices: Sequence[object]) -> str:
    """Return the legal answers as one line. A long list is shortened.

    >>> describe_choices(["draw", "draw two"])
    'draw, or draw two'
    """
    told = ", or ".join(map(str, choices[:MAX_LISTED]))
    left = len(choices) - MAX_LISTED
    return f"{told}, or {left} more" if left > 0 else told


def read_choice(text: str, choices: Sequence[Choice]) -> Choice:
    """Return the answer that a text names. Case, commas, the word play, and the order of cards make no difference.

    Raises NotationError if no legal answer has this text. The error says what is legal.
    """
    wanted = _normalize(text)
    for choice in choices:
        if _normalize(str(choice)) == wanted:
            return choice
    raise NotationError(f"{text!r} is not a legal answer; legal: {describe_choices(choices)}")


def _normalize(text: str) -> list[str]:
    words = text.strip().rstrip(".!").upper().replace(",", " ").split()
    if words[:1] == ["PLAY"]:
        del words[0]
    return [words[0], *sorted(words[1:])] if words[:1] in (["DISCARD"], ["BUST"]) else words
