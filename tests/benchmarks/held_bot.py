"""A sample bot that holds its first turn until the benchmark has read all CPU times: `held_bot.py SCRIPT PORT`.

SCRIPT is the program of a sample whose one bot class has a method `turn`. The benchmark listens at PORT.
"""

import runpy
import socket
import sys
from typing import Any

from cheatarena import Bot, Move, Table, TurnOptions, run

script, port = sys.argv[1:]
sample: Any = next(
    each
    for each in runpy.run_path(script).values()
    if isinstance(each, type) and issubclass(each, Bot) and each is not Bot
)


class Held(sample):  # type: ignore[misc]  # the class is known only when the program runs
    """Plays as the sample, after the first turn of the match has been reported."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        """Report the turn, and wait until the benchmark closes the connection. Then answer it."""
        with socket.create_connection(("127.0.0.1", int(port))) as benchmark:
            benchmark.recv(1)
        move: Move = super().turn(table, options)
        return move


if __name__ == "__main__":
    run(Held)
