"""How much each game counts for ratings: less, if two owners meet too often.

An accomplice pays if it meets its friend again and again. So of the games of a bot that count, at most a quarter are
games with bots of any one other owner. A game of two that meet more often counts in part, for all who played it. The
share of a game is the smallest that one of its pairs asks for:

    share = min(1, max(FIRST_MEETINGS, c / (1 - c) * other games of the bot, by their shares) / games of both)

with c = `MOST_OF_A_BOT`. Shares depend on one another, so they are lowered from 1 until they fit. In a small pool, all
meet more often: c is at least `TIMES_EVEN` times what a pair meets if all who have `MIN_GAMES` games meet equally
often. Nobody can lower their number. House bots are nobody's accomplices, so their games with a bot are not limited.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.competition.pools.ports import MIN_GAMES, PlayedGame, SeasonBot

MOST_OF_A_BOT: Final = 0.25
TIMES_EVEN: Final = 2.0
FIRST_MEETINGS: Final = 5
"""The number of games with one owner's bots that always count in full."""
_MAX_STEPS: Final = 100
_SMALL_CHANGE: Final = 1e-3

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def rated_shares(games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot]) -> Floats:
    """Return the share of each game that counts, above 0 and at most 1. A bot that is not in `bots` has no owner."""
    most = _most_of_a_bot(games, bots)
    if most >= 1:
        return np.ones(len(games))
    number: dict[object, int] = {}
    """The number of each bot, and of each pair of a bot and an owner."""
    seated, met = [], []
    for game, played in enumerate(games):
        owners = {bot: _owner(bot, bots) for bot, _ in played.seats if not _is_house(bot, bots)}
        seated += [(number.setdefault(bot, len(number)), game) for bot in owners]
        met += [
            (number.setdefault((one, owners[other]), len(number)), number[one], game)
            for one, other in permutations(owners, 2)
        ]
    return _lower_shares(np.array(seated).reshape(-1, 2), np.array(met).reshape(-1, 3), len(games), most / (1 - most))


def _lower_shares(seated: Indices, met: Indices, game_count: int, ratio: float) -> Floats:
    """Lower the shares of games until they fit.

    `seated` has rows of a bot and a game, `met` of a pair, its bot and a game; bots and pairs are numbered together.
    `ratio` is that of the games with one owner to those with others.
    """
    (bot, bot_game), (pair, pair_bot, pair_game) = seated.T, met.T
    shares, count = np.ones(game_count), 1 + int(max(bot.max(initial=0), pair.max(initial=0)))
    games_of_pair = np.bincount(pair, minlength=count)
    for _ in range(_MAX_STEPS):
        rated = np.bincount(bot, shares[bot_game], count)
        together = np.bincount(pair, shares[pair_game], count)
        allowed = np.maximum(FIRST_MEETINGS, ratio * (rated[pair_bot] - together[pair]))
        before, shares = shares, np.ones(game_count)
        np.minimum.at(shares, pair_game, allowed / games_of_pair[pair])
        if np.abs(shares - before).max(initial=0) < _SMALL_CHANGE:
            break
    return shares


def _most_of_a_bot(games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot]) -> float:
    """Return which part of a bot's games may be with the bots of one owner; 1 or more if there is no limit."""
    counts = Counter(_owner(bot, bots) for game in games for bot, _ in game.seats if not _is_house(bot, bots))
    regular = sum(count >= MIN_GAMES for count in counts.values())
    if regular < 2:
        return 1.0
    return max(MOST_OF_A_BOT, TIMES_EVEN * (len(games[0].seats) - 1) / (regular - 1))


def _owner(bot: str, bots: Mapping[str, SeasonBot]) -> tuple[str, str]:
    """Return the owner of a bot, or the bot if it has none, so that no name of a bot is taken for an owner's."""
    owner = bots[bot].owner if bot in bots else ""
    return owner, "" if owner else bot


def _is_house(bot: str, bots: Mapping[str, SeasonBot]) -> bool:
    return bot in bots and bots[bot].is_house
