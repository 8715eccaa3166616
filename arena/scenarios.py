"""Runs scenario files in the schema of docs/rules/cases.md: positions, steps and expectations held against the rules.

The game is asked directly which rule forbids an action; time is the real referee's: held moves, windows, automatic
moves and leaving for being absent happen as they do at a table. What the runner adds is the clock of a case (`at`, or
none) and the facts about prompts that no game knows: `asked`, and `held` in `views`.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError, NotationError, OptionError, OptionsError, UnknownNameError
from arena.match.entrant_record import EntrantRecord
from arena.match.game_referee import GameReferee
from arena.match.handling import Handling
from arena.match.orders import DecisionStatus, Order, Refusal, TellEvent
from arena.match.pace import US_PER_MS, Pace, build_pace
from arena.match.prompts import OpenGroup, PromptLog
from arena.match.scalars import EntrantIndex, Instant
from arena.rules.game import Game, GameSetup, Seat, Transition

SCHEMA = "cheat-arena-rules-cases"
SCHEMA_VERSION = 2
_REQUIRED_KEYS = ("id", "title", "game", "preset", "hands", "start", "steps", "expect")
"""The keys that every case must have."""

ScenarioCase = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScenarioAdapter:
    """Groups what the runner needs from a game besides the game itself."""

    game: Game
    pace_options: Mapping[str, tuple[str, int]]
    """Option of the case -> setting of the pace, and by what to multiply."""
    position: Callable[[ScenarioCase], Any]
    action: Callable[[ScenarioCase], Any]
    facts: Callable[[Any, Sequence[Any]], dict[str, Any]]
    differences: Callable[[Mapping[str, Any], Mapping[str, Any]], list[str]]
    answer_words: Callable[[str, Any], Iterable[str]]
    """Kind and options of a question -> what may be answered, as the cases call it."""
    chance_values: Callable[[ScenarioCase, Mapping[str, Any], Any], Sequence[int] | None] = (
        lambda _case, _step, _state: None
    )
    """Case, step and state -> the values that the game wants next; None where the case does not tell them yet."""
    leave_before_draw: Callable[[Any, Seat], Transition | None] = lambda _state, _seat: None
    """State and seat -> what a leave does while the case has not told a draw yet; None: it waits for the draw."""


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
    """Names the result of a case."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Difference:
    """Describes an expectation that was not met."""

    step: int | None
    """1-based number of the step after which it was looked at; None: at the end of the case."""
    key: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        """Return the difference as a line of text."""
        place = "at the end" if self.step is None else f"step {self.step}"
        return f"{place}: {self.key}: expected {self.expected!r}, found {self.found!r}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Holds the result of one case."""

    id: str
    title: str
    verdict: CaseVerdict
    differences: tuple[Difference, ...] = ()
    missing: tuple[str, ...] = ()
    """For NOT_RUN: what this version lacks, e.g. `game bridge`."""


