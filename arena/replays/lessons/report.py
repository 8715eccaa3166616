"""Tells what a search found: lessons in words, as plain values, and as a test."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.plain_data import to_plain
from arena.plurals import format_count
from arena.replays.lessons.lesson_model import LessonModel
from arena.replays.lessons.positions import Position, RecordedGame
from arena.replays.lessons.search import Lesson, SearchPlan, SearchResult
from arena.replays.narration.hand_text import shorten_hand
from arena.replays.narration.move_numbers import shown_turn
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.seat_names import SeatNames
from arena.replays.narration.text_format import escape_unprintable

_MAX_KNOWN_LENGTH = 220
"""Characters shown of what a seat knew under one label. Of a longer text, the end is shown: the newest moves."""


@dataclass(frozen=True, slots=True)
class LessonReport:
    match_id: str
    name: str
    game: RecordedGame
    result: SearchResult
    plan: SearchPlan
    model: LessonModel
    phrasing: Phrasing
    first_number: int = 1
    """The number of the first lesson. Lessons of several games are numbered on."""

    @property
    def numbered_lessons(self) -> list[tuple[int, Lesson]]:
        """The lessons with their numbers, the worst first."""
        return list(enumerate(self.result.lessons, self.first_number))

    def turn_of(self, position: Position) -> int:
        """Return the turn of a position, as `arena replay show` shows it: a window has the turn that it judges."""
        return shown_turn(position.prompt.kind, position.turn, self.phrasing)

    def headline(self) -> str:
        """Return the game, the entrant's place, and how many lessons there are."""
        game, name = self.game, escape_unprintable(self.name)
        place = f"place {game.place} of {len(game.terms.entrants)}" if game.place else "unfinished"
        found = len(self.result.lessons)
        lessons = format_count(found, "lesson") if found else "no lesson stands out"
        lessons += ", the worst first" if found > 1 else ""
        return f"game {game.number} of match {self.match_id}: {name}, {place}; {lessons}"

    def lesson_headline(self, number: int, lesson: Lesson) -> str:
        """Return the number of a lesson, its turn and its cost."""
        position, kind = lesson.position, lesson.position.prompt.kind
        what = "its own move" if self.phrasing.asks_for_move(kind) else f"the {kind} after this move"
        cost = f"cost {lesson.cost:.2f} ± {lesson.standard_error:.2f} places"
        return f"lesson {number}: turn {self.turn_of(position)}, {what}: {cost}"

    def lesson_rows(self, lesson: Lesson) -> Iterator[tuple[str, str, str]]:
        """Yield rows of two labels and a text: what the seat knew, what it did and what would have been better."""
        position, describe = lesson.position, self.phrasing.describe_action
        names = SeatNames(self.game.names)
        for label, text in self.phrasing.snapshot_rows(position.snapshot, position.seat):
            shown = shorten_hand(text, None) if label == "hand" else text
            yield "knew", label, _shorten(names.put_in(shown))
        yield "did", "", names.put_in(describe(position.action))
        yield "better", "", names.put_in(describe(lesson.better))
        if assumption := _assumption(lesson):
            yield "if", "", assumption

    def remarks(self) -> Iterator[str]:
        """Yield sentences about what was compared, and how."""
        result, plan = self.result, self.plan
        measured = len(result.lessons) + len(result.others)
        left_out = result.decision_count - result.screened_count
        count = format_count(result.decision_count, "decision")
        tried = f"the {result.screened_count} with most at stake" if left_out else "each"
        yield (
            f"{count} with an alternative: {tried} tried in short playouts, and the {measured} that looked worst"
            f" measured; after each, all seats were played by {self.model.player}"
        )
        if left_out:
            yield f"a costly one among the other {format_count(left_out, 'decision')} would not be found"
        if not result.lessons:
            yield (
                "a bot without such a lesson may still play badly, because many small losses cost a game too. The"
                " figures of the match show how it bluffs and calls, and another --seed deals other hidden cards"
            )
        else:
            yield "another --seed deals other hidden cards, and may find other lessons"
        if result.lessons:
            yield (
                f"± is one standard error; a lesson costs more than {plan.required_errors:.1f} of them, so at most"
                f" {plan.error_rate:.0%} of reports have a wrong one, if the deals and this player are taken as given"
            )
        if result.skipped_count:
            yield f"{format_count(result.skipped_count, 'decision')} left out: no deal of the hidden cards was found"

    def as_dict(self) -> dict[str, Any]:
        game, result = self.game, self.result
        return {
            "match_id": self.match_id,
            "entrant": self.name,
            "game": game.number,
            "seat": game.seat,
            "place": game.place or None,
            "decisions": result.decision_count,
            "screened": result.screened_count,
            "measured": len(result.lessons) + len(result.others),
            "skipped": result.skipped_count,
            "seed": self.plan.seed,
            "required_errors": self.plan.required_errors,
            "player": self.model.player,
            "lessons": [{"number": number, **self._plain_lesson(each)} for number, each in self.numbered_lessons],
            "not_clear": [self._plain_lesson(each) for each in result.others],
        }

    def _plain_lesson(self, lesson: Lesson) -> dict[str, Any]:
        position, rules = lesson.position, self.game.terms.game
        describe = self.phrasing.describe_action
        return {
            "turn": self.turn_of(position),
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
