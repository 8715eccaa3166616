"""Finds lessons in two stages: short playouts of many decisions, then longer playouts of those that look worst.

The first stage only chooses the decisions to measure, and the alternative to measure each against. In a long game, it
looks only at the decisions in which most was at stake. The second stage deals anew. So the choice does not distort
what it measures: an alternative that was lucky with the deals of the first stage has no advantage in the second.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

from arena.plurals import format_count
from arena.replays.lessons.lesson_model import LessonModel
from arena.replays.lessons.positions import Position, RecordedGame

_MAX_NOISE_COUNT = 1009
"""The most random numbers that a playout has. After the last one, it uses the first one again."""

_TURNS_OF_A_DEAL = 6
"""A deal takes about as long as this many moves of a playout."""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How much a search plays. Its results depend on these numbers, and not on the speed of the machine.

    So does its time: each stage ends when it has done its work. Work is counted in moves of a table of four.
    """

    seed: int = 0
    screening_deals: int = 8
    """Deals for each decision in the first stage."""
    screening_rounds: int = 2
    """Length of a playout of the first stage, in moves per seat."""
    screening_moves: int = 12
    """Largest length of a playout of the first stage, in moves of all seats."""
    first_deals: int = 4
    """Deals of the first stage after which most alternatives are dropped."""
    kept_alternatives: int = 3
    """Alternatives that get the other deals too: those that look best."""
    screening_turns: int = 60_000
    """Work of the first stage. A deal counts as several moves, see `_TURNS_OF_A_DEAL`."""
    measured_count: int = 12
    """Number of decisions in the second stage."""
    measured_turns: int = 150_000
    """Work of the second stage."""
    longest: int = 200
    """Largest length of a playout of the second stage, in moves and passes of all seats.

    Few playouts get so long. Two seats that call each other's last cards may go on for a thousand moves. Such a playout
    is cut off, and the place is estimated."""
    max_deals: int = 400
    """Deals for each decision in the second stage, at most."""
    batch: int = 8
    """Deals that each decision gets before the number of moves left is checked again."""
    first_look: int = 24
    """Deals from which on a decision is dropped if it looks as if it cost nothing."""
    second_look: int = 48
    """Deals from which on a decision is dropped if its cost is at most one standard error."""
    error_rate: float = 0.05
    """Probability that a report has a lesson although no decision that it measured cost anything."""

    @property
    def required_errors(self) -> float:
        """How many standard errors a lesson's cost must exceed, one-sided and with Bonferroni's correction."""
        return NormalDist().inv_cdf(1 - self.error_rate / self.measured_count)


