"""Many pairs: drawn from a seed, run one after the other, and counted by the turn at which the twins were parted."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

from arena.feed.match_feed import SPECTATOR
from arena.match.pace import Pace
from arena.match.terms import Seating, Terms
from arena.secrecy.knowledge_model import KnowledgeModel
from arena.secrecy.twin_run import TwinPlan, TwinResult, TwinRun
from arena.wire.game_codec import GameCodec
from arena.wire.proto_codec import ProtoCodec

SPLIT_LIMIT = 61
"""The latest input after which cards are dealt anew, and one more."""
MAX_COMPARED = 40
"""Most decisions compared in a pair."""
_FROM_DEAL_RATE = 0.1
"""How often the twins have different cards from the first."""
_BAR_WIDTH = 40


class SurveyedGame(NamedTuple):
    """A game to be surveyed."""

    knowledge: KnowledgeModel
    codec: GameCodec


@dataclass(slots=True)
class TwinSurvey:
    """The summary of many pairs."""

    pairs: int = 0
    compared: int = 0
    """Decisions after which bytes were compared, over all pairs."""
    endings: Counter[str] = field(default_factory=Counter)
    by_ruleset: Counter[str] = field(default_factory=Counter)
    by_turn: Counter[int] = field(default_factory=Counter)
    """Pairs by the input after which the cards were dealt anew, in tens."""
    leaks: list[TwinResult] = field(default_factory=list)

    def add(self, course: TwinResult) -> None:
        """Count one pair."""
        plan = course.plan
        self.pairs += 1
        self.compared += course.compared
        self.endings[course.ending] += 1
        self.by_ruleset[f"{plan.terms.preset} {plan.terms.pace.style.value}"] += 1
        self.by_turn[course.turn // 10 * 10] += 1
        if course.leak:
            self.leaks.append(course)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "pairs": self.pairs,
            "compared": self.compared,
            "endings": dict(self.endings),
            "by_ruleset": dict(self.by_ruleset),
            "by_turn": {str(turn): count for turn, count in sorted(self.by_turn.items())},
            "leaks": [_leak_as_dict(course) for course in self.leaks],
        }


def run_survey(
    count: int,
    seed: int,
    games: Sequence[SurveyedGame],
    watch: Callable[[TwinSurvey], None] = lambda _: None,
) -> TwinSurvey:
    """Run pairs of these games in turn, calling `watch` after each. The same seed draws the same pairs."""
    pairs = [(game.knowledge, ProtoCodec(game.codec)) for game in games]
    found = TwinSurvey()
    for number in range(count):
        knowledge, codec = pairs[number % len(pairs)]
        plan = draw_twin_plan(knowledge, Random(f"{seed}/{number}"))  # noqa: S311  repeatable
        found.add(TwinRun(knowledge, codec, plan).run())
        watch(found)
    return found


def draw_twin_plan(insight: KnowledgeModel, random: Random) -> TwinPlan:
    """Draw ruleset, pace, viewer and the place where the twins part."""
    preset, options, seat_count = insight.draw_ruleset(random)
    pace = random.choice(
        [Pace.sealed_defaults(), replace(Pace.sealed_defaults(), fixed_window=True), Pace.live_defaults()]
    )
    terms = Terms(
        insight.game,
        preset,
        insight.game.build_ruleset(preset, options),
        pace,
        tuple(f"bot {number}" for number in range(seat_count)),
        seating=Seating.FIXED,
        rated=False,
    ).check()
    viewer = random.choice([SPECTATOR, *range(seat_count)])
    split = 0 if random.random() < _FROM_DEAL_RATE else random.randrange(1, SPLIT_LIMIT)
    return TwinPlan(terms, viewer, split, MAX_COMPARED, random.randrange(1 << 63))


def render_lines(found: TwinSurvey) -> Iterator[str]:
    """Return the result of a survey in words."""
    endings = ", ".join(f"{count} {word}" for word, count in sorted(found.endings.items()))
    yield f"{found.pairs} pairs, {found.compared} decisions compared; endings: {endings}"
    yield "by ruleset and pace: " + ", ".join(f"{word} {count}" for word, count in sorted(found.by_ruleset.items()))
    yield "by the input after which the cards were dealt anew:"
    most = max(found.by_turn.values(), default=1)
    for turn, count in sorted(found.by_turn.items()):
        yield f"  {turn:3}-{turn + 9:<3} {count:6} {'#' * round(_BAR_WIDTH * count / most)}"
    for course in found.leaks:
        told = _leak_as_dict(course)
        yield f"LEAK: {told['preset']} {told['options']}, {told['pace']}, viewer {told['viewer']}, after input "
        yield f"  {told['input']}: {told['leak']}"
    yield f"{len(found.leaks)} leaks" if found.leaks else "no viewer could tell its twins apart"


def _leak_as_dict(course: TwinResult) -> dict[str, Any]:
    terms = course.plan.terms
    return {
        "preset": terms.preset,
        "options": dict(terms.game.ruleset_options(terms.ruleset)),
        "pace": terms.pace.style.value,
        "viewer": "spectator" if course.plan.viewer == SPECTATOR else course.plan.viewer,
        "input": course.turn + course.compared,
        "leak": course.leak,
    }
