"""The games of a season as the league's arithmetic reads them: one block a match, one entrant a version of a bot.

Different versions of a bot are different entrants, tied to each other by `LINK_GAMES` games that are no games: draws
between a version and the one before it. They say that versions of a bot are alike, as `VERSION_SPREAD` has it, so a new
version begins where the last one was, and is not freed of its rating. Their weight in the bootstrap is random, so they
make no rating seem more certain than it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final

from arena.league.model import Block, BlockResult, TableResult
from arena.pools.live_ratings import POINTS_PER_THETA, VERSION_SPREAD, Program
from arena.pools.ports import PlayedGame

LINK_GAMES: Final = round((POINTS_PER_THETA / VERSION_SPREAD) ** 2 * 4)
"""Each draw of two tells 1 / (4 POINTS_PER_THETA^2) about their difference, so these tell 1 / VERSION_SPREAD^2."""
LINK_LABEL: Final = "versions"
"""The label of the blocks of such draws."""


@dataclass(frozen=True, slots=True)
class SeasonResults:
    """The results of a season, with the versions behind the names of the entrants."""

    programs: Mapping[str, Program]
    """The bot and the version of each entrant, by name, in the order of their first games."""
    played: Sequence[BlockResult]
    """The games of each match, in the order of the matches."""
    links: Sequence[BlockResult]
    """The draws between versions."""

    @classmethod
    def from_games(cls, games: Sequence[PlayedGame]) -> "SeasonResults":
        """Return the results of these games, which are in the order of their matches."""
        versions: dict[str, dict[str, None]] = {}
        for game in games:
            for bot, version in game.seats:
                known = versions.setdefault(bot, {})
                known.pop(version, None)
                known[version] = None  # the version that played last comes last
        first = dict.fromkeys(program for game in games for program in game.seats)
        newest = {bot: next(reversed(known)) for bot, known in versions.items()}
        names = {(bot, version): entrant_name(bot, version, newest[bot]) for bot, version in first}
        played = [
            _block_result(number, match_id, list(group), names)
            for number, (match_id, group) in enumerate(groupby(games, attrgetter("match_id")), start=1)
        ]
        in_order: dict[str, list[str]] = {}
        for program in first:
            in_order.setdefault(program[0], []).append(names[program])
        links = list(_link_versions(in_order.values(), len(played)))
        return cls({name: program for program, name in names.items()}, played, links)


def entrant_name(bot: str, version: str, newest: str) -> str:
    """Return the name of a version: that of the bot if it is the newest version, and with the version otherwise.

    >>> entrant_name("ada", "2", "2"), entrant_name("ada", "1", "2"), entrant_name("ada", "", "2")
    ('ada', 'ada (1)', 'ada (no version)')
    """
    return bot if version == newest else f"{bot} ({version or 'no version'})"


def _block_result(number: int, match_id: str, games: Sequence[PlayedGame], names: Mapping[Program, str]) -> BlockResult:
    tables = tuple(
        TableResult(match_id, tuple(names[program] for program in game.seats), game.places, "") for game in games
    )
    return BlockResult(Block(number, 1, tuple(table.seats for table in tables)), tables)


def _link_versions(bots: Iterable[Sequence[str]], played: int) -> Iterator[BlockResult]:
    """Yield a block of draws for each version and the one before it, numbered after the blocks that were played."""
    number = played
    for versions in bots:
        for earlier, later in pairwise(versions):
            number += 1
            tables = tuple(
                TableResult("", (earlier, later) if game % 2 else (later, earlier), (1, 1), "")
                for game in range(LINK_GAMES)
            )
            yield BlockResult(Block(number, 1, tuple(table.seats for table in tables), LINK_LABEL), tables)
