"""Tokens of submitted bots say which version they are for."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. The tokens that there are have no version."""
    op.add_column("token", sa.Column("version", sa.String(32)))
