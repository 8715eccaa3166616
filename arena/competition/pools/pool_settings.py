"""Declares the settings of a pool as plain values. `read_config` checks types and bounds, `build_pools` the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal

from annotated_types import Interval, Len

MAX_POOLS: Final = 32
"""The most pools of a server, and the most that a bot may enter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """The settings of one pool, as a server's file has them below `[[pools]]`."""

    name: str = ""
    """1 to 32 characters; unique on the server."""
    game: str = ""
    """The game; empty means the game of the preset, or `cheat`."""
    preset: str = ""
    """The preset; empty means the game's default."""
    rules: Mapping[str, str | int | bool | list[str | int]] = field(default_factory=dict)
    """Options that differ from the preset."""
    seats: Annotated[int, Interval(ge=2, le=10)] = 4
    """Seats of each table."""
    pace: Literal["sealed", "live"] = "sealed"
    pace_settings: Mapping[str, int | bool] = field(default_factory=dict)
    """Settings that differ from the defaults of the pace."""
    games: Annotated[int, Interval(ge=1, le=1_000)] = 1
    """Games of each match. A bot meets new opponents after each match."""
    rated: bool = True
    anonymous: bool = False
    """Whether bots are not told each other's names."""
    owners: Annotated[tuple[str, ...], Len(0, 1_000)] = ()
    """The owners whose bots may enter; empty means that every bot may enter."""
    house_bots: Annotated[tuple[str, ...], Len(0, 16)] | None = None
    """Programs that the server starts itself, such as `sample:honest`. They take seats for which no bot waits.

    None leaves them to the server: it takes samples that fill a table beside one bot (`choose_house_bots`)."""
    house_after_s: Annotated[float, Interval(ge=0, le=3_600)] = 2.0
    """Seconds that a bot waits for other bots before house bots take the free seats of its table."""
    season_ends: datetime | None = None
    """When the season ends, with an offset from UTC; None if `season_days` says so, or if it never ends."""
    season_days: Annotated[float, Interval(gt=0, le=3_660)] | None = None
    """The length of a season. The next one begins at once; without it, the pool closes at `season_ends`."""
