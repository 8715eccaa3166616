"""The format that a league's file asks for, with what it says about it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from arena.errors import OptionError, OptionsError
from arena.league.field import Field
from arena.league.formats import DEFAULT_MAX_TABLES, FORMATS, Format, WithPlayOff
from arena.league.formats.round_robin import MAX_GAMES

DEFAULT_GAMES: Final = 200
"""Of a season or gauntlet that says neither games nor budget."""
DEFAULT_ROUNDS: Final = 5
"""Of a Swiss that does not say."""
_DEFAULT_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "season": {"games": DEFAULT_GAMES}, "gauntlet": {"games": DEFAULT_GAMES}, "swiss": {"rounds": DEFAULT_ROUNDS},
}  # fmt: skip
LENGTH_SETTING: Final[Mapping[str, str]] = {
    "season": "games", "gauntlet": "games", "round-robin": "passes", "swiss": "rounds", "ladder": "rounds",
    "knockout": "games",
}  # fmt: skip
"""The setting by which a format gets longer."""
MAX_GAMES_OF: Final[Mapping[str, int]] = {"round-robin": MAX_GAMES}
"""Games that there may be at most, where a format says so."""
PLAY_OFF_SETTING: Final = "play_off"
"""The setting that says how many games a play-off has."""


def build_format(name: str, settings: Mapping[str, Any], decided_by: str = "points") -> Format:
    """Give a format with these settings. Raises OptionsError naming each that it does not have, or that it lacks.

    `decided_by`: points or rating, between whom a play-off is.
    """
    kind = FORMATS.get(name)
    if kind is None:
        raise OptionsError([OptionError("format", name, f"expected one of {', '.join(FORMATS)}")])
    known = [field.name for field in fields(kind) if field.init]
    words = f"a {name} has {', '.join(each.removesuffix('_s') for each in known)}"
    faults = [
        OptionError(key, value, words) for key, value in settings.items() if key not in (*known, PLAY_OFF_SETTING)
    ]
    given = {**_DEFAULT_SETTINGS.get(name, {}), **{key: value for key, value in settings.items() if key in known}}
    if name == "gauntlet" and not given.get("challenger"):
        faults.append(OptionError("challenger", "", "a gauntlet needs one who sits at every table"))
    if PLAY_OFF_SETTING in settings and (reason := _why_no_play_off(name, settings)):
        faults.append(OptionError(PLAY_OFF_SETTING, settings[PLAY_OFF_SETTING], reason))
    if faults:
        raise OptionsError(faults)
    made: Format = kind(**given)
    if PLAY_OFF_SETTING not in settings:
        return made
    return WithPlayOff(
        made, settings[PLAY_OFF_SETTING], decided_by == "rating", settings.get("tables", DEFAULT_MAX_TABLES)
    )


def _why_no_play_off(name: str, settings: Mapping[str, Any]) -> str:
    """Say why a format has none; empty: it can have one."""
    if name == "knockout":
        return "a knockout names its champion in its final"
    if name == "ladder" and "rounds" not in settings:
        return "it follows the last round: say how many rounds the ladder has"
    return ""


def check_format(league_format: Format, field: Field) -> None:
    """Raise OptionsError naming every reason why these entrants cannot be seated so."""
    faults = league_format.why_not_playable(field)
    if faults:
        raise OptionsError(faults)
