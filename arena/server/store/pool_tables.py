"""The tables of pools in the current schema."""

from typing import Final

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text

from arena.server.store.tables import METADATA

POOL_SEASONS: Final = Table(
    "pool_season",
    METADATA,
    Column("pool", String(32), primary_key=True),
    Column("season", Integer, primary_key=True, autoincrement=False),
    Column("started_at", Float, nullable=False),
    Column("ends_at", Float),
    Column("rules_digest", String(64), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("state", String(8), nullable=False),
    Column("closed_at", Float),
    Column("report", Text, nullable=False),
)

POOL_ROUNDS: Final = Table(
    "pool_round",
    METADATA,
    Column("round_id", String(26), primary_key=True),
    Column("pool", String(32), nullable=False),
    Column("at", Float, nullable=False),
    Column("inputs", JSON, nullable=False),
)
"""The inputs of the matchmaker in each round that made a match."""

POOL_MATCHES: Final = Table(
    "pool_match",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("match_id", String(26), nullable=False, unique=True),
    Column("pool", String(32), nullable=False),
    Column("season", Integer, nullable=False),
    Column("round_id", ForeignKey("pool_round.round_id"), nullable=False),
    Column("at", Float, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("reason", JSON, nullable=False),
    Index("ix_pool_match_pool", "pool", "season", "match_id"),
    sqlite_autoincrement=True,
)
"""Stored before the match is offered, so there may be no row in `match` yet.

`number` grows with each row that is stored and is never used again. So readers that remember the newest number miss
nothing, in whatever order the ids of the matches were made.
"""

POOL_SEATS: Final = Table(
    "pool_seat",
    METADATA,
    Column("match_id", ForeignKey("pool_match.match_id"), primary_key=True),
    Column("entrant", Integer, primary_key=True, autoincrement=False),
    Column("bot", String(32), nullable=False),
    Column("version", String(32), nullable=False),
    Column("owner", String(32), nullable=False),
    Column("instance", String(64), nullable=False),
    Column("rating", Float, nullable=False),
    Column("spread", Float, nullable=False),
    Column("waited_s", Float, nullable=False),
    Column("is_house", Boolean, nullable=False),
    Index("ix_pool_seat_bot", "bot", "match_id"),
)
"""The entrants of each match of a pool, as the matchmaker knew them."""

POOL_FITS: Final = Table(
    "pool_fit",
    METADATA,
    Column("pool", String(32), primary_key=True),
    Column("season", Integer, primary_key=True, autoincrement=False),
    Column("fitted_at", Float, nullable=False),
    Column("upto", Integer, nullable=False),
    Column("unended", JSON, nullable=False),
    Column("games", Integer, nullable=False),
)
"""The newest fit of each season. Its ratings are in `pool_rating`."""

POOL_RATINGS: Final = Table(
    "pool_rating",
    METADATA,
    Column("pool", String(32), primary_key=True),
    Column("season", Integer, primary_key=True, autoincrement=False),
    Column("bot", String(32), primary_key=True),
    Column("version", String(32), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("low", Float),
    Column("high", Float),
    Column("spread", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("last_match", String(26), nullable=False),
    Column("figures", JSON, nullable=False),
)
"""The newest fitted rating of each version, with sums over its games (`RatingRow`)."""

POOL_RATING_POINTS: Final = Table(
    "pool_rating_point",
    METADATA,
    Column("bot", String(32), primary_key=True),
    Column("pool", String(32), primary_key=True),
    Column("season", Integer, primary_key=True, autoincrement=False),
    Column("version", String(32), primary_key=True),
    Column("hour", Integer, primary_key=True, autoincrement=False),
    Column("rating", Float, nullable=False),
    Column("low", Float),
    Column("high", Float),
    Column("games", Integer, nullable=False),
)
"""The last fitted rating of each hour; `hour` counts from 1970."""

POOL_MEETINGS: Final = Table(
    "pool_meeting",
    METADATA,
    Column("pool", String(32), primary_key=True),
    Column("season", Integer, primary_key=True, autoincrement=False),
    Column("bot", String(32), primary_key=True),
    Column("other", String(32), primary_key=True),
    Column("games", Integer, nullable=False),
    Column("points", Float, nullable=False),
)
"""How often a bot met another one, and how often it finished ahead; a tie counts half."""
