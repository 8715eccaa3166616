"""A whole game of CHEATER as readable text; see `playthrough`.

`python -m tests.playthroughs.cheater --write` rewrites the file; without the flag it prints the text.
"""

import sys
from pathlib import Path
from random import Random

from arena.games.cheater.rules.game import CHEATER
from arena.match.deal.stream import SeededChance
from tests.games.cheater.rules.random_game import RandomPlayer
from tests.match.referee.driver import MS, make_driver
from tests.playthroughs.playthrough import Playthrough

FILE = Path(__file__).with_name("cheater.txt")
SEED = 34
"""A game with much of what can happen: attacks with three cards and power 3, hides, a marker taken and lost."""

HEAD = """\
# A whole game of cheater/cheater with three seats, cut after 14 turns, as every seat knew it at every step.
# Written by:  python -m tests.playthroughs.cheater --write
# What changes here has changed in the rules, in what a seat may know, or in how it is told: look before you keep it.
"""


def text(seed: int = SEED) -> str:
    """Play the game and return its text."""
    table = make_driver(CHEATER, 3, options={"max_turns": 14}, chance=SeededChance(bytes([seed] * 32), "M"))
    player = RandomPlayer(Random(seed), skill=0.5)
    table.begin()
    while table.referee.current_game is not None:
        (entrant,) = table.asked_entrants()
        action = player.choose(table.state.hands[entrant], table.prompt(entrant).options)
        table.send(entrant, action, at=table.clock + MS)
    return HEAD + "".join(f"{line}\n" for line in Playthrough(table.paper.records, {CHEATER.name: CHEATER}).lines())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(text(), encoding="utf-8")
    else:
        print(text(), end="")
