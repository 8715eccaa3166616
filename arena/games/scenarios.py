"""Runs scenario files (schema: docs/rules/cases.md), which check the rules case by case.

A case has a position, steps and expectations. The steps go through the real referee, so that held moves, windows,
automatic moves and the removal of absent seats happen as they do at a table. The game itself says which rule forbids
an action. The runner adds the clock of a case. It also adds the facts about prompts, which no game knows: `asked`, and
`held` in `views`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError, NotationError, OptionError, OptionsError, UnknownNameError
from arena.match.game import Game, GameSetup, Seat, Transition
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.game_referee import GameReferee
from arena.match.referee.orders import DecisionStatus, Handling, Order, Refusal, TellEvent
from arena.match.referee.pace import US_PER_MS, Pace, build_pace
from arena.match.referee.prompt_log import PromptLog
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.text_files import decode_text

SCHEMA = "cheat-arena-rules-cases"
SCHEMA_VERSION = 2
_REQUIRED_KEYS = ("id", "title", "game", "preset", "hands", "start", "steps", "expect")
"""The keys that every case must have."""

ScenarioCase = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScenarioAdapter:
    """A game, and the functions with which the runner reads the game's cases."""

    game: Game
    pace_options: Mapping[str, tuple[str, int]]
    """By option of a case: the pace setting that the option becomes, and the factor that converts its value."""
    position: Callable[[ScenarioCase], Any]
    """Takes a case. Returns the state in which the case starts."""
    action: Callable[[ScenarioCase], Any]
    """Takes a step of a case. Returns the action in it."""
    facts: Callable[[Any, Sequence[Any]], dict[str, Any]]
    """Takes the state and all events so far. Returns every fact that a case may expect, by name."""
    is_met: Callable[[str, Any, Any], bool]
    """Takes the key of an expected fact, its expected value and its actual value. Returns whether they agree."""
    answer_words: Callable[[str, Any], Iterable[str]]
    """Takes a question's kind and options. Returns the question's possible answers, by the names used in the cases."""
    chance_values: Callable[[ScenarioCase, Mapping[str, Any], Any], Sequence[int] | None] = (
        lambda _case, _step, _state: None
    )
    """Takes a case, a step and the state. Returns the values of the game's next draw; None if the step lacks them."""
    leave_before_draw: Callable[[Any, Seat], Transition | None] = lambda _state, _seat: None
    """Takes the state and a seat. Returns the effect of leaving before a draw; None if the leave waits for the draw."""


AdapterLookup = Callable[[str], ScenarioAdapter]
"""Returns the adapter of a game by the name used in cases. Raises UnknownNameError."""


COMMON_PACE_OPTIONS: Final[Mapping[str, tuple[str, int]]] = {
    "turn_time": ("turn_ms", 1000),
    "call_time": ("call_ms", 1000),
    "dispute_ms": ("dispute_ms", 1),
    "intermission_s": ("intermission_ms", 1000),
    "max_auto_moves": ("max_auto_moves", 1),
}
"""The `ScenarioAdapter.pace_options` that every game has."""


class CaseVerdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Difference:
    """An expectation that was not met."""

    step: int | None
    """The 1-based number of the step after which the state was compared; None for the end of the case."""
    key: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        place = "at the end" if self.step is None else f"step {self.step}"
        return f"{place}: {self.key}: expected {self.expected!r}, found {self.found!r}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    id: str
    title: str
    verdict: CaseVerdict
    differences: tuple[Difference, ...] = ()
    missing: tuple[str, ...] = ()
    """For NOT_RUN: what this version lacks, e.g. `game bridge`."""

    def as_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {"id": self.id, "title": self.title, "verdict": self.verdict.value}
        if self.missing:
            plain["missing"] = list(self.missing)
        if self.differences:
            plain["differences"] = [
                {"step": d.step, "key": d.key, "expected": d.expected, "found": d.found} for d in self.differences
            ]
        return plain


