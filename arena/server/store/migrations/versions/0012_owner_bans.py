"""Owners can be banned, and every ban stays on record."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "owner_ban",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("because", sa.Text(), nullable=False),
        sa.Column("banned_at", sa.Float(), nullable=False),
        sa.Column("lifted_at", sa.Float()),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_owner_ban")),
    )
    op.create_index(
        "uq_owner_ban_owner", "owner_ban", ["owner"], unique=True, sqlite_where=sa.text("lifted_at IS NULL")
    )
