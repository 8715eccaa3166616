"""Puts the names of entrants in place of seat numbers in narrated sentences."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from arena.replays.narration.text_format import escape_unprintable, join_words

_SEATS: Final = re.compile(r"\bseat \d+\b|\bseats \d+(?:(?:, | and )\d+)*\b")


class SeatNames:
    """The names of a game's seats. Entrants that share a name are told apart by their seats."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        """`names` has the name of the entrant in each seat."""
        shown = [escape_unprintable(name) for name in names]
        counts = Counter(shown)
        self._names = [
            f"{name} (seat {seat})" if counts[name] > 1 else name or f"seat {seat}" for seat, name in enumerate(shown)
        ]

    def __getitem__(self, seat: int) -> str:
        return self._names[seat] if 0 <= seat < len(self._names) else f"seat {seat}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def put_in(self, text: str) -> str:
        """Return a sentence of the narration with names in place of seat numbers.

        Use this only for sentences without texts of bots: a bot's note may say `seat 2` and must stay as it is.

        >>> SeatNames(["Ann", "Bob"]).put_in("seat 0 calls seat 1; no answer from seats 0 and 1")
        'Ann calls Bob; no answer from Ann and Bob'
        """
        return _SEATS.sub(self._name_seats, text)

    def _name_seats(self, found: re.Match[str]) -> str:
        return join_words(self[int(number)] for number in re.findall(r"\d+", found[0]))
