"""Pools: tables that a server fills again and again with the bots that want to play there."""

import logging
from collections.abc import Mapping

from cheatarena.errors import SettingsError
from cheatarena.plurals import format_count
from cheatarena.v1 import pool_pb2

MAX_POOLS = 32
MAX_SEATS = 1000
MAX_NAME_LENGTH = 32
CHALLENGE_POLICIES: Mapping[str, "pool_pb2.ChallengePolicy.ValueType"] = {
    "own": pool_pb2.CHALLENGE_POLICY_UNSPECIFIED,
    "nobody": pool_pb2.CHALLENGE_POLICY_NOBODY,
    "everybody": pool_pb2.CHALLENGE_POLICY_EVERYBODY,
}
"""Whose challenges a bot accepts, by the word in `Settings.challenges`."""

logger = logging.getLogger("cheatarena")


def parse_pools(text: str) -> Mapping[str, int]:
    """Return the pools in a text such as `standard,cheater:3`, each with the number of seats that the bot wants.

    Raises SettingsError.

    >>> parse_pools("standard, cheater:3")
    {'standard': 1, 'cheater': 3}
    """
    pools = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, _, seats = part.partition(":")
        if not seats.isdecimal() and ":" in part:
            raise SettingsError(f"CHEATARENA_POOLS has {part!r}, expected the name of a pool, or NAME:SEATS")
        pools[name.strip()] = int(seats or 1)
    return pools


def find_pool_fault(pools: Mapping[str, int]) -> str:
    """Return a sentence that says what is wrong with these pools; empty if nothing is."""
    if len(pools) > MAX_POOLS:
        return f"{len(pools)} pools, expected at most {MAX_POOLS}"
    for name, seats in pools.items():
        if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
            return f"the pool {name!r} has {len(name)} characters, expected 1 to {MAX_NAME_LENGTH} printable ones"
        if not 1 <= seats <= MAX_SEATS:
            return f"{format_count(seats, 'seat')} in the pool {name!r}, expected 1 to {MAX_SEATS}"
    return ""


def log_pool_notice(notice: pool_pb2.PoolNotice) -> None:
    """Write how many seats the bot gets in a pool, and why, to the log."""
    seats = format_count(notice.seats, "seat")
    if notice.reason == pool_pb2.POOL_REASON_ENTERED:
        logger.info("pool %s: up to %s at once", notice.pool, seats)
        return
    again = f"; again in {notice.retry_after_ms / 1000:.0f} s" if notice.retry_after_ms else ""
    logger.warning("pool %s: %s, because %s%s", notice.pool, seats, notice.detail, again)
