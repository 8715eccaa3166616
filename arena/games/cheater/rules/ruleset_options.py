"""Builds a validated ruleset from plain options, and turns a ruleset back into plain options."""

from collections.abc import Mapping
from dataclasses import asdict

from arena.errors import OptionError, OptionsError, UnknownNameError
from arena.games.cheater.rules.presets import PRESETS
from arena.games.cheater.rules.ruleset import Ruleset
from arena.match.options import OptionReader, read_flag, read_options, whole_number_reader

PACE_OPTIONS = ("turn_time", "call_time", "intermission_s", "max_auto_moves")
"""Options of spec part A that belong to the match's pace; a ruleset refuses them."""

_RESERVED_OPTIONS = {
    **dict.fromkeys(PACE_OPTIONS, "not set here: it belongs to the match's pace, not to the ruleset"),
    "packs": "not an option: 2 to 4 seats play with one pack, 5 to 10 with two",
}

OPTION_READERS: Mapping[str, OptionReader] = {
    "players_min": whole_number_reader(2, 10),
    "players_max": whole_number_reader(2, 10),
    "titles": read_flag,
    "max_turns": whole_number_reader(1, 1_000_000),
}
"""The reader of each option, in the order of the fields of `Ruleset`."""


def build_ruleset(preset: str, options: Mapping[str, object]) -> Ruleset:
    """Build and validate a ruleset.

    Raises UnknownNameError for an unknown preset, and OptionsError with every option that has an invalid value. If all
    values are valid, raises OptionsError if `players_min` is above `players_max`.
    """
    if preset not in PRESETS:
        raise UnknownNameError("preset", preset, tuple(PRESETS))
    values, faults = read_options({**PRESETS[preset], **options}, OPTION_READERS, _RESERVED_OPTIONS)
    rules = Ruleset(**values)
    if not faults and rules.players_min > rules.players_max:
        allowed = f"expected at most players_max, which is {rules.players_max}"
        faults = [OptionError("players_min", rules.players_min, allowed)]
    if faults:
        raise OptionsError(faults)
    return rules


def ruleset_options(rules: Ruleset) -> dict[str, object]:
    """Return all options as plain values, in the order of the fields; `build_ruleset` reads them back."""
    return asdict(rules)
