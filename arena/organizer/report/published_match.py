"""A match as a league's site publishes it: a page for each of its games, and the file that proves the cards.

The pages show all hands. A match is therefore published only if its deal is revealed, because no game uses a revealed
deal any more. Bots' private notes are left out.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from arena.errors import RequestError
from arena.games.catalogue import watched_game_of
from arena.match.game import Game
from arena.match.referee.replay import Replay
from arena.organizer.report.game_page import GamePage, rules_label
from arena.organizer.report.player_steps import GameReader, PlayerStep
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.narrate import narrate_stored_games
from arena.replays.proof.export import export_entry
from arena.replays.proof.replay_document import encode_document
from arena.server.wire.narration_line import NarrationLine

MATCHES_PER_PASS: Final = 5_000
"""Number of matches for which the journals are read together."""


@dataclass(frozen=True, slots=True)
class PublishedMatch:
    """The pages of a match, and its proof."""

    match_id: str
    pages: Sequence[GamePage]
    """One page for each game, at least one. A match without records has a page without steps."""
    document: bytes = b""
    """The replay file, as `arena replay export` writes it; empty if there is none."""


async def read_published_matches(
    library: Library, match_ids: Sequence[str], games: Mapping[str, Game]
) -> AsyncIterator[PublishedMatch]:
    """Yield many matches. Their order is arbitrary, because matches of one journal are read together.

    Leaves out matches that are unknown or still running, and those whose deal is not revealed yet.
    """
    for start in range(0, len(match_ids), MATCHES_PER_PASS):
        entries = await _find_revealed(library, match_ids[start : start + MATCHES_PER_PASS])
        unread = {entry.match_id: entry for entry in entries if can_replay(entry, games)}
        for entry, records in library.all_records(unread.values()):
            del unread[entry.match_id]
            yield await _match_from_records(library, entry, records, games)
        for entry in entries:
            if entry.match_id in unread:
                yield PublishedMatch(entry.match_id, [_plain_page(entry, 0, [], library.records(entry)[1])])
            elif not can_replay(entry, games):
                lines = narrate_stored_games(await library.games(entry), entry.entrants)
                yield PublishedMatch(entry.match_id, list(_plain_pages(entry, lines)))


async def _find_revealed(library: Library, match_ids: Iterable[str]) -> list[LibraryEntry]:
    """Return the matches that may be shown: they have ended, and no game uses their deal any more."""
    entries = []
    for match_id in match_ids:
        with suppress(RequestError):
            entry = await library.find(match_id)
            if entry.state != "running" and (entry.deal is None or entry.deal.revealed is not None):
                entries.append(entry)
    return entries


async def _match_from_records(
    library: Library, entry: LibraryEntry, records: Sequence[bytes], games: Mapping[str, Game]
) -> PublishedMatch:
    try:
        document, why_not = encode_document(await export_entry(library, entry, records, games)), ""
    except RequestError as refusal:
        document, why_not = b"", str(refusal)
    return build_published_match(entry, Replay(records, games), document, why_not)


def build_published_match(
    entry: LibraryEntry, replay: Replay, document: bytes = b"", remark: str = ""
) -> PublishedMatch:
    """Return a match from its records. `remark` says why there is no document."""
    watched, pages = watched_game_of(replay.terms.game), list[GamePage]()
    lines = iter(narrate_match(replay, watched.phrasing))
    for game in range(replay.terms.game_count):
        reader = GameReader(replay, watched, entry.entrants)
        if steps := list(reader.steps(lines, game, leave_out=["note"])):
            pages.append(GamePage.from_reader(entry, game, reader, steps, remark))
    return PublishedMatch(entry.match_id, pages or [_plain_page(entry, 0, [], remark)], document)


def _plain_pages(entry: LibraryEntry, lines: Iterable[NarrationLine]) -> Iterator[GamePage]:
    """Yield the pages of games that cannot be replayed, from their plain facts."""
    for game, told in groupby(lines, key=lambda line: line.game or 0):
        yield _plain_page(entry, game, list(told), "It was played under other rules than ours.")


def _plain_page(entry: LibraryEntry, game: int, lines: Sequence[NarrationLine], remark: str) -> GamePage:
    steps = [PlayerStep(line, line.text, line.rows) for line in lines]
    view = "the events of the game, as they were stored"
    return GamePage(entry.match_id, game, rules_label(entry), view, entry.entrants, (), (), steps, remark=remark)
