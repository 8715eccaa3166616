"""Bots that another process can import, for tests of practice in several processes."""

from cheatarena import Bot, Call, Decline, Play


class Plain(Bot):
    """Plays true cards when it can, never calls, and remembers nothing."""

    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()


class Doubter(Plain):
    """Calls what cannot be true."""

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) else Decline()


class Chancer(Bot):
    """Makes every choice with its own random source."""

    def turn(self, table, options):
        return options.random_play(table.random)

    def call_window(self, table, claim):
        return Call() if table.random.random() < 0.2 else Decline()


class LostError(Exception):
    """An exception that cannot be sent to another process."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"lost {what} in {where}")


class Loser(Plain):
    """Fails."""

    def turn(self, table, options):
        raise LookupError("lost my cards")


class StrangeLoser(Plain):
    """Fails with an exception that cannot be sent to another process."""

    def turn(self, table, options):
        raise LostError("my cards", "the sofa")


class Stubborn(Plain):
    """Gives no legal answer."""

    def turn(self, table, options):
        return Play(tuple(table.hand)[:1], options.ranks[0], count=99)
