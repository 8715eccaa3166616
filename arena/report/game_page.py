"""One game as one self-contained page with a player: every line of its narration, and the table at that instant.

The page of the whole game shows all hands, so it is made only for a match that is over. The page of one seat shows what
that seat knew, also while the match runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from arena.errors import RequestError
from arena.match.game_referee import GameReferee
from arena.match.replay import Replay
from arena.replays.blame import annotate_blame
from arena.replays.library import Library, can_replay
from arena.replays.match_narration import narrate_match
from arena.replays.move_numbers import MoveNumbering, event_name, is_start_of_move
from arena.replays.narrate import visible_names
from arena.replays.narration_lines import NarrationLine
from arena.replays.phrasing import MARK_WORDS, Mark, Phrasing, ToldEvent
from arena.replays.seat_names import SeatNames
from arena.replays.seat_narration import narrate_seat
from arena.replays.seat_selection import check_game, select_seat, why_not_replayable
from arena.replays.text_format import escape_unprintable, fold_repeats
from arena.report.rendering import read_template_file, render_template
from arena.report.replay_page import rules_label
from arena.rules.game import Game, Seat

_LEFT_OUT: Final = ("ask", "answers")
"""Kinds of lines that are not needed: the moves and calls that follow from them say the same."""
Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PlayerStep:
    """A line of the game with the table at its instant."""

    line: NarrationLine
    text: str
    """The sentence, with names."""
    rows: Rows
    """Details of the sentence, with names."""
    move: int | None
    """The turn of the move that the line is about; None if there is none."""
    starts_move: bool
    marks: Sequence[Mark]
    hands: Sequence[str]
    """The cards of each seat; on a page of one seat, only those of that seat."""
    table: Rows
    """Everything else that the viewer sees of the table."""


@dataclass(frozen=True, slots=True)
class GamePage:
    """The contents of a game's page."""

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
    remark: str = ""
    """What is missing from the page; empty if nothing is."""


