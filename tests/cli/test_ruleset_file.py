"""Rulesets in files, and options as text: each arrives as the kind of value that it is."""

import pytest

from arena.cli.ruleset_file import read_rules
from arena.errors import OptionsError
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.presets import PRESETS
from arena.match.options import parse_option_text

FILE = """
preset = "folk"

[options]
decks = 2
max_count = "none"
count = ["same", "zero"]
believe = true
"""


def test_file_names_a_preset_and_its_changes(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(FILE, encoding="utf-8")

    rules = read_rules(str(path))

    assert rules.preset == "folk"
    assert rules.options == {"decks": "2", "max_count": "none", "count": "same,zero", "believe": "true"}


def test_name_is_a_preset():
    assert read_rules("folk").options == {}


@pytest.mark.parametrize("text", ["preset = 3", "rules = 1", "options = 2", "preset ="])
def test_file_with_other_content_is_refused(tmp_path, text):
    path = tmp_path / "odd.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(OptionsError):
        read_rules(str(path))


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(OptionsError, match=r"TOML file, got '.*missing\.toml': No such file or directory$"):
        read_rules(str(tmp_path / "missing.toml"))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_option_can_be_set_as_text(preset):
    """This includes unset options, whose default is not a number."""
    defaults = CHEAT.ruleset_options(CHEAT.build_ruleset(preset, {}))
    texts = {
        name: ",".join(value)
        if isinstance(value, list)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for name, value in defaults.items()
    }

    values = {name: parse_option_text(defaults[name], text) for name, text in texts.items()}

    assert CHEAT.build_ruleset(preset, values) == CHEAT.build_ruleset(preset, {})
    assert CHEAT.build_ruleset(preset, {"max_count": parse_option_text(defaults["max_count"], "3")}).max_count == 3
    assert CHEAT.build_ruleset(preset, {"decks": parse_option_text(defaults["decks"], "2")}).decks == 2
    assert CHEAT.build_ruleset(preset, {"decks": parse_option_text(defaults["decks"], "none")}).decks is None
