"""Reads the file of a league. It is checked as a whole, and every error is named with its key and line."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from arena.bots.launch.naming import NAME_RULE, is_valid_name, normalize_program_name
from arena.bots.launch.programs import (
    REMOTE_PREFIX,
    SAMPLE_PREFIX,
    SUBMITTED_PREFIX,
    BotProgram,
    RemoteBot,
    false_on_os_error,
    find_bot,
    resolve_path,
)
from arena.bots.packages.bot_hash import hash_bot
from arena.competition.formats import FORMATS
from arena.competition.league.model import Entrant
from arena.errors import ArenaError, NotationError, OptionError, OptionsError, UnknownNameError
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.options import format_option
from arena.match.referee.match_order import MatchOrder, terms_from_order
from arena.match.referee.pace import Pace, build_pace, fix_windows
from arena.match.referee.terms import Seating, Terms
from arena.organizer.file.entrant_rules import KnownBots, OpenSubmitted, expand_rule, name_ways_out
from arena.organizer.file.league_dates import WrittenDate, parse_dates
from arena.organizer.file.league_file import AbsentBot, LeagueFile
from arena.organizer.file.league_format import LENGTH_SETTING, PLAY_OFF_SETTING, build_format
from arena.organizer.file.league_schema import (
    EntrantSchema,
    ErrorCollector,
    LeagueFileError,
    LeagueSchema,
    parse_league_schema,
)
from arena.plurals import format_count
from arena.text_files import decode_text, parse_toml

_SETTINGS: Final = ("games", "rounds", "passes", "bye", "challenger", "tables", PLAY_OFF_SETTING)
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)")
_SECONDS_PER_UNIT: Final = {"s": 1, "m": 60, "min": 60, "h": 3600}
_REQUIRED_TEXT: Final = "it has to be there"
_KNOWN_PREFIXES: Final = (SUBMITTED_PREFIX, REMOTE_PREFIX, SAMPLE_PREFIX)
"""How bots begin that a server knows without paths."""


def parse_duration_s(text: str) -> float | None:
    """Return the seconds of a length such as `8h`, `90m` or `45s`; None for a length of 0 and for any other text."""
    found = _DURATION.fullmatch(text.strip())
    return float(found[1]) * _SECONDS_PER_UNIT[found[2]] or None if found else None


def read_league_file(path: Path, open_submitted: OpenSubmitted | None = None) -> LeagueFile:
    """Return the league that a file describes, with its bots. `open_submitted` finds the submitted ones.

    Raises NotationError for a file that is not TOML, and OptionsError that names every error with its key and line.
    """
    return read_league_file_lenient(path, open_submitted).require_complete()


def read_league_file_lenient(path: Path, open_submitted: OpenSubmitted | None = None) -> LeagueFile:
    """Return the league that a file describes. Programs may be missing: a sealed league can be viewed without them.

    `missing` has an error for each missing program. For all other errors, this raises what `read_league_file` raises.
    """
    if path.is_dir():
        raise NotationError(str(path), "the file of a league, and this is a folder")
    try:
        text = decode_text(path.read_bytes(), str(path))
    except OSError as error:
        raise NotationError(str(path), f"a file that can be read ({error.strerror})") from error
    return _parse_text(text, str(path), path.resolve().parent, open_submitted)


def read_league_text(text: str, submitted: KnownBots) -> LeagueFile:
    """Return the league of a text without a folder: its bots are submitted, dial in, or are samples.

    Programs may be missing. Raises what `read_league_file` raises.
    """
    return _parse_text(text, "the file", Path("/"), lambda _: submitted, has_folder=False)


def read_sealed_text(text: str) -> LeagueFile:
    """Return the league of a text that was sealed, without looking for its bots: the programs of all are missing.

    Raises OptionsError for a text that no longer describes a league, because rules or settings have changed since.
    """
    return _LeagueFileParser(tomllib.loads(text), None, text).parse()


def _parse_text(
    text: str, name: str, folder: Path, open_submitted: OpenSubmitted | None, *, has_folder: bool = True
) -> LeagueFile:
    """`name` is what messages call the text."""
    text = expand_rule(text, parse_toml(text, name), folder if has_folder else None, open_submitted)
    return _LeagueFileParser(tomllib.loads(text), folder, text, open_submitted, has_folder=has_folder).parse()


class _LeagueFileParser:
    """Parses the TOML of one file into a league and collects the errors in the file."""

    def __init__(
        self,
        given: Mapping[str, Any],
        folder: Path | None,
        text: str,
        open_submitted: OpenSubmitted | None = None,
        *,
        has_folder: bool = True,
    ) -> None:
        """`folder` is where the paths of bots begin; None if no bot is to be looked for.

        Unless `has_folder`, there are no paths, and `submitted_from` is refused too.
        """
        self._folder = folder
        self._has_folder = has_folder
        self._text = text
        self._faults = ErrorCollector(text)
        self._refuse = self._faults.add
        self._missing: list[LeagueFileError] = []
        self._environments: dict[str, Mapping[str, str]] = {}
        self._absent: dict[str, AbsentBot] = {}
        self._written = parse_league_schema(given, self._faults)
        self._submitted = None
        if folder is not None and open_submitted is not None:
            source = self._written.submitted_from
            if source and not has_folder:
                self._refuse("submitted_from", source, "leave it out: a server plays what was submitted to it")
            self._submitted = open_submitted(resolve_path(folder, source) if source else None)

    def parse(self) -> LeagueFile:
        written = self._written
        if not is_valid_name(written.name):
            self._refuse("name", written.name or None, NAME_RULE)
        budget_s = self._parse_budget_s(written.budget)
        found = [self._find_entrant(f"entrants[{index}]", bot) for index, bot in enumerate(written.entrants)]
        entrants = [each for each in found if each is not None]
        bots = {entrant.name: bot for entrant, bot in entrants}
        terms = build_league_terms(written, bots, self._faults)
        self._check_names([each and each[0].name for each in found])
        settings = self._collect_settings()
        dates = self._parse_dates()
        if self._faults.all or terms is None:
            faults = sorted([*self._faults.all, *self._missing], key=lambda fault: fault.line or 0)
            raise OptionsError(faults)
        return LeagueFile(
            name=written.name,
            text=self._text,
            format=written.format,
            settings=settings,
            budget_s=budget_s,
            seats=written.seats,
            terms=terms,
            decided_by=written.decided_by,
            public_entropy=written.public_entropy,
            entrants=tuple(entrant for entrant, _ in entrants),
            bots=bots,
            missing=tuple(self._missing),
            dates=dates,
            has_default_windows=not has_window_setting(written),
            is_boxed=bool(written.untrusted) or all(map(_runs_elsewhere_or_boxed, written.entrants)),
            submitted=self._submitted,
            environments=self._environments,
            absent=self._absent,
            rule=written.bots,
        )

    def _parse_budget_s(self, budget: str | None) -> float | None:
        """Return the budget in seconds; None if the file has no budget or a wrong one.

        The error of a wrong budget is collected.
        """
        if budget is None:
            return None
        seconds = parse_duration_s(budget)
        if seconds is None:
            self._refuse("budget", budget, "expected a length such as 8h, 90m or 45s")
        return seconds

    def _parse_dates(self) -> tuple[WrittenDate, ...]:
        if self._written.dates and self._written.budget is not None:
            self._refuse("budget", self._written.budget, "the dates already say how long the league is")
        return parse_dates(self._written.dates, self._faults)

    def _collect_settings(self) -> Mapping[str, Any]:
        written = self._written
        given = {name: getattr(written, name) for name in _SETTINGS if getattr(written, name) is not None}
        if written.dates and written.format != "gauntlet":  # a gauntlet has one table in each block anyway
            given.setdefault("tables", 1)  # so that no table waits for the bots of another one
        if written.format:
            try:
                build_format(written.format, given, written.decided_by)
            except OptionsError as error:
                self._faults.add_all(error)
        elif {key for key in given if key not in ("games", "tables") and (key, given[key]) != (PLAY_OFF_SETTING, 0)}:
            self._refuse("format", "", f"{', '.join(given)}: say of which format, one of {', '.join(FORMATS)}")
        if written.budget is not None and (length := LENGTH_SETTING.get(written.format, "games")) in given:
            self._refuse("budget", written.budget, f"{length} already says how long the league is")
        return given

    def _find_entrant(self, key: str, written: EntrantSchema) -> tuple[Entrant, BotEntrant] | None:
        """Return an entrant with its bot. A path of the bot is relative to the file's folder.

        Returns None if there is no such bot; the error is collected.
        """
        if not written.bot:
            self._refuse(f"{key}.bot", None, _REQUIRED_TEXT)
            return None
        if not self._has_folder and not written.bot.startswith(_KNOWN_PREFIXES):
            kinds = " or ".join(f"{prefix}NAME" for prefix in _KNOWN_PREFIXES)
            self._refuse(f"{key}.bot", written.bot, f"expected {kinds}: a server plays no programs of others")
            return None
        if self._folder is None:
            self._missing.append(self._faults.make_error(f"{key}.bot", written.bot, "no bot was looked for"))
            return None
        try:
            path = resolve_path(self._folder, written.bot)
            is_path = ":" not in written.bot and false_on_os_error(path.exists)
            program = find_bot(str(path) if is_path else written.bot, submitted=self._submitted)
            if isinstance(program, BotProgram):
                program = self._adapt_program(program, written)
            content = hash_bot(program) if isinstance(program, BotProgram) else ""
        except (ArenaError, OSError) as error:
            self._note_missing(key, written, f"{error}{name_ways_out(self._written.bots, error)}")
            return None
        if isinstance(program, BotProgram) and program.is_submitted and self._written.untrusted is False:
            self._refuse("untrusted", False, f"{written.bot} was submitted, and such bots always run in boxes")
        if isinstance(program, BotProgram) and not (self._has_folder or program.is_boxed) and written.environment:
            # A variable can name code, and what was submitted is on the disk of the server.
            self._refuse(f"{key}.environment", dict(written.environment), "expected none without `untrusted = true`")
        name = normalize_program_name(written.name) or program.name
        if not is_valid_name(name):
            self._refuse(f"{key}.name", name, NAME_RULE)
        if isinstance(program, RemoteBot) and name != program.name:
            self._refuse(f"{key}.name", name, "a remote bot has the name with which it dials in")
        version = program.version if isinstance(program, BotProgram) else ""
        self._environments[name] = written.environment
        return Entrant(name, written.owner, version, content), BotEntrant(name, program)

    def _note_missing(self, key: str, written: EntrantSchema, reason: str) -> None:
        fault = self._faults.make_error(f"{key}.bot", written.bot, reason)
        self._missing.append(fault)
        if written.bot.startswith(SUBMITTED_PREFIX):
            bot = normalize_program_name(written.bot.removeprefix(SUBMITTED_PREFIX).partition("@")[0])
            name = normalize_program_name(written.name) or bot
            self._environments[name] = written.environment
            self._absent[name] = AbsentBot(bot, written.owner, fault)

    def _adapt_program(self, program: BotProgram, written: EntrantSchema) -> BotProgram:
        """Return the program with the entrant's environment, and in a box if the league trusts no program."""
        environment = {**program.environment, **written.environment}
        is_boxed = program.is_boxed or bool(self._written.untrusted)
        return replace(program, environment=environment, is_boxed=is_boxed)

    def _check_names(self, names: list[str | None]) -> None:
        """Check the entrants' names together. A name of None stands for a missing program."""
        for index, name in enumerate(names):
            if name is not None and name in names[:index]:
                self._refuse(f"entrants[{index}]", name, "each entrant needs its own name: give a copy another one")
        challenger, known = self._written.challenger, [name for name in names if name is not None]
        if challenger and challenger not in known and None not in names:
            self._refuse("challenger", challenger, f"expected an entrant: {', '.join(known)}")
        count = len(set(known)) + names.count(None)
        if count < 2:
            self._refuse("entrants", count or None, "a league has at least two")
        if count < self._written.seats:
            self._refuse("seats", self._written.seats, f"the league has {format_count(count, 'entrant')}")


