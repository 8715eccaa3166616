"""The manifest of a bot, `bot.toml`: how to start a bot that is more than one script.

    name = "counter"                  # its name at the table
    version = "1.2"                   # optional, for people
    command = "node dist/bot.js"      # or a list of words; by default, Python runs the folder's bot.py
    build = "npm ci"                  # optional, run before the first start
    kept = ["dist", "node_modules"]   # optional, what a submitted bot needs of its build; default everything
    environment = { LEVEL = "3" }     # optional, in addition to what every bot gets
    start_time_s = 20                 # optional, seconds from its start to its first message; default 10
    games = ["cheat"]                 # optional, all games that it plays: it is refused at a table of any other
    language = "typescript"           # optional, whose base image builds and runs a submitted bot; default python
    image = "registry.org/mine:1"     # optional, another image, instead of `language`
    pools = ["main"]                  # optional, the pools in which a submitted bot plays

    [resources]                       # optional, what the bot may use in a box, up to what the host gives
    memory_mb = 512                   # also: processes, cpus, scratch_mb and others (`box_limits`)

This module reads and validates the manifest. `programs` checks whether the program exists.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from arena.bots.launch.box_limits import BoxLimits, find_limit_faults
from arena.bots.launch.naming import NAME_RULE, is_valid_name, normalize_program_name
from arena.errors import BotStartError, OptionError, OptionsError
from arena.names import is_readable_name
from arena.text_files import decode_text, describe_quotes, parse_toml

MANIFEST_NAME: Final = "bot.toml"
DEFAULT_START_TIME_S: Final = 10.0
"""Default for the seconds from a bot's start to its first message."""

MAX_START_TIME_S: Final = 600.0

MAX_MANIFEST_BYTES: Final = 64 * 1024
_VARIABLE_PATTERN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_PREFIX: Final = "CHEATARENA_"
_IMAGE_PATTERN: Final = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}")
_MAX_POOLS: Final = 16

LANGUAGES: Final = ("python", "typescript", "go", "rust", "java", "cpp")
"""The languages that have a base image."""
_SAME_IMAGE: Final = {"javascript": "typescript"}
"""Other names of languages, by whose image they are built and run."""


