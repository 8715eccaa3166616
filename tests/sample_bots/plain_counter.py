"""The sample `counter` written plainly: exact numbers, and a list of cards for each play. Only for few cards."""

from fractions import Fraction
from math import comb
from typing import Any

from cheatarena import Hand, Play, Rank, Table, TurnOptions


def exact_chance(wanted: int, fitting: int, pool: int, drawn: int) -> float:
    """Return the chance that at least `wanted` of `drawn` cards fit, if `fitting` cards of the pool fit."""
    ways = (comb(drawn, hits) * comb(pool - drawn, fitting - hits) for hits in range(max(wanted, 0), fitting + 1))
    return float(Fraction(sum(ways), comb(pool, fitting)))


class PlainChoice:
    """Chooses the play of a turn as `counter` does, from the sample's constants and what the sample has counted."""

    def __init__(self, sample: Any) -> None:
        self.sample = sample
        self.bot: Any = None

    def choose(self, bot: Any, table: Table, options: TurnOptions) -> Play | None:
        """Return the best play, or None if there is none. The bot must have counted the cards of this turn."""
        self.bot = bot
        plays = self.plays(table, options)
        return max(plays, key=lambda play: self.value(table, play), default=None)

    def plays(self, table: Table, options: TurnOptions) -> list[Play]:
        """Return all plays to compare."""
        plays = options.honest_plays()
        if options.face_up:
            return plays
        if options.zero:
            plays.append(Play((), table.random.choice(options.ranks)))
        for rank in options.ranks:
            order = sorted(table.hand, key=lambda card: (card.fits(rank), self.sample.nearness(card, rank)))
            most = min(table.ruleset.copies, len(table.hand))
            plays += [Play(tuple(sorted(order[:count])), rank) for count in options.counts if count <= most]
        return plays

    def value(self, table: Table, play: Play) -> float:
        """Return the expected value of a play, in cards."""
        sample, count, rest = self.sample, len(play.cards), Hand(table.hand)
        rest.remove(play.cards)
        worth = count - sample.JOKER_VALUE * sum(card.is_joker for card in play.cards)
        near = [sample.nearness(card, play.rank) for card in rest]
        worth += sample.NEARNESS_VALUE * sum(near) / len(near) if near else sample.WIN_VALUE
        called = self.chance_called(table, play)
        if play.is_honest:
            return float(worth + called * sample.WRONG_CALL_CARD_VALUE * (self.bot.pile + count))
        return float((1 - called) * worth - called * (sample.CAUGHT_LIE_COST + self.bot.pile))

    def chance_called(self, table: Table, play: Play) -> float:
        """Return the chance that a seat calls."""
        count = len(play.cards)
        calls, moves = self.bot.doubts[min(count, 5)]
        believed = 1 - min(calls / moves, 1) if count < len(table.hand) else 0.1
        if not play.is_honest:
            fitting = {seat: sum(card.fits(play.rank) for card in seen) for seat, seen in self.bot.seen.items()}
            enough = table.ruleset.copies + table.ruleset.jokers - count + 1 - sum(fitting.values())
            for seat in fitting:
                believed *= 1 - self.chance_held(table, seat, play.rank, enough)
        return float(1 - believed)

    def chance_held(self, table: Table, seat: int, rank: Rank, wanted: int) -> float:
        """Return the chance that a seat's unseen cards contain enough cards of a rank."""
        fitting = table.unseen(rank) + self.bot.jokers
        pool = max(self.bot.pool, fitting)
        drawn = min(max(self.bot.sizes[seat] - len(self.bot.seen[seat]), 0), pool)
        return exact_chance(wanted, fitting, pool, drawn)
