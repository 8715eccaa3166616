"""Submissions: packages that owners hand in, the steps of each, and uploads in progress."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of submissions, all empty."""
    op.create_table(
        "submission",
        sa.Column("submission_id", sa.String(26), nullable=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("package", sa.String(64), nullable=False),
        sa.Column("archive", sa.String(64), nullable=False),
        sa.Column("byte_count", sa.Integer, nullable=False),
        sa.Column("pools", sa.JSON, nullable=False),
        sa.Column("state", sa.String(9), nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("refused_step", sa.String(9), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("changed_at", sa.Float, nullable=False),
        sa.Column("activated_at", sa.Float),
        sa.PrimaryKeyConstraint("submission_id", name="pk_submission"),
        sa.ForeignKeyConstraint(["bot"], ["bot.name"], name="fk_submission_bot"),
    )
    op.create_index("ix_submission_package", "submission", ["package"])
    op.create_index("ix_submission_state", "submission", ["state"])
    op.create_index("ix_submission_owner", "submission", ["owner", "submission_id"])
    played = sa.text("state != 'refused' OR activated_at IS NOT NULL")
    op.create_index("uq_submission_version", "submission", ["bot", "version"], unique=True, sqlite_where=played)
    active = sa.text("state = 'active'")
    op.create_index("uq_submission_active", "submission", ["bot"], unique=True, sqlite_where=active)
    op.create_table(
        "submission_step",
        sa.Column("submission_id", sa.String(26), nullable=False),
        sa.Column("step", sa.String(9), nullable=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ended_at", sa.Float),
        sa.Column("is_passed", sa.Boolean),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("log", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("submission_id", "step", name="pk_submission_step"),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.submission_id"], name="fk_submission_step_submission_id"
        ),
    )
    op.create_table(
        "upload",
        sa.Column("upload_id", sa.String(26), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("byte_count", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("upload_id", name="pk_upload"),
    )
    op.create_index("uq_upload_owner", "upload", ["owner", "bot", "sha256"], unique=True)
