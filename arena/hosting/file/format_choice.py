"""The format and length of a league: those that its file names, or those that fit its budget."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from arena.errors import OptionError, OptionsError
from arena.hosting.file.format_factory import LENGTH_SETTING, MAX_GAMES_OF, PLAY_OFF_SETTING, build_format, check_format
from arena.hosting.file.league_file import LeagueFile
from arena.league.field import Field
from arena.league.formats import DEFAULT_MAX_TABLES, Format, WithPlayOff, propose_format
from arena.plurals import format_count


def choose_format(file: LeagueFile, field: Field, rate: float | None) -> tuple[Format, str]:
    """Return the format and the reason for it. The reason is empty if the file alone decides.

    If the file has a budget, the number of games follows from the budget and from `rate`, the number of games a second
    that a trial has measured. If the file names no format, one is proposed. Raises OptionsError.
    """
    if file.budget_s is None:
        if file.format or "games" not in file.settings:
            return build_format(file.format or "season", file.settings, file.decided_by), ""
        return _propose_format(file, field, file.settings["games"])
    if file.format == "ladder":
        return build_format(file.format, {**file.settings, "budget_s": file.budget_s}), ""
    if rate is None:
        raise OptionsError([OptionError("budget", file.budget_s, "a trial has to measure first how long a game takes")])
    games = int(file.budget_s * rate)
    if file.format:
        return _longest_format_within(file, field, games)
    return _propose_format(file, field, games)


def needs_trial(file: LeagueFile) -> bool:
    """Return whether a trial has to measure how many games fit the budget. A ladder watches the clock instead."""
    return file.budget_s is not None and file.format != "ladder"


def check_before_trial(file: LeagueFile, field: Field) -> None:
    """Raise OptionsError with every error that can be found without a trial."""
    if not needs_trial(file):
        check_format(choose_format(file, field, None)[0], field)


def format_settings(league_format: Format) -> Mapping[str, Any]:
    """Return a format's settings, from which `build_format` can build it again."""
    if isinstance(league_format, WithPlayOff):
        return {**format_settings(league_format.inner), PLAY_OFF_SETTING: league_format.games}
    return {
        each.name: getattr(league_format, each.name)
        for each in fields(league_format)  # type: ignore[arg-type]  # formats are dataclasses
        if each.init and getattr(league_format, each.name) is not None
    }


def _propose_format(file: LeagueFile, field: Field, games: int) -> tuple[Format, str]:
    """Return a proposed format for this number of games, and the reason. The file sets the tables per block."""
    proposal = propose_format(field, games, file.settings.get("tables", DEFAULT_MAX_TABLES))
    return proposal.format, proposal.reason


def _longest_format_within(file: LeagueFile, field: Field, games: int) -> tuple[Format, str]:
    """Return the longest league of the file's format within this number of games and the format's own maximum."""
    setting = LENGTH_SETTING[file.format]
    shortest = build_format(file.format, {**file.settings, setting: 1}, file.decided_by).size(field)
    unit = shortest.games or 1
    if setting == "games" and file.format != "knockout":
        unit = 1
    if games < unit + shortest.play_off:
        least = f"a {file.format} has at least {unit + shortest.play_off}"
        raise OptionsError([OptionError("budget", format_count(games, "game"), least)])
    fitting, most = games - shortest.play_off, MAX_GAMES_OF.get(file.format, games)
    longest = max(1, min(fitting, most) // unit)
    reason = "as long as fits the budget" if fitting <= most else f"a {file.format} has at most {most} games"
    return build_format(file.format, {**file.settings, setting: longest}, file.decided_by), reason
