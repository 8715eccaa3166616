"""Matches, finished games, tokens."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "match",
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("journal", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("preset", sa.Text, nullable=False),
        sa.Column("terms", sa.JSON, nullable=False),
        sa.Column("entrants", sa.JSON, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("termination", sa.Text, nullable=False),
        sa.Column("strikes", sa.JSON, nullable=False),
        sa.Column("statistics", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_match"),
    )
    op.create_table(
        "game",
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("places", sa.JSON, nullable=False),
        sa.Column("termination", sa.Text, nullable=False),
        sa.Column("turn_count", sa.Integer, nullable=False),
        sa.Column("rules_version", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("events", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "game", name="pk_game"),
        sa.ForeignKeyConstraint(["match_id"], ["match.match_id"], name="fk_game_match_id"),
    )
    op.create_table(
        "token",
        sa.Column("handle", sa.String(16), nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float),
        sa.Column("revoked_at", sa.Float),
        sa.Column("revocation", sa.Integer),
        sa.PrimaryKeyConstraint("handle", name="pk_token"),
        sa.UniqueConstraint("revocation", name="uq_token_revocation"),
    )
    op.create_index("ix_token_name", "token", ["name"])
