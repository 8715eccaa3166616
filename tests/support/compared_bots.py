"""Small bots for comparisons, and the options of a comparison with short games."""

from pathlib import Path

SANE = """\
from cheatarena import (Bot, Decline, run)

class Sane(Bot):
    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()

if __name__ == "__main__":
    run(Sane)
"""
FOOL = SANE.replace("Decline", "Call")
"""It calls whatever is claimed, and takes the pile nearly each time."""
QUICK = ("--seats", "2", "--set", "max_turns=12", "--field", "sample:honest", "--nodes", "1")


def bot(folder: Path, name: str, text: str) -> Path:
    """Write a bot as a folder, and return it."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "bot.py").write_text(text)
    return path
