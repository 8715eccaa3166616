"""Pools: seasons, rounds of matchmaking, seatings, ratings and meetings."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of pools, all empty."""
    _create_seatings()
    _create_ratings()


def _create_seatings() -> None:
    op.create_table(
        "pool_season",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ends_at", sa.Float),
        sa.Column("rules_digest", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("closed_at", sa.Float),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", name="pk_pool_season"),
    )
    op.create_table(
        "pool_round",
        sa.Column("round_id", sa.String(26), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("inputs", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("round_id", name="pk_pool_round"),
    )
    op.create_table(
        "pool_match",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False),
        sa.Column("round_id", sa.String(26), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("reason", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["pool_round.round_id"], name="fk_pool_match_round_id"),
        sa.PrimaryKeyConstraint("number", name="pk_pool_match"),
        sa.UniqueConstraint("match_id", name="uq_pool_match_match_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pool_match_pool", "pool_match", ["pool", "season", "match_id"])
    op.create_table(
        "pool_seat",
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("entrant", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("instance", sa.String(64), nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("spread", sa.Float, nullable=False),
        sa.Column("waited_s", sa.Float, nullable=False),
        sa.Column("is_house", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["pool_match.match_id"], name="fk_pool_seat_match_id"),
        sa.PrimaryKeyConstraint("match_id", "entrant", name="pk_pool_seat"),
    )
    op.create_index("ix_pool_seat_bot", "pool_seat", ["bot", "match_id"])


def _create_ratings() -> None:
    op.create_table(
        "pool_fit",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("fitted_at", sa.Float, nullable=False),
        sa.Column("upto", sa.Integer, nullable=False),
        sa.Column("unended", sa.JSON, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", name="pk_pool_fit"),
    )
    op.create_table(
        "pool_rating",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
        sa.Column("spread", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("last_match", sa.String(26), nullable=False),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", "bot", "version", name="pk_pool_rating"),
    )
    op.create_table(
        "pool_rating_point",
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("hour", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
        sa.Column("games", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", "pool", "season", "version", "hour", name="pk_pool_rating_point"),
    )
    op.create_table(
        "pool_meeting",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("other", sa.String(32), nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("points", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", "bot", "other", name="pk_pool_meeting"),
    )
