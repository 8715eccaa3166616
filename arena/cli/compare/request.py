"""What `arena compare` was asked for, checked before anything is started."""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arena.cli.match.order import parse_options
from arena.cli.ruleset_file import read_rules
from arena.compare.lanes import BASELINE, CANDIDATE
from arena.compare.sequential import MIN_BLOCKS, ComparisonMode, ComparisonQuestion
from arena.errors import BotStartError, OptionError, OptionsError
from arena.games.catalogue import games, pack_of, resolve_game_and_preset
from arena.hosting.compare.comparison import ComparisonRequest
from arena.hosting.compare.comparison_run import ComparisonLimits
from arena.hosting.file.league_file import parse_duration_s
from arena.launch.programs import BotProgram, find_bot
from arena.match.pace import build_pace
from arena.match.terms import Seating, Terms
from arena.replays.text_format import format_count
from arena.rpc.client import MatchOrder, terms_from_order

_GAME_COUNT_PATTERN: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What was asked for, as it was typed."""

    candidate: str
    baseline: str = ""
    is_self_test: bool = False
    field: str = ""
    mode: ComparisonMode = ComparisonMode.BETTER
    margin: float = 0.2
    error: float = 0.05
    budget: str = "10m"
    on_undecided: str = "fail"
    max_faults: float = 0.001
    seed: str = ""
    seats: int = 4
    game: str = ""
    preset: str = "standard"
    options: tuple[str, ...] = ()
    pace: Mapping[str, int | None] = dataclasses.field(default_factory=dict)

    def check(self) -> None:
        """Raise OptionsError naming everything that cannot be."""
        faults = [
            *_range_faults(
                "margin", self.margin, 0, self.seats - 1, "above 0, and at most one less than there are seats"
            ),
            *_range_faults("error", self.error, 0.001, 0.4, "from 0.001 to 0.4"),
            *_range_faults("max-faults", self.max_faults, 0, 1, "from 0 to 1"),
        ]
        if self.margin == 0:
            faults.append(OptionError("margin", 0, "expected a number above 0: no test tells equal from equal"))
        if len(self.named_opponents) >= self.seats:
            most = format_count(self.seats - 1, "bot")
            faults.append(OptionError("field", self.field, f"expected {most} at most: as many as have a seat"))
        if self.on_undecided not in ("fail", "pass"):
            faults.append(OptionError("on-undecided", self.on_undecided, "expected fail or pass"))
        if self.max_games is None and self.budget_s is None:
            faults.append(OptionError("budget", self.budget, "expected games, such as 600, or a length such as 10m"))
        least = MIN_BLOCKS * 2 * self.seats
        if self.max_games is not None and self.max_games < least:
            faults.append(
                OptionError("budget", self.budget, f"expected {least} games or more: nothing is judged before")
            )
        if not self.baseline and not self.is_self_test:
            faults.append(OptionError("baseline", "", "expected a bot, or --self-test instead"))
        if self.baseline and self.is_self_test:
            faults.append(
                OptionError("baseline", self.baseline, "expected none: with --self-test it is the bot's own copy")
            )
        if faults:
            raise OptionsError(faults)

    @property
    def max_games(self) -> int | None:
        """Of the budget; None: it is a length of time."""
        return int(self.budget) if _GAME_COUNT_PATTERN.fullmatch(self.budget.strip()) else None

    @property
    def named_opponents(self) -> Sequence[str]:
        """Who was named for the field."""
        return [text.strip() for text in self.field.split(",") if text.strip()]

    @property
    def budget_s(self) -> float | None:
        """Of the budget; None: it is games."""
        return None if self.max_games is not None else parse_duration_s(self.budget)

    @property
    def question(self) -> ComparisonQuestion:
        """What is to be found out."""
        return ComparisonQuestion(
            ComparisonMode.SAME if self.is_self_test else self.mode, self.margin, self.error, self.seats
        )

    @property
    def limits(self) -> ComparisonLimits:
        """How far it may go."""
        return ComparisonLimits(self.budget_s, self.max_faults)

    def to_comparison(self) -> ComparisonRequest:
        """Find the bots, and what they play. Raises OptionsError, UnknownNameError, BotStartError."""
        self.check()
        terms, baseline = self._build_terms(), self.candidate if self.is_self_test else self.baseline
        wanted = self.named_opponents or [baseline, *pack_of(terms.game.name).default_opponents]
        candidate = _find_program("candidate", self.candidate)
        programs = {
            CANDIDATE: candidate,
            BASELINE: candidate if self.is_self_test else _find_program("baseline", baseline),
        }
        opponents = []
        for text in (wanted[index % len(wanted)] for index in range(self.seats - 1)):
            program = programs[BASELINE] if text == baseline else _find_program("field", text)
            opponents.append(role := _role_name(program, programs))
            programs[role] = program
        return ComparisonRequest(programs, tuple(opponents), terms, self.question, self.seed)

    def _build_terms(self) -> Terms:
        faults: list[OptionError] = []
        rules = read_rules(self.preset)
        game, preset = resolve_game_and_preset(self.game, rules.preset)
        options = {**rules.options, **parse_options(self.options, faults)}
        try:
            pace = build_pace("sealed", {name: value for name, value in self.pace.items() if value is not None})
        except OptionsError as error:
            raise OptionsError([*faults, *error.faults]) from None
        if faults:
            raise OptionsError(faults)
        names = tuple(f"seat{seat}" for seat in range(self.seats))
        return terms_from_order(MatchOrder(names, game, preset, options, pace, seating=Seating.FIXED), games())


def _range_faults(name: str, value: float, low: float, high: float, allowed: str) -> list[OptionError]:
    is_fine = math.isfinite(value) and low <= value <= high
    return [] if is_fine else [OptionError(name, value, f"expected a number {allowed}")]


def _find_program(what: str, text: str) -> BotProgram:
    try:
        program = find_bot(text)
    except BotStartError as error:
        raise BotStartError(f"{what}: {error}") from error
    if not isinstance(program, BotProgram):
        raise OptionError(what, text, "a bot that dials in has no lanes: a program never meets a deal twice")
    return program


def _role_name(program: BotProgram, known: Mapping[str, Any]) -> str:
    """Call one of the field by its name; two that have one name, or that of a side, are told apart by numbers.

    The baseline's program among the field has a role of its own: what it does there is not counted as the baseline's.
    """
    same = [role for role, other in known.items() if other == program and role not in (CANDIDATE, BASELINE)]
    if same:
        return same[0]
    names = [program.name, *(f"{program.name} {number}" for number in range(2, len(known) + 3))]
    return next(name for name in names if name not in known)
