"""The factory that builds a league's format from its settings."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from arena.competition.formats import DEFAULT_MAX_TABLES, FORMATS, Format, WithPlayOff
from arena.competition.formats.round_robin import MAX_GAMES
from arena.competition.league.field import Field
from arena.errors import OptionError, OptionsError

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
