"""Many pairs: drawn from a seed, run one after the other, and counted by the turn at which the twins were parted."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from arena.feed.match_feed import SPECTATOR
from arena.match.pace import Pace
from arena.match.terms import Seating, Terms
from arena.rpc.codec import ProtoCodec
from arena.rpc.games import WIRES
from arena.secrecy.games import INSIGHTS
from arena.secrecy.insight import Insight
from arena.secrecy.pair import Course, Pair, Plan

SPLIT = 61
"""The latest input after which cards are dealt anew, and one more."""
LENGTH = 40
"""So many decisions are compared at most."""
_FROM_THE_DEAL = 0.1
"""How often the twins have different cards from the first."""
_BAR = 40


@dataclass(slots=True)
class Survey:
    """What many pairs have shown."""

    pairs: int = 0
    compared: int = 0
    """Decisions after which bytes were compared, over all pairs."""
    endings: Counter[str] = field(default_factory=Counter)
    by_ruleset: Counter[str] = field(default_factory=Counter)
    by_turn: Counter[int] = field(default_factory=Counter)
    """Pairs by the input after which the cards were dealt anew, in tens."""
    leaks: list[Course] = field(default_factory=list)

    def add(self, course: Course) -> None:
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
            "leaks": [_story(course) for course in self.leaks],
        }


def survey(
    count: int,
    seed: int,
    games: Sequence[str] = tuple(INSIGHTS),
    codecs: Mapping[str, ProtoCodec] | None = None,
    watch: Callable[[Survey], None] = lambda _: None,
) -> Survey:
    """Run so many pairs of these games in turn; `watch` is told after each. The same seed draws the same pairs."""
    made = codecs or {name: ProtoCodec(WIRES[name]) for name in games}
    found = Survey()
    for number in range(count):
        name = games[number % len(games)]
        plan = draw_plan(INSIGHTS[name], Random(f"{seed}/{number}"))  # noqa: S311  repeatable
        found.add(Pair(INSIGHTS[name], made[name], plan).run())
        watch(found)
    return found


def draw_plan(insight: Insight, random: Random) -> Plan:
    """Draw ruleset, pace, viewer and the place where the twins part."""
    preset, options, seat_count = insight.rulesets(random)
    pace = random.choice([Pace.sealed(), replace(Pace.sealed(), fixed_window=True), Pace.live()])
    terms = Terms(
        insight.game,
        preset,
        insight.game.ruleset(preset, options),
        pace,
        tuple(f"bot {number}" for number in range(seat_count)),
        seating=Seating.FIXED,
        rated=False,
    ).check()
    viewer = random.choice([SPECTATOR, *range(seat_count)])
    split = 0 if random.random() < _FROM_THE_DEAL else random.randrange(1, SPLIT)
    return Plan(terms, viewer, split, LENGTH, random.randrange(1 << 63))


def lines(found: Survey) -> Iterator[str]:
    """Tell what a survey has shown."""
    endings = ", ".join(f"{count} {word}" for word, count in sorted(found.endings.items()))
    yield f"{found.pairs} pairs, {found.compared} decisions compared; endings: {endings}"
    yield "by ruleset and pace: " + ", ".join(f"{word} {count}" for word, count in sorted(found.by_ruleset.items()))
    yield "by the input after which the cards were dealt anew:"
    most = max(found.by_turn.values(), default=1)
    for turn, count in sorted(found.by_turn.items()):
        yield f"  {turn:3}-{turn + 9:<3} {count:6} {'#' * round(_BAR * count / most)}"
    for course in found.leaks:
        told = _story(course)
        yield f"LEAK: {told['preset']} {told['options']}, {told['pace']}, viewer {told['viewer']}, after input "
        yield f"  {told['input']}: {told['leak']}"
    yield f"{len(found.leaks)} leaks" if found.leaks else "no viewer could tell its twins apart"


def _story(course: Course) -> dict[str, Any]:
    terms = course.plan.terms
    return {
        "preset": terms.preset,
        "options": dict(terms.game.describe(terms.ruleset)),
        "pace": terms.pace.style.value,
        "viewer": "spectator" if course.plan.viewer == SPECTATOR else course.plan.viewer,
        "input": course.turn + course.compared,
        "leak": course.leak,
    }
