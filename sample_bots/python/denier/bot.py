"""denier: a bot of CHEATER that attacks the seat nearest to a win, and hides its own hand whenever it can."""

from cheatarena import run
from cheatarena.cheater import ActOptions, Allow, Attack, CheaterBot, Draw, Move, Reaction, ReactionOptions, Table

ATTACKS = (Attack.BUST, Attack.TAKE, Attack.DEMAND, Attack.SHOW)
"""The attacks, the most harmful first."""


class Denier(CheaterBot):
    def act(self, table: Table, options: ActOptions) -> Move:
        rival = max(options.targets, key=lambda seat: (table.danger(seat), seat == table.cheater))
        attacks = (options.attack(attack, rival) for attack in ATTACKS)
        return next((attack for attack in attacks if attack), Draw())

    def reaction(self, table: Table, options: ReactionOptions) -> Reaction:
        return options.hide() or Allow()


if __name__ == "__main__":
    run(Denier)
