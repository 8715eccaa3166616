"""Checks a request to `arena compare` before anything starts."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.bots.launch.program_sets import check_declared_games
from arena.bots.launch.programs import BotProgram, RemoteBot, find_bot
from arena.cli.compare.options import DEFAULT_BUDGET, CompareOptions
from arena.cli.match.order import parse_options
from arena.cli.ruleset_file import read_rules
from arena.competition.compare.lanes import BASELINE, CANDIDATE
from arena.competition.compare.sequential import BATCH_BLOCKS, MIN_BLOCKS, ComparisonMode, ComparisonQuestion
from arena.errors import BotStartError, OptionError, OptionsError
from arena.games.catalogue import games, pack_of, resolve_game_and_preset
from arena.match.referee.match_order import MatchOrder, terms_from_order
from arena.match.referee.pace import build_pace
from arena.match.referee.terms import Seating, Terms
from arena.organizer.compare.comparison import ComparisonRequest
from arena.organizer.compare.comparison_run import ComparisonLimits
from arena.organizer.file.league_reader import parse_duration_s
from arena.plurals import format_count
from arena.replays.narration.text_format import format_rough_duration

QUICK_S: Final = 30.0
"""Seconds of play with `--quick`."""
_GAME_COUNT_PATTERN: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class CompareRequest:
    options: CompareOptions
    find: Callable[[str], BotProgram | RemoteBot] = find_bot

    def check(self) -> None:
        """Raise OptionsError with every invalid option."""
        faults = [*self._find_test_faults(), *self._find_bot_faults()]
        if faults:
            raise OptionsError(faults)

    def _find_test_faults(self) -> Iterator[OptionError]:
        test, seats = self.options.test, self.options.table.seats
        allowed = "above 0 and at most one less than the number of seats"
        yield from _range_faults("margin", test.margin, 0, seats - 1, allowed)
        yield from _range_faults("error", test.error, 0.001, 0.4, "from 0.001 to 0.4")
        yield from _range_faults("max-faults", test.max_faults, 0, 1, "from 0 to 1")
        if test.margin == 0:
            yield OptionError("margin", 0, "expected a number above 0: no test shows exact equality")
        if test.on_undecided not in ("fail", "pass"):
            yield OptionError("on-undecided", test.on_undecided, "expected fail or pass")
        if test.quick and test.budget != DEFAULT_BUDGET:
            yield OptionError("budget", test.budget, f"expected none: --quick plays for {QUICK_S:.0f} s")
        if test.quick and test.on_undecided == "pass":
            yield OptionError("on-undecided", test.on_undecided, "expected fail: with --quick there is never a verdict")
        if test.quick and test.try_ is not None:
            yield OptionError("try", test.try_, "expected none: with --quick there is never a verdict")
        if test.keep_state and test.seed:
            yield OptionError("seed", test.seed, "expected none: with --keep-state a bot may remember the seed's deals")
        if self.max_games is None and self.budget_s is None:
            yield OptionError("budget", test.budget, "expected a number of games, such as 600, or a time, such as 10m")
        if self.max_games is not None and self.max_games < (least := MIN_BLOCKS * 2 * seats):
            yield OptionError(
                "budget", test.budget, f"expected {least} games or more, because the first look comes then"
            )

    def _find_bot_faults(self) -> Iterator[OptionError]:
        options, seats = self.options, self.options.table.seats
        if len(self.named_opponents) >= seats:
            most = format_count(seats - 1, "bot")
            yield OptionError("field", options.field, f"expected at most {most}: one seat is the candidate's")
        if not options.baseline and not options.self_test:
            yield OptionError("baseline", "", "expected a bot, or --self-test instead")
        if options.baseline and options.self_test:
            yield OptionError("baseline", options.baseline, "expected none: --self-test uses a copy of the bot")

    @property
    def max_games(self) -> int | None:
        """None if the budget is a duration."""
        budget = "" if self.options.test.quick else self.options.test.budget
        return int(budget) if _GAME_COUNT_PATTERN.fullmatch(budget.strip()) else None

    @property
    def named_opponents(self) -> Sequence[str]:
        return [text.strip() for text in self.options.field.split(",") if text.strip()]

    @property
    def budget_s(self) -> float | None:
        """None if the budget is a number of games."""
        if self.options.test.quick:
            return QUICK_S
        return None if self.max_games is not None else parse_duration_s(self.options.test.budget)

    @property
    def question(self) -> ComparisonQuestion:
        test = self.options.test
        mode = ComparisonMode.SAME if self.options.self_test else test.mode
        return ComparisonQuestion(mode, test.margin, test.error, self.options.table.seats, test.try_)

    @property
    def limits(self) -> ComparisonLimits:
        return ComparisonLimits(self.budget_s, self.options.test.max_faults)

    def describe(self) -> str:
        """Return a line that says what is compared, with which budget, and when the first look comes."""
        options, seats = self.options, self.options.table.seats
        baseline = "its own copy" if options.self_test else options.baseline
        compared = f"comparing {options.candidate} with {baseline}, {seats} seats at a table"
        if options.test.quick:
            return f"{compared}: a rough answer comes after {QUICK_S:.0f} s of play, and no verdict"
        games, seconds = self.max_games, self.budget_s
        budget = format_rough_duration(seconds or 0.0) if games is None else format_count(games, "game")
        look = MIN_BLOCKS * 2 * seats
        if games is not None and (spare := games % (BATCH_BLOCKS * 2 * seats)):
            budget = f"{games - spare} games (of {games}, in batches of {BATCH_BLOCKS * 2 * seats})"
        return (
            f"{compared}, mode {self.question.mode}: at most {budget}; the first look of the test is after {look} games"
        )

    def to_comparison(self) -> ComparisonRequest:
        """Raises OptionError, OptionsError, UnknownNameError, BotStartError."""
        self.check()
        options, terms = self.options, self._build_terms()
        baseline = options.candidate if options.self_test else options.baseline
        wanted = self.named_opponents or [baseline, *pack_of(terms.game.name).compare_opponents]
        candidate = self._find_program("candidate", options.candidate)
        programs = {
            CANDIDATE: candidate,
            BASELINE: candidate if options.self_test else self._find_program("baseline", baseline),
        }
        opponents = []
        for text in (wanted[index % len(wanted)] for index in range(options.table.seats - 1)):
            program = programs[BASELINE] if text == baseline else self._find_program("field", text)
            opponents.append(role := _role_name(program, programs))
            programs[role] = program
        named = {role if role in opponents else f"{role} {program.name}": program for role, program in programs.items()}
        check_declared_games(named, terms.game.name)
        test = options.test
        if test.keep_state and any(program.is_boxed for program in programs.values()):
            raise OptionError("keep-state", True, "a bot in a box keeps no files, so it remembers nothing")
        return ComparisonRequest(
            programs,
            tuple(opponents),
            terms,
            self.question,
            test.seed,
            is_rough=test.quick,
            keeps_state=test.keep_state,
        )

    def _find_program(self, what: str, text: str) -> BotProgram:
        try:
            program = self.find(text)
        except BotStartError as error:
            raise BotStartError(f"{what}: {error}") from error
        if not isinstance(program, BotProgram):
            raise OptionError(what, text, "expected a program that the arena can start in several copies")
        return program

    def _build_terms(self) -> Terms:
        faults: list[OptionError] = []
        table = self.options.table
        rules = read_rules(table.rules.preset)
        game, preset = resolve_game_and_preset(table.rules.game, rules.preset)
        options = {**rules.options, **parse_options(table.rules.set_ or (), faults)}
        given = {"turn_ms": table.turn_ms, "call_ms": table.call_ms}
        try:
            pace = build_pace("sealed", {name: value for name, value in given.items() if value is not None})
        except OptionsError as error:
            raise OptionsError([*faults, *error.faults]) from None
        if faults:
            raise OptionsError(faults)
        names = tuple(f"seat{seat}" for seat in range(table.seats))
        return terms_from_order(MatchOrder(names, game, preset, options, pace, seating=Seating.FIXED), games())


def _range_faults(name: str, value: float, low: float, high: float, allowed: str) -> list[OptionError]:
    is_fine = math.isfinite(value) and low <= value <= high
    return [] if is_fine else [OptionError(name, value, f"expected a number {allowed}")]


def _role_name(program: BotProgram, known: Mapping[str, Any]) -> str:
    """Return the role name of an opponent: the program's name, with a number if another program has that name.

    An opponent may be the same program as the baseline. It still gets a role of its own, so that its games do not count
    as games of the baseline.
    """
    same = [role for role, other in known.items() if other == program and role not in (CANDIDATE, BASELINE)]
    if same:
        return same[0]
    names = [program.name, *(f"{program.name} {number}" for number in range(2, len(known) + 3))]
    return next(name for name in names if name not in known)
