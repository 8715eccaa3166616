"""The games of a season as the league's arithmetic reads them: one block a match, one entrant a version of a bot.

Different versions of a bot are different entrants. Before the first game of a version, a few made-up games link it to
the version before it; each of the two wins half of them. They say that versions of a bot are about as strong as each
other (`VERSION_SPREAD`). So a new version begins where the last one was, and does not escape its rating. Each of these
games is a block of its own, with a random weight in the bootstrap. So, of two versions without other games, the
difference in the draws spreads by sqrt(2 trigamma(LINK_GAMES / 2)) in theta, which is about `VERSION_SPREAD` points.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Final

from arena.competition.league.model import Block, BlockResult, TableResult
from arena.competition.pools.live_ratings import Program
from arena.competition.pools.ports import PlayedGame, SeasonBot
from arena.competition.pools.rated_shares import rated_shares

LINK_GAMES: Final = 8
"""The even number next to 4 (POINTS_PER_THETA / VERSION_SPREAD)^2: a game of two tells 1/4 about the difference."""
LINK_LABEL: Final = "versions"
"""The label of the blocks of such games."""


@dataclass(frozen=True, slots=True)
class SeasonResults:
    """The results of a season, with the versions behind the names of the entrants."""

    programs: Mapping[str, Program]
    """The bot and the version of each entrant, by name, in the order of their first games."""
    blocks: Sequence[BlockResult]
    """The games of each match, in the order of the matches, and before the first game of a version its links."""

    @classmethod
    def from_games(cls, games: Sequence[PlayedGame], bots: Mapping[str, SeasonBot]) -> "SeasonResults":
        """Return the results of these games, which are in the order of their matches."""
        shares = dict(zip((game.match_id for game in games), rated_shares(games, bots).tolist(), strict=True))
        newest = {bot: version for game in games for bot, version in game.seats}
        names: dict[Program, str] = {}
        last: dict[str, str] = {}
        """The name of the latest version of each bot so far."""
        blocks: list[BlockResult] = []
        for match_id, group in groupby(games, attrgetter("match_id")):
            of_match = list(group)
            for program in dict.fromkeys(program for game in of_match for program in game.seats):
                if program not in names:
                    names[program] = entrant_name(*program, newest[program[0]])
                    if program[0] in last:
                        blocks += _link_versions(len(blocks) + 1, last[program[0]], names[program])
                    last[program[0]] = names[program]
            tables = [(tuple(names[each] for each in game.seats), game.places) for game in of_match]
            blocks.append(replace(_build_block(len(blocks) + 1, match_id, tables), share=shares[match_id]))
        return cls({name: program for program, name in names.items()}, blocks)

    @property
    def game_counts(self) -> Mapping[str, int]:
        return Counter(name for result in self.played for table in result.tables for name in table.seats)

    @property
    def rated_counts(self) -> Mapping[str, float]:
        """How many games count for the rating of each entrant, by the shares of its games."""
        counts: defaultdict[str, float] = defaultdict(float)
        for result in self.played:
            for name in (name for table in result.tables for name in table.seats):
                counts[name] += result.share
        return counts

    @property
    def first_versions(self) -> frozenset[str]:
        """The names of those that no made-up game links to an earlier version."""
        bots: dict[str, str] = {}
        for name, (bot, _) in self.programs.items():
            bots.setdefault(bot, name)
        return frozenset(bots.values())

    @property
    def played(self) -> Sequence[BlockResult]:
        """The blocks that were played."""
        return [result for result in self.blocks if result.block.label != LINK_LABEL]


def entrant_name(bot: str, version: str, newest: str) -> str:
    """Return the name of a version: that of the bot if it is the newest version, and with the version otherwise.

    No two versions and bots share a name, because names of bots have no comma or parenthesis.

    >>> entrant_name("ada", "2", "2"), entrant_name("ada", "1", "2"), entrant_name("ada", "", "2")
    ('ada', 'ada (1)', 'ada, no version')
    """
    if version == newest:
        return bot
    return f"{bot} ({version})" if version else f"{bot}, no version"


def _link_versions(number: int, earlier: str, later: str) -> Iterator[BlockResult]:
    """Yield the games between a version and the one before it, numbered from `number`. Seats and winner change."""
    for game in range(LINK_GAMES):
        seats = (earlier, later) if game % 2 else (later, earlier)
        places = (1, 2) if game // 2 % 2 else (2, 1)
        yield _build_block(number + game, "", [(seats, places)], LINK_LABEL)


def _build_block(
    number: int, match_id: str, games: Sequence[tuple[tuple[str, ...], tuple[int, ...]]], label: str = ""
) -> BlockResult:
    """Return a block of games, each with its names and places by seat."""
    tables = tuple(TableResult(match_id, seats, places, "") for seats, places in games)
    return BlockResult(Block(number, 1, tuple(table.seats for table in tables), label), tables)
