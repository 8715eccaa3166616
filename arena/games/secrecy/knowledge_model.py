"""The protocol of knowledge models. A knowledge model says what the viewers of one game may know.

A model follows from the text of the rules, not from the code of the game's views. If a model and the views disagree,
one of them is wrong, and a pair of twins reveals it. Twins are two matches that differ only in what a viewer may not
know.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from arena.match.game import ChanceRequest, Game, Question, Seat

DrawnValues = Sequence[int]

DecisionRule = Callable[[Any], Any]
"""Maps a state to an action. It may pick cards by their positions in a hand, so that it suits both twins."""


class KnowledgeTracker(Protocol):
    """Follows one viewer through a game."""

    def follow(self, event: Any) -> None:
        """Update, after an event, which cards the viewer was shown and where they are."""

    def redeal_unknown(self, state: Any, random: Random) -> Any:
        """Return a state that the viewer cannot tell from this one. Cards that the viewer was not shown are redealt."""

    def visible_part(self, event: Any) -> Any:
        """Return all that the viewer may learn from an event. The viewer cannot tell events with equal parts apart."""


class KnowledgeModel(Protocol):
    game: Game

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
        """Draw a preset, options and a number of seats that are valid together."""

    def draw_for_twin(
        self,
        ruleset: Any,
        seat_count: int,
        viewer: Seat | None,
        chance: ChanceRequest,
        values: DrawnValues,
        random: Random,
    ) -> DrawnValues:
        """Return other values for a draw. They change neither the viewer's own cards nor anything public."""

    def build_tracker(self, ruleset: Any, seat_count: int, viewer: Seat | None) -> KnowledgeTracker:
        """Return a tracker for a seat, or for a spectator if `viewer` is None."""

    def draw_decision(self, state: Any, kind: str, question: Question, random: Random) -> DecisionRule:
        """Draw an answer to a question, mostly a legal one."""

    def may_diverge(self, state: Any, kind: str, question: Question) -> bool:
        """Return whether an answer may be legal or illegal depending on hidden cards.

        If so, the answer may be legal in only one twin.
        """