async def read_game_page(
    library: Library,
    prefix: str,
    which: tuple[int | None, int | None, str | None],
    games: Mapping[str, Game],
    phrasing_of: Callable[[Game], Phrasing],
) -> GamePage:
    """Return the page of one game. `which` is the game, the seat and the entrant that were asked for.

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
    records, remark = library.records(entry) if can_replay(entry, games) else ([], "")
    if not records:
        raise RequestError(why_not_replayable(entry, remark))
    replay = Replay(records, games)
    phrasing = phrasing_of(replay.terms.game)
    narration = narrate_match(replay, phrasing) if choice is None else narrate_seat(replay, choice, phrasing)
    names = visible_names(entry, is_one_seat=choice is not None)
    reader = _GameReader(replay, phrasing, names, choice)
    steps = list(reader.steps(annotate_blame(narration, entry.faults), game or 0))
    if not steps:
        raise RequestError(f"game {game or 0} of match {entry.match_id} has not begun")
    return GamePage(
        match_id=entry.match_id,
        game=game or 0,
        rules=rules_label(entry),
        view=reader.view,
        names=list(reader.names),
        places=reader.places,
        hand_names=reader.hand_names,
        steps=steps,
        remark=remark if entry.state == "interrupted" else "",
    )


class _GameReader:
    """Reads the steps of one game from a narration, and the table from the replay behind the narration."""

    def __init__(
        self,
        replay: Replay,
        phrasing: Phrasing,
        entrants: Sequence[str],
        choose: Callable[[Sequence[int]], Seat] | None,
    ) -> None:
        self._replay = replay
        self._phrasing = phrasing
        self._entrants = entrants
        self._choose = choose
        self._seat: Seat | None = None
        """The seat whose view is shown; None for everything."""
        self.names = SeatNames()
        self.places: Sequence[int] = ()
        self._playing: GameReferee | None = None
        """The game that is told; None before it begins. The referee may be at the next game already."""
        self._seen: tuple[Any, tuple[Sequence[str], Rows]] = (None, ((), ()))
        """The last state of the game, and what the viewer saw of it."""

    @property
    def view(self) -> str:
        """Whose view the steps show, in words."""
        if self._seat is None:
            return "everything, with all hands: no player saw this while it was played"
        return f"what {self.names[self._seat]} knew"

    @property
    def hand_names(self) -> list[str]:
        """Whose hands the steps have."""
        return list(self.names) if self._seat is None else [self.names[self._seat]]

    def steps(self, lines: Iterable[NarrationLine], game: int) -> Iterator[PlayerStep]:
        """Yield the steps of a game. Stops reading at its end."""
        numbering = MoveNumbering(self._phrasing)
        waiting: PlayerStep | None = None
        for line in lines:
            move = numbering.number_of(line)
            if line.game != game or line.kind in _LEFT_OUT:
                continue
            if line.kind in ("game", "end"):
                self._begin_or_end(line)
            if waiting is not None:
                yield self._with_private_part(waiting, line)
            waiting = self._step(line, move)
            if line.kind == "end":
                break
        if waiting is not None:
            yield waiting

    def _begin_or_end(self, line: NarrationLine) -> None:
        if line.kind == "game":
            self._playing = self._replay.referee.current_game
        seats = line.facts["seats"]
        self.names = SeatNames([self._entrants[entrant] for entrant in seats])
        self._seat = None if self._choose is None else self._choose(seats)
        self.places = line.facts.get("places", ())

    def _step(self, line: NarrationLine, move: int | None) -> PlayerStep:
        hands, table = self._see_table()
        is_ours = line.kind == "decision"  # other rows hold words of bots and their authors, which stay as they are
        shown = {"hand", *(label for label, _ in table)} if is_ours else set()
        rows = [
            (label, self.names.put_in(text) if is_ours else text) for label, text in line.rows if label not in shown
        ]
        starts = is_start_of_move(line, self._phrasing)
        return PlayerStep(line, self._sentence(line), rows, move, starts, self._marks([line]), hands, table)

    def _with_private_part(self, step: PlayerStep, following: NarrationLine) -> PlayerStep:
        """Return a step with the marks that follow from what the seat alone learns of the same event."""
        if not following.facts.get("is_private"):
            return step
        marks = self._marks([step.line, following])
        return PlayerStep(step.line, step.text, step.rows, step.move, step.starts_move, marks, step.hands, step.table)

    def _marks(self, lines: Sequence[NarrationLine]) -> Sequence[Mark]:
        if any(line.kind != "event" for line in lines):
            return ()
        told = [ToldEvent(event_name(line), line.facts["value"], line.text) for line in lines]
        marks = self._phrasing.describe_move(told).marks
        is_call = Mark.RIGHT_CALL in marks or Mark.WRONG_CALL in marks
        return [mark for mark in marks if not (is_call and mark is Mark.LIE)]

    def _sentence(self, line: NarrationLine) -> str:
        match line.kind:
            case "game":
                return f"game {line.game} begins: {', '.join(self.names)}"
            case "end":
                return line.text
            case "note":
                return f"note of {self.names[line.facts['seat']]}: {escape_unprintable(line.facts['note'])}"
            case _:
                return fold_repeats(self.names.put_in(line.text))

    def _see_table(self) -> tuple[Sequence[str], Rows]:
        """Return the hands and the rest of the table as the viewer sees them now."""
        if self._playing is not None and self._playing.state is not self._seen[0]:
            self._seen = self._playing.state, self._read_state(self._playing.state)
        return self._seen[1]

    def _read_state(self, state: Any) -> tuple[Sequence[str], Rows]:
        game, phrasing = self._replay.terms.game, self._phrasing
        seats = [Seat(seat) for seat in range(len(list(self.names)))] if self._seat is None else [self._seat]
        rows = [dict(phrasing.snapshot_rows(game.snapshot(state, seat), seat)) for seat in seats]
        hands = [fold_repeats(each.pop("hand", "")) for each in rows]
        shown = rows[0]
        if self._seat is None:  # what everybody sees; the hands have their own place
            shown = dict(phrasing.snapshot_rows(game.snapshot(state, None), Seat(len(seats))))
            shown = {label: text for label, text in shown.items() if label not in ("hand", "sizes", "others")}
        return hands, [(label, self.names.put_in(text)) for label, text in shown.items()]


def render_game_page(page: GamePage) -> str:
    """Return the page as HTML. It loads nothing, and runs no other program than its player."""
    return render_template(
        "game.html",
        page=page,
        player_data=_player_data(page),
        mark_words=MARK_WORDS,
        script=Markup(read_template_file("player.js")),  # noqa: S704  our own file
    )


def _player_data(page: GamePage) -> dict[str, Any]:
    """Return the tables for the player. A step has only what has changed since the step before it."""
    steps: list[dict[str, Any]] = []
    hands: Sequence[str] = ()
    table: Rows = ()
    for step in page.steps:
        changed: dict[str, Any] = {}
        if step.hands != hands:
            changed["hands"] = list(step.hands)
        if step.table != table:
            changed["table"] = [list(row) for row in step.table]
        hands, table = step.hands, step.table
        steps.append(changed)
    return {"steps": steps}
