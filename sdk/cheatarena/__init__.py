"""Write a bot that plays bluffing card games over gRPC.

::

    from cheatarena import Bot, Call, Decline, run

    class Cautious(Bot):
        def turn(self, table, options):
            return options.largest_honest() or options.smallest_lie()

        def call_window(self, table, claim):
            return Call() if table.is_impossible(claim) else Decline()

    if __name__ == "__main__":
        run(Cautious)

`Bot` is asked, `Table` is what it knows, `TurnOptions` is what it may do, `run` plays. `Client` is `run` for programs
with an event loop of their own, `cheatarena.testing` puts questions to a bot without a server. The messages of the
contract are in `cheatarena.v1`.
"""

from cheatarena.bot import Bot
from cheatarena.cards import Card, Hand, Rank, cards
from cheatarena.client import Client
from cheatarena.clock import Clock
from cheatarena.decisions import Answer, Call, Decline, Doubt, Move, Pass, Play
from cheatarena.errors import (
    BotError,
    CheatArenaError,
    NotationError,
    ProtocolError,
    RefusedError,
    ServerGoneError,
    SessionReplacedError,
    SettingsError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.options import TurnOptions
from cheatarena.receipts import Receipt
from cheatarena.run import run
from cheatarena.settings import Settings
from cheatarena.table import Table
from cheatarena.terms import Claim, Offer, Pace, Ruleset, Terms

__all__ = [
    "Answer",
    "Bot",
    "BotError",
    "Call",
    "Card",
    "CheatArenaError",
    "Claim",
    "Client",
    "Clock",
    "Decline",
    "Doubt",
    "Hand",
    "Move",
    "NotationError",
    "Offer",
    "Pace",
    "Pass",
    "Play",
    "ProtocolError",
    "Rank",
    "Receipt",
    "RefusedError",
    "Ruleset",
    "ServerGoneError",
    "SessionReplacedError",
    "Settings",
    "SettingsError",
    "Table",
    "Terms",
    "TokenRefusedError",
    "TurnOptions",
    "VersionRefusedError",
    "cards",
    "run",
]
