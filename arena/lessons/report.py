"""Tells what a search found: lessons in words, as plain values, and as a test."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.lessons.lesson_model import LessonModel
from arena.lessons.positions import RecordedGame
from arena.lessons.search import Lesson, SearchPlan, SearchResult
from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.phrasing import Phrasing
from arena.replays.text_format import escape_unprintable

_MAX_KNOWN_LENGTH = 220
"""Characters shown of what a seat knew under one label. Of a longer text, the end is shown: the newest moves."""


@dataclass(frozen=True, slots=True)
class LessonReport:
    """The lessons of one game of one entrant."""

    match_id: str
    name: str
    """The entrant's name."""
    game: RecordedGame
    result: SearchResult
    plan: SearchPlan
    model: LessonModel
    phrasing: Phrasing

    def headline(self) -> str:
        """Return the game, the entrant's place, and how many lessons there are."""
        game, name = self.game, escape_unprintable(self.name)
        place = f"place {game.place} of {len(game.terms.entrants)}" if game.place else "unfinished"
        found = len(self.result.lessons)
        lessons = "no lesson stands out" if not found else format_count(found, "lesson") + ", the worst first"
        return f"game {game.number} of match {self.match_id}: {name} in seat {game.seat}, {place}; {lessons}"

    def lesson_headline(self, lesson: Lesson) -> str:
        """Return the turn of a lesson and its cost."""
        position = lesson.position
        before = f"a {position.prompt.kind} on the move of turn {position.turn - 1}"
        kind = "its turn" if position.prompt.kind == "turn" else before
        return f"turn {position.turn}, {kind}: cost {lesson.cost:.2f} ± {lesson.standard_error:.2f} places"

    def lesson_rows(self, lesson: Lesson) -> Iterator[tuple[str, str, str]]:
        """Yield rows of two labels and a text: what the seat knew, what it did and what would have been better."""
        position, describe = lesson.position, self.phrasing.describe_action
        names = [f"{seat} {escape_unprintable(name)}" for seat, name in enumerate(self.game.names)]
        yield "knew", "seats", ", ".join(names)
        for label, text in self.phrasing.snapshot_rows(position.snapshot, position.seat):
            yield "knew", label, _shorten(text)
        yield "did", "", describe(position.action)
        yield "better", "", describe(lesson.better)
        if assumption := _assumption(lesson):
            yield "if", "", assumption

    def remarks(self) -> Iterator[str]:
        """Yield sentences about what was compared, and how."""
        result, plan = self.result, self.plan
        measured = len(result.lessons) + len(result.others)
        yield (
            f"{format_count(result.decision_count, 'decision')} with an alternative,"
            f" {measured} measured; after each, all seats were played by {self.model.player}"
        )
        if result.lessons:
            yield (
                f"± is one standard error; a lesson costs more than {plan.required_errors:.1f} of them, so at most"
                f" {plan.error_rate:.0%} of reports have a wrong one, if the deals and this player are taken as given"
            )
        if result.skipped_count:
            yield f"{format_count(result.skipped_count, 'decision')} left out: no deal of the hidden cards was found"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        game, result = self.game, self.result
        return {
            "match_id": self.match_id,
            "entrant": self.name,
            "game": game.number,
            "seat": game.seat,
            "place": game.place or None,
            "decisions": result.decision_count,
            "skipped": result.skipped_count,
            "seed": self.plan.seed,
            "required_errors": self.plan.required_errors,
            "player": self.model.player,
            "lessons": [self._plain_lesson(each) for each in result.lessons],
            "not_clear": [self._plain_lesson(each) for each in result.others],
        }

    def _plain_lesson(self, lesson: Lesson) -> dict[str, Any]:
        position, rules = lesson.position, self.game.terms.game
        describe = self.phrasing.describe_action
        return {
            "turn": position.turn,
            "prompt_id": position.prompt.id,
            "prompt": position.prompt.kind,
            "cost": lesson.cost,
            "standard_error": lesson.standard_error,
            "deals": len(lesson.differences),
            "lie_share": lesson.lie_share,
            "break_even": lesson.break_even,
            "did": rules.write_action(position.action),
            "better": rules.write_action(lesson.better),
            "words": {"did": describe(position.action), "better": describe(lesson.better)},
            "knew": to_plain(position.snapshot),
        }


def _assumption(lesson: Lesson) -> str:
    """Return the share of lies on which the cost of a lesson depends, in words; empty if the seat could not call."""
    share = lesson.lie_share
    if share is None:
        return ""
    if share in (0, 1):
        return "the claim is a lie in every deal" if share else "the claim is true in every deal"
    even = lesson.break_even
    given = f"the claim is a lie in {share:.0%} of the deals"
    if even is None:
        return f"{given}; it holds whatever the share is"
    return f"{given}; both decisions are equally good at {even:.0%}"


def _shorten(text: str) -> str:
    """Return a text. Of a long text, return only the part up to its first colon, and its end."""
    if len(text) <= _MAX_KNOWN_LENGTH:
        return text
    head, _, _ = text.partition(":")
    tail = text[-(_MAX_KNOWN_LENGTH - len(head)) :]
    return f"{head}: … {tail.partition(', ')[2]}"
