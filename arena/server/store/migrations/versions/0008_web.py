"""Indexes for lists of matches: by bot, by game and by state."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the indexes, and list the bots of the existing matches."""
    op.create_index("ix_match_state", "match", ["state", "match_id"])
    op.create_index("ix_match_game", "match", ["game", "match_id"])
    op.create_table(
        "match_bot",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.PrimaryKeyConstraint("bot", "match_id", name="pk_match_bot"),
        sa.ForeignKeyConstraint(["match_id"], ["match.match_id"], name="fk_match_bot_match_id"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT OR IGNORE INTO match_bot (bot, match_id)"
        " SELECT CASE instr(value, '/') WHEN 0 THEN value ELSE substr(value, 1, instr(value, '/') - 1) END, match_id"
        " FROM match, json_each(match.entrants)"
    )
