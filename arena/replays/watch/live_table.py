"""Follows one match by its public messages: tells what happens, and draws the table at any time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.match.feed.public_message import PublicMessage
from arena.match.game import GameSetup
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded
from arena.match.referee.history import History
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Seating, Terms
from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.narration.line_builder import LineBuilder
from arena.replays.narration.phrasing import Mark, ToldEvent
from arena.replays.narration.text_format import escape_unprintable, fold_repeats
from arena.replays.watch.drawing import CardFace, Drawing, DrawnRow, DrawnSeat
from arena.replays.watch.game_drawing import WatchedGame, WatchedGameFinder
from arena.replays.watch.match_progress import MatchProgress
from arena.server.wire.narration_line import NarrationLine

_MATCH_FACTS = (GameStarted, GameEnded, IntermissionStarted, MatchEnded)
_NO_TIME = Instant(0)
"""Told lines have no instant: spectators are told things when they happen."""


@dataclass(frozen=True, slots=True)
class ToldLine:
    """Something that has happened in the match, as one sentence. The text is safe to print."""

    sequence: int
    """The public message that told it. A spectator that has seen this line can resume after this number."""
    kind: str
    """`match`, `game` (a game begins), `event`, or `end` (a game is over)."""
    text: str
    """The sentence, with names in place of seat numbers."""
    game: int | None = None
    """0-based number of the game; None if the line belongs to the match."""
    turn: int | None = None
    """The move or turn that the line is about, counted from 0; None if it is about none."""
    marks: tuple[Mark, ...] = ()
    """What stands out: a lie that was caught, a right call, a wrong call."""


class LiveTable:
    """One match, followed from its first message or from a snapshot.

    Give it every message in order with `add`. It ignores messages that it has already, so after a lost connection the
    stream may begin anywhere up to the message after `sequence`, or with a snapshot.
    """

    def __init__(self, find_game: WatchedGameFinder) -> None:
        """`find_game` returns the drawing and the phrasing of a game."""
        self._find_game = find_game
        self.sequence = 0
        """The last message that was added; 0 before the first."""
        self._match: _WatchedMatch | None = None

    @property
    def is_over(self) -> bool:
        return self._match is not None and self._match.progress.ended is not None

    @property
    def drawing(self) -> Drawing:
        """The table now. It is computed at each call, so ask only for drawings that are shown."""
        return Drawing() if self._match is None else self._match.draw()

    @property
    def faces(self) -> Mapping[str, CardFace]:
        """How the cards of the match look, by their texts; empty until it begins."""
        return {} if self._match is None else self._match.faces

    def add(self, message: PublicMessage) -> list[ToldLine]:
        """Follow the next message, and return what there is to tell.

        After a snapshot, there is one line that says where the match is.
        """
        if message.sequence <= self.sequence:
            return []
        self.sequence = message.sequence
        if message.is_snapshot:
            self._match = None
        told = [line for fact in message.facts for line in self._follow(fact)]
        match = self._match
        if not message.is_snapshot or match is None:
            return told
        if message.state is not None:
            match.state = message.state
        return [told[-1] if match.progress.ended is not None else match.tell_position(self.sequence)]

    def _follow(self, fact: Any) -> Iterator[ToldLine]:
        if isinstance(fact, Terms):
            self._match = _WatchedMatch(fact, self._find_game(fact.game))
        elif self._match is not None:
            yield from self._match.follow(fact, self.sequence)


class _WatchedMatch:
    """A match that has begun."""

    def __init__(self, terms: Terms, game: WatchedGame) -> None:
        self.progress = MatchProgress(terms)
        self.state: Any = None
        """What everybody knows of the game that runs, or that ran last; None if there is none, or if it is unknown."""
        self._terms = terms
        self._drawing, self._phrasing = game
        self._builder = LineBuilder(terms.game, self.progress.names)
        self._verdict: DrawnRow | None = None

    def follow(self, fact: Any, sequence: int) -> Iterator[ToldLine]:
        """Follow a fact, and yield the lines that tell it."""
        if isinstance(fact, _MATCH_FACTS):
            self.progress.follow(fact)
            yield from self._follow_match_fact(fact, sequence)
        elif self.state is not None:
            self.state = self._drawing.follow(self._terms, self.state, fact)
            self._verdict = self._drawing.follow_verdict(self._verdict, fact)
            yield from self._tell_part(fact, sequence)

    def _follow_match_fact(self, fact: Any, sequence: int) -> Iterator[ToldLine]:
        match fact:
            case GameStarted():
                self._begin_game(fact)
                line = self._builder.begin_game(fact, _NO_TIME)
                names = ", ".join(self.progress.seat_names)
                yield ToldLine(sequence, line.kind, f"game {fact.game}: {names}", fact.game)
            case GameEnded():
                yield _build_told_line(self._builder.end_game(fact, _NO_TIME), sequence)
            case MatchEnded():
                yield _build_told_line(self._builder.end_match(fact.termination, fact.place_sums, _NO_TIME), sequence)
            case _:
                return  # the drawing shows a break

    def _begin_game(self, fact: GameStarted) -> None:
        """Set the state before the deal. Of earlier games, it may depend on the places, which everybody knows."""
        terms, number = self._terms, fact.game
        deal_moves = number if terms.seating is Seating.FIXED else 0
        history = History(self.progress.outcomes, fact.entrants)
        setup = GameSetup(len(fact.entrants), number, terms.pace.style, history, deal_moves)
        self.state = terms.game.snapshot(terms.game.initial_state(terms.ruleset, setup), None)
        self._verdict = None

    def _tell_part(self, part: Any, sequence: int) -> Iterator[ToldLine]:
        """Yield the line of an event. The phrasing decides which events need no words of their own."""
        text = self._phrasing.describe_part(part)
        brief = self._phrasing.describe_move([ToldEvent(type(part).__name__, to_plain(part), text)])
        if brief.text:
            named = fold_repeats(self.progress.seat_names.put_in(text))
            turn = max(0, self._drawing.count_turns(self.state) - 1)
            yield ToldLine(sequence, "event", named, self.progress.game, turn, _choose_marks(brief.marks))

    def tell_position(self, sequence: int) -> ToldLine:
        """Return the line that says where the match is, for a spectator that has just come."""
        progress, of = self.progress, format_count(self._terms.game_count, "game")
        if self.state is None:
            return ToldLine(sequence, "match", f"{progress.games_ended} of {of} are over, and the next has not begun")
        turn = self._drawing.count_turns(self.state)
        names = ", ".join(progress.seat_names)
        text = f"game {progress.game}, from turn {turn} on: {names}"
        return ToldLine(sequence, "game", text, progress.game)

    # ---- drawing

    @property
    def faces(self) -> Mapping[str, CardFace]:
        return self._drawing.faces

    def draw(self) -> Drawing:
        progress, terms, state = self.progress, self._terms, self.state
        ended = progress.ended
        drawing = Drawing(
            phase=progress.phase,
            rules=f"{terms.game.name} {terms.preset}",
            game=progress.game,
            game_count=terms.game_count,
            games_ended=progress.games_ended,
            scores=progress.scores,
            termination="" if ended is None else escape_unprintable(ended.termination),
        )
        if state is None:
            return drawing
        return replace(
            drawing,
            turn=self._drawing.count_turns(state),
            seats=tuple(self._complete_seat(seat) for seat in self._drawing.draw_seats(terms, state, {})),
            centre=tuple(self._with_names(row) for row in self._drawing.draw_centre(terms, state, {})),
            verdict=None if self._verdict is None else self._with_names(self._verdict),
        )

    def _complete_seat(self, seat: DrawnSeat) -> DrawnSeat:
        """Return a seat with its name. When the game is over, the seat has the place that the match counts."""
        names, places = self.progress.seat_names, self.progress.places
        place = places[seat.seat] if places else seat.place
        return replace(seat, name=names[seat.seat], badges=tuple(map(names.put_in, seat.badges)), place=place)

    def _with_names(self, row: DrawnRow) -> DrawnRow:
        return replace(row, text=fold_repeats(self.progress.seat_names.put_in(row.text)))


def _build_told_line(line: NarrationLine, sequence: int) -> ToldLine:
    return ToldLine(sequence, line.kind, escape_unprintable(line.text), line.game)


def _choose_marks(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return the marks of a line. A right call says already that the claim was a lie."""
    return tuple(mark for mark in marks if mark is not Mark.LIE or Mark.RIGHT_CALL not in marks)
