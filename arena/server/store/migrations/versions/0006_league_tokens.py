"""The league for which a token was made."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing tokens belong to no league and keep working."""
    op.add_column("token", sa.Column("league", sa.String(26)))
    op.create_index("ix_token_league", "token", ["league"])