def _runs_elsewhere_or_boxed(entrant: EntrantSchema) -> bool:
    """Return whether the arena never starts this entrant's bot outside a box."""
    return entrant.bot.startswith((REMOTE_PREFIX, SUBMITTED_PREFIX))


def build_league_terms(written: LeagueSchema, bots: Mapping[str, BotEntrant], faults: ErrorCollector) -> Terms | None:
    """Return terms that seat the first of these bots. If there are errors, collect them and return None.

    Windows are fixed if a bot is remote, unless the file says otherwise.
    """
    rules = {name: format_option(value) for name, value in written.rules.items()}
    try:
        pace = build_pace(written.pace, dict(written.pace_settings))
    except OptionsError as error:
        faults.add_all(error)
        pace = build_pace(written.pace, {})  # so that the rest can be checked
    if not has_window_setting(written) and any(bot.is_remote for bot in bots.values()):
        pace = fix_windows(pace)
    return _build_or_collect_errors(written, list(bots), rules, pace, faults)


def has_window_setting(written: LeagueSchema) -> bool:
    """Return whether a file says if windows are fixed."""
    return "fixed_window" in written.pace_settings


def _build_or_collect_errors(
    written: LeagueSchema, names: Sequence[str], rules: Mapping[str, str], pace: Pace, faults: ErrorCollector
) -> Terms | None:
    """Return terms, or collect their errors and return None. If some rules are refused, the others are checked too."""
    try:
        return _build_checked_terms(written, names, rules, pace)
    except OptionsError as error:
        faults.add_all(error)
        valid = {name: rules[name] for name in rules.keys() - {each.field for each in error.faults}}
        if len(valid) < len(rules):
            _build_or_collect_errors(written, names, valid, pace, faults)
    except OptionError as error:
        faults.add(error.field, error.value, error.allowed)
    except UnknownNameError as error:
        faults.add(error.kind, error.name, f"expected one of {', '.join(error.known)}")
    except ArenaError as error:
        faults.add("rules", written.rules, str(error))
    return None


def _build_checked_terms(written: LeagueSchema, names: Sequence[str], rules: Mapping[str, str], pace: Pace) -> Terms:
    """Return terms that can be played. Raises OptionsError, OptionError, UnknownNameError."""
    game, preset = resolve_game_and_preset(written.game, written.preset)
    seated = tuple([*names, *(f"seat{seat}" for seat in range(written.seats))][: written.seats])
    order = MatchOrder(seated, game, preset, rules, pace, seating=Seating.FIXED)
    return replace(terms_from_order(order, games()), anonymous=written.anonymous)