@dataclass(slots=True, eq=False)
class Lesson:
    """A decision, measured against one alternative."""

    position: Position
    better: Any
    """The alternative."""
    differences: list[float] = field(default_factory=list)
    """For each deal, the place after the decision minus the place after the alternative."""

    lies: list[bool] = field(default_factory=list)
    """For each deal, whether the move that the question is about is a lie; empty if it is about no move."""

    @property
    def lie_share(self) -> float | None:
        """The share of deals in which the move is a lie; None if the question is about no move."""
        return fmean(self.lies) if self.lies else None

    @property
    def break_even(self) -> float | None:
        """The share of lies at which the decision and the alternative are equally good.

        None if the question is about no move, if the move is a lie in all deals or in none, or if the better one of the
        two is the same for every share.
        """
        pairs = list(zip(self.differences, self.lies, strict=False))
        if_lie = [difference for difference, is_lie in pairs if is_lie]
        if_true = [difference for difference, is_lie in pairs if not is_lie]
        if not if_lie or not if_true or fmean(if_lie) * fmean(if_true) >= 0:
            return None
        return fmean(if_true) / (fmean(if_true) - fmean(if_lie))

    @property
    def cost(self) -> float:
        """How many places the decision cost, as far as the playouts tell: the mean of the differences."""
        return fmean(self.differences) if self.differences else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of `cost`, in places.

        It is at least 1 / (n + 1) for n deals, so it is not 0 even if all differences are equal. That is the standard
        error if one further deal differs from the others by one place. With fewer than two deals it is infinite.
        """
        count = len(self.differences)
        if count < 2:
            return float("inf")
        return max(stdev(self.differences) / sqrt(count), 1 / (count + 1))


@dataclass(slots=True)
class SearchResult:
    """What a search found in one game."""

    lessons: list[Lesson]
    """The decisions whose cost is clearly beyond its error, the worst first."""
    others: list[Lesson]
    """The other decisions that were measured."""
    decision_count: int
    """Number of decisions that had an alternative."""
    screened_count: int
    """Number of these decisions whose alternatives were tried in short playouts."""
    skipped_count: int
    """Number of screened decisions for which no deal was found that fits what the seat knew."""


def find_lessons(
    game: RecordedGame, model: LessonModel, plan: SearchPlan, progress: Callable[[str], None] = lambda _: None
) -> SearchResult:
    """Find the decisions of an entrant that cost it most in one game.

    `progress` gets a sentence at the start of each stage.
    """
    choices = [each for position in game.positions if len((each := _find_choice(position, model)).actions) > 1]
    progress(f"trying the alternatives of {format_count(len(choices), 'decision')}")
    screened = _screen_all(choices, model, plan)
    usable = [candidate for candidate in screened if candidate.differences]
    suspects = sorted(usable, key=lambda candidate: -candidate.cost)[: plan.measured_count]
    suspects = [Lesson(each.position, each.better) for each in suspects if each.cost > 0]
    progress(f"measuring the decisions that look worst: {len(suspects)}")
    measure(suspects, model, plan)
    lessons = [each for each in suspects if each.cost > plan.required_errors * each.standard_error]
    return SearchResult(
        lessons=sorted(lessons, key=lambda lesson: -lesson.cost),
        others=[each for each in suspects if each not in lessons],
        decision_count=len(choices),
        screened_count=len(screened),
        skipped_count=len(screened) - len(usable),
    )


class _Choice(NamedTuple):
    """A decision, with what the seat could do."""

    position: Position
    actions: Sequence[Any]
    """What the seat did, and its alternatives."""


def _find_choice(position: Position, model: LessonModel) -> _Choice:
    alternatives = model.alternatives(position.state, position.seat, position.prompt.kind, position.action)
    return _Choice(position, [position.action, *alternatives])


def _screen_all(choices: Sequence[_Choice], model: LessonModel, plan: SearchPlan) -> list[Lesson]:
    """Compare each decision with the alternative that looks best. The decisions with the highest stakes come first.

    Stop when the work that the plan allows is done.
    """
    screened: list[Lesson] = []
    left = plan.screening_turns
    for choice in sorted(choices, key=lambda each: -_stake_of(each, model)):  # of equal stakes, the earlier first
        if left <= 0:
            break
        found, turns = _screen(choice, model, plan)
        screened.append(found)
        left -= turns
    return screened


def _stake_of(choice: _Choice, model: LessonModel) -> float:
    position = choice.position
    return model.stake(position.state, position.seat, position.action)


def _screen(choice: _Choice, model: LessonModel, plan: SearchPlan) -> tuple[Lesson, int]:
    """Return a decision compared with the alternative that looks best, and the work.

    If no deal that fits is found, the result has no differences.
    """
    position, actions = choice
    seat, kind = position.seat, position.prompt.kind
    places: list[list[float]] = [[] for _ in actions]
    tried: Sequence[int] = range(len(actions))
    length = min(plan.screening_rounds * len(position.state.sizes), plan.screening_moves)
    turns = 0
    deals = _deals(position, model, plan, "screen", range(plan.screening_deals), length)
    for number, (state, noise) in enumerate(deals):
        if number == plan.first_deals:
            best_first = sorted(tried[1:], key=lambda index: sum(places[index]))
            tried = [0, *best_first[: plan.kept_alternatives]]
        turns += _TURNS_OF_A_DEAL
        for index in tried:
            played = model.play_out(state, seat, kind, actions[index], noise, length)
            places[index].append(played.place)
            turns += played.work
    best = min(tried[1:], key=lambda index: sum(places[index]))
    differences = [mine - other for mine, other in zip(places[0], places[best], strict=True)]
    return Lesson(position, actions[best], differences), turns


def measure(suspects: Sequence[Lesson], model: LessonModel, plan: SearchPlan) -> None:
    """Play whole games after each decision and its alternative, as many for each as the plan allows.

    From the first look on, decisions are dropped that do not look costly. A dropped decision is never a lesson, so
    dropping causes no wrong lessons. It only leaves more deals for the others.
    """
    left, done = plan.measured_turns, 0
    remaining = list(suspects)
    while remaining and left > 0 and done < plan.max_deals:
        batch = range(done, min(done + plan.batch, plan.max_deals))
        for lesson in remaining:
            left -= _extend(lesson, model, plan, batch)
        done = batch.stop
        if done >= plan.first_look:
            required = 1 if done >= plan.second_look else 0
            remaining = [lesson for lesson in remaining if lesson.cost > required * lesson.standard_error]


def _extend(lesson: Lesson, model: LessonModel, plan: SearchPlan, batch: Iterable[int]) -> int:
    """Measure a decision with more deals. Return the work."""
    position, turns = lesson.position, 0
    seat, kind = position.seat, position.prompt.kind
    for state, noise in _deals(position, model, plan, "measure", batch, plan.longest):
        turns += _TURNS_OF_A_DEAL
        mine = model.play_out(state, seat, kind, position.action, noise, plan.longest)
        other = model.play_out(state, seat, kind, lesson.better, noise, plan.longest)
        lesson.differences.append(mine.place - other.place)
        if (is_lie := model.is_lie(state, seat)) is not None:
            lesson.lies.append(is_lie)
        turns += mine.work + other.work
    return turns


def _deals(
    position: Position, model: LessonModel, plan: SearchPlan, stage: str, numbers: Iterable[int], length: int
) -> Iterable[tuple[Any, list[float]]]:
    """Yield states with the hidden cards dealt, and the random numbers of their playouts of this length."""
    if position.hidden is None:
        return
    count = min((length + 1) * len(position.state.sizes) + 1, _MAX_NOISE_COUNT)
    for number in numbers:
        rng = random.Random(f"{plan.seed} {stage} {position.prompt.id} {number}")  # noqa: S311  repeatable on purpose
        state = model.deal(position.state, position.seat, position.hidden, rng, number)
        if state is not None:
            yield state, [rng.random() for _ in range(count)]
