"""Tells one game of a run in words, move by move and so slowly that a person can follow, while the games are played."""

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from rich.text import Text

from arena.cli.match.columns import count_names
from arena.cli.match.length_text import stopped_text
from arena.games.catalogue import games
from arena.match.facts import GameEnded, GameStarted
from arena.match.game_lengths import measure_games, turn_limit_of
from arena.match.match_order import MatchReport
from arena.match.orders import AnnounceFact, TellEvent
from arena.match.ports import MatchId
from arena.match.replay import Replay
from arena.plurals import format_count
from arena.replays.journals import JournalReader, journal_files, journaled_matches, read_match_records
from arena.replays.text_format import escape_unprintable, format_places, join_words
from arena.rules.game import Game

LINE_INTERVAL_S: Final = 0.4
"""Seconds between two lines of the story."""
_MIN_LINES: Final = 20
"""Number of lines that are told even if all games are over earlier, as far as there is time."""
_FIRST_LINES: Final = 4
"""Number of lines at the beginning of the game that are always told, even if there is no time."""
_LAST_LINES: Final = 4
"""Number of lines at the end of the game that are always told."""
_SEAT: Final = re.compile(r"\bseat (\d+)\b")

StoryLine = tuple[int | None, Text]
"""The number of the move, counted from 0, and its sentence. Lines before and after the moves have no number."""


class StoryTeller:
    """Tells the first game that ends, from its beginning."""

    def __init__(
        self, data: Path, find_reports: Callable[[], Sequence[MatchReport]], put: Callable[[Text], object]
    ) -> None:
        """`data` is the folder of the server; `find_reports` reports on the matches of the run that have begun."""
        self._data = data
        self._find_reports = find_reports
        self._put = put
        self._lines: Iterator[StoryLine] | None = None
        self._told_count = 0
        self._number: int | None = None
        """The number of the latest line. If the next line has the same number, it shows no number."""
        self.match_id: MatchId | None = None
        """The match whose first game is told; None until a game has ended."""

    def tell_next(self) -> None:
        """Tell the next line. Do nothing until a game has ended, and after the last line."""
        if self._lines is None:
            self.match_id = next((report.match_id for report in self._find_reports() if report.games), None)
            if self.match_id is None:
                return
            self._lines = tell_first_game(_read_records(self._data, self.match_id), games())
        for line in islice(self._lines, 1):
            self._tell(line)

    async def finish(self, until: float) -> None:
        """Go on telling for a while, but at most until an instant of the monotonic clock. Then tell how the game ends.

        Call this when all games are over.
        """
        for _ in range(self._told_count, _FIRST_LINES):
            self.tell_next()
        while self._told_count < _MIN_LINES and time.monotonic() < until:
            await asyncio.sleep(LINE_INTERVAL_S)
            self.tell_next()
        rest = list(self._lines or ())
        if len(rest) > _LAST_LINES:
            moves = len({number for number, _ in rest[:-_LAST_LINES] if number is not None})
            self._put(Text(f"      … {format_count(moves, 'move')} later …", style="dim"))
        for line in rest[-_LAST_LINES:]:
            self._tell(line)

    def _tell(self, line: StoryLine) -> None:
        number, text = line
        margin = "" if number is None else f"{number if number != self._number else '':>4}  "
        self._told_count, self._number = self._told_count + 1, number
        self._put(Text(margin).append_text(text))


def tell_first_game(records: Iterable[bytes], rules: dict[str, Game]) -> Iterator[StoryLine]:
    """Yield the first game of a match in words, with the names of its entrants. Raises JournalError."""
    replay = Replay(records, rules)
    game, names = replay.terms.game, list[str]()
    marked, turns = set(count_names(game.name)), 0
    for order in (order for moment in replay.moments() for order in moment.orders):
        match order:
            case AnnounceFact(GameStarted(entrants=entrants)):
                names = [escape_unprintable(replay.terms.entrants[entrant]) for entrant in entrants]
                yield None, Text(f"One table, move by move: {join_words(names)}", style="bold")
            case AnnounceFact(GameEnded(places=places, termination=termination)):
                stopped = stopped_text(measure_games([(termination, turns)], turn_limit_of(replay.terms)))
                text = f"{stopped[:1].upper()}{stopped[1:]}" or "The game is over"
                yield None, Text(f"{text}: {format_places(zip(names, places, strict=True))}", style="bold")
                return
            case TellEvent(event):
                words = [word for _, word in game.event_statistics(event)]
                turns += words.count("turns")
                if words:
                    text = _put_names_in(game.describe_event(event), names)
                    colour = "yellow" if "turns" in words else "bold cyan"
                    yield max(0, turns - 1), Text(text, style=colour if marked & {*words} else "")
            case _:
                pass


def _put_names_in(sentence: str, names: Sequence[str]) -> str:
    """Return a sentence with the names of entrants in place of seat numbers."""
    return _SEAT.sub(lambda found: names[int(found[1])], sentence)


def _read_records(data: Path, match_id: MatchId) -> list[bytes]:
    """Return the records that a match has so far. The match is on the newest server of the data folder."""
    journal = journal_files(data)[0]
    number = next(match.number for match in journaled_matches(JournalReader(journal)) if match.match_id == match_id)
    return read_match_records(JournalReader(journal), [number])[number]
