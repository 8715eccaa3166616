"""Follows how far a match is: its games, who sits where, and the score."""

from collections import Counter

from arena.match.game import Outcome
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded
from arena.match.referee.terms import Terms
from arena.replays.narration.seat_names import SeatNames
from arena.replays.narration.text_format import escape_unprintable
from arena.replays.watch.drawing import DrawnScore, MatchPhase


class MatchProgress:
    """How far a match is. Facts of the match update it."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.names = _choose_names(terms)
        """The names to show, by entrant. No two are equal."""
        self.phase = MatchPhase.PLAYING
        self.game: int | None = None
        """The running game, or else the last one; None before the first."""
        self.seats: tuple[int, ...] = ()
        """The entrant of each seat in that game."""
        self.seat_names = SeatNames()
        self.places: tuple[int, ...] = ()
        """The place of each seat in that game; empty while the game runs."""
        self.outcomes: list[Outcome] = []
        """The places of each finished game, by entrant."""
        self.ended: MatchEnded | None = None
        self._place_sums = [0] * len(terms.entrants)
        self._win_counts = [0] * len(terms.entrants)

    @property
    def games_ended(self) -> int:
        return len(self.outcomes)

    @property
    def scores(self) -> tuple[DrawnScore, ...]:
        """The score by entrant."""
        return tuple(map(DrawnScore, self.names, self._place_sums, self._win_counts))

    def follow(self, fact: GameStarted | GameEnded | IntermissionStarted | MatchEnded) -> None:
        match fact:
            case GameStarted():
                self.phase, self.game, self.seats = MatchPhase.PLAYING, fact.game, fact.entrants
                self.places = ()
                self.seat_names = SeatNames([self.names[entrant] for entrant in fact.entrants])
            case GameEnded():
                if self.game == fact.game:  # otherwise it was never played
                    self.places = fact.places
                self.phase, self.game = MatchPhase.BREAK, fact.game
                self.outcomes.append(Outcome(fact.places_by_entrant, fact.termination))
                for entrant, place in enumerate(fact.places_by_entrant):
                    self._place_sums[entrant] += place
                    self._win_counts[entrant] += place == 1
            case IntermissionStarted():
                self.phase = MatchPhase.BREAK
            case MatchEnded():
                self.phase, self.ended = MatchPhase.OVER, fact


def _choose_names(terms: Terms) -> tuple[str, ...]:
    """Return the names to show, by entrant. Entrants that share a name are told apart by their numbers."""
    names = ["" if terms.anonymous else escape_unprintable(name) for name in terms.entrants]
    counts = Counter(names)
    return tuple(
        name if name and counts[name] == 1 else " ".join(filter(None, (name, f"entrant {entrant}")))
        for entrant, name in enumerate(names)
    )
