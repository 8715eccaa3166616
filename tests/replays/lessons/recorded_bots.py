"""Bots that play well but for one decision, and their recorded games."""

import functools

from arena.games.catalogue import games
from arena.games.cheat.lessons.model import CHEAT_LESSONS
from arena.match.referee.scalars import EntrantIndex
from arena.practice import play
from arena.replays.lessons.positions import RecordedGame, read_game
from cheatarena import Bot, Call, Claim, Decline, Doubt, Move, Play, Table, TurnOptions


class Honest(Bot):
    """Plays true cards when it can, and calls claims that cannot be true."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.smallest_lie()

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        return Call() if table.is_impossible(claim) else Decline()


class Waiter(Honest):
    """Plays no cards when it has no true card, a move that is never a lie."""

    def __init__(self) -> None:
        self.blunder: tuple[int, str] | None = None
        """The turn and the kind of question of the planted blunder, in bots that have one."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        return options.largest_honest() or options.zero_play() or options.smallest_lie()


class CallerOfNothing(Waiter):
    """Calls one claim of no cards, which cannot be a lie, when the pile is large."""

    def call_window(self, table: Table, claim: Claim) -> Doubt:
        if self.blunder is None and not claim.count and (table.pile_size or 0) >= 15:
            self.blunder = (table.turn, "window")
            return Call()
        return super().call_window(table, claim)


class LateLiar(Waiter):
    """Lays all its cards but one once as a rank that it does not hold, late in the game and on a large pile."""

    def turn(self, table: Table, options: TurnOptions) -> Move:
        is_late = min(size or 9 for size in table.hand_sizes) < 4 and (table.pile_size or 0) >= 20
        count = min(len(table.hand) - 1, 6)
        rank = min(options.ranks, key=table.hand.count)
        if self.blunder is None and is_late and count >= 4 and count in options.counts and not table.hand.count(rank):
            self.blunder = (table.turn, "turn")
            return Play(tuple(table.hand)[:count], rank)
        return super().turn(table, options)


@functools.cache
def play_game(bot: type[Waiter], seed: int) -> tuple[RecordedGame, Waiter]:
    """Play one game of a bot against three others. Return it as the bot's seat knew it, and the bot."""
    player = bot()
    options = {"check": "public+", "max_turns": 120}
    played = play([player, Waiter, Honest, Waiter], games=1, seed=seed, options=options)
    return read_game(played.records, games(), EntrantIndex(0), 0, CHEAT_LESSONS), player
