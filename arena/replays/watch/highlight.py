"""What makes a finished game worth showing: each game finds it in its stored events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar


@dataclass(frozen=True, slots=True)
class Highlight:
    """Something that stands out in a game."""

    title: str
    """What it is, such as `largest lie that held`. Of several with the same title, the larger is shown."""
    size: float
    text: str
    """What happened, as a sentence without its full stop, with seats as `seat 2`."""
    turn: int | None = None
    """The turn in which it happened, from 0; None if it is the whole game."""


class Sized(Protocol):
    """Something that has a title and a size."""

    @property
    def title(self) -> str: ...

    @property
    def size(self) -> float: ...


SizedT = TypeVar("SizedT", bound=Sized)
HighlightFinder = Callable[[Iterable[tuple[int, str, Mapping[str, Any]]]], Sequence[Highlight]]
"""Takes the stored events of a game: instant, name and fields. Returns the largest highlight of each title."""


def keep_largest(found: Iterable[SizedT]) -> list[SizedT]:
    """Return the largest of each title, the earliest of equal ones, in the order of their first."""
    largest: dict[str, SizedT] = {}
    for each in found:
        if each.title not in largest or each.size > largest[each.title].size:
            largest[each.title] = each
    return list(largest.values())
