"""Defines the lines of a narration, and builds each line at its position in the match."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.match.game import Game, Seat
from arena.match.referee.facts import GameEnded, GameStarted
from arena.match.referee.referee import Referee
from arena.plurals import format_count
from arena.replays.narration.text_format import escape_unprintable, format_places, join_words

Rows = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NarrationLine:
    """An event, question, answer or decision as one line."""

    kind: str
    """A word that later versions keep: match, game, ask, decision, answer, answers, event, note, fault, info or end."""
    text: str
    game: int | None
    """The 0-based number of the game; None if the line belongs to the match rather than to a game."""
    at_us: int
    """Microseconds since the start of the game, or of the match if `game` is None. No line is earlier than the line
    above it.

    An answer is judged by its arrival stamp, which may be earlier than the line above. Such an answer is shown at the
    instant of that line, so that no answer precedes its prompt. The time that the answer took is among the facts.
    """
    turn: int | None = None
    """Number of moves and passes in the game before this line. `move_numbers` says to which turn the line belongs."""
    rows: Rows = ()
    """Details below the text, as pairs of label and text."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The line's data for machines, as plain values."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The facts, under the name that a line from a server has for them."""
        return self.facts

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        place = {"kind": self.kind, "game": self.game, "turn": self.turn, "at_us": self.at_us, "text": self.text}
        return place | ({"rows": dict(self.rows)} if self.rows else {}) | dict(self.facts)


class ShownLine(Protocol):
    """A line of a replay as a reader sees it, from this machine or from a server."""

    @property
    def kind(self) -> str:
        """A stable word, such as `event` or `fault`."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def game(self) -> int | None:
        """The 0-based number of the game; None if the line belongs to the match."""

    @property
    def turn(self) -> int | None:
        """Number of moves and passes in the game before this line."""

    @property
    def at_us(self) -> int:
        """Microseconds since the start of the game or of the match."""

    @property
    def rows(self) -> Sequence[tuple[str, str]]:
        """Details as pairs of label and text."""

    @property
    def data(self) -> Mapping[str, Any]:
        """The line's data for machines, as plain values."""


class LineBuilder:
    """Builds lines, and tracks where the match is: its start, the game's start, the seats and the turns so far."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self.names = tuple(map(escape_unprintable, names))
        self.game: int | None = None
        self.seats: tuple[int, ...] = ()
        """Entrants by seat."""
        self.turn = 0
        self._rules = game
        self._match_at: int | None = None
        self._game_at = 0
        self._last_at: int | None = None
        """Instant of the previous line."""

    def seat_of(self, entrant: int) -> Seat:
        """Return an entrant's seat in the current game."""
        return Seat(self.seats.index(entrant))

    def count_turns(self, event: Any) -> None:
        """Add the turns that an event contains to the count of the game."""
        self.turn += sum(word == "turns" for _, word in self._rules.event_statistics(event))

    def line(
        self, kind: str, text: str, at: int, rows: Rows = (), facts: Mapping[str, Any] | None = None
    ) -> NarrationLine:
        """Return a line at an instant of the node's clock, or at the previous line's instant if that is later."""
        at = self._last_at = self._not_before_last(at)
        if self._match_at is None:
            self._match_at = at
        if self.game is None:
            return NarrationLine(kind, text, None, at - self._match_at, None, rows, facts or {})
        return NarrationLine(kind, text, self.game, at - self._game_at, self.turn, rows, facts or {})

    def _not_before_last(self, at: int) -> int:
        return at if self._last_at is None else max(at, self._last_at)

    def begin_game(self, fact: GameStarted, at: int) -> NarrationLine:
        """Start a game and return its first line."""
        at = self._not_before_last(at)
        self.game, self.seats, self.turn, self._game_at = fact.game, fact.entrants, 0, at
        who = join_words(f"seat {seat} {self.names[entrant]}" for seat, entrant in enumerate(fact.entrants))
        since_us = at - (at if self._match_at is None else self._match_at)
        facts = {"seats": list(fact.entrants), "since_us": since_us}
        return self.line("game", f"game {fact.game}: {who}", at, facts=facts)

    def end_game(self, fact: GameEnded, at: int) -> NarrationLine:
        """End a game and return its last line. The game may have been forfeited before it began."""
        at = self._not_before_last(at)
        if self.game != fact.game:
            self.game, self.seats, self.turn, self._game_at = fact.game, fact.entrants, 0, at
        ends = enumerate(zip(fact.entrants, fact.places, strict=True))
        who = [(f"{self.names[entrant]} (seat {seat})", place) for seat, (entrant, place) in ends]
        facts = {"places": list(fact.places), "seats": list(fact.entrants), "termination": fact.termination}
        line = self.line("end", f"game {fact.game} is over, {fact.termination}: {format_places(who)}", at, facts=facts)
        self.game = None
        return line

    def end_match(self, termination: str, sums: Sequence[int], at: int) -> NarrationLine:
        """Return the line for the end of the match."""
        self.game = None
        text = f"the match is over, {termination}; sums of places: {self.format_place_sums(sums)}"
        return self.line("match", text, at, facts={"termination": termination, "place_sums": list(sums)})

    def interrupt_match(self, referee: Referee, at: int) -> NarrationLine:
        """Return the last line for records that end before the match does."""
        self.game = None
        sums = referee.place_sums()
        played = len(referee.results)
        games = format_count(referee.terms.game_count, "game")
        text = f"here the records end, after {played} of {games}; the match had not ended"
        return self.line("match", text, at, facts={"termination": "interrupted", "place_sums": list(sums)})

    def format_place_sums(self, sums: Sequence[int]) -> str:
        """Return the entrants' names with their sums of places, the lowest sum first."""
        order = sorted(range(len(sums)), key=lambda entrant: sums[entrant])
        return ", ".join(f"{self.names[entrant]} {sums[entrant]}" for entrant in order)
