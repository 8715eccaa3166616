"""How much each game counts for ratings: less, if two owners meet too often.

An accomplice pays if it meets its friend again and again. So a bot's games count in full while it meets the bots of any
one other owner in at most an eighth of its games. Those of two that meet more often count the less the more they meet,
for all who played them. The share of a game is the smallest that one of its pairs asks for:

    share = min(1, max(FIRST_MEETINGS, c / (1 - c) * other games of the bot) / games of both)^STEEPNESS

with c = `MOST_OF_A_BOT`. In a small pool, all meet more often: c is at least `TIMES_EVEN` times what a pair meets if
all who have `MIN_GAMES` games meet equally often. Nobody can lower their number. House bots are nobody's accomplices,
so their games with a bot are not limited.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.pools.ports import MIN_GAMES, PlayedGame, SeasonBot

MOST_OF_A_BOT: Final = 1 / 8
TIMES_EVEN: Final = 3.0
FIRST_MEETINGS: Final = 3
"""The number of games with one owner's bots that count in full, if there are no more."""
STEEPNESS: Final = 3
"""At 1, a friend would keep as many games with its accomplice as are allowed. At 3, meeting it three times as often
leaves a ninth of those."""


def rated_shares(games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot]) -> NDArray[np.float64]:
    """Return the share of each game that counts, above 0 and at most 1. A bot that is not in `bots` has no owner."""
    most = _most_of_a_bot(games, bots)
    if most >= 1:
        return np.ones(len(games))
    tables = [{bot: owner_of(bot, bots) for bot, _ in game.seats if not is_house(bot, bots)} for game in games]
    played = Counter(bot for owners in tables for bot in owners)
    pairs = [[(one, owners[other]) for one, other in permutations(owners, 2)] for owners in tables]
    met = Counter(pair for of_table in pairs for pair in of_table)
    shares = {pair: _share(played[pair[0]], count, most) for pair, count in met.items()}
    return np.array([min((shares[pair] for pair in of_table), default=1.0) for of_table in pairs])


def _share(games: int, met: int, most: float) -> float:
    """Return the share that a bot asks for which met the bots of an owner in `met` of its games."""
    allowed = max(FIRST_MEETINGS, most / (1 - most) * (games - met))
    return float(min(1.0, allowed / met) ** STEEPNESS)


def _most_of_a_bot(games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot]) -> float:
    """Return which part of a bot's games may be with the bots of one owner; 1 or more if there is no limit."""
    counts = Counter(owner_of(bot, bots) for game in games for bot, _ in game.seats if not is_house(bot, bots))
    regular = sum(count >= MIN_GAMES for count in counts.values())
    if regular < 2:
        return 1.0
    return max(MOST_OF_A_BOT, TIMES_EVEN * (len(games[0].seats) - 1) / (regular - 1))


def owner_of(bot: str, bots: Mapping[str, SeasonBot]) -> tuple[str, str]:
    """Return `(owner, "")`, or `("", bot)` for a bot without one: no bot can pass for an owner of that name."""
    owner = bots[bot].owner if bot in bots else ""
    return owner, "" if owner else bot


def is_house(bot: str, bots: Mapping[str, SeasonBot]) -> bool:
    return bot in bots and bots[bot].is_house