@dataclass(frozen=True, slots=True)
class ScenarioReport:
    """Holds the results of a file's cases, in their order."""

    path: str
    results: tuple[CaseResult, ...]

    def count(self, verdict: CaseVerdict) -> int:
        """Return the number of cases with this verdict."""
        return sum(result.verdict is verdict for result in self.results)

    def ids(self, verdict: CaseVerdict) -> list[str]:
        """Return the ids of the cases with this verdict."""
        return [result.id for result in self.results if result.verdict is verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return {
            "path": self.path,
            **{verdict.value: self.count(verdict) for verdict in CaseVerdict},
            "cases": [_result_to_plain(result) for result in self.results],
        }


def run_file(path: Path, adapters: AdapterLookup, preset: str | None = None) -> ScenarioReport:
    """Run the cases of a file, of one preset or all.

    Raises NotationError when it is not such a file, UnknownNameError when no case is of that preset.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise NotationError(str(path), f"a JSON file with scenarios ({error})") from error
    found = (content.get("schema"), content.get("schema_version")) if isinstance(content, dict) else None
    if found != (SCHEMA, SCHEMA_VERSION):
        raise NotationError(str(path), f"schema {SCHEMA!r} version {SCHEMA_VERSION}, not {found}")
    cases = _parse_cases(path, content.get("cases"))
    presets = sorted({case["preset"] for case in cases})
    if preset is not None and preset not in presets:
        raise UnknownNameError("preset in this file", preset, presets)
    wanted = [case for case in cases if preset in (None, case["preset"])]
    return ScenarioReport(str(path), tuple(run_case(case, adapters) for case in wanted))


def _parse_cases(path: Path, cases: object) -> list[ScenarioCase]:
    """Return the cases of a file. Raises NotationError naming the first invalid one."""
    if not isinstance(cases, list):
        raise NotationError(str(path), "a list under 'cases'")
    for number, case in enumerate(cases, start=1):
        place = f"{path}, case {number}"
        if not isinstance(case, dict):
            raise NotationError(place, "an object")
        lacking = [key for key in _REQUIRED_KEYS if key not in case]
        if lacking:
            raise NotationError(f"{place}, {case.get('id', 'without id')}", f"the keys {', '.join(lacking)} too")
    return cases


def run_case(case: ScenarioCase, adapters: AdapterLookup) -> CaseResult:
    """Run one case. A case that breaks the rules' own code has failed, and its differences say how."""
    try:
        differences = _find_differences(case, adapters)
    except _NotAvailableError as reason:
        return CaseResult(case["id"], case["title"], CaseVerdict.NOT_RUN, missing=reason.missing)
    except (ArenaError, LookupError, TypeError, ValueError, AssertionError) as error:
        differences = [Difference(None, "error", None, f"{type(error).__name__}: {error}")]
    verdict = CaseVerdict.FAILED if differences else CaseVerdict.PASSED
    return CaseResult(case["id"], case["title"], verdict, tuple(differences))


class _NotAvailableError(Exception):
    """Raised when a case needs something that this version lacks."""

    def __init__(self, missing: Sequence[str]) -> None:
        super().__init__(", ".join(missing))
        self.missing = tuple(missing)


def _find_differences(case: ScenarioCase, adapters: AdapterLookup) -> list[Difference]:
    try:
        setting = adapters(case["game"])
        if "create_error" in case["expect"]:
            return _find_creation_differences(setting, case)
        return _CaseRun(setting, case).run()
    except UnknownNameError as error:
        raise _NotAvailableError([f"{error.kind} {error.name}"]) from error


def _find_creation_differences(setting: ScenarioAdapter, case: ScenarioCase) -> list[Difference]:
    """Create what the case asks for, and compare the refused option with the expected one."""
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
    """Build ruleset and pace of a case, whose options hold both. Raises OptionsError, in the words of the case."""
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
    """Name an option of the pace as cases name it; its value and range stay in the milliseconds of the pace."""
    for option, (name, factor) in setting.pace_options.items():
        if name == fault.field:
            unit = "" if factor == 1 else " (milliseconds)"
            return OptionError(option, fault.value, fault.allowed + unit)
    return fault


# ---- a case being played


@dataclass(slots=True)
class _CaseRun:
    """One case at its table. Time is in microseconds; a case without `at` stands still but for its time-outs."""

    setting: ScenarioAdapter
    case: ScenarioCase
    table: GameReferee = field(init=False)
    orders: list[Order] = field(default_factory=list)
    now: int = 0
    action_id: int = 0

    def run(self) -> list[Difference]:
        """Play the steps and collect what differs."""
        self._set_up_position()
        found: list[Difference] = []
        for number, step in enumerate(self.case["steps"], start=1):
            if "at" in step:
                self._advance_to(step["at"] * US_PER_MS)
            has_drawn = self._supply_chance(step)
            before = self.table.state
            code = self._perform(step, has_drawn)
            self._supply_chance(step)
            if code != step.get("error"):
                found.append(Difference(number, "error", step.get("error"), code))
            elif code is not None and self.table.state is not before:
                found.append(Difference(number, "state", "unchanged", "changed"))
            found += self._differences(number, step.get("expect", {}))
        return found + self._differences(None, self.case["expect"])

    def _set_up_position(self) -> None:
        """Set up the position at a referee's table."""
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
        """Perform a step, whose dice may be supplied already; return the rule code if it is refused."""
        match step["do"]:
            case "tick":
                return None
            case "roll":
                return None if has_drawn else self._why_no_roll(Seat(step["seat"]))
            case "timeout" | "window_close":
                return self._reach_deadline()
            case "leave":
                self._leave(Seat(step["seat"]))
                return None
            case "calls":
                return self._end_instant(self._act_together(step))
            case _:
                return self._end_instant(self._act(Seat(step["seat"]), self.setting.action(step)))

    def _supply_chance(self, step: Mapping[str, Any]) -> bool:
        """Supply the chance values that the game wants and the case has; return whether the state changed."""
        before = self.table.state
        while self.table.chance is not None:
            values = self.setting.chance_values(self.case, step, self.table.state)
            if values is None:
                break
            self.table.apply_draw(self._handle(), values)
            self.table.proceed(self._handle())
        return self.table.state is not before

    def _leave(self, seat: Seat) -> None:
        """Let a seat leave at once. A table rolls by itself, so that there a leave comes after the dice of a turn."""
        table = self.table
        left = self.setting.leave_before_draw(table.state, seat)
        if left is None:
            table.leave(self._handle(), seat)
            return
        table.state = left.state
        self.orders.extend(TellEvent(event) for event in left.events)
        table.proceed(self._handle())

    def _why_no_roll(self, seat: Seat) -> str:
        if self.table.outcome is not None:
            return "game_over"
        return "not_now" if seat == self.table.state.to_move else "not_your_turn"

    def _advance_to(self, at: int) -> None:
        """Run everything that is due by an instant, each at its own instant."""
        while (due := self.table.due) is not None and due <= at:
            self._tick(due)
        self.now = at

    def _reach_deadline(self) -> str | None:
        due = self.table.due
        if due is None:
            return "no deadline"
        self._tick(due)
        return None

    def _tick(self, due: int) -> None:
        self.now = due
        self.table.tick(self._handle())

    def _end_instant(self, code: str | None) -> str | None:
        """Settle what arrived in this instant, unless a dispute continues; return the code unchanged."""
        due = self.table.due
        if (
            due is not None
            and due <= self.now + 1
            and any(g.settles_at is not None for g in self.table.open_groups.values())
        ):
            self.table.tick(Handling(due, Instant(self.now), self.orders))
        return code

    def _act_together(self, step: Mapping[str, Any]) -> str | None:
        """Several seats act in one instant, in whatever order they are named."""
        action = self.setting.action(step)
        codes = [self._act(seat, action) for seat in map(Seat, step["seats"])]
        return codes[0]

    def _act(self, seat: Seat, action: Any) -> str | None:
        """Let a seat answer; return the rule code if the answer is refused.

        The code is `not_asked` if no rule forbids the action but no open prompt of the seat offers it.
        """
        game, state = self.setting.game, self.table.state
        code = game.why_illegal(state, seat, action)
        prompts = [
            g for g in self.table.open_groups.values() if any(question.seat == seat for question in g.group.questions)
        ]
        if not prompts:
            return code or "not_asked"
        prompt = next((g for g in prompts if game.why_illegal(state, seat, action, g.group.kind) is None), prompts[0])
        self.action_id += 1
        given = self.table.answer(self._handle(), seat, prompt.id, self.action_id, action)
        if given.status is not DecisionStatus.REFUSED:
            return None if code is None else f"accepted in spite of {code}"
        is_rule = given.reason not in (Refusal.ALREADY_ANSWERED, Refusal.UNKNOWN_PROMPT, Refusal.LATE)
        return code or (given.reason if is_rule else "not_asked")

    # ---- what is found

    def _differences(self, step: int | None, expected: Mapping[str, Any]) -> list[Difference]:
        if not expected:
            return []
        found = self._facts()
        wanted = {key: _sort_asked(value) if key == "asked" else value for key, value in expected.items()}
        return [
            Difference(step, key, value, _cut_to_expected(found.get(key), value))
            for key, value in wanted.items()
            if self.setting.differences({key: value}, found)
        ]

    def _facts(self) -> dict[str, Any]:
        events = [order.event for order in self.orders if isinstance(order, TellEvent)]
        found = self.setting.facts(self.table.state, events)
        found["asked"] = self._asked_facts()
        held = {group.held.seat for group in self.table.open_groups.values() if group.held is not None}
        for seat, view in found.get("views", {}).items():
            view["held"] = int(seat) in held
        return found

    def _asked_facts(self) -> dict[str, Any]:
        """Return the seats with an open prompt and what the prompts offer."""
        open_groups = list(self.table.open_groups.values())
        window = next((group for group in open_groups if group.group.kind != "turn"), None)
        turn = next((group for group in open_groups if group.group.kind == "turn"), None)
        asked = {
            "window": None if window is None else _unanswered_seats(window),
            "turn": None if turn is None else turn.group.questions[0].seat,
            "kinds": {word for group in open_groups for word in self._answer_words(group)},
        }
        return _sort_asked(asked)

    def _answer_words(self, group: OpenGroup) -> Iterable[str]:
        return self.setting.answer_words(group.group.kind, group.group.questions[0].options)


def _unanswered_seats(group: OpenGroup) -> list[Seat]:
    return [question.seat for question in group.group.questions if question.seat not in group.answers]


def _sort_asked(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Sort seats and words, which are sets."""
    return {key: sorted(value) if isinstance(value, list | set) else value for key, value in asked.items()}


def _cut_to_expected(found: Any, expected: Any) -> Any:
    """Return the found values without the keys that were not expected."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping) and expected:
        return {key: _cut_to_expected(found.get(key), value) for key, value in expected.items()}
    return found


def _result_to_plain(result: CaseResult) -> dict[str, Any]:
    plain: dict[str, Any] = {"id": result.id, "title": result.title, "verdict": result.verdict.value}
    if result.missing:
        plain["missing"] = list(result.missing)
    if result.differences:
        plain["differences"] = [
            {"step": d.step, "key": d.key, "expected": d.expected, "found": d.found} for d in result.differences
        ]
    return plain
