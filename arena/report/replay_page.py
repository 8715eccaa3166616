"""A game told for a page: its lines, the hands at its end, and the file that proves its cards.

It tells everything, all hands included, so a story is for games whose deal is opened, which is when no game uses it any
more. What bots noted for themselves alone is left out.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from arena.errors import RequestError
from arena.games.catalogue import phrasing_of
from arena.match.replay import Replay
from arena.replays.export import export_entry
from arena.replays.library import Library, LibraryEntry, can_replay
from arena.replays.match_narration import narrate_match
from arena.replays.narration_lines import NarrationLine
from arena.replays.replay_document import encode_document
from arena.replays.stored_narration import narrate_stored_games
from arena.rules.game import Game, Seat

MATCHES_PER_PASS: Final = 5_000
"""Matches for which the journals are gone through once: so much of each of them is in memory meanwhile."""
FinalHands = Sequence[tuple[str, str]]
"""By seat: who sat there, and what was left in hand."""


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """A match as a page tells it."""

    match_id: str
    rules: str
    """Game, preset, rules version."""
    lines: Sequence[NarrationLine]
    hands: Mapping[int, FinalHands] = field(default_factory=dict, hash=False)
    """By game: at its end."""
    document: bytes = b""
    """What `arena replay export` writes; empty: there is none."""
    remark: str = ""
    """What is missing, and why."""


async def read_replay_page(library: Library, match_id: str, games: Mapping[str, Game]) -> ReplayPage:
    """Read a match from a data folder.

    Raises UnknownNameError, or RequestError for a match that still runs, or whose deal other games may still use.
    """
    await _find_revealed(library, match_id)
    (story,) = [story async for story in read_replay_pages(library, [match_id], games)]
    return story


async def read_replay_pages(
    library: Library, match_ids: Sequence[str], games: Mapping[str, Game]
) -> AsyncIterator[ReplayPage]:
    """Read very many matches, in any order: their journals are gone through together.

    Those that `read_replay_page` would refuse are left out. Raises UnknownNameError.
    """
    for start in range(0, len(match_ids), MATCHES_PER_PASS):
        entries = []
        for match_id in match_ids[start : start + MATCHES_PER_PASS]:
            with suppress(RequestError):
                entries.append(await _find_revealed(library, match_id))
        played = {entry.match_id: entry for entry in entries if can_replay(entry, games)}
        for entry, records in library.all_records(played.values()):
            del played[entry.match_id]
            yield await _page_from_records(library, entry, records, games)
        for entry in entries:
            if entry.match_id in played:
                yield ReplayPage(entry.match_id, _rules_label(entry), [], remark=library.records(entry)[1])
            elif not can_replay(entry, games):
                yield await _page_from_store(library, entry)


async def _find_revealed(library: Library, match_id: str) -> LibraryEntry:
    entry = await library.find(match_id)
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} still runs: it is told when it is over")
    if entry.deal is not None and entry.deal.revealed is None:
        raise RequestError(
            f"the deal of match {entry.match_id} is not opened yet: it is told when no game uses it any more"
        )
    return entry


async def _page_from_records(
    library: Library, entry: LibraryEntry, records: Sequence[bytes], games: Mapping[str, Game]
) -> ReplayPage:
    try:
        document, why_not = encode_document(await export_entry(library, entry, records, games)), ""
    except RequestError as refusal:
        document, why_not = b"", str(refusal)
    return build_replay_page(entry, Replay(records, games), document, why_not)


async def _page_from_store(library: Library, entry: LibraryEntry) -> ReplayPage:
    told = narrate_stored_games(await library.games(entry), entry.entrants)
    return ReplayPage(
        entry.match_id, _rules_label(entry), list(told), remark="It was played under other rules than ours."
    )


def build_replay_page(entry: LibraryEntry, replay: Replay, document: bytes = b"", remark: str = "") -> ReplayPage:
    """Tell a match from its records; `remark` says why there is no document."""
    hands: dict[int, FinalHands] = {}
    lines = [line for line in _lines_with_hands(replay, hands) if line.kind != "note"]
    return ReplayPage(entry.match_id, _rules_label(entry), lines, hands, document, remark)


def _rules_label(entry: LibraryEntry) -> str:
    terms = entry.terms
    return f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"


def _lines_with_hands(replay: Replay, hands: dict[int, FinalHands]) -> Iterator[NarrationLine]:
    """Tell everything, and keep the hands at the end of each game that was begun."""
    playing = None
    for line in narrate_match(replay, phrasing_of(replay.terms.game)):
        if line.kind == "end" and playing is not None and line.game is not None:
            names = [replay.terms.entrants[entrant] for entrant in line.facts["seats"]]
            hands[line.game] = list(zip(names, _hands_left(replay.terms.game, playing.state, len(names)), strict=True))
            playing = None
        else:
            playing = replay.referee.current_game or playing
        yield line


def _hands_left(game: Game, state: object, seat_count: int) -> Iterable[str]:
    """What each seat holds, in the game's words."""
    for seat in map(Seat, range(seat_count)):
        rows = dict(phrasing_of(game).snapshot_rows(game.snapshot(state, seat), seat))
        yield rows.get("hand", "")
