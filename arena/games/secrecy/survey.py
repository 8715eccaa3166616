"""Generates many pairs of twin matches at random from a seed, and runs them.

Counts the pairs by how they ended, by ruleset, and by the moment at which the twins began to differ.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

from arena.games.secrecy.knowledge_model import KnowledgeModel
from arena.games.secrecy.twin_run import TwinPlan, TwinResult, TwinRun
from arena.match.feed.match_feed import SPECTATOR
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Seating, Terms
from arena.plurals import format_count
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import ProtoCodec

SPLIT_LIMIT = 61
"""Upper bound, exclusive, of the number of inputs after which the cards are redealt."""
MAX_COMPARED = 40
"""Maximum number of inputs compared in a pair."""
_FROM_DEAL_RATE = 0.1
"""Share of pairs whose cards differ from the start."""
_BAR_WIDTH = 40


class SurveyedGame(NamedTuple):
    knowledge: KnowledgeModel
    codec: GameCodec


@dataclass(slots=True)
class TwinSurvey:
    """The counts of many pairs of twins, and the leaks that were found."""

    pairs: int = 0
    compared: int = 0
    """Number of inputs after which bytes were compared, over all pairs."""
    endings: Counter[str] = field(default_factory=Counter)
    by_ruleset: Counter[str] = field(default_factory=Counter)
    by_turn: Counter[int] = field(default_factory=Counter)
    """Number of pairs by the number of inputs before the redeal, rounded down to a multiple of ten."""
    leaks: list[TwinResult] = field(default_factory=list)

    def add(self, result: TwinResult) -> None:
        plan = result.plan
        self.pairs += 1
        self.compared += result.compared
        self.endings[result.ending] += 1
        self.by_ruleset[f"{plan.terms.preset} {plan.terms.pace.style.value}"] += 1
        self.by_turn[result.turn // 10 * 10] += 1
        if result.leak:
            self.leaks.append(result)

    def as_dict(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "compared": self.compared,
            "endings": dict(self.endings),
            "by_ruleset": dict(self.by_ruleset),
            "by_turn": {str(turn): count for turn, count in sorted(self.by_turn.items())},
            "leaks": [_leak_as_dict(result) for result in self.leaks],
        }


def run_survey(
    count: int,
    seed: int,
    games: Sequence[SurveyedGame],
    watch: Callable[[TwinSurvey], None] = lambda _: None,
) -> TwinSurvey:
    """Run `count` pairs, taking the games in turn. Call `watch` after each pair. Equal seeds give equal pairs."""
    pairs = [(game.knowledge, ProtoCodec(game.codec)) for game in games]
    survey = TwinSurvey()
    for number in range(count):
        knowledge, codec = pairs[number % len(pairs)]
        plan = draw_twin_plan(knowledge, Random(f"{seed}/{number}"))
        survey.add(TwinRun(knowledge, codec, plan).run())
        watch(survey)
    return survey


def draw_twin_plan(knowledge: KnowledgeModel, random: Random) -> TwinPlan:
    """Draw the ruleset, the pace, the viewer, and the number of inputs after which the twins split."""
    preset, options, seat_count = knowledge.draw_ruleset(random)
    pace = random.choice(
        [Pace.sealed_defaults(), replace(Pace.sealed_defaults(), fixed_window=True), Pace.live_defaults()]
    )
    terms = Terms(
        knowledge.game,
        preset,
        knowledge.game.build_ruleset(preset, options),
        pace,
        tuple(f"bot {number}" for number in range(seat_count)),
        seating=Seating.FIXED,
        rated=False,
    ).check()
    viewer = random.choice([SPECTATOR, *range(seat_count)])
    split = 0 if random.random() < _FROM_DEAL_RATE else random.randrange(1, SPLIT_LIMIT)
    return TwinPlan(terms, viewer, split, MAX_COMPARED, random.randrange(1 << 63))


def render_lines(found: TwinSurvey) -> Iterator[str]:
    endings = ", ".join(f"{count} {word}" for word, count in sorted(found.endings.items()))
    yield f"{format_count(found.pairs, 'pair')}, {format_count(found.compared, 'input')} compared; endings: {endings}"
    yield "by ruleset and pace: " + ", ".join(f"{word} {count}" for word, count in sorted(found.by_ruleset.items()))
    yield "by the input after which the cards were redealt:"
    most = max(found.by_turn.values(), default=1)
    for turn, count in sorted(found.by_turn.items()):
        yield f"  {turn:3}-{turn + 9:<3} {count:6} {'#' * round(_BAR_WIDTH * count / most)}"
    for result in found.leaks:
        leak = _leak_as_dict(result)
        yield f"LEAK: {leak['preset']} {leak['options']}, {leak['pace']}, viewer {leak['viewer']}, after input "
        yield f"  {leak['input']}: {leak['leak']}"
    yield format_count(len(found.leaks), "leak") if found.leaks else "no viewer could tell its twins apart"


def _leak_as_dict(result: TwinResult) -> dict[str, Any]:
    terms = result.plan.terms
    return {
        "preset": terms.preset,
        "options": dict(terms.game.ruleset_options(terms.ruleset)),
        "pace": terms.pace.style.value,
        "viewer": "spectator" if result.plan.viewer == SPECTATOR else result.plan.viewer,
        "input": result.turn + result.compared,
        "leak": result.leak,
    }
