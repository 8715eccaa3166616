"""The sample bots: they need the SDK alone, play by the rules, and stand in the order that their README claims."""

import ast
import importlib.util
from pathlib import Path
from statistics import mean
from types import ModuleType

import pytest

from arena.practice import PracticeResult, play
from cheatarena import Bot

FOLDER = Path(__file__).parents[2] / "sample_bots" / "python"
NAMES = ("counter", "honest", "gambler", "random_legal")


def load(name: str) -> type[Bot]:
    """The bot of a folder, as a copy of that folder elsewhere would have it."""
    spec = importlib.util.spec_from_file_location(f"sample_{name}", FOLDER / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    )


@pytest.fixture(scope="module")
def season() -> PracticeResult:
    """Forty games of the four against each other, the same cards every time."""
    return play([load(name) for name in NAMES], games=40, seed=7)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_needs_the_sdk_alone(name):
    """Its folder can be copied to any machine that has the SDK."""
    tree = ast.parse((FOLDER / name / "bot.py").read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not [module for module in imported if module.split(".")[0] in ("arena", "grpc")]


def test_samples_never_break_a_rule(season):
    """An answer that is refused raises in practice, so that all games were played is all that there is to see."""
    assert len(season.places) == 40


def test_memory_beats_honesty_and_honesty_beats_chance(season):
    """As in sample_bots/README.md, with room for the luck of forty games."""
    places = {name: mean(game[entrant] for game in season.places) for entrant, name in enumerate(NAMES)}

    assert places["counter"] < places["honest"] + 0.2
    assert places["honest"] + 1 < places["random_legal"]


@pytest.mark.parametrize("options", [{"passing": "pass_turn", "count": ["same"]}, {"decks": 3, "check": "arbiter"}])
def test_samples_play_other_rules_too(options):
    """They ask what is legal instead of knowing one ruleset by heart."""
    result = play([load(name) for name in NAMES], options=options, games=2, seed=3)

    assert len(result.places) == 2
