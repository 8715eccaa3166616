"""Reads a ruleset from a TOML file.

``preset`` names the rules to start from, by default those of the game's first preset; the table ``options`` has the
options that differ.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import OptionError, OptionsError
from arena.match.option_texts import format_option

SUFFIX = ".toml"
KEYS = ("preset", "options")


@dataclass(frozen=True, slots=True)
class PresetWithOptions:
    """A preset and the options that differ from it, as typed on a command line."""

    preset: str
    options: Mapping[str, str]


def read_rules(preset: str) -> PresetWithOptions:
    """Return the rules named by a preset or by a file whose name ends in .toml. Raises OptionsError."""
    if not preset.endswith(SUFFIX):
        return PresetWithOptions(preset, {})
    try:
        given = tomllib.loads(Path(preset).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise OptionsError([OptionError("preset", preset, f"expected a file of TOML: {why}")]) from error
    base, options = given.get("preset", ""), given.get("options", {})
    faults = [
        OptionError("preset", f"{preset}: {key}", f"known keys: {', '.join(KEYS)}") for key in given.keys() - {*KEYS}
    ]
    if not isinstance(base, str) or not isinstance(options, dict):
        faults.append(OptionError("preset", preset, "expected preset as text and options as a table"))
    if faults:
        raise OptionsError(faults)
    return PresetWithOptions(base, {name: format_option(value) for name, value in options.items()})