@dataclass(frozen=True, slots=True)
class ScenarioReport:
    """The results of all cases of a file, in the file's order."""

    path: str
    results: tuple[CaseResult, ...]

    def count(self, verdict: CaseVerdict) -> int:
        return sum(result.verdict is verdict for result in self.results)

    def ids(self, verdict: CaseVerdict) -> list[str]:
        return [result.id for result in self.results if result.verdict is verdict]

    def as_dict(self) -> dict[str, Any]:
        return {
            "path": self.path,
            **{verdict.value: self.count(verdict) for verdict in CaseVerdict},
            "cases": [result.as_dict() for result in self.results],
        }


def run_file(path: Path, adapters: AdapterLookup, preset: str | None = None) -> ScenarioReport:
    """Run the cases of a file: all of them, or those of one preset.

    Raises NotationError if the file does not consist of scenarios, and UnknownNameError if no case has that preset.
    """
    try:
        content = json.loads(decode_text(path.read_bytes(), str(path)))
    except (ValueError, OSError) as error:
        raise NotationError(str(path), f"a JSON file with scenarios ({error})") from error
    schema = (content.get("schema"), content.get("schema_version")) if isinstance(content, dict) else None
    if schema != (SCHEMA, SCHEMA_VERSION):
        raise NotationError(str(path), f"schema {SCHEMA!r} version {SCHEMA_VERSION}, not {schema}")
    cases = _parse_cases(path, content.get("cases"))
    presets = sorted({case["preset"] for case in cases})
    if preset is not None and preset not in presets:
        raise UnknownNameError("preset in this file", preset, presets)
    selected = [case for case in cases if preset in (None, case["preset"])]
    return ScenarioReport(str(path), tuple(run_case(case, adapters) for case in selected))


def _parse_cases(path: Path, cases: object) -> list[ScenarioCase]:
    """Return the cases of a file. Raises NotationError, which names the first invalid case."""
    if not isinstance(cases, list):
        raise NotationError(str(path), "a list under 'cases'")
    for number, case in enumerate(cases, start=1):
        place = f"{path}, case {number}"
        if not isinstance(case, dict):
            raise NotationError(place, "an object")
        missing = [key for key in _REQUIRED_KEYS if key not in case]
        if missing:
            raise NotationError(f"{place}, {case.get('id', 'without id')}", f"the missing keys {', '.join(missing)}")
    return cases


def run_case(case: ScenarioCase, adapters: AdapterLookup) -> CaseResult:
    """Run one case. If the rules raise an error, the case has failed, and that error is its only difference.

    A case of a game or preset that this version does not know is not run.
    """
    try:
        setting = adapters(case["game"])
        if "create_error" in case["expect"]:
            differences = _find_creation_differences(setting, case)
        else:
            differences = _CaseRun(setting, case).run()
    except UnknownNameError as error:
        missing = (f"{error.kind} {error.name}",)
        return CaseResult(case["id"], case["title"], CaseVerdict.NOT_RUN, missing=missing)
    except (ArenaError, LookupError, TypeError, ValueError, AssertionError) as error:
        differences = [Difference(None, "error", None, f"{type(error).__name__}: {error}")]
    verdict = CaseVerdict.FAILED if differences else CaseVerdict.PASSED
    return CaseResult(case["id"], case["title"], verdict, tuple(differences))


def _find_creation_differences(setting: ScenarioAdapter, case: ScenarioCase) -> list[Difference]:
    """Build the ruleset and the pace of a case. Return a difference if not exactly the expected option is refused."""
    expected = case["expect"]["create_error"]
    try:
        ruleset, pace = _build_ruleset_and_pace(setting, case)
        setting.game.check_seats(ruleset, len(case["hands"]), pace.style)
    except OptionsError as error:
        refused: str | None = error.faults[0].field
    except OptionError as error:
        refused = error.field
    else:
        refused = None
    return [] if refused == expected else [Difference(None, "create_error", expected, refused)]


def _build_ruleset_and_pace(setting: ScenarioAdapter, case: ScenarioCase) -> tuple[Any, Pace]:
    """Build the ruleset and the pace of a case. The case lists the options of both under `options`.

    Raises OptionsError, which gives each option the name that it has in the case.
    """
    options, settings = dict(case.get("options", {})), {}
    for option, (name, factor) in setting.pace_options.items():
        if option in options:
            value = options.pop(option)
            settings[name] = value * factor if type(value) in (int, float) else value
    ruleset = setting.game.build_ruleset(case["preset"], options)
    try:
        return ruleset, build_pace(case.get("pace", "live"), settings)
    except OptionsError as error:
        raise OptionsError([_name_as_in_case(setting, fault) for fault in error.faults]) from error


