"""Reads a ruleset from a TOML file.

``preset`` names a preset. The default is the game's first preset. The table ``options`` has the options that differ
from that preset.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import NotationError, OptionError, OptionsError
from arena.match.options import format_option
from arena.text_files import decode_text, parse_toml

SUFFIX = ".toml"
KEYS = ("preset", "options")


@dataclass(frozen=True, slots=True)
class PresetWithOptions:
    """The values of the options are texts, as on a command line."""

    preset: str
    options: Mapping[str, str]


def read_rules(preset: str) -> PresetWithOptions:
    """Read rules from the file `preset` if it ends in .toml. Otherwise `preset` names a preset. Raises OptionsError."""
    if not preset.endswith(SUFFIX):
        return PresetWithOptions(preset, {})
    try:
        given = parse_toml(decode_text(Path(preset).read_bytes(), preset), preset)
    except (OSError, NotationError) as error:
        why = f"a TOML file: {error.strerror}" if isinstance(error, OSError) else error.expected
        raise OptionsError([OptionError("preset", preset, f"expected {why}")]) from error
    base, options = given.get("preset", ""), given.get("options", {})
    faults = [
        OptionError("preset", f"{preset}: {key}", f"known keys: {', '.join(KEYS)}") for key in given.keys() - {*KEYS}
    ]
    if not isinstance(base, str) or not isinstance(options, dict):
        faults.append(OptionError("preset", preset, "expected a text called preset and a table called options"))
    if faults:
        raise OptionsError(faults)
    return PresetWithOptions(base, {name: format_option(value) for name, value in options.items()})
