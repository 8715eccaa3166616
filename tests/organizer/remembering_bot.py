"""A bot that remembers every hand it ever held, in a file beside it, with what it found out about the others' moves.

When it holds a hand again, in the same seat, it follows the story that it knows and calls its lies, with certainty.
MEMORY in the environment names the file; without it the bot is its own forgetful twin.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run
from cheatarena.cheat.facts import CheatCalled, CheatHand, CheatPlayed

CHEAP = 6
"""Cards on a pile up to which it calls to find out."""


class RememberingBot(Bot):
    memory: ClassVar[Path | None] = Path(__file__).with_name(os.environ["MEMORY"]) if os.environ.get("MEMORY") else None

    def __init__(self) -> None:
        self.hand: list[int] = []
        self.story = 0  # all that everybody saw of this game, as a number
        self.lies: dict[str, bool] = {}  # by story: whether the move that it ends with was one

    def saw(self, table: Table, event: Any) -> None:
        """Follow the story, and learn from it."""
        match event:
            case CheatHand():
                self.recall(table, list(event.cards.cards))
            case CheatPlayed():
                self.story = hash((self.story, event.seat, event.rank, event.count))
            case CheatCalled():
                self.lies[str(self.story)] = event.right
                self.note(table, story=str(self.story), lie=event.right)
                self.story = hash((self.story, event.caller))
            case _:
                pass

    def recall(self, table: Table, hand: list[int]) -> None:
        """Look a new hand up among the known ones. It is recorded at once, for games that begin meanwhile."""
        self.hand, self.story, self.lies = hand, 0, {}
        known = [note for note in self.notes() if (note["seat"], note["hand"]) == (table.seat, hand)]
        self.lies = {note["story"]: note["lie"] for note in known if "lie" in note}
        self.note(table, met=sum("met" in note for note in known))

    def notes(self) -> Iterator[dict[str, Any]]:
        """Read all recorded notes."""
        if self.memory is not None and self.memory.exists():
            yield from map(json.loads, self.memory.read_text().splitlines())

    def note(self, table: Table, **known: object) -> None:
        """Write a line. The line of a new game says how often the hand was met before."""
        if self.memory is not None:
            with self.memory.open("a") as file:
                file.write(json.dumps({"seat": table.seat, "hand": self.hand, **known}) + "\n")

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.pass_() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        known = self.lies.get(str(self.story), table.pile_claimed <= CHEAP)
        return Call() if known or table.is_impossible(claim) else Decline()


if __name__ == "__main__":
    run(RememberingBot)
