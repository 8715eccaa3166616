"""The replay page of a match: its narration, the hands at the end of each game, and the file that proves the cards.

The page shows everything, including all hands, so it is only for matches with a revealed deal, which no game uses any
more. Bots' private notes are left out.
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
"""Matches for which the journals are read once; the records of this many are in memory at one time."""
FinalHands = Sequence[tuple[str, str]]
"""The entrant and the cards left in hand, by seat."""


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """The contents of a match's replay page."""

    match_id: str
    rules: str
    """Game, preset, rules version."""
    lines: Sequence[NarrationLine]
    hands: Mapping[int, FinalHands] = field(default_factory=dict, hash=False)
    """The hands at the end of each game, by game."""
    document: bytes = b""
    """The replay document, as `arena replay export` writes it; empty: there is none."""
    remark: str = ""
    """What is missing, and why; empty: nothing."""


async def read_replay_page(library: Library, match_id: str, games: Mapping[str, Game]) -> ReplayPage:
    """Return a match from a data folder.

    Raises UnknownNameError, or RequestError if the match still runs or its deal is not revealed yet.
    """
    await _find_revealed(library, match_id)
    (page,) = [page async for page in read_replay_pages(library, [match_id], games)]
    return page


async def read_replay_pages(
    library: Library, match_ids: Sequence[str], games: Mapping[str, Game]
) -> AsyncIterator[ReplayPage]:
    """Yield the pages of many matches, in any order, because their journals are read together.

    Leaves out matches that `read_replay_page` would refuse. Raises UnknownNameError.
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
        raise RequestError(f"match {entry.match_id} still runs: its replay is shown once it has ended")
    if entry.deal is not None and entry.deal.revealed is None:
        raise RequestError(
            f"the deal of match {entry.match_id} is not revealed yet: it can be shown once no game uses it any more"
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
    lines = narrate_stored_games(await library.games(entry), entry.entrants)
    return ReplayPage(
        entry.match_id, _rules_label(entry), list(lines), remark="It was played under other rules than ours."
    )


def build_replay_page(entry: LibraryEntry, replay: Replay, document: bytes = b"", remark: str = "") -> ReplayPage:
    """Build the page of a match from its records; `remark` says why there is no document."""
    hands: dict[int, FinalHands] = {}
    lines = [line for line in _lines_with_hands(replay, hands) if line.kind != "note"]
    return ReplayPage(entry.match_id, _rules_label(entry), lines, hands, document, remark)


def _rules_label(entry: LibraryEntry) -> str:
    terms = entry.terms
    return f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"


def _lines_with_hands(replay: Replay, hands: dict[int, FinalHands]) -> Iterator[NarrationLine]:
    """Yield all lines, and add to `hands` the hands at the end of each game that was begun."""
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
    """Yield the cards in each seat's hand, in the game's words."""
    for seat in map(Seat, range(seat_count)):
        rows = dict(phrasing_of(game).snapshot_rows(game.snapshot(state, seat), seat))
        yield rows.get("hand", "")