@dataclass(frozen=True, slots=True)
class Manifest:
    name: str
    command: tuple[str, ...] = ()
    """Empty if Python runs the folder's bot.py."""
    version: str = ""
    build: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    start_time_s: float = DEFAULT_START_TIME_S
    games: tuple[str, ...] = ()
    """Names of all games that the bot plays; empty if the manifest does not say."""
    kept: tuple[str, ...] = ()
    """What is kept of a build in a box, as paths in the folder; empty means everything."""
    language: str = ""
    """One of LANGUAGES; empty if the manifest does not say."""
    image: str = ""
    """Image in which a submitted bot is built and run; empty for the base image of its language."""
    pools: tuple[str, ...] = ()
    """Names of the pools in which a submitted bot plays."""
    limits: BoxLimits = field(default_factory=BoxLimits)
    """What it may use in a box."""


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest.

    Raises BotStartError if it cannot be read, NotationError if it is not TOML, and OptionsError with all its faults.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        raise BotStartError(f"the manifest {path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_MANIFEST_BYTES:
        raise BotStartError(f"the manifest {path} is larger than {MAX_MANIFEST_BYTES} bytes")
    return parse_manifest(data, str(path))


def parse_manifest(data: bytes, label: str) -> Manifest:
    """Return the manifest in the bytes of a file. Errors call the file `label`.

    Raises NotationError if it is not TOML, and OptionsError with all its faults.
    """
    return _ManifestParser(label).parse(parse_toml(decode_text(data, label), label))


class _ManifestParser:
    """Parses the values of one manifest and collects all faults."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._faults: list[OptionError] = []

    def parse(self, values: Mapping[str, Any]) -> Manifest:
        known: dict[str, Any] = {
            "name": self._parse_name(values.get("name")),
            "version": self._parse_version(values.get("version", "")),
            "command": self._parse_command("command", values["command"]) if "command" in values else (),
            "build": self._parse_command("build", values["build"]) if "build" in values else (),
            "environment": self._parse_environment(values.get("environment", {})),
            "start_time_s": self._parse_start_time(values.get("start_time_s", DEFAULT_START_TIME_S)),
            "games": self._parse_games(values["games"]) if "games" in values else (),
            "kept": self._parse_kept(values["kept"]) if "kept" in values else (),
            "language": self._parse_language(values["language"]) if "language" in values else "",
            "image": self._parse_image(values["image"], values) if "image" in values else "",
            "pools": self._parse_pools(values.get("pools", [])),
        }
        limits = self._parse_resources(values.get("resources", {}))
        for key in values.keys() - known.keys() - {"resources"}:
            self._add_fault(key, values[key], f"unknown key; known: {', '.join(known)}, resources")
        if self._faults:
            raise OptionsError(self._faults)
        return Manifest(**known, limits=limits)

    def _add_fault(self, key: str, value: object, allowed: str) -> None:
        self._faults.append(OptionError(f"{self._label}: {key}", value, allowed))

    def _add_text_fault(self, key: str, value: object, allowed: str) -> None:
        self._add_fault(key, value, allowed if isinstance(value, str | None) else describe_quotes(value))

    def _parse_name(self, value: object) -> str:
        if isinstance(value, str) and is_valid_name(name := normalize_program_name(value)):
            return name
        self._add_text_fault("name", value, NAME_RULE)
        return ""

    def _parse_version(self, value: object) -> str:
        if isinstance(value, str) and len(value) <= 32 and value.isprintable():
            return value
        self._add_text_fault("version", value, "a text of at most 32 characters")
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
                self._add_text_fault(key, text, "a text without zero characters")
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

    def _parse_kept(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and value and all(isinstance(path, str) and _is_inner_path(path) for path in value):
            return tuple(value)
        self._add_fault("kept", value, 'a list of paths inside the folder, such as ["dist/bot.js"]')
        return ()

    def _parse_language(self, value: object) -> str:
        if isinstance(value, str) and (language := _SAME_IMAGE.get(value, value)) in LANGUAGES:
            return language
        self._add_fault("language", value, f"{', '.join(LANGUAGES)}; name an `image` for any other language")
        return ""

    def _parse_image(self, value: object, values: Mapping[str, Any]) -> str:
        if "language" in values:
            self._add_fault("image", value, "either `language` or `image`, not both")
        elif isinstance(value, str) and _IMAGE_PATTERN.fullmatch(value):
            return value
        else:
            self._add_fault("image", value, "the name of a container image, such as registry.org/mine:1")
        return ""

    def _parse_pools(self, value: object) -> tuple[str, ...]:
        """Return the names of pools. Whether a server has them is checked when the bot is submitted there."""
        is_list = isinstance(value, list) and all(isinstance(name, str) and is_readable_name(name) for name in value)
        if isinstance(value, list) and is_list and len(value) == len(set(value)) <= _MAX_POOLS:
            return tuple(value)
        self._add_fault("pools", value, f"a list of at most {_MAX_POOLS} names of pools, each of them once")
        return ()

    def _parse_resources(self, value: object) -> BoxLimits:
        if not isinstance(value, dict):
            self._add_fault("resources", value, "a table of names and numbers")
            return BoxLimits()
        faults = list(find_limit_faults(value))
        for fault in faults:
            self._add_fault(f"resources.{fault.field}", fault.value, fault.allowed)
        return BoxLimits() if faults else BoxLimits(**value)


def _is_inner_path(text: str) -> bool:
    """Return whether a text is a relative path that does not leave its folder."""
    path = PurePosixPath(text)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\0" not in text
