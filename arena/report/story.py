"""A game told for a page: its lines, the hands at its end, and the file that proves its cards.

It tells everything, all hands included, so a story is for games whose deal is opened, which is when no game uses it any
more. What bots noted for themselves alone is left out.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from arena.errors import RequestError
from arena.match.replay import Replay
from arena.replays.document import write_document
from arena.replays.export import exported
from arena.replays.library import Entry, Library, plays
from arena.replays.lines import Line
from arena.replays.stored import stored
from arena.replays.voice import voice_of
from arena.replays.whole import whole
from arena.rules.game import Game, Seat

AT_ONCE: Final = 5_000
"""Matches for which the journals are gone through once: so much of each of them is in memory meanwhile."""
Hands = Sequence[tuple[str, str]]
"""By seat: who sat there, and what was left in hand."""


@dataclass(frozen=True, slots=True)
class Story:
    """A match as a page tells it."""

    match_id: str
    rules: str
    """Game, preset, rules version."""
    lines: Sequence[Line]
    hands: Mapping[int, Hands] = field(default_factory=dict, hash=False)
    """By game: at its end."""
    document: bytes = b""
    """What `arena replay export` writes; empty: there is none."""
    remark: str = ""
    """What is missing, and why."""


async def read_story(library: Library, match_id: str, games: Mapping[str, Game]) -> Story:
    """Read a match from a data folder.

    Raises UnknownNameError, or RequestError for a match that still runs, or whose deal other games may still use.
    """
    await _found(library, match_id)
    (story,) = [story async for story in read_stories(library, [match_id], games)]
    return story


async def read_stories(library: Library, match_ids: Sequence[str], games: Mapping[str, Game]) -> AsyncIterator[Story]:
    """Read very many matches, in any order: their journals are gone through together.

    Those that `read_story` would refuse are left out. Raises UnknownNameError.
    """
    for start in range(0, len(match_ids), AT_ONCE):
        entries = []
        for match_id in match_ids[start : start + AT_ONCE]:
            with suppress(RequestError):
                entries.append(await _found(library, match_id))
        played = {entry.match_id: entry for entry in entries if plays(entry, games)}
        for entry, records in library.all_records(played.values()):
            del played[entry.match_id]
            yield await _told(library, entry, records, games)
        for entry in entries:
            if entry.match_id in played:
                yield Story(entry.match_id, _rules(entry), [], remark=library.records(entry)[1])
            elif not plays(entry, games):
                yield await _plainly(library, entry)


async def _found(library: Library, match_id: str) -> Entry:
    entry = await library.find(match_id)
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} still runs: it is told when it is over")
    if entry.deal is not None and entry.deal.revealed is None:
        raise RequestError(
            f"the deal of match {entry.match_id} is not opened yet: it is told when no game uses it any more"
        )
    return entry


async def _told(library: Library, entry: Entry, records: Sequence[bytes], games: Mapping[str, Game]) -> Story:
    try:
        document, why_not = write_document(await exported(library, entry, records, games)), ""
    except RequestError as refusal:
        document, why_not = b"", str(refusal)
    return story_of(entry, Replay(records, games), document, why_not)


async def _plainly(library: Library, entry: Entry) -> Story:
    told = stored(await library.games(entry), entry.entrants)
    return Story(entry.match_id, _rules(entry), list(told), remark="It was played under other rules than ours.")


def story_of(entry: Entry, replay: Replay, document: bytes = b"", remark: str = "") -> Story:
    """Tell a match from its records; `remark` says why there is no document."""
    hands: dict[int, Hands] = {}
    lines = [line for line in _with_hands(replay, hands) if line.kind != "note"]
    return Story(entry.match_id, _rules(entry), lines, hands, document, remark)


def _rules(entry: Entry) -> str:
    terms = entry.terms
    return f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"


def _with_hands(replay: Replay, hands: dict[int, Hands]) -> Iterator[Line]:
    """Tell everything, and keep the hands at the end of each game that was begun."""
    playing = None
    for line in whole(replay):
        if line.kind == "end" and playing is not None and line.game is not None:
            names = [replay.terms.entrants[entrant] for entrant in line.facts["seats"]]
            hands[line.game] = list(zip(names, _left(replay.terms.game, playing.state, len(names)), strict=True))
            playing = None
        else:
            playing = replay.referee.playing or playing
        yield line


def _left(game: Game, state: object, seat_count: int) -> Iterable[str]:
    """What each seat holds, in the game's words."""
    for seat in map(Seat, range(seat_count)):
        rows = dict(voice_of(game).snapshot(game.snapshot(state, seat), seat))
        yield rows.get("hand", "")
