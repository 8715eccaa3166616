"""The format and length of a league: those that its file names, or those that fit its budget.

If the file does not say whether there is a play-off, a league of at least 100 games has one: of a quarter of its games,
or of a fifth of the games that fit its budget. A gauntlet and a league with dates have none by default, and knockouts
and ladders without a number of rounds can have none.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from arena.competition.formats import DEFAULT_MAX_TABLES, FORMATS, Format, WithPlayOff, propose_format
from arena.competition.formats.round_robin import MAX_GAMES
from arena.competition.league.field import Field
from arena.errors import OptionError, OptionsError
from arena.organizer.file.league_file import LeagueFile
from arena.plurals import format_count

DEFAULT_GAMES: Final = 200
"""Number of games in a season or gauntlet whose file names neither games nor budget."""
DEFAULT_ROUNDS: Final = 5
"""Number of rounds in a Swiss league whose file names none."""
_DEFAULT_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "season": {"games": DEFAULT_GAMES}, "gauntlet": {"games": DEFAULT_GAMES}, "swiss": {"rounds": DEFAULT_ROUNDS},
}  # fmt: skip
LENGTH_SETTING: Final[Mapping[str, str]] = {
    "season": "games", "gauntlet": "games", "round-robin": "passes", "swiss": "rounds", "ladder": "rounds",
    "knockout": "games",
}  # fmt: skip
"""The setting that makes a format longer."""
MAX_GAMES_OF: Final[Mapping[str, int]] = {"round-robin": MAX_GAMES}
"""The largest number of games, for formats that limit it."""
PLAY_OFF_SETTING: Final = "play_off"
"""The setting for the largest number of games in a play-off; 0 for no play-off."""
ROUNDS_SETTING: Final = "play_off_rounds"
"""The sealed setting for the number of rounds of a play-off. A league sealed without it keeps the old play-off."""
MIN_GAMES_WITH_PLAY_OFF: Final = 100
"""A league with fewer games has a play-off only if its file asks for one."""
_MAX_ROUNDS: Final = 5
_MIN_ROUND_GAMES: Final = 8
"""Fewer games in a round of a play-off rarely decide anything."""


def build_format(name: str, settings: Mapping[str, Any], decided_by: str = "points") -> Format:
    """Return a format with these settings. Raises OptionsError naming each unknown or missing setting.

    `decided_by` is "points" or "rating". The standings by this measure choose the contenders of a play-off.
    """
    kind = FORMATS.get(name)
    if kind is None:
        raise OptionsError([OptionError("format", name, f"expected one of {', '.join(FORMATS)}")])
    known = [field.name for field in fields(kind) if field.init]
    words = f"a {name} has {', '.join(each.removesuffix('_s') for each in known)}"
    faults = [
        OptionError(key, value, words)
        for key, value in settings.items()
        if key not in (*known, PLAY_OFF_SETTING, ROUNDS_SETTING)
    ]
    given = {**_DEFAULT_SETTINGS.get(name, {}), **{key: value for key, value in settings.items() if key in known}}
    if name == "gauntlet" and not given.get("challenger"):
        faults.append(OptionError("challenger", "", "a gauntlet needs an entrant that sits at every table"))
    if settings.get(PLAY_OFF_SETTING) and (reason := why_no_play_off(name, settings)):
        faults.append(OptionError(PLAY_OFF_SETTING, settings[PLAY_OFF_SETTING], reason))
    if faults:
        raise OptionsError(faults)
    league_format: Format = kind(**given)
    if not settings.get(PLAY_OFF_SETTING):
        return league_format
    return WithPlayOff(
        league_format,
        settings[PLAY_OFF_SETTING],
        decided_by == "rating",
        settings.get("tables", DEFAULT_MAX_TABLES),
        settings.get(ROUNDS_SETTING),
    )


def play_off_rounds(games: int, has_dates: bool) -> int:
    """Return the number of rounds of a play-off of this many games. With dates there is one, on the last date."""
    return 1 if has_dates else max(1, min(_MAX_ROUNDS, games // _MIN_ROUND_GAMES))


def why_no_play_off(name: str, settings: Mapping[str, Any]) -> str:
    """Return why a format cannot have a play-off; empty if it can."""
    if name == "knockout":
        return "a knockout names its champion in its final"
    if name == "ladder" and "rounds" not in settings:
        return "it follows the last round: say how many rounds the ladder has"
    return ""


def check_format(league_format: Format, field: Field) -> None:
    """Raise OptionsError naming every reason why the format cannot seat these entrants."""
    faults = league_format.why_not_playable(field)
    if faults:
        raise OptionsError(faults)


_SHARE_OF_GAMES: Final = 4
"""A play-off by default has at most the league's games divided by this number."""
_SHARE_OF_BUDGET: Final = 5
"""A play-off by default keeps the games that fit the budget divided by this number."""


