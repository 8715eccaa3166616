"""random_legal: any legal play at random, and now and then a call. The least that a bot can be."""

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run

CALL_RATE = 0.05
"""The share of moves that it doubts."""


class RandomLegal(Bot):
    def turn(self, table: Table, options: TurnOptions) -> Move:
        if options.can_pass and table.random.random() < 0.5:
            return options.pass_() or options.smallest_lie()
        return options.random_play(table.random)

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        return Call() if table.random.random() < CALL_RATE else Decline()


if __name__ == "__main__":
    run(RandomLegal)
