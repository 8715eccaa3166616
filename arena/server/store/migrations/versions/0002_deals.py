"""The chain of deals."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of deals."""
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
