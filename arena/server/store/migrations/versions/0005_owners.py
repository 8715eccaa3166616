"""Owners, their bots, invitations; who a token belongs to and when it was last used."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of owners, bots and invitations. Existing tokens belong to nobody and keep working."""
    op.create_table(
        "owner",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("skeleton", sa.String(32), nullable=False),
        sa.Column("contact", sa.Text, nullable=False),
        sa.Column("bot_limit", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_owner"),
    )
    op.create_index("ix_owner_skeleton", "owner", ["skeleton"])
    op.create_table(
        "bot",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("skeleton", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["owner"], ["owner.name"], name="fk_bot_owner"),
        sa.PrimaryKeyConstraint("name", name="pk_bot"),
    )
    op.create_index("ix_bot_owner", "bot", ["owner"])
    op.create_index("ix_bot_skeleton", "bot", ["skeleton"])
    op.create_table(
        "invitation",
        sa.Column("handle", sa.String(16), nullable=False),
        sa.Column("code_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("owner", sa.String(32)),
        sa.Column("bot_limit", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.Column("used_at", sa.Float),
        sa.Column("used_by", sa.String(32)),
        sa.Column("revoked_at", sa.Float),
        sa.PrimaryKeyConstraint("handle", name="pk_invitation"),
    )
    op.add_column("token", sa.Column("owner", sa.String(32)))
    op.add_column("token", sa.Column("last_used_at", sa.Float))
    op.create_index("ix_token_owner", "token", ["owner"])
