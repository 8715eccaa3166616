"""Checks that installed wheels are compiled and play: `python -P compiled/try_wheel.py arena`, or `sdk` instead."""

import importlib
import sys


def main(what: str) -> None:
    """Import compiled modules, and play a game if the arena is installed. Raises AssertionError or ImportError."""
    names = ["cheatarena.cheat.state", *(["arena.games.cheat.rules.state"] if what == "arena" else [])]
    for name in names:
        file = importlib.import_module(name).__file__
        assert file is not None
        assert not file.endswith(".py"), f"{file} is not compiled"
    if what == "arena":
        compiled_build, practice = (importlib.import_module(f"arena.{name}") for name in ("compiled_build", "practice"))
        bot = importlib.import_module("sample_bots.python.honest.bot").Honest
        compiled_build.check_compiled_builds()
        print(practice.play([bot] * 4, seed=1).places, compiled_build.describe_build())  # noqa: T201  the log shows it


if __name__ == "__main__":
    main(sys.argv[1])
