"""A bot for leagues that play fast: it says the truth where it can, and calls every tenth claim."""

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run

CALL = Call()
DECLINE = Decline()
CALLED = 10


class Quick(Bot):
    """Has next to nothing to think about."""

    windows = 0
    """Of all tables of the process."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        Quick.windows += 1
        return DECLINE if Quick.windows % CALLED else CALL


if __name__ == "__main__":
    run(Quick)
