"""Loads the bot of a program for a test, without starting the program."""

import importlib.util
import sys
from pathlib import Path

from cheatarena.errors import SettingsError
from cheatarena.player import Player


def load_bot(path: str | Path, name: str = "") -> type[Player]:
    """Return the class of the bot that a Python file defines.

    The file runs as a module, so what is below ``if __name__ == "__main__"`` does not run. It may import modules that
    lie beside it. ``name`` is the name of the class. It is needed only if the file defines several classes of bots that
    do not derive from each other. Raises SettingsError if the file or the class does not exist, or if a name is needed.
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
    found = [each for each in bots if each.__name__ == name] if name else leaves
    if len(found) != 1:
        names = ", ".join(each.__name__ for each in bots) or "no bots"
        wanted = f"a bot {name!r}" if name else "one bot, or a name that says which"
        raise SettingsError(f"{str(path)!r} defines {names}: expected {wanted}")
    return found[0]


def _is_bot(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Player) and value.__module__ == module
