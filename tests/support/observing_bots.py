"""Bots that answer at random, and add all that they see to a digest."""

from typing import Any

from cheatarena import Bot, Call, Decline
from cheatarena.cheater import CheaterBot


class Observer(Bot):
    """Answers at random, and adds all that it sees to a digest."""

    seen: Any

    def turn(self, table, options):
        self.seen.update(f"{table.describe()}|{options}|{options.plausible_lies(3)}".encode())
        return options.random_play(table.random)

    def call_window(self, table, claim):
        is_impossible = table.is_impossible(claim)
        self.seen.update(f"{claim!r}|{is_impossible}".encode())
        return Call() if is_impossible or table.random.random() < 0.1 else Decline()

    def cut(self, table, options):
        return options.random_cut(table.random)

    def choose(self, table, options):
        return options.random_choice(table.random)

    def saw(self, table, event):
        self.seen.update(repr(event).encode())


class CheaterObserver(CheaterBot):
    """As `Observer`."""

    seen: Any

    def act(self, table, options):
        self.seen.update(f"{table.describe()}|{options}".encode())
        return options.random_move(table.random)

    def discard(self, table, options):
        return options.random_discard(table.random)

    def reaction(self, table, options):
        return options.random_reaction(table.random)

    def pick(self, table, options):
        return options.random_pick(table.random)

    def saw(self, table, event):
        self.seen.update(repr(event).encode())
