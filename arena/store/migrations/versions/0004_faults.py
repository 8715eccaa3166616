"""The faults of a match, explained."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give matches a place for them; of those that are there none are known."""
    op.add_column("match", sa.Column("faults", sa.JSON, nullable=False, server_default="[]"))
