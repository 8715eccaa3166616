"""Builds the lines of a narration, each at its position in the match."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.match.game import Game, Seat
from arena.match.referee.facts import GameEnded, GameStarted
from arena.match.referee.referee import Referee
from arena.plurals import format_count
from arena.replays.narration.text_format import escape_unprintable, format_places, join_words
from arena.server.wire.narration_line import NarrationLine, Rows


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
        return Seat(self.seats.index(entrant))

    def count_turns(self, event: Any) -> None:
        """Add the turns that an event contains to the count of the game."""
        self.turn += sum(word == "turns" for _, word in self._rules.event_statistics(event))

    def line(
        self, kind: str, text: str, at: int, rows: Rows = (), data: Mapping[str, Any] | None = None
    ) -> NarrationLine:
        """Return a line at an instant of the node's clock, or at the previous line's instant if that is later."""
        at = self._last_at = self._not_before_last(at)
        if self._match_at is None:
            self._match_at = at
        if self.game is None:
            return NarrationLine(kind, text, None, at - self._match_at, None, rows, data or {})
        return NarrationLine(kind, text, self.game, at - self._game_at, self.turn, rows, data or {})

    def _not_before_last(self, at: int) -> int:
        return at if self._last_at is None else max(at, self._last_at)

    def begin_game(self, fact: GameStarted, at: int) -> NarrationLine:
        at = self._not_before_last(at)
        self.game, self.seats, self.turn, self._game_at = fact.game, fact.entrants, 0, at
        who = join_words(f"seat {seat} {self.names[entrant]}" for seat, entrant in enumerate(fact.entrants))
        since_us = at - (at if self._match_at is None else self._match_at)
        data = {"seats": list(fact.entrants), "since_us": since_us}
        return self.line("game", f"game {fact.game}: {who}", at, data=data)

    def end_game(self, fact: GameEnded, at: int) -> NarrationLine:
        """End a game and return its last line. The game may have been forfeited before it began."""
        at = self._not_before_last(at)
        if self.game != fact.game:
            self.game, self.seats, self.turn, self._game_at = fact.game, fact.entrants, 0, at
        ends = enumerate(zip(fact.entrants, fact.places, strict=True))
        who = [(f"{self.names[entrant]} (seat {seat})", place) for seat, (entrant, place) in ends]
        data = {"places": list(fact.places), "seats": list(fact.entrants), "termination": fact.termination}
        line = self.line("end", f"game {fact.game} is over, {fact.termination}: {format_places(who)}", at, data=data)
        self.game = None
        return line

    def end_match(self, termination: str, sums: Sequence[int], at: int) -> NarrationLine:
        self.game = None
        text = f"the match is over, {termination}; sums of places: {self.format_place_sums(sums)}"
        return self.line("match", text, at, data={"termination": termination, "place_sums": list(sums)})

    def interrupt_match(self, referee: Referee, at: int) -> NarrationLine:
        """Return the last line for records that end before the match does."""
        self.game = None
        sums = referee.place_sums()
        played = len(referee.results)
        games = format_count(referee.terms.game_count, "game")
        text = f"here the records end, after {played} of {games}; the match had not ended"
        return self.line("match", text, at, data={"termination": "interrupted", "place_sums": list(sums)})

    def format_place_sums(self, sums: Sequence[int]) -> str:
        """Return the entrants' names with their sums of places, the lowest sum first."""
        order = sorted(range(len(sums)), key=lambda entrant: sums[entrant])
        return ", ".join(f"{self.names[entrant]} {sums[entrant]}" for entrant in order)
