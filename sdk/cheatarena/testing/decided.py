"""Says whether two answers decide the same."""

from dataclasses import replace
from typing import Any

from cheatarena.cheat.decisions import Play


def is_same_decision(answer: Any, other: Any) -> bool:
    """Return whether two answers decide the same, whatever their notes say.

    Two plays of Cheat decide the same if they claim the same, lay as many cards, and are both true or both lies. So
    they may differ in the choice of suits, or of the cards of a lie.

    >>> is_same_decision(Play.of("KS 4D", "K"), Play.of("KS 9C", "K", "a note"))
    True
    >>> is_same_decision(Play.of("KS 4D", "K"), Play.of("KS KD", "K"))
    False
    """
    if isinstance(answer, Play) and isinstance(other, Play):
        return _meaning(answer) == _meaning(other)
    if type(answer) is not type(other) or answer is None:
        return answer is other
    return bool(replace(answer, note="") == replace(other, note=""))


def _meaning(play: Play) -> tuple[object, ...]:
    return play.rank, play.claimed, len(play.cards), play.is_honest
