"""A sample bot that holds its first turn until the benchmark has read all CPU times: `held_bot.py SCRIPT PORT`.

SCRIPT is the program of a sample whose one bot class has a method `turn`. The benchmark listens at PORT.
"""

import runpy
import socket
import sys
from typing import Any

from cheatarena import Bot, Move, Table, TurnOptions, run


def hold_first_turn(sample: Any, port: int) -> type[Bot]:
    """Return a bot that plays as the sample does, after the first turn of the match has been reported."""

    class Held(sample):  # type: ignore[misc]  # the class is known only when the program runs
        def turn(self, table: Table, options: TurnOptions) -> Move:
            """Report the turn, and wait until the benchmark closes the connection. Then answer it."""
            with socket.create_connection(("127.0.0.1", port)) as benchmark:
                benchmark.recv(1)
            move: Move = super().turn(table, options)
            return move

    return Held


def find_sample(script: str) -> Any:
    """Return the bot class of a sample's program."""
    found = runpy.run_path(script).values()
    return next(each for each in found if isinstance(each, type) and issubclass(each, Bot) and each is not Bot)


if __name__ == "__main__":
    run(hold_first_turn(find_sample(sys.argv[1]), int(sys.argv[2])))
