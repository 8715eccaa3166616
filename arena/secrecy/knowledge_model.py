"""The protocol of knowledge models, which state a second time, from the rules' text, what viewers may know.

If a game's views disagree with its knowledge model, one of them is wrong, and a pair of twins reveals it.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from arena.rules.game import ChanceRequest, Game, Question, Seat

DrawnValues = Sequence[int]
"""The values of a random draw."""

DecisionRule = Callable[[Any], Any]
"""A decision by position: maps a state to an action. It refers to positions in a hand, not to cards."""


class KnowledgeTracker(Protocol):
    """Follows one viewer through a game."""

    def follow(self, event: Any) -> None:
        """Update what the viewer was shown, and where those cards are, after an event."""

    def redeal_unknown(self, state: Any, random: Random) -> Any:
        """Return a state that the viewer cannot distinguish from this one: cards it was not shown are redealt."""

    def visible_part(self, event: Any) -> Any:
        """Return everything the viewer may learn from an event; events with equal parts must look alike to it."""


class KnowledgeModel(Protocol):
    """The knowledge model of one game."""

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
        """Return other values for a draw that leave the viewer's own cards and everything public unchanged."""

    def build_tracker(self, ruleset: Any, seat_count: int, viewer: Seat | None) -> KnowledgeTracker:
        """Return a tracker for a viewer; None is a spectator."""

    def draw_decision(self, state: Any, kind: str, question: Question, random: Random) -> DecisionRule:
        """Draw an answer to a question, mostly a legal one."""

    def may_diverge(self, state: Any, kind: str, question: Question) -> bool:
        """Return whether a decision may be legal in one twin alone because hidden cards decide its legality."""
