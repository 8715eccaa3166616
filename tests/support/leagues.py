"""Small leagues: fields of bots with owners, results that a function makes up, and counts of games and meetings."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from arena.competition.formats import Format
from arena.competition.league.field import Entry, Field
from arena.competition.league.model import Block, BlockResult, Entrant, TableResult

SEED = bytes(range(32))


def field(count: int, seats: int, owners: str = "", seed: bytes = SEED) -> Field:
    """Return a field of bots b00, b01 … Each character of `owners` is the owner of a bot; a space means no owner."""
    named = zip(range(count), owners.ljust(count), strict=False)
    return Field(tuple(Entry(Entrant(f"b{index:02}", owner.strip())) for index, owner in named), seats, seed)


def with_late_entrant(entries: Field, name: str, since: int) -> Field:
    """Return a field with another entrant, which joins in round ``since``."""
    return Field((*entries.entries, Entry(Entrant(name), since)), entries.seats, entries.seed)


def with_last_round(entries: Field, name: str, until: int) -> Field:
    """Return a field in which this entrant's last round is ``until``."""
    changed = (Entry(each.entrant, each.since, until) if each.name == name else each for each in entries.entries)
    return Field(tuple(changed), entries.seats, entries.seed)


def by_luck(table: Sequence[str], block: Block) -> tuple[int, ...]:
    """Return pseudo-random places by seat, which depend only on the names and the block."""
    return places_from_order(
        table, sorted(table, key=lambda name: hashlib.sha256(f"{name} {block.number}".encode()).digest())
    )


def by_name(table: Sequence[str], block: Block) -> tuple[int, ...]:
    """Return places by seat, in reverse alphabetical order of the names."""
    return places_from_order(table, sorted(table, reverse=True))


def places_from_order(table: Sequence[str], order: Sequence[str]) -> tuple[int, ...]:
    """Return the places by seat for an order of names, the winner first."""
    return tuple(order.index(name) + 1 for name in table)


def play_blocks(
    blocks: Iterable[Block], how: Callable[[Sequence[str], Block], tuple[int, ...]] = by_luck
) -> list[BlockResult]:
    """Return a result for each block; ``how`` returns the places of a table."""
    return [
        BlockResult(
            block, tuple(TableResult(f"M{block.number}", table, how(table, block), "won") for table in block.tables)
        )
        for block in blocks
    ]


def play_league(
    format_: Format, entries: Field, how=by_luck, most: int = 100, history: Sequence[BlockResult] = ()
) -> list[BlockResult]:
    """Play a league up to its end or to round ``most``, continuing after the results in ``history``."""
    results = list(history)
    for number in range(1 + max((each.block.round for each in results), default=0), most + 1):
        if not (blocks := format_.draw_round(number, entries, results)):
            break
        results += play_blocks(blocks, how)
    return results


def blocks_of(results: Iterable[BlockResult]) -> list[Block]:
    return [result.block for result in results]


def tables_of(blocks: Iterable[Block]) -> list[tuple[str, ...]]:
    return [table for block in blocks for table in block.tables]


def count_games(blocks: Iterable[Block], names: Iterable[str]) -> list[int]:
    """Return the number of games of each entrant, in the order of ``names``."""
    counts = Counter(name for table in tables_of(blocks) for name in table)
    return [counts[name] for name in names]


def count_meetings(blocks: Iterable[Block], names: Iterable[str]) -> dict[tuple[str, str], int]:
    """Return how often each pair sat at one table."""
    counts = Counter(pair for table in tables_of(blocks) for pair in combinations(sorted(table), 2))
    return {pair: counts[pair] for pair in combinations(sorted(names), 2)}


def count_seatings(blocks: Iterable[Block], names: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return how often each entrant sat in each seat."""
    tables = tables_of(blocks)
    counts = Counter((name, seat) for table in tables for seat, name in enumerate(table))
    return {(name, seat): counts[name, seat] for name in names for seat in range(len(tables[0]))}


def spread(counts: Mapping[Any, int] | Sequence[int]) -> int:
    """Return the difference between the largest and the smallest count."""
    values = counts.values() if isinstance(counts, Mapping) else counts
    return max(values) - min(values)


def count_same_owner_pairs(entries: Field, people: Sequence[str]) -> int:
    """Return how many pairs of these entrants have the same owner."""
    owners = entries.owners()
    return sum(owners[one] == owners[other] for one, other in combinations(people, 2))
