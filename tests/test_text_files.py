"""Files that people write: a byte order mark is no fault, and an encoding other than UTF-8 gets a helpful sentence."""

import codecs
import json

import pytest

from arena.bots.launch.manifest import read_manifest
from arena.cli.ruleset_file import read_rules
from arena.errors import ArenaError, OptionsError
from arena.games.catalogue import scenario_adapter_of
from arena.games.scenarios import run_file
from arena.organizer.file.league_reader import read_league_file
from arena.server.config.read_config import read_config

LEAGUE = """
name = "spring"
preset = "standard"
games = 24
seats = 2
entrants = [{ bot = "sample:honest" }, { bot = "sample:counter" }]
"""
SCENARIOS = json.dumps({"schema": "cheat-arena-rules-cases", "schema_version": 2, "cases": []})
READERS = {
    "bot.toml": (read_manifest, 'name = "zoë"\n'),
    "league.toml": (read_league_file, LEAGUE),
    "preset.toml": (lambda path: read_rules(str(path)), 'preset = "folk"\n'),
    "settings.toml": (read_config, 'listen = ["127.0.0.1:0"]\n'),
    "scenarios.json": (lambda path: run_file(path, scenario_adapter_of), SCENARIOS),
}
"""By name of a file: what reads it, and a text for it."""

by_file = pytest.mark.parametrize(("read", "text"), READERS.values(), ids=READERS)


@by_file
def test_byte_order_mark_changes_nothing(tmp_path, read, text):
    plain, marked = (tmp_path / each for each in ("plain.toml", "marked.toml"))
    plain.write_bytes(text.encode())
    marked.write_bytes(codecs.BOM_UTF8 + text.encode())

    assert str(read(marked)).replace("marked.toml", "plain.toml") == str(read(plain))


@by_file
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_another_encoding_is_to_be_saved_as_utf_8(tmp_path, read, text, encoding):
    file = tmp_path / "other.toml"
    file.write_bytes((text + "# é").encode(encoding))

    with pytest.raises(ArenaError, match="save it as UTF-8") as refused:
        read(file)

    assert "other.toml" in str(refused.value)


@pytest.mark.parametrize("line", ["version = 0.2", "name = 5", "environment = { LEVEL = 3 }"])
def test_number_in_place_of_a_text_is_to_be_quoted(tmp_path, line):
    file = tmp_path / "bot.toml"
    file.write_text(('name = "a"\n' if "name" not in line else "") + line, encoding="utf-8")

    value = line.split("= ")[-1].removesuffix(" }")
    with pytest.raises(OptionsError, match=f'in quotes: "{value}"'):
        read_manifest(file)
