"""Loads the bot of a program for a test, without starting the program."""

import importlib.util
import sys
from pathlib import Path

from cheatarena.errors import SettingsError
from cheatarena.player import Player


def load_bot(path: str | Path) -> type[Player]:
    """Return the class of the bot that a Python file defines.

    The file runs as a module, so what is below ``if __name__ == "__main__"`` does not run. It may import modules that
    lie beside it. Raises SettingsError unless the file exists and defines exactly one class of bots from which no other
    class in it derives.
    """
    file = Path(path).resolve()
    spec = importlib.util.spec_from_file_location(f"bot_in_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise SettingsError(f"there is no bot at {str(path)!r}: expected a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for their module there
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
    bots: list[type[Player]] = [each for each in vars(module).values() if _is_bot(each, spec.name)]
    leaves = [each for each in bots if not any(each is not other and issubclass(other, each) for other in bots)]
    if len(leaves) != 1:
        names = ", ".join(each.__name__ for each in leaves) or "none"
        raise SettingsError(f"{str(path)!r} must define one class of bots, but it defines {names}")
    return leaves[0]


def _is_bot(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Player) and value.__module__ == module
