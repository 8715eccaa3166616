"""The explained faults of a match."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing matches have no known faults."""
    op.add_column("match", sa.Column("faults", sa.JSON, nullable=False, server_default="[]"))
