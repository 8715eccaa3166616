"""CHEATER for bot authors: a game of dice and letter cards. A hand that spells C H E A T E R in one colour wins.

    from cheatarena import (run)
    from cheatarena.cheater import Allow, Attack, CheaterBot, Draw

    class Grabber(CheaterBot):
        def act(self, table, options):
            return options.attack(Attack.TAKE, options.targets[0]) or options.draw_two() or Draw()

        def reaction(self, table, options):
            return options.hide() or Allow()

    if __name__ == "__main__":
        run(Grabber)

`CheaterBot` is the base class of bots. `Table` has everything that a bot knows. For each kind of question, a class such
as `ActOptions` has the legal answers. A `Move` answers a turn, a `Reaction` an attack, a `Pick` a shown hand, and an
`Answer` is any answer. The module ``game`` is the interface to the rest of the package.
"""

from cheatarena.cheater.answers import (
    Allow,
    Answer,
    Attack,
    Bust,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hide,
    Move,
    Pick,
    Play,
    Reaction,
    Take,
    TakeTop,
)
from cheatarena.cheater.attacking import Attacking
from cheatarena.cheater.bot import CheaterBot
from cheatarena.cheater.cards import BUST, HIDE, SHOW, TAKE, WILD, Card, Color, Hand, cards
from cheatarena.cheater.options import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from cheatarena.cheater.ruleset import Ruleset
from cheatarena.cheater.table import Table

__all__ = [
    "BUST",
    "HIDE",
    "SHOW",
    "TAKE",
    "WILD",
    "ActOptions",
    "Allow",
    "Answer",
    "Attack",
    "Attacking",
    "Bust",
    "Card",
    "CheaterBot",
    "Color",
    "Demand",
    "Discard",
    "DiscardOptions",
    "Draw",
    "DrawTwo",
    "Hand",
    "Hide",
    "Move",
    "Pick",
    "PickOptions",
    "Play",
    "Reaction",
    "ReactionOptions",
    "Ruleset",
    "Table",
    "Take",
    "TakeTop",
    "cards",
]
