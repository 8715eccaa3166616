"""What a stranger wrote into a file or a request is quoted in an error as far as it helps, whatever it is."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote as percent_encode

import grpc
import pytest

from arena.bots.launch.manifest import read_manifest
from arena.cli.ruleset_file import read_rules
from arena.errors import (
    MOST_CHARACTERS,
    ArenaError,
    NotationError,
    NotConnectedError,
    OptionError,
    OptionsError,
    RequestError,
    UnknownNameError,
    quote,
)
from arena.organizer.file.league_reader import read_league_file
from arena.plain_errors import describe_error, restore_error
from arena.server.config.read_config import read_config
from arena.server.rpc.refusals import status_from_error
from tests.support.hostile_data import HOSTILE_TEXTS

DEEP: dict[str, object] = {}
for _ in range(3_000):
    DEEP = {"a": DEEP}
HUGE = 1 << 200_000
VALUES = {
    "deep": DEEP,
    "a huge number": HUGE,
    "a huge number in a list": [[HUGE]],
    "long": "x" * 1_000_000,
    "long bytes": bytes(1_000_000),
    "many": ["x" * 100] * 10_000,
    "many keys": {f"key {number}": number for number in range(10_000)},
    "a lone surrogate": "\udcff" * 3,
    "long, with many bytes": "\U0001f600" * 5_000,
    "no number": float("nan"),
} | HOSTILE_TEXTS

MOST_METADATA = 8_192
"""The most bytes that a client of gRPC takes unless it is told otherwise. Of more, it shows nothing."""

READERS: Mapping[str, tuple[Callable[[Path], object], Sequence[str]]] = {
    "bot.toml": (read_manifest, ("name", "version", "command", "environment", "start_time_s", "games", "resources")),
    "league.toml": (read_league_file, ("name", "budget", "entrants", "rules", "pace_settings", "games", "dates")),
    "preset.toml": (lambda path: read_rules(str(path)), ("preset", "options", "other")),
    "settings.toml": (read_config, ("listen", "limits", "submissions", "port", "data")),
}
"""By name of a file: what reads it, and keys that it knows."""
WRITTEN = {
    "deep tables": lambda key: f"[{key}{'.a' * 3_000}]\nx = 1",
    "deep keys": lambda key: f"{key}{'.a' * 3_000} = 1",
    "deep lists": lambda key: f"{key} = {'[' * 200}{']' * 200}",
    "lists that are too deep to read": lambda key: f"{key} = {'[' * 9_000}{']' * 9_000}",
    "a huge number": lambda key: f"{key} = 0x{'f' * 60_000}",
    "a number with too many digits": lambda key: f"{key} = {'9' * 60_000}",
    "a number that is none": lambda key: f"{key} = nan",
    "long": lambda key: f'{key} = "{"x" * 60_000}"',
    "many": lambda key: f"{key} = [{'1,' * 3_000}]",
    "many tables": lambda key: f"[{key}]\n" + "\n".join(f'k{number} = "x"' for number in range(1_000)),
    "many keys": lambda key: f"{key} = 1\n" + "\n".join(f'k{number} = "x"' for number in range(1_000)),
    "a long key": lambda key: f"{key} = 1\n{'x' * 60_000} = 1",
    "no printable text": lambda key: f'{key} = "\\u202e\\u0000\\u001b[2J\\U000e0041"',
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_error_quotes_any_value_in_a_short_text(value):
    errors = [OptionError("x", value, "a number"), OptionsError([OptionError("x", value, "a number")] * 40)]
    errors += [RequestError(quote(value))]
    if isinstance(value, str):
        errors += [UnknownNameError("bot", value, [value] * 40), NotationError(value, value), RequestError(value)]
        errors += [NotConnectedError([value] * 40), OptionsError([OptionError(value, value, value)] * 40)]

    for error in errors:
        assert len(str(error)) <= MOST_CHARACTERS
        assert bytes_on_the_wire(status_from_error(error)) < MOST_METADATA
        assert str(restore_error(describe_error(error))) == str(error)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_file_with_hostile_values_is_read_or_refused_with_a_short_text(tmp_path, name, written):
    read, keys = READERS[name]
    for key in keys:
        path = tmp_path / name
        path.write_text(written(key), encoding="utf-8")
        if error := error_of(read, path):
            assert len(str(error)) <= MOST_CHARACTERS
            assert str(restore_error(describe_error(error))) == str(error)


def bytes_on_the_wire(status: grpc.Status) -> int:
    """Return about how many bytes a status has in HTTP/2, where gRPC writes its text in ASCII and bytes in base64."""
    (_, details), text = status.trailing_metadata[0], percent_encode(status.details)
    assert len(status.trailing_metadata) == 1
    assert isinstance(details, bytes)
    return len(text) + len(b64encode(details))


def error_of(read: Callable[[Path], object], path: Path) -> ArenaError | None:
    try:
        read(path)
    except ArenaError as error:
        return error
    return None
