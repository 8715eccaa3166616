"""A narration that is read page by page, without narrating the match again for each page."""

from collections.abc import Iterable, Iterator

from arena.replays.narration.narration_lines import NarrationLine


class PagedNarration:
    """The lines of a match. While the match runs, only the lines of its finished games."""

    def __init__(self, lines: Iterable[NarrationLine], *, is_over: bool) -> None:
        """`is_over` says whether the match is over."""
        self._steps = iter(lines) if is_over else _finished_games(lines)
        self.position = 0
        """The number of lines read so far."""
        self.is_done = False
        """Whether there are no more lines."""

    def read_from(self, start: int, game: int | None) -> Iterator[NarrationLine | None]:
        """Yield the lines from `start` on: the lines of one game, or all lines if `game` is None.

        For each other line that is read, yield None. So the reader can stop at any line and continue later from
        `position`. Lines before `position` cannot be read again.
        """
        for line in self._steps:
            if line is None:
                yield None
                continue
            self.position += 1
            is_wanted = self.position > start and game in (None, line.game)
            yield line if is_wanted else None
        self.is_done = True


def _finished_games(lines: Iterable[NarrationLine]) -> Iterator[NarrationLine | None]:
    """Yield the lines of each game when the game has ended. Before its end, yield None for each of its lines."""
    waiting: list[NarrationLine] = []
    for line in lines:
        waiting.append(line)
        if line.kind == "end":
            yield from waiting
            waiting.clear()
        else:
            yield None
