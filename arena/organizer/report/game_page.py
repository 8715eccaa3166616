"""One game as one self-contained page with a player: every line of its narration, and the table at that instant.

The page of the whole game shows all hands, so it is made only for a match that is over. The page of one seat shows what
that seat knew, also while the match runs. A page in a league's site also says what the league says about the game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from arena.errors import RequestError
from arena.match.game import Game
from arena.match.referee.replay import Replay
from arena.organizer.report.player_steps import GameReader, PlayerStep
from arena.organizer.report.rendering import read_template_file, render_template
from arena.organizer.report.table_steps import describe_changes, describe_faces
from arena.organizer.report.view import LeagueGame
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.narration.blame import annotate_blame
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.narrate import visible_names
from arena.replays.narration.phrasing import MARK_WORDS, Mark
from arena.replays.narration.seat_narration import SeatSelector, narrate_seat
from arena.replays.narration.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.watch.drawing import CardFace
from arena.replays.watch.game_drawing import WatchedGameFinder


@dataclass(frozen=True, slots=True)
class GamePage:
    match_id: str
    game: int
    rules: str
    """Game, preset and rules version."""
    view: str
    """Whose view the page shows."""
    names: Sequence[str]
    """By seat."""
    places: Sequence[int]
    """By seat; empty if the records end before the game does."""
    hand_names: Sequence[str]
    """Whose hands the steps have."""
    steps: Sequence[PlayerStep]
    faces: Mapping[str, CardFace] = field(default_factory=dict)
    """How each card looks, by its text."""
    remark: str = ""
    """What is missing from the page; empty if nothing is."""

    @classmethod
    def from_reader(
        cls, entry: LibraryEntry, game: int, reader: GameReader, steps: Sequence[PlayerStep], remark: str
    ) -> "GamePage":
        """Return the page of a game whose steps the reader has read."""
        return cls(
            match_id=entry.match_id,
            game=game,
            rules=rules_label(entry),
            view=reader.view,
            names=list(reader.names),
            places=reader.places,
            hand_names=reader.hand_names,
            steps=steps,
            faces=reader.faces,
            remark=remark,
        )

    @property
    def hands_at_end(self) -> Sequence[tuple[str, str]]:
        """The names and cards of the hands at the end of the game; empty if they are unknown."""
        return list(zip(self.hand_names, self.steps[-1].table.hands, strict=False)) if self.places else ()

    @property
    def is_drawn(self) -> bool:
        """Whether the steps have a drawn table."""
        return any(step.table.seats for step in self.steps)

    @property
    def caught_lies(self) -> Sequence[tuple[int, str]]:
        """The turn of each lie that was caught, and who lied."""
        return [(step.move, step.caught) for step in self.steps if step.caught and step.move is not None]


@dataclass(frozen=True, slots=True)
class SitePlace:
    """Where a game's page stands in a league's site."""

    title: str
    """The league's title."""
    game: LeagueGame
    pages: Sequence[tuple[int, str]]
    """The number and the file of each game of the match."""
    document: str
    """The file that proves the cards; empty if there is none."""
    verifier: str
    """The program that checks `document`."""


def rules_label(entry: LibraryEntry) -> str:
    """Return the game, the preset and the rules version of a match in words."""
    terms = entry.terms
    return f"{terms['game']} {entry.preset}, rules version {terms['rules_version']}"


async def read_game_page(
    library: Library,
    prefix: str,
    which: tuple[int | None, int | None, str | None],
    games: Mapping[str, Game],
    find_game: WatchedGameFinder,
) -> GamePage:
    """Return the page of one game. `which` is the game, the seat and the entrant to show.

    Without a game, the page has the first one. Raises UnknownNameError, or RequestError if there is no such game, if it
    cannot be replayed, or if all hands are asked for while the match runs.
    """
    game, seat, entrant = which
    entry = await library.find(prefix)
    check_game(entry, game)
    choice = select_seat(entry, seat, entrant)
    if choice is None and entry.state == "running":
        raise RequestError(
            f"match {entry.match_id} still runs: its hands are secret until it is over; --seat or --entrant shows one"
        )
    return build_game_page(library, entry, game or 0, choice, games, find_game)


def build_game_page(
    library: Library,
    entry: LibraryEntry,
    game: int,
    choice: SeatSelector | None,
    games: Mapping[str, Game],
    find_game: WatchedGameFinder,
    *,
    is_published: bool = False,
) -> GamePage:
    """Return the page of one game, with what `choice` selects. The caller has checked that it may be shown.

    A page for everybody (`is_published`) has neither the notes of bots nor the explanations of faults, which quote
    bots. Raises RequestError if there is no such game, or if it cannot be replayed.
    """
    check_game(entry, game)
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    replay = Replay(records, games)
    watched = find_game(replay.terms.game)
    phrasing = watched.phrasing
    narration = narrate_match(replay, phrasing) if choice is None else narrate_seat(replay, choice, phrasing)
    lines = narration if is_published else annotate_blame(narration, entry.faults)
    reader = GameReader(replay, watched, visible_names(entry, is_one_seat=choice is not None), choice)
    steps = list(reader.steps(lines, game, leave_out=["note"] if is_published else ()))
    if not steps:
        raise RequestError(f"game {game} of match {entry.match_id} has not begun")
    return GamePage.from_reader(entry, game, reader, steps, remark if entry.state == "interrupted" else "")


def render_game_page(page: GamePage, site: SitePlace | None = None) -> str:
    """Return the page as HTML. It loads nothing, and runs no other program than its player.

    `site` is the place of the page in a league's site; None for a page that stands alone.
    """
    own = {"style": read_template_file("style.css") + read_template_file("table.css"), "script": ""}
    if page.steps:
        own["script"] = read_template_file("player.js")
    texts = {name: Markup(text) for name, text in own.items()}  # noqa: S704  our own files
    return render_template("game.html", **game_values(page, site), **texts)


def game_values(page: GamePage, site: SitePlace | None = None) -> dict[str, Any]:
    """Return the values that the template `game.html` needs, except its style and script."""
    return {
        "page": page,
        "site": site,
        "forfeits": site.game.result.forfeits if site else (),
        "anchors": _anchors(page.steps),
        "has_lies": any(Mark.LIE in step.marks for step in page.steps),
        "has_calls": any({Mark.RIGHT_CALL, Mark.WRONG_CALL} & {*step.marks} for step in page.steps),
        "player_data": {
            "faces": describe_faces(page.faces),
            "steps": list(describe_changes((step.table.seats, step.table.centre) for step in page.steps)),
        },
        "mark_words": MARK_WORDS,
    }


def _anchors(steps: Sequence[PlayerStep]) -> dict[int, str]:
    """Return the anchors by number of the step: one for each move, at its start, or else at the first line about it."""
    first: dict[int, int] = {}
    for index, step in enumerate(steps):
        if step.move is not None and (step.starts_move or step.move not in first):
            first[step.move] = index
    return {index: f"t{move}" for move, index in first.items()}
