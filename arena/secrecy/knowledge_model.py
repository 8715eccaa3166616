"""The protocol of knowledge models: an independent second statement, from the rules' text, of what viewers may know.

Where the views and this disagree, one of the two is wrong, and a pair of twins shows it.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from arena.rules.game import ChanceRequest, Game, Question, Seat

DrawnValues = Sequence[int]
"""The values of a draw."""

DecisionRule = Callable[[Any], Any]
"""A decision by position: given a state, the action. It names places in a hand, not cards."""


class KnowledgeTracker(Protocol):
    """Follows one viewer through a game."""

    def follow(self, event: Any) -> None:
        """Record events: what the viewer was shown, and where that went."""

    def redeal_unknown(self, state: Any, random: Random) -> Any:
        """Return a state that the viewer cannot distinguish from this one: cards it was not shown are redealt."""

    def visible_part(self, event: Any) -> Any:
        """All that the viewer may learn from an event; two events that give the same have to read alike."""


class KnowledgeModel(Protocol):
    """One game."""

    game: Game

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
        """Draw a preset, options and a number of seats that can be played."""

    def draw_for_twin(
        self,
        ruleset: Any,
        seat_count: int,
        viewer: Seat | None,
        chance: ChanceRequest,
        values: DrawnValues,
        random: Random,
    ) -> DrawnValues:
        """Return other values for a draw, which leave the viewer's own cards, and all that is public, as they are."""

    def build_tracker(self, ruleset: Any, seat_count: int, viewer: Seat | None) -> KnowledgeTracker:
        """Begin to follow a viewer; None is a spectator."""

    def draw_decision(self, state: Any, kind: str, question: Question, random: Random) -> DecisionRule:
        """Draw an answer to a question, mostly a legal one."""

    def may_diverge(self, state: Any, kind: str, question: Question) -> bool:
        """Whether the same decision may be legal in one twin alone, since hidden cards decide what is legal."""
