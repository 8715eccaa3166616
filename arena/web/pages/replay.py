"""The replay of a game, whole or as one seat knew it, and the file that proves the cards of its match.

Everything here needs a match whose cards may be seen. It takes a moment, so the workshop makes and keeps it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import RequestError
from arena.match.game import Seat
from arena.organizer.report.game_page import GamePage, build_game_page, game_values
from arena.organizer.report.player_steps import PlayerStep
from arena.replays.library.library import can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.phrasing import MARK_WORDS
from arena.replays.proof.export import build_document
from arena.replays.proof.replay_document import encode_document
from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, Page, Parameter, RenderedPage, page_at, read_number, render_page
from arena.web.pages.match import MATCH_ID
from arena.web.pages.matches import find_open_match
from arena.web.sources import Sources
from arena.web.workshop import Kept


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """A line of a replay, with the table at its instant."""

    turn: int | None
    at_us: int
    """Microseconds since the start of the game."""
    kind: str
    text: str
    details: Sequence[tuple[str, str]]
    marks: Sequence[str]
    """Such as `lie` or `called rightly`."""
    hands: Sequence[str]
    """The cards of each seat, or only those of the shown seat."""
    table: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ReplayView:
    """A game, told line by line."""

    match_id: str
    game: int
    """From 0."""
    rules: str
    seat: int | None
    """The seat whose view this is; None for everything."""
    names: Sequence[str]
    """By seat."""
    places: Sequence[int]
    """By seat; empty if the records end before the game does."""
    lines: Sequence[ReplayLine]


@page_at(
    "/matches/{match_id}/games/{game}",
    "The replay of a game",
    ReplayView,
    MATCH_ID,
    Parameter("game", "The number of the game, from 0.", int, in_path=True),
    Parameter("seat", "Only what this seat knew, from 0.", int),
)
async def read_replay(asked: Asked) -> RenderedPage:
    entry = await find_open_match(asked)
    game = read_number("the game", asked.part("game"), 0, 10**8)
    if game >= (count := entry.terms["game_count"]):
        raise RefusedError(404, f"match {entry.match_id} has no game {game}: its games are 0 to {count - 1}")
    seat = asked.number("seat", 0, len(entry.entrants) - 1)
    sources = asked.sources
    return await sources.replays.make(
        ("replay", entry.match_id, game, seat),
        asked.address,
        lambda: render_page(_build_replay(sources, entry, game, seat)),
    )


@page_at(
    "/matches/{match_id}/replay-file",
    "The file that proves the cards of a match",
    None,
    MATCH_ID,
    media_type="application/json",
)
async def read_replay_file(asked: Asked) -> File:
    """The file is that of `arena replay export`."""
    entry, sources = await find_open_match(asked), asked.sources
    if entry.deal is None:
        raise RefusedError(404, f"match {entry.match_id} has no commitment: nothing can be proved about its cards")
    previous = await sources.library.previous_link(entry.deal)
    kept = await sources.replays.make(
        ("file", entry.match_id), asked.address, lambda: _build_replay_file(sources, entry, previous)
    )
    return File(kept.value, "application/json", f"{entry.match_id}.replay.json", SETTLED)


def _build_replay(sources: Sources, entry: LibraryEntry, game: int, seat: int | None) -> Page:
    choice = None if seat is None else lambda _: Seat(seat)
    page = build_game_page(
        sources.library, entry, game, choice, sources.games, sources.watched_game_of, is_published=True
    )
    values = {
        **game_values(page),
        "seat": seat,
        "game_count": entry.terms["game_count"],
        "has_proof": entry.deal is not None,
    }
    return Page("replay.html", replay_view(page, seat), values, SETTLED)


def replay_view(page: GamePage, seat: int | None) -> ReplayView:
    """`seat` is the seat whose view it is; None for everything."""
    lines = [_replay_line(step) for step in page.steps]
    return ReplayView(page.match_id, page.game, page.rules, seat, page.names, page.places, lines)


def _replay_line(step: PlayerStep) -> ReplayLine:
    return ReplayLine(
        turn=step.move,
        at_us=step.line.at_us,
        kind=step.line.kind,
        text=step.text,
        details=step.rows,
        marks=[MARK_WORDS[mark] for mark in step.marks],
        hands=step.table.hands,
        table=step.table.rows,
    )


def _build_replay_file(sources: Sources, entry: LibraryEntry, previous: bytes) -> Kept[bytes]:
    records, remark = sources.library.records(entry) if can_replay(entry, sources.games) else ([], "")
    if entry.deal is None or len(records) < 2:
        raise RequestError(
            f"the cards of match {entry.match_id} can no longer be proved: {remark or 'its rules are too old'}"
        )
    content = encode_document(build_document(entry, records, entry.deal, previous, sources.games))
    return Kept(content, len(content))
