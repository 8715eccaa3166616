"""The format that a league's file asks for, with what it says about it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from arena.errors import OptionError, OptionsError
from arena.league.field import Field
from arena.league.formats import FORMATS, Format

GAMES: Final = 200
"""Of a season or gauntlet that says neither games nor budget."""
ROUNDS: Final = 5
"""Of a Swiss that does not say."""
_USUAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "season": {"games": GAMES}, "gauntlet": {"games": GAMES}, "swiss": {"rounds": ROUNDS},
}  # fmt: skip
LENGTHS: Final = ("games", "rounds", "passes")
"""Settings that say how long a league is."""


def form_of(name: str, settings: Mapping[str, Any]) -> Format:
    """Give a format with these settings. Raises OptionsError naming each that it does not have, or that it lacks."""
    kind = FORMATS.get(name)
    if kind is None:
        raise OptionsError([OptionError("format", name, f"expected one of {', '.join(FORMATS)}")])
    known = [field.name for field in fields(kind) if field.init]
    words = f"a {name} has {', '.join(known)}"
    faults = [OptionError(key, value, words) for key, value in settings.items() if key not in known]
    given = {**_USUAL.get(name, {}), **{key: value for key, value in settings.items() if key in known}}
    if name == "gauntlet" and not given.get("challenger"):
        faults.append(OptionError("challenger", "", "a gauntlet needs one who sits at every table"))
    if faults:
        raise OptionsError(faults)
    made: Format = kind(**given)
    return made


def check_form(form: Format, field: Field) -> None:
    """Raise OptionsError naming every reason why these entrants cannot be seated so."""
    faults = form.why_not(field)
    if faults:
        raise OptionsError(faults)
