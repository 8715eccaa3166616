"""Several groups of prompts at once, in a game made up for this test: no game of the arena needs all of it yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match.game import (
    ChanceRequest,
    ClosingRule,
    GameSetup,
    Outcome,
    Question,
    QuestionGroup,
    Seat,
    TimeLimit,
    Transition,
)
from arena.match.referee.inputs import Tick
from arena.match.referee.scalars import Instant
from tests.match.referee.driver import MatchDriver, S, start_match
from tests.support.toy_game import BLOCK, RaidGame


@dataclass(frozen=True, slots=True)
class Settled:
    """Which groups are settled, in that order."""

    kinds: tuple[str, ...] = ()
    step: int = 0


class Panel(RaidGame):
    """Asks its groups all at once; over when all are settled."""

    def __init__(self, *groups: QuestionGroup) -> None:
        self.asks = groups

    def initial_state(self, ruleset: Any, setup: GameSetup) -> Any:
        return Settled()

    def chance_request(self, state: Any) -> ChanceRequest | None:
        return None if state.step else ChanceRequest("start", 0, 0, count=1, faces=2)

    def apply_chance(self, state: Any, values: Sequence[int]) -> Transition:
        return Transition(Settled((), 1), ())

    def open_groups(self, state: Any) -> tuple[QuestionGroup, ...]:
        return tuple(group for group in self.asks if state.step and group.kind not in state.kinds)

    def why_illegal(self, state: Any, seat: Seat, action: Any, kind: str | None = None) -> str | None:
        return None

    def resolve(self, state: Any, kind: str, answers: Mapping[Seat, Any]) -> Transition:
        return Transition(Settled((*state.kinds, kind), state.step + 1), (kind,))

    def automatic_action(self, state: Any, seat: Seat, kind: str) -> Any:
        return BLOCK

    def outcome(self, state: Any) -> Outcome | None:
        return Outcome((1, 1, 1), "done") if len(state.kinds) == len(self.asks) else None


def ask(
    kind: str, seat: int, length: TimeLimit, closing: ClosingRule = ClosingRule.FIRST, lands: int | None = None
) -> QuestionGroup:
    return QuestionGroup(kind, 0, (Question(Seat(seat), None),), closing, length, clock=1, lands=lands)


def settled_groups(game: MatchDriver) -> list[Any]:
    return game.events()


def test_same_instant_order_is_landings_then_window_ends_then_automatic_moves():
    """Turn and call time are both 5 s, so that all three are due at once (A11)."""
    panel = Panel(
        ask("turn", 0, TimeLimit.TURN),
        ask("window", 1, TimeLimit.REACTION),
        ask("slow turn", 2, TimeLimit.TURN, lands=1),
    )
    game = start_match(panel, 3, "live", turn_ms=5_000, call_ms=5_000)
    game.send(2, BLOCK, 1 * S)

    game.run_until(5 * S)

    assert settled_groups(game) == ["slow turn", "window", "turn"]


def test_earlier_deadline_comes_first_even_when_both_have_passed():
    panel = Panel(ask("turn", 0, TimeLimit.TURN), ask("window", 1, TimeLimit.REACTION))
    game = start_match(panel, 3)

    game.table.apply(Tick(Instant(5 * S), Instant(5 * S)))
    game.table.apply(Tick(Instant(5 * S), Instant(5 * S)))

    assert settled_groups(game) == ["window", "turn"]


def test_group_that_waits_for_no_seat_is_settled_once_and_others_are_prompted_once():
    sleepers = Panel(
        ask("window", 1, TimeLimit.REACTION, ClosingRule.ALL),
        ask("second window", 1, TimeLimit.REACTION, ClosingRule.ALL),
        ask("turn", 0, TimeLimit.TURN),
    )
    game = MatchDriver(start_match(sleepers, 3).terms)
    game.referee.entrant_records[1].missed_in_row = 3

    game.begin()

    assert settled_groups(game) == ["window", "second window"]
    assert [view.kind for view in game.prompts(0)] == ["turn"]
    assert game.prompts(1) == []
    assert game.strikes(1) == {"missing": 2}
