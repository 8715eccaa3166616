"""Tells one game of a run in words, move by move and so slowly that a person can follow, while the games are played.

Each line has the table as spectators see it at that move. The sample bots play a game in half a second, so nobody could
follow a table that is drawn as they play. Before the first game is over, there is nothing to tell.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.text import Text

from arena.cli.match.standings import count_names, stopped_text
from arena.games.catalogue import games, watched_game_of
from arena.match.feed.public_message import PublicMessage
from arena.match.game import Game
from arena.match.referee.facts import GameEnded, GameStarted
from arena.match.referee.game_lengths import measure_games, turn_limit_of
from arena.match.referee.match_order import MatchReport
from arena.match.referee.orders import AnnounceFact, TellEvent
from arena.match.referee.ports import MatchId
from arena.match.referee.replay import Replay
from arena.plurals import format_count
from arena.replays.library.journals import JournalReader, journal_files, journaled_matches, read_match_records
from arena.replays.narration.text_format import escape_unprintable, format_places, join_words
from arena.replays.watch.drawing import Drawing
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import public_facts

LINE_INTERVAL_S: Final = 0.4
"""Seconds between two lines of the story."""
_MIN_LINES: Final = 20
"""Number of lines that are told even if all games are over earlier, as far as there is time."""
_FIRST_LINES: Final = 4
"""Number of lines at the beginning of the game that are always told, even if there is no time."""
_LAST_LINES: Final = 4
"""Number of lines at the end of the game that are always told."""
_SEAT: Final = re.compile(r"\bseat (\d+)\b")


class StoryLine(NamedTuple):
    number: int | None
    """The number of the move, counted from 0. Lines before and after the moves have no number."""
    text: Text
    table: LiveTable
    """The table, which is at this line until the next one is read."""


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
        self.drawing: Drawing | None = None
        """The table at the latest line; None before the first line."""
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
            self._tell(line, line.table.drawing)

    async def finish(self, until: float) -> None:
        """Go on telling for a while, but at most until an instant of the monotonic clock. Then tell how the game ends.

        Call this when all games are over.
        """
        for _ in range(self._told_count, _FIRST_LINES):
            self.tell_next()
        while self._told_count < _MIN_LINES and time.monotonic() < until:
            await asyncio.sleep(LINE_INTERVAL_S)
            self.tell_next()
        self._tell_end()

    def _tell_end(self) -> None:
        """Say how many moves are left out, and tell the last lines."""
        rest = [(line, line.table.drawing) for line in self._lines or ()]
        if len(rest) > _LAST_LINES:
            moves = len({line.number for line, _ in rest[:-_LAST_LINES] if line.number is not None})
            self._put(Text(f"      … {format_count(moves, 'move')} later …", style="dim"))
        for line, drawing in rest[-_LAST_LINES:]:
            self._tell(line, drawing)

    def _tell(self, line: StoryLine, drawing: Drawing) -> None:
        number = line.number
        margin = "" if number is None else f"{number if number != self._number else '':>4}  "
        self._told_count, self._number, self.drawing = self._told_count + 1, number, drawing
        self._put(Text(margin).append_text(line.text))


def tell_first_game(records: Iterable[bytes], rules: dict[str, Game]) -> Iterator[StoryLine]:
    """Yield the first game of a match in words, with the names of its entrants. Raises JournalError."""
    replay = Replay(records, rules)
    game, names, table = replay.terms.game, list[str](), LiveTable(watched_game_of)
    marked, turns = set(count_names(game.name)), 0
    for number, moment in enumerate(replay.moments(), start=1):
        table.add(PublicMessage(number, _facts_of_game(public_facts(replay.terms, moment.orders))))
        for order in moment.orders:
            match order:
                case AnnounceFact(GameStarted(entrants=entrants)):
                    names = [escape_unprintable(replay.terms.entrants[entrant]) for entrant in entrants]
                    text = f"One table, move by move: {join_words(names)}"
                    yield StoryLine(None, Text(text, style="bold"), table)
                case AnnounceFact(GameEnded(places=places, termination=termination)):
                    stopped = stopped_text(measure_games([(termination, turns)], turn_limit_of(replay.terms)))
                    text = f"{stopped[:1].upper()}{stopped[1:]}" or "The game is over"
                    text = f"{text}: {format_places(zip(names, places, strict=True))}"
                    yield StoryLine(None, Text(text, style="bold"), table)
                    return
                case TellEvent(event):
                    words = [word for _, word in game.event_statistics(event)]
                    turns += words.count("turns")
                    if words:
                        text = _put_names_in(game.describe_event(event), names)
                        colour = "yellow" if "turns" in words else "bold cyan"
                        style = colour if marked & {*words} else ""
                        yield StoryLine(max(0, turns - 1), Text(text, style=style), table)
                case _:
                    pass


def _facts_of_game(facts: Sequence[Any]) -> tuple[Any, ...]:
    """Return the facts up to the end of a game: the next one may begin at the same moment."""
    end = next((index for index, fact in enumerate(facts, start=1) if isinstance(fact, GameEnded)), len(facts))
    return tuple(facts[:end])


def _put_names_in(sentence: str, names: Sequence[str]) -> str:
    """Return a sentence with the names of entrants in place of seat numbers."""
    return _SEAT.sub(lambda found: names[int(found[1])], sentence)


def _read_records(data: Path, match_id: MatchId) -> list[bytes]:
    """The match is on the newest server of the data folder."""
    journal = journal_files(data)[0]
    number = next(match.number for match in journaled_matches(JournalReader(journal)) if match.match_id == match_id)
    return read_match_records(JournalReader(journal), [number])[number]
