"""random_legal: makes a random legal play each turn, and calls now and then. It is the smallest sample."""

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run

CALL_RATE = 0.05
"""Probability of calling a move."""


class RandomLegal(Bot):
    def turn(self, table: Table, options: TurnOptions) -> Move:
        if options.can_pass and table.random.random() < 0.5:
            return options.pass_() or options.smallest_lie()
        return options.random_play(table.random)

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        return Call() if table.random.random() < CALL_RATE else Decline()


if __name__ == "__main__":
    run(RandomLegal)