def choose_format(file: LeagueFile, field: Field, rate: float | None) -> tuple[Format, str]:
    """Return the format and the reason for it. The reason is empty if the file alone decides.

    If the file has a budget, the number of games follows from the budget and from `rate`, the number of games a second
    that a trial has measured. If the file names no format, one is proposed. Raises OptionsError.
    """
    if file.budget_s is None:
        if file.format or "games" not in file.settings:
            league_format = build_format(file.format or "season", _settings(file), file.decided_by)
            return _with_default_play_off(file, field, league_format), ""
        proposed, reason = _propose_format(file, field, file.settings["games"])
        return _with_default_play_off(file, field, proposed), reason
    if file.format == "ladder":
        return build_format(file.format, {**_settings(file), "budget_s": file.budget_s}), ""
    if rate is None:
        raise OptionsError([OptionError("budget", file.budget_s, "a trial has to measure first how long a game takes")])
    games = int(file.budget_s * rate)
    return _choose_within(file, field, games)


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
        rounds = {} if league_format.rounds is None else {ROUNDS_SETTING: league_format.rounds}
        return {**format_settings(league_format.inner), PLAY_OFF_SETTING: league_format.games, **rounds}
    return {
        each.name: getattr(league_format, each.name)
        for each in fields(league_format)  # type: ignore[arg-type]  # formats are dataclasses
        if each.init and getattr(league_format, each.name) is not None
    }


def _choose_within(file: LeagueFile, field: Field, games: int) -> tuple[Format, str]:
    """Return the format for a budget of this many games, and the reason. The budget includes a default play-off."""
    choose = _longest_format_within if file.format else _propose_format
    kept = games // _SHARE_OF_BUDGET if games >= MIN_GAMES_WITH_PLAY_OFF else 0
    try:
        shorter, reason = choose(file, field, games - kept)
    except OptionsError:
        kept = 0  # the format needs all games
    if kept and (with_play_off := _with_default_play_off(file, field, shorter, kept)) is not shorter:
        return with_play_off, reason
    return choose(file, field, games)


def _settings(file: LeagueFile) -> Mapping[str, Any]:
    """Return the settings of the file, with the number of rounds of a play-off."""
    games = file.settings.get(PLAY_OFF_SETTING)
    return {**file.settings, ROUNDS_SETTING: play_off_rounds(games, bool(file.dates))} if games else file.settings


def _with_default_play_off(file: LeagueFile, field: Field, league_format: Format, most: int | None = None) -> Format:
    """Return a format with a play-off of at most `most` games, unless it has one or should have none."""
    if PLAY_OFF_SETTING in file.settings or file.dates or league_format.name == "gauntlet":
        return league_format
    if why_no_play_off(league_format.name, format_settings(league_format)):
        return league_format
    games = league_format.size(field).games or 0
    kept = min(games // _SHARE_OF_GAMES, games if most is None else most)
    if games < MIN_GAMES_WITH_PLAY_OFF or not kept:
        return league_format
    tables = file.settings.get("tables", DEFAULT_MAX_TABLES)
    return WithPlayOff(league_format, kept, file.decided_by == "rating", tables, play_off_rounds(kept, has_dates=False))


def _propose_format(file: LeagueFile, field: Field, games: int) -> tuple[Format, str]:
    """Return a proposed format for this number of games, and the reason. The file sets the tables per block."""
    proposal = propose_format(field, games, file.settings.get("tables", DEFAULT_MAX_TABLES))
    return proposal.format, proposal.reason


def _longest_format_within(file: LeagueFile, field: Field, games: int) -> tuple[Format, str]:
    """Return the longest league of the file's format within this number of games and the format's own maximum."""
    setting = LENGTH_SETTING[file.format]
    shortest = build_format(file.format, {**_settings(file), setting: 1}, file.decided_by).size(field)
    unit = shortest.games or 1
    if setting == "games" and file.format != "knockout":
        unit = 1
    if games < unit + shortest.play_off:
        least = f"a {file.format} has at least {unit + shortest.play_off}"
        raise OptionsError([OptionError("budget", format_count(games, "game"), least)])
    fitting, most = games - shortest.play_off, MAX_GAMES_OF.get(file.format, games)
    longest = max(1, min(fitting, most) // unit)
    reason = "as long as fits the budget" if fitting <= most else f"a {file.format} has at most {most} games"
    return build_format(file.format, {**_settings(file), setting: longest}, file.decided_by), reason
