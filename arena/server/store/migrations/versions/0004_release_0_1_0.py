"""The tables of release 0.1.0: matches, tokens, deals, leagues."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _create_matches()
    _create_tokens()
    _create_deals()
    _create_leagues()


def _create_matches() -> None:
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
        sa.Column("faults", sa.JSON, nullable=False, server_default="[]"),
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


def _create_tokens() -> None:
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


def _create_deals() -> None:
    op.create_table(
        "deal",
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("deal_id", sa.Text, nullable=False),
        sa.Column("journal", sa.Text, nullable=False),
        sa.Column("match_number", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("rules", sa.LargeBinary(32), nullable=False),
        sa.Column("commitment", sa.LargeBinary(32), nullable=False),
        sa.Column("link", sa.LargeBinary(32), nullable=False),
        sa.Column("revealed", sa.JSON(none_as_null=True)),
        sa.PrimaryKeyConstraint("number", name="pk_deal"),
        sa.UniqueConstraint("match_id", name="uq_deal_match_id"),
    )


def _create_leagues() -> None:
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
