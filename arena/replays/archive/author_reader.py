"""Reads what an author may know of a bot's matches: results, the view of the bot's seat, the bot's strikes and figures.

The seat's view contains only what the seat received and sent while it played, and the results. The view is narrated on
the server and not on the author's machine, because the narrator needs the records of all seats.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.errors import RequestError, UnknownNameError
from arena.match.game import Game, Seat
from arena.match.referee.ports import MatchId, MatchSummary
from arena.match.referee.replay import Replay
from arena.match.referee.strike_record import StrikeRecord
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.blame import annotate_blame, explain_strikes
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.seat_narration import narrate_seat
from arena.replays.narration.seat_selection import check_game, why_not_replayable
from arena.server.store.open_store import Store
from arena.server.wire.author_messages import (
    ListedMatch,
    PageCall,
    ReplayCall,
    ReplayPage,
    choose_entrant,
    encode_faults_page,
    encode_figures_page,
    list_match,
    own_entrants,
)
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.narration_line import NarrationLine

PAGE_BYTES: Final = 256 * 1024
"""The size at which a page ends; a frame may have four times as many bytes."""
FAULT_BYTES: Final = 400
"""The bytes counted for a strike in addition to its explanation. No strike takes more."""
PAGE_S: Final = 1.0
"""Seconds after which a page ends, however short it is. So one long match does not keep other authors waiting."""
MAX_OPEN_NARRATIONS: Final = 8
"""The most narrations kept for their next page. A narration that was dropped starts again from the beginning."""
RUNNING_REMARK: Final = "the match still runs: only its finished games can be read"


@dataclass(frozen=True, slots=True)
class GameParts:
    """The parts of the games that a reader needs, as functions that another process can load."""

    load_games: Callable[[], Mapping[str, Game]]
    load_codecs: Callable[[], Mapping[str, GameCodec]]
    phrasing_of: Callable[[Game], Phrasing]


class PagedNarration:
    """The lines of a match, read page by page without narrating it again; while it runs, only its finished games."""

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
    """Yield the lines of each game once it has ended, and None for each line read before."""
    waiting: list[NarrationLine] = []
    for line in lines:
        waiting.append(line)
        if line.kind == "end":
            yield from waiting
            waiting.clear()
        else:
            yield None


class AuthorReader:
    """Reads the matches of a data folder for their authors, in encoded pages.

    A match in which the bot is no entrant raises the same UnknownNameError as a match that does not exist.
    """

    def __init__(self, folder: Path, store: Store, parts: GameParts, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since any fixed instant."""
        self._results = store.results
        self._games = parts.load_games()
        self._codecs = parts.load_codecs()
        self._phrasing_of = parts.phrasing_of
        self._library = Library(folder, store, self._games)
        self._clock = clock
        self._narrations: OrderedDict[tuple[str, int, bool], PagedNarration] = OrderedDict()

    async def list_games(self, call: PageCall) -> tuple[list[ListedMatch], str]:
        """Return a page of a bot's matches, and the token of the next page."""
        found, following = await self._find(call)
        listed, size = list[ListedMatch](), 0
        for summary in found:
            listed.append(list_match(summary, own_entrants(summary.row.entrants, call.name), self._codecs))
            size += len(listed[-1].encoded)
            if size >= PAGE_BYTES:
                return listed, summary.row.match_id
        return listed, following

    async def read(self, call: PageCall | ReplayCall) -> bytes:
        """Return a page of a replay, of strikes or of figures.

        Raises OptionError for an entrant that is not the bot's, and RequestError if the match cannot be shown.
        """
        if isinstance(call, ReplayCall):
            return await self._read_replay(call)
        return await (self._read_faults(call) if call.kind == "faults" else self._read_figures(call))

    # ---- inside

    async def _read_faults(self, call: PageCall) -> bytes:
        found, following = await self._find(call)
        strikes, size = list[tuple[str, StrikeRecord, str]](), 0
        for summary in found:
            explained = list(self._explain(summary, call.name))
            strikes += explained
            size += sum(FAULT_BYTES + len(explanation) for _, _, explanation in explained)
            if size >= PAGE_BYTES and not call.match_id:
                return encode_faults_page(strikes, summary.row.match_id)
        return encode_faults_page(strikes, following)

    async def _read_figures(self, call: PageCall) -> bytes:
        found, following = await self._find(call)
        ended = [summary for summary in found if summary.row.state == "ended"]
        played = ((summary, own) for summary in ended for own in own_entrants(summary.row.entrants, call.name))
        return encode_figures_page(played, following)

    async def _read_replay(self, call: ReplayCall) -> bytes:
        summary = await self._find_match(call.name, call.match_id)
        own = own_entrants(summary.row.entrants, call.name)
        entrant = choose_entrant(call.entrant, own)
        entry = self._library.stored_entry(summary)
        check_game(entry, call.game)
        narration, remark = self._take_narration(entry, entrant, call.start)
        page = ReplayPage(summary, own, self._codecs, remark)
        is_last = self._fill(page, narration, call)
        if not narration.is_done:
            self._keep_narration(entry, entrant, narration)
        return page.encode("" if is_last else str(max(narration.position, call.start)))

    async def _find_match(self, name: str, match_id: str) -> MatchSummary:
        """Return a match of a bot. Raises UnknownNameError."""
        summary = await self._results.summary(MatchId(match_id))
        if summary is None or not own_entrants(summary.row.entrants, name):
            raise UnknownNameError("match", match_id)
        return summary

    async def _find(self, call: PageCall) -> tuple[list[MatchSummary], str]:
        """Return one match of a bot, or a page of the bot's matches. Also return the token of the next page."""
        if call.match_id:
            return [await self._find_match(call.name, call.match_id)], ""
        before = MatchId(call.before) if call.before else None
        found, following = await self._results.summaries_of(call.name, call.limit, before)
        return list(found), following or ""

    def _explain(self, summary: MatchSummary, name: str) -> Iterator[tuple[str, StrikeRecord, str]]:
        """Yield a bot's strikes in a match, each with the match id and its explanation."""
        own, game = own_entrants(summary.row.entrants, name), self._games.get(summary.row.game)
        for strike, explanation in explain_strikes(summary.row.faults, own, game, self._phrasing_of):
            yield summary.row.match_id, strike, explanation

    # ---- replays

    def _take_narration(self, entry: LibraryEntry, entrant: int, start: int) -> tuple[PagedNarration, str]:
        """Return a narration that has not read past `start`, and a remark on missing records.

        Raises RequestError if the match cannot be replayed.
        """
        known = self._narrations.pop((entry.match_id, entrant, entry.is_stored), None)
        remark = "" if entry.is_stored else RUNNING_REMARK
        if known is not None and known.position <= start:
            return known, remark
        records, missing = self._library.records(entry) if can_replay(entry, self._games) else ([], "")
        if not records:
            raise RequestError(why_not_replayable(entry, missing))
        replay = Replay(records, self._games)
        lines = narrate_seat(replay, lambda seats: Seat(seats.index(entrant)), self._phrasing_of(replay.terms.game))
        own_faults = [strike for strike in entry.faults if strike.entrant == entrant]
        narration = PagedNarration(annotate_blame(lines, own_faults), is_over=entry.is_stored)
        return narration, missing if entry.state == "interrupted" else remark

    def _keep_narration(self, entry: LibraryEntry, entrant: int, narration: PagedNarration) -> None:
        self._narrations[entry.match_id, entrant, entry.is_stored] = narration
        if len(self._narrations) > MAX_OPEN_NARRATIONS:
            self._narrations.popitem(last=False)

    def _fill(self, page: ReplayPage, narration: PagedNarration, call: ReplayCall) -> bool:
        """Add lines to a page until it is full or its time is over; return whether it is the last page."""
        until = self._clock() + PAGE_S
        for line in narration.read_from(call.start, call.game):
            if line is not None:
                page.add(line)
                if call.game is not None and line.kind == "end":
                    return True
            if page.size >= PAGE_BYTES or self._clock() >= until:
                break
        return narration.is_done
