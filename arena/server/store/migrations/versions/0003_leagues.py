"""The ledgers of leagues."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of leagues."""
    op.create_table(
        "league",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("league_id", sa.String(26), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("sealed", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_league"),
    )
    op.create_table(
        "league_act",
        sa.Column("league", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("values", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["league"], ["league.name"], name="fk_league_act_league"),
        sa.PrimaryKeyConstraint("league", "number", name="pk_league_act"),
    )
    op.create_table(
        "league_block",
        sa.Column("league", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("attempt", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("tables", sa.JSON, nullable=False),
        sa.Column("matches", sa.JSON, nullable=False),
        sa.Column("journals", sa.JSON, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("results", sa.JSON),
        sa.Column("insight", sa.JSON),
        sa.Column("ended_at", sa.Float),
        sa.ForeignKeyConstraint(["league"], ["league.name"], name="fk_league_block_league"),
        sa.PrimaryKeyConstraint("league", "number", "attempt", name="pk_league_block"),
    )
