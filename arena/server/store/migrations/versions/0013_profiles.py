"""Bots have profiles."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Bots without a profile have an empty one."""
    op.add_column("bot", sa.Column("profile", sa.JSON, nullable=False, server_default="{}"))
