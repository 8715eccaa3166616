"""Tests bots without a server: script the messages to a bot, and check its answers.

>>> from cheatarena import Bot, Call, Decline
>>> class Cautious(Bot):
...     def turn(self, table, options):
...         return options.largest_honest() or options.smallest_lie()
...     def call_window(self, table, claim):
...         return Call() if table.is_impossible(claim) else Decline()
>>> story = Script(seats=3, seat=0, jokers=0).deal("KS KD KH 2C")
>>> story = story.plays(1, "K", 2).asks_window().closes_window().asks_turn("2 K", (1, 4))
>>> for answer in play_through(Cautious, story):
...     print(answer)
call
KD KH KS as K

For bots of CHEATER, there is `CheaterScript`.

Here, errors in a bot's code are raised instead of logged. There is no clock, and no question has a deadline.
"""

from cheatarena.testing.cheat import Script, TurnRights, card_set
from cheatarena.testing.cheater import CheaterScript
from cheatarena.testing.decided import is_same_decision
from cheatarena.testing.loading import load_bot
from cheatarena.testing.rehearsal import Rehearsal, play_through
from cheatarena.testing.story import Story

__all__ = [
    "CheaterScript",
    "Rehearsal",
    "Script",
    "Story",
    "TurnRights",
    "card_set",
    "is_same_decision",
    "load_bot",
    "play_through",
]
