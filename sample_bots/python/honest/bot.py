"""honest: lays as many true cards as possible, or else the smallest lie. It calls only claims that cannot be true."""

from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Table, TurnOptions, run


class Honest(Bot):
    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.pass_() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        return Call() if table.is_impossible(claim) else Decline()


if __name__ == "__main__":
    run(Honest)
