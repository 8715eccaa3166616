"""Logins to the web page: codes that work once, and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of logins, both empty."""
    for table, secret, end in (("login_code", "code_hash", "used_at"), ("web_session", "secret_hash", "ended_at")):
        op.create_table(
            table,
            sa.Column("handle", sa.String(16), nullable=False),
            sa.Column(secret, sa.LargeBinary(32), nullable=False),
            sa.Column("owner", sa.String(32), nullable=False),
            sa.Column("created_at", sa.Float, nullable=False),
            sa.Column("expires_at", sa.Float, nullable=False),
            sa.Column(end, sa.Float),
            sa.PrimaryKeyConstraint("handle", name=f"pk_{table}"),
        )
        op.create_index(f"ix_{table}_owner", table, ["owner"])
