"""A bot for tests in which nobody plays."""

from cheatarena import Bot, Move, Table, TurnOptions


class IdleBot(Bot):
    """Connects, and lays true cards if it is asked."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.smallest_lie()
