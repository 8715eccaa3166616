"""Reads the steps of a game: every line of its narration, with the table at that instant.

The steps show all hands, or only what one seat knew.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from arena.match.game import Seat
from arena.match.referee.game_referee import GameReferee
from arena.match.referee.replay import Replay
from arena.replays.narration.move_numbers import MoveNumbering, event_name, is_start_of_move
from arena.replays.narration.phrasing import BriefMove, CardCounts, Mark, ToldEvent
from arena.replays.narration.seat_names import SeatNames
from arena.replays.narration.seat_narration import SeatSelector
from arena.replays.narration.text_format import escape_unprintable, fold_repeats
from arena.replays.watch.drawing import CardFace, DrawnRow, DrawnSeat
from arena.replays.watch.game_drawing import WatchedGame
from arena.server.wire.narration_line import NarrationLine

_LEFT_OUT: Final = ("ask", "answers")
"""Kinds of lines that are not needed: the moves and calls that follow from them say the same."""
Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SeenTable:
    """What the viewer sees of the table at one instant."""

    hands: Sequence[str] = ()
    """The cards of each seat; on a page of one seat, only those of that seat."""
    rows: Rows = ()
    """Everything else."""
    counts: str = ""
    """How many cards are in each hand and pile; empty if the game has no such counts."""
    seats: Sequence[DrawnSeat] = ()
    """The drawn seats, with no names."""
    centre: Sequence[DrawnRow] = ()
    """What lies between them."""


@dataclass(frozen=True, slots=True)
class PlayerStep:
    """A line of the game with the table at its instant."""

    line: NarrationLine
    text: str
    """The sentence, with names."""
    rows: Rows = ()
    """Details of the sentence, with names."""
    move: int | None = None
    """The turn of the move that the line is about; None if there is none."""
    starts_move: bool = False
    marks: Sequence[Mark] = ()
    caught: str = ""
    """The name of the seat whose lie was caught; empty if none was."""
    table: SeenTable = field(default_factory=SeenTable)
    shows_counts: bool = False
    """Whether the page says the counts at this step: at each move, and wherever they change."""


class GameReader:
    """Reads the steps of one game from a narration, and the table from the replay behind the narration."""

    def __init__(
        self, replay: Replay, watched: WatchedGame, entrants: Sequence[str], choose: SeatSelector | None = None
    ) -> None:
        """`entrants` has the names to show, by entrant. `choose` selects the seat to show; None shows everything."""
        self._replay = replay
        self._drawing, self._phrasing = watched
        self._entrants = entrants
        self._choose = choose
        self._seat: Seat | None = None
        """The seat whose view is shown; None for everything."""
        self.names = SeatNames()
        self.places: Sequence[int] = ()
        """By seat; empty until the end of the game is read."""
        self._playing: GameReferee | None = None
        """The game that is told; None before it begins. The referee may be at the next game already."""
        self._seen: tuple[Any, SeenTable] = (None, SeenTable())
        """The last state of the game, and what the viewer saw of it."""
        self._counts = ""
        """The counts at the last step."""

    @property
    def view(self) -> str:
        """Whose view the steps show, in words."""
        if self._seat is None:
            return "everything, with all hands: no player saw this while it was played"
        return f"what {self.names[self._seat]} knew"

    @property
    def faces(self) -> Mapping[str, CardFace]:
        """How each card looks, by its text."""
        return self._drawing.faces

    @property
    def hand_names(self) -> list[str]:
        """Whose hands the steps have."""
        return list(self.names) if self._seat is None else [self.names[self._seat]]

    def steps(self, lines: Iterable[NarrationLine], game: int, leave_out: Collection[str] = ()) -> Iterator[PlayerStep]:
        """Yield the steps of a game without lines and details of the kinds in `leave_out`. Stops at the game's end."""
        numbering = MoveNumbering(self._phrasing)
        waiting: PlayerStep | None = None
        for line in lines:
            move = numbering.number_of(line)
            if line.game != game or line.kind in _LEFT_OUT or line.kind in leave_out:
                continue
            if line.kind in ("game", "end"):
                self._begin_or_end(line)
            if waiting is not None:
                yield self._with_private_part(waiting, line)
            details = [row for row in line.rows if row[0] not in leave_out]
            waiting = self._step(replace(line, rows=details) if len(details) < len(line.rows) else line, move)
            if line.kind == "end":
                break
        if waiting is not None:
            yield waiting

    def _begin_or_end(self, line: NarrationLine) -> None:
        if line.kind == "game":
            self._playing = self._replay.referee.current_game
        seats = line.data["seats"]
        self.names = SeatNames([self._entrants[entrant] for entrant in seats])
        self._seat = None if self._choose is None else self._choose(seats)
        self.places = line.data.get("places", ())

    def _step(self, line: NarrationLine, move: int | None) -> PlayerStep:
        table, brief = self._see_table(), self._describe([line])
        starts_move = is_start_of_move(line, self._phrasing)
        is_dealt = line.kind != "game"  # at the beginning there are no cards yet
        shows_counts = is_dealt and (starts_move or table.counts != self._counts)
        self._counts = table.counts
        return PlayerStep(
            line=line,
            text=self._sentence(line),
            rows=self._details(line, table),
            move=move,
            starts_move=starts_move,
            marks=_shown_marks(brief),
            caught="" if brief.caught is None else self.names[brief.caught],
            table=table,
            shows_counts=shows_counts,
        )

    def _with_private_part(self, step: PlayerStep, following: NarrationLine) -> PlayerStep:
        """Return a step with the marks that follow from what the seat alone learns of the same event."""
        if not following.data.get("is_private"):
            return step
        return replace(step, marks=_shown_marks(self._describe([step.line, following])))

    def _describe(self, lines: Sequence[NarrationLine]) -> BriefMove:
        if any(line.kind != "event" for line in lines):
            return BriefMove("")
        return self._phrasing.describe_move(
            [ToldEvent(event_name(line), line.data["value"], line.text) for line in lines]
        )

    def _sentence(self, line: NarrationLine) -> str:
        match line.kind:
            case "game":
                return f"game {line.game} begins: {', '.join(self.names)}"
            case "end":
                return line.text
            case "note":
                return f"note of {self.names[line.data['seat']]}: {escape_unprintable(line.data['note'])}"
            case _:
                return fold_repeats(self.names.put_in(line.text))

    def _details(self, line: NarrationLine, table: SeenTable) -> Rows:
        """Return the rows of a line without those that the table shows."""
        if line.kind != "decision":  # other rows hold words of bots and their authors, which stay as they are
            return line.rows
        shown = {"hand", *(label for label, _ in table.rows)}
        return [(label, self.names.put_in(text)) for label, text in line.rows if label not in shown]

    def _see_table(self) -> SeenTable:
        if self._playing is not None and self._playing.state is not self._seen[0]:
            self._seen = self._playing.state, self._read_state(self._playing.state)
        return self._seen[1]

    def _read_state(self, state: Any) -> SeenTable:
        game, phrasing = self._replay.terms.game, self._phrasing
        seats = [Seat(seat) for seat, _ in enumerate(self.names)] if self._seat is None else [self._seat]
        seen, public = [game.snapshot(state, seat) for seat in seats], game.snapshot(state, None)
        hands = [fold_repeats(phrasing.describe_hand(snapshot)) for snapshot in seen]
        if self._seat is None:  # what everybody sees; the hands have their own place
            elsewhere = {"hand", "sizes", "others"}
            rows, counts = phrasing.snapshot_rows(public, Seat(len(seats))), phrasing.count_cards(public)
            if None in counts.hands:  # the ruleset hides them; each seat knows its own
                own = [phrasing.count_cards(snapshot).hands for snapshot in seen]
                counts = replace(counts, hands=[sizes[seat] for seat, sizes in zip(seats, own, strict=True)])
        else:
            elsewhere = {"hand"}
            rows, counts = phrasing.snapshot_rows(seen[0], self._seat), phrasing.count_cards(seen[0])
        table = [(label, self.names.put_in(text)) for label, text in rows if label not in elsewhere]
        return SeenTable(
            hands, table, self._counts_text(counts), *self._draw(public, dict(zip(seats, seen, strict=True)))
        )

    def _draw(self, public: Any, seen: Mapping[Seat, Any]) -> tuple[list[DrawnSeat], list[DrawnRow]]:
        terms = self._replay.terms
        centre = self._drawing.draw_centre(terms, public, seen)
        named = [replace(row, text=fold_repeats(self.names.put_in(row.text))) for row in centre]
        return list(self._drawing.draw_seats(terms, public, seen)), named

    def _counts_text(self, counts: CardCounts) -> str:
        hands = [(self.names[seat], count) for seat, count in enumerate(counts.hands)]
        return "; ".join(filter(None, map(_join_counts, (hands, counts.piles))))


def _join_counts(counts: Sequence[tuple[str, int | None]]) -> str:
    return ", ".join(f"{what} {'?' if count is None else count}" for what, count in counts)


def _shown_marks(brief: BriefMove) -> list[Mark]:
    """Return the marks of a line. A call says that the claim was a lie, which the line of the claim says too."""
    is_call = Mark.RIGHT_CALL in brief.marks or Mark.WRONG_CALL in brief.marks
    return [mark for mark in brief.marks if not (is_call and mark is Mark.LIE)]
