"""The sample bots, each loaded from its file alone."""

import importlib.util
from pathlib import Path
from types import ModuleType

from cheatarena import Player

FOLDER = Path(__file__).parents[2] / "sample_bots" / "python"


def load_module(name: str) -> ModuleType:
    """Return the module of a sample, loaded anew."""
    spec = importlib.util.spec_from_file_location(f"sample_{name}", FOLDER / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(name: str) -> type[Player]:
    """Return the bot of a sample."""
    module = load_module(name)
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Player) and value.__module__ == module.__name__
    )