def _name_as_in_case(setting: ScenarioAdapter, fault: OptionError) -> OptionError:
    """Return the fault under the option's name in the case.

    The fault's value and range keep the unit of the pace's setting.
    """
    for option, (name, factor) in setting.pace_options.items():
        if name == fault.field:
            unit = "" if factor == 1 else " (milliseconds)"
            return OptionError(option, fault.value, fault.allowed + unit)
    return fault


# ---- a case being played


@dataclass(slots=True)
class _CaseRun:
    """Plays one case at a table. Its clock is in microseconds, and only `at` and time-outs advance it."""

    setting: ScenarioAdapter
    case: ScenarioCase
    table: GameReferee = field(init=False)
    orders: list[Order] = field(default_factory=list)
    now: int = 0
    action_id: int = 0

    def run(self) -> list[Difference]:
        """Play the steps, and return all differences from what the case expects."""
        self._set_up_position()
        differences: list[Difference] = []
        for number, step in enumerate(self.case["steps"], start=1):
            if "at" in step:
                self._advance_to(step["at"] * US_PER_MS)
            has_drawn = self._supply_chance(step)
            before = self.table.state
            code = self._perform(step, has_drawn)
            self._supply_chance(step)
            if code != step.get("error"):
                differences.append(Difference(number, "error", step.get("error"), code))
            elif code is not None and self.table.state is not before:
                differences.append(Difference(number, "state", "unchanged", "changed"))
            differences += self._compare(number, step.get("expect", {}))
        return differences + self._compare(None, self.case["expect"])

    def _set_up_position(self) -> None:
        case, game = self.case, self.setting.game
        ruleset, pace = _build_ruleset_and_pace(self.setting, case)
        has_clock = any("at" in step for step in case["steps"])
        if case.get("pace", "live") == "live" and not has_clock:
            pace = replace(pace, call_ms=0, min_call_ms=0, dispute_ms=0)
        seat_count = len(case["hands"])
        records = [EntrantRecord(EntrantIndex(seat), reconnect_allowance_us=0) for seat in range(seat_count)]
        setup = GameSetup(seat_count, 0, pace.style)
        self.table = GameReferee(game, ruleset, pace, setup, records, PromptLog(seat_count))
        self.table.state = self.setting.position(case)
        self.table.proceed(self._handle())

    def _handle(self) -> Handling:
        return Handling(Instant(self.now), Instant(self.now), self.orders)

    def _perform(self, step: Mapping[str, Any], has_drawn: bool) -> str | None:
        """Perform a step, and return the rule code if the step is refused.

        `has_drawn` says whether the step's dice have already been applied.
        """
        match step["do"]:
            case "tick":
                return None
            case "roll":
                if has_drawn:
                    return None
                if self.table.outcome is not None:
                    return "game_over"
                return "not_now" if step["seat"] == self.table.state.to_move else "not_your_turn"
            case "timeout" | "window_close":
                if self.table.due is None:
                    return "no deadline"
                self._tick(self.table.due)
                return None
            case "leave":
                self._leave(Seat(step["seat"]))
                return None
            case "calls":
                action = self.setting.action(step)
                codes = [self._act(Seat(seat), action) for seat in step["seats"]]
                return self._end_instant(codes[0])
            case _:
                return self._end_instant(self._act(Seat(step["seat"]), self.setting.action(step)))

    def _supply_chance(self, step: Mapping[str, Any]) -> bool:
        """Apply each draw that the game needs, as long as this step has values. Return whether the state changed."""
        before = self.table.state
        while self.table.chance is not None:
            values = self.setting.chance_values(self.case, step, self.table.state)
            if values is None:
                break
            self.table.apply_draw(self._handle(), values)
            self.table.proceed(self._handle())
        return self.table.state is not before

    def _leave(self, seat: Seat) -> None:
        """Let a seat leave immediately.

        Sometimes the dice of the turn are not rolled yet. A real table would roll them first.
        """
        table = self.table
        transition = self.setting.leave_before_draw(table.state, seat)
        if transition is None:
            table.leave(self._handle(), seat)
            return
        table.state = transition.state
        self.orders.extend(TellEvent(event) for event in transition.events)
        table.proceed(self._handle())

    def _advance_to(self, at: int) -> None:
        """Run everything that is due up to an instant, each thing at its own time."""
        while (due := self.table.due) is not None and due <= at:
            self._tick(due)
        self.now = at

    def _tick(self, due: int) -> None:
        self.now = due
        self.table.tick(self._handle())

    def _end_instant(self, code: str | None) -> str | None:
        """Settle the answers that arrived at this instant, unless a dispute continues. Return `code` unchanged."""
        due = self.table.due
        if (
            due is not None
            and due <= self.now + 1
            and any(g.settles_at is not None for g in self.table.prompts.groups.values())
        ):
            self.table.tick(Handling(due, Instant(self.now), self.orders))
        return code

    def _act(self, seat: Seat, action: Any) -> str | None:
        """Let a seat answer. Return the rule code if the answer is refused.

        The code is `not_asked` if no rule forbids the action but the seat has no open prompt for it.
        """
        game, state = self.setting.game, self.table.state
        code = game.why_illegal(state, seat, action)
        prompts = [group for group in self.table.prompts.groups.values() if seat in group.asked]
        if not prompts:
            return code or "not_asked"
        prompt = next((g for g in prompts if game.why_illegal(state, seat, action, g.group.kind) is None), prompts[0])
        self.action_id += 1
        decision = self.table.answer(self._handle(), seat, prompt.id, self.action_id, action)
        if decision.status is not DecisionStatus.REFUSED:
            return None if code is None else f"accepted in spite of {code}"
        is_rule = decision.reason not in (Refusal.ALREADY_ANSWERED, Refusal.UNKNOWN_PROMPT, Refusal.LATE)
        return code or (decision.reason if is_rule else "not_asked")

    # ---- comparing with what the case expects

    def _compare(self, step: int | None, expected: Mapping[str, Any]) -> list[Difference]:
        if not expected:
            return []
        found = self._facts()
        wanted = {key: _sort_asked(value) if key == "asked" else value for key, value in expected.items()}
        return [
            Difference(step, key, value, _cut_to_expected(found.get(key), value))
            for key, value in wanted.items()
            if key not in found or not self.setting.is_met(key, value, found[key])
        ]

    def _facts(self) -> dict[str, Any]:
        events = [order.event for order in self.orders if isinstance(order, TellEvent)]
        found = self.setting.facts(self.table.state, events)
        found["asked"] = self._asked_facts()
        held = {group.held.seat for group in self.table.prompts.groups.values() if group.held is not None}
        for seat, view in found.get("views", {}).items():
            view["held"] = int(seat) in held
        return found

    def _asked_facts(self) -> dict[str, Any]:
        """Return the seats with an open prompt, and the answers that the prompts offer."""
        open_groups = list(self.table.prompts.groups.values())
        window = next((group for group in open_groups if group.group.kind != "turn"), None)
        turn = next((group for group in open_groups if group.group.kind == "turn"), None)
        waiting = None
        if window is not None:
            waiting = [question.seat for question in window.group.questions if question.seat not in window.answers]
        words: set[str] = set()
        for group in open_groups:
            words.update(self.setting.answer_words(group.group.kind, group.group.questions[0].options))
        turn_seat = None if turn is None else turn.group.questions[0].seat
        return _sort_asked({"window": waiting, "turn": turn_seat, "kinds": words})


def _sort_asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Sort the seats and the words, whose order means nothing."""
    return {key: sorted(value) if isinstance(value, list | set) else value for key, value in asked.items()}


def _cut_to_expected(found: Any, expected: Any) -> Any:
    """Return only those found values whose keys are expected, at every level of nested mappings."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping) and expected:
        return {key: _cut_to_expected(found.get(key), value) for key, value in expected.items()}
    return found
