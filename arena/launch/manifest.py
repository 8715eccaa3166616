"""The manifest of a bot, `bot.toml`: how to start a bot that is more than one script.

    name = "counter"                  # its name at the table
    version = "1.2"                   # optional, for people
    command = "node dist/bot.js"      # or a list of words; by default, Python runs the folder's bot.py
    build = "npm ci"                  # optional, run before the first start
    environment = { LEVEL = "3" }     # optional, in addition to what every bot gets
    start_time_s = 20                 # optional, seconds from its start to its first message; default 10
    games = ["cheat"]                 # optional, all games that it plays: it is refused at a table of any other
    resources = { memory_mb = 1024 }  # optional, what it may use in a box (`box_limits`)

This module reads and validates the manifest. `programs` checks whether the program exists.
"""

import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.errors import BotStartError, NotationError, OptionError, OptionsError
from arena.launch.box_limits import BoxLimits, find_limit_faults
from arena.launch.naming import NAME_RULE, is_valid_name, normalize_program_name

MANIFEST_NAME: Final = "bot.toml"
DEFAULT_START_TIME_S: Final = 10.0
"""Default for the seconds from a bot's start to its first message."""

MAX_START_TIME_S: Final = 600.0

_MAX_MANIFEST_BYTES: Final = 64 * 1024
_VARIABLE_PATTERN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_PREFIX: Final = "CHEATARENA_"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The values of a `bot.toml`."""

    name: str
    command: tuple[str, ...] = ()
    """Empty if Python runs the folder's bot.py."""
    version: str = ""
    build: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    start_time_s: float = DEFAULT_START_TIME_S
    games: tuple[str, ...] = ()
    """Names of all games that the bot plays; empty if the manifest does not say."""
    limits: BoxLimits = field(default_factory=BoxLimits)


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest.

    Raises BotStartError if it cannot be read, NotationError if it is not TOML, and OptionsError with all its faults.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        raise BotStartError(f"the manifest {path} cannot be read: {error.strerror}") from error
    if len(data) > _MAX_MANIFEST_BYTES:
        raise BotStartError(f"the manifest {path} is larger than {_MAX_MANIFEST_BYTES} bytes")
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotationError(str(path), f"TOML ({error})") from error
    return _ManifestParser(path).parse(values)


class _ManifestParser:
    """Parses the values of one manifest and collects all faults."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._faults: list[OptionError] = []

    def parse(self, values: Mapping[str, Any]) -> Manifest:
        """Return the validated manifest. Raises OptionsError."""
        known: dict[str, Any] = {
            "name": self._parse_name(values.get("name")),
            "version": self._parse_version(values.get("version", "")),
            "command": self._parse_command("command", values["command"]) if "command" in values else (),
            "build": self._parse_command("build", values["build"]) if "build" in values else (),
            "environment": self._parse_environment(values.get("environment", {})),
            "start_time_s": self._parse_start_time(values.get("start_time_s", DEFAULT_START_TIME_S)),
            "games": self._parse_games(values["games"]) if "games" in values else (),
        }
        limits = self._parse_resources(values.get("resources", {}))
        for key in values.keys() - known.keys() - {"resources"}:
            self._add_fault(key, values[key], f"unknown key; known: {', '.join(known)}, resources")
        if self._faults:
            raise OptionsError(self._faults)
        return Manifest(**known, limits=limits)

    def _add_fault(self, key: str, value: object, allowed: str) -> None:
        self._faults.append(OptionError(f"{self._path}: {key}", value, allowed))

    def _parse_name(self, value: object) -> str:
        if isinstance(value, str) and is_valid_name(name := normalize_program_name(value)):
            return name
        self._add_fault("name", value, NAME_RULE)
        return ""

    def _parse_version(self, value: object) -> str:
        if isinstance(value, str) and len(value) <= 32 and value.isprintable():
            return value
        self._add_fault("version", value, "a text of at most 32 characters")
        return ""

    def _parse_command(self, key: str, value: object) -> tuple[str, ...]:
        words: list[object] = []
        if isinstance(value, str):
            try:
                words = [*shlex.split(value)]
            except ValueError as error:
                self._add_fault(key, value, f"a command as in a shell ({error})")
                return ()
        elif isinstance(value, list):
            words = value
        texts = [word for word in words if isinstance(word, str) and "\0" not in word]
        if len(texts) == len(words) and texts and texts[0]:
            return tuple(texts)
        self._add_fault(key, value, "a command: one text, or a list of words that begins with the program")
        return ()

    def _parse_environment(self, value: object) -> Mapping[str, str]:
        if not isinstance(value, dict):
            self._add_fault("environment", value, "a table of names and texts")
            return {}
        for name, text in value.items():
            key = f"environment.{name}"
            if _VARIABLE_PATTERN.fullmatch(name) is None or name.startswith(_RESERVED_PREFIX):
                self._add_fault(
                    key, text, f"a name of letters, digits and _ that does not begin with {_RESERVED_PREFIX}"
                )
            elif not isinstance(text, str) or "\0" in text:
                self._add_fault(key, text, "a text")
        return value

    def _parse_start_time(self, value: Any) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and 0 < value <= MAX_START_TIME_S:
            return float(value)
        self._add_fault("start_time_s", value, f"seconds, above 0 and up to {MAX_START_TIME_S:g}")
        return DEFAULT_START_TIME_S

    def _parse_games(self, value: object) -> tuple[str, ...]:
        """Return the names of games. Whether the arena knows them is checked when a table is named."""
        if isinstance(value, list) and value and all(isinstance(name, str) and name for name in value):
            return tuple(value)
        self._add_fault("games", value, 'a list with the name of each game, such as ["cheat"]')
        return ()

    def _parse_resources(self, value: object) -> BoxLimits:
        """Return what the bot may use in a box."""
        if not isinstance(value, dict):
            self._add_fault("resources", value, "a table of names and numbers")
            return BoxLimits()
        faults = list(find_limit_faults(value))
        for fault in faults:
            self._add_fault(f"resources.{fault.field}", fault.value, fault.allowed)
        return BoxLimits() if faults else BoxLimits(**value)
