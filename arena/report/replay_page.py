"""The replay page of a match: its narration, the hands at the end of each game, and the file that proves the cards.

The page shows all hands. It is therefore made only for a match whose deal is revealed, because no game uses a revealed
deal any more. Bots' private notes are left out.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from arena.errors import RequestError
from arena.games.catalogue import phrasing_of
from arena.match.replay import Replay
from arena.replays.export import export_entry
from arena.replays.library import Library, can_replay
from arena.replays.library_entry import LibraryEntry
from arena.replays.match_narration import narrate_match
from arena.replays.narration_lines import NarrationLine
from arena.replays.replay_document import encode_document
from arena.replays.stored_narration import narrate_stored_games
from arena.rules.game import Game, Seat

MATCHES_PER_PASS: Final = 5_000
"""Number of matches for which the journals are read together."""
FinalHands = Sequence[tuple[str, str]]
"""For each seat, the entrant and the cards left in the entrant's hand."""


@dataclass(frozen=True, slots=True)
class ReplayPage:
    """The contents of a match's replay page."""

    match_id: str
    rules: str
    """Game, preset and rules version."""
    lines: Sequence[NarrationLine]
    hands: Mapping[int, FinalHands] = field(default_factory=dict, hash=False)
    """The hands at the end of each game, by number of the game."""
    document: bytes = b""
    """The replay file, as `arena replay export` writes it; empty if there is none."""
    remark: str = ""
    """What is missing from the page, and why; empty if nothing is missing."""


async def read_replay_pages(
    library: Library, match_ids: Sequence[str], games: Mapping[str, Game]
) -> AsyncIterator[ReplayPage]:
    """Yield the pages of many matches.

    The order of the pages is arbitrary, because matches of one journal are read together.

    Leaves out matches that are unknown or still running, and those whose deal is not revealed yet.
    """
    for start in range(0, len(match_ids), MATCHES_PER_PASS):
        entries = await _find_revealed(library, match_ids[start : start + MATCHES_PER_PASS])
        unread = {entry.match_id: entry for entry in entries if can_replay(entry, games)}
        for entry, records in library.all_records(unread.values()):
            del unread[entry.match_id]
            yield await _page_from_records(library, entry, records, games)
        for entry in entries:
            if entry.match_id in unread:
                yield ReplayPage(entry.match_id, rules_label(entry), [], remark=library.records(entry)[1])
            elif not can_replay(entry, games):
                lines = list(narrate_stored_games(await library.games(entry), entry.entrants))
                remark = "It was played under other rules than ours."
                yield ReplayPage(entry.match_id, rules_label(entry), lines, remark=remark)


async def _find_revealed(library: Library, match_ids: Iterable[str]) -> list[LibraryEntry]:
    """Return the matches that may be shown: they have ended, and no game uses their deal any more."""
    entries = []
    for match_id in match_ids:
        with suppress(RequestError):
            entry = await library.find(match_id)
            if entry.state != "running" and (entry.deal is None or entry.deal.revealed is not None):
                entries.append(entry)
    return entries


async def _page_from_records(
    library: Library, entry: LibraryEntry, records: Sequence[bytes], games: Mapping[str, Game]
) -> ReplayPage:
    try:
        document, why_not = encode_document(await export_entry(library, entry, records, games)), ""
    except RequestError as refusal:
        document, why_not = b"", str(refusal)
    return build_replay_page(entry, Replay(records, games), document, why_not)


def build_replay_page(entry: LibraryEntry, replay: Replay, document: bytes = b"", remark: str = "") -> ReplayPage:
    """Return the page of a match from its records. `remark` says why there is no document."""
    lines: list[NarrationLine] = []
    hands: dict[int, FinalHands] = {}
    playing = None
    for line in narrate_match(replay, phrasing_of(replay.terms.game)):
        if line.kind == "end" and playing is not None and line.game is not None:
            names = [replay.terms.entrants[entrant] for entrant in line.facts["seats"]]
            hands[line.game] = list(zip(names, _final_hands(replay.terms.game, playing.state, len(names)), strict=True))
            playing = None
        else:
            playing = replay.referee.current_game or playing
        if line.kind != "note":
            lines.append(line)
    return ReplayPage(entry.match_id, rules_label(entry), lines, hands, document, remark)


def rules_label(entry: LibraryEntry) -> str:
    """Return the game, the preset and the rules version of a match in words."""
    terms = entry.terms
    return f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"


def _final_hands(game: Game, state: object, seat_count: int) -> Iterable[str]:
    """Yield the cards in each seat's hand, in the game's words."""
    for seat in map(Seat, range(seat_count)):
        rows = dict(phrasing_of(game).snapshot_rows(game.snapshot(state, seat), seat))
        yield rows.get("hand", "")
