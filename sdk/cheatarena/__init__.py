"""Write bots that play bluffing card games over gRPC.

    from cheatarena import (Bot, Call, Decline, run)

    class Cautious(Bot):
        def turn(self, table, options):
            return options.largest_honest() or options.smallest_lie()

        def call_window(self, table, claim):
            return Call() if table.is_impossible(claim) else Decline()

    if __name__ == "__main__":
        run(Cautious)

`Bot` is the base class of bots. `Table` has everything that a bot knows, and `TurnOptions` has the moves that the bot
may make. A `Move` answers a turn, a `Doubt` answers a call window, and an `Answer` is any answer. `run` connects
to the server and plays; programs with their own event loop use `Client` instead. `cheatarena.testing` asks a bot
questions without a server. The protobuf messages are in `cheatarena.v1`.

`Bot`, `Table` and `TurnOptions` are for the game Cheat. Bots for the other game, CHEATER, derive from
`cheatarena.cheater.CheaterBot` and run in the same way.
"""

from cheatarena import python_check as python_check  # must precede everything that an old Python cannot read
from cheatarena import shadowed_modules as shadowed_modules  # must precede every other import
from cheatarena.cheat.bot import Bot
from cheatarena.cheat.cards import Card, Hand, Rank, cards
from cheatarena.cheat.claim import Claim
from cheatarena.cheat.dealing import ChooseOptions, CutOptions, Packet
from cheatarena.cheat.decisions import Answer, Believe, Call, Choose, Cut, Decline, Doubt, Move, Pass, Play
from cheatarena.cheat.options import TurnOptions
from cheatarena.cheat.ruleset import Ruleset
from cheatarena.cheat.table import Table
from cheatarena.client import Client
from cheatarena.clock import Clock
from cheatarena.errors import (
    BotClassError,
    BotError,
    CheatArenaError,
    NotationError,
    ProtocolError,
    RefusedError,
    ServerGoneError,
    SessionReplacedError,
    SettingsError,
    TlsError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.player import Player
from cheatarena.receipts import Receipt
from cheatarena.run import run
from cheatarena.settings import Settings
from cheatarena.terms import Offer, Pace, Terms

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Believe",
    "Bot",
    "BotClassError",
    "BotError",
    "Call",
    "Card",
    "CheatArenaError",
    "Choose",
    "ChooseOptions",
    "Claim",
    "Client",
    "Clock",
    "Cut",
    "CutOptions",
    "Decline",
    "Doubt",
    "Hand",
    "Move",
    "NotationError",
    "Offer",
    "Pace",
    "Packet",
    "Pass",
    "Play",
    "Player",
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
    "TlsError",
    "TokenRefusedError",
    "TurnOptions",
    "VersionRefusedError",
    "__version__",
    "cards",
    "run",
]
