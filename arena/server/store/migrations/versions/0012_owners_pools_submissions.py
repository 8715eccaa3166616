"""From release 0.1.0 to owners, pools, the web page and submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables, all empty but the list of bots. Existing tokens belong to nobody and keep working."""
    _create_owners()
    _extend_tokens()
    _create_seatings()
    _create_ratings()
    _index_matches()
    _create_logins()
    _create_submissions()
    _create_submission_steps()
    _create_owner_bans()


def _create_owners() -> None:
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


def _extend_tokens() -> None:
    op.add_column("token", sa.Column("owner", sa.String(32)))
    op.add_column("token", sa.Column("last_used_at", sa.Float))
    op.create_index("ix_token_owner", "token", ["owner"])
    op.add_column("token", sa.Column("league", sa.String(26)))
    op.create_index("ix_token_league", "token", ["league"])
    op.add_column("token", sa.Column("version", sa.String(32)))


def _create_seatings() -> None:
    op.create_table(
        "pool_season",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("started_at", sa.Float, nullable=False),
        sa.Column("ends_at", sa.Float),
        sa.Column("rules_digest", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("closed_at", sa.Float),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", name="pk_pool_season"),
    )
    op.create_table(
        "pool_round",
        sa.Column("round_id", sa.String(26), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("inputs", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("round_id", name="pk_pool_round"),
    )
    op.create_table(
        "pool_match",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False),
        sa.Column("round_id", sa.String(26), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("reason", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["pool_round.round_id"], name="fk_pool_match_round_id"),
        sa.PrimaryKeyConstraint("number", name="pk_pool_match"),
        sa.UniqueConstraint("match_id", name="uq_pool_match_match_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pool_match_pool", "pool_match", ["pool", "season", "match_id"])
    op.create_table(
        "pool_seat",
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.Column("entrant", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("instance", sa.String(64), nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("spread", sa.Float, nullable=False),
        sa.Column("waited_s", sa.Float, nullable=False),
        sa.Column("is_house", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["pool_match.match_id"], name="fk_pool_seat_match_id"),
        sa.PrimaryKeyConstraint("match_id", "entrant", name="pk_pool_seat"),
    )
    op.create_index("ix_pool_seat_bot", "pool_seat", ["bot", "match_id"])


def _create_ratings() -> None:
    op.create_table(
        "pool_fit",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("fitted_at", sa.Float, nullable=False),
        sa.Column("upto", sa.Integer, nullable=False),
        sa.Column("unended", sa.JSON, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", name="pk_pool_fit"),
    )
    op.create_table(
        "pool_rating",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
        sa.Column("spread", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("last_match", sa.String(26), nullable=False),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", "bot", "version", name="pk_pool_rating"),
    )
    op.create_table(
        "pool_rating_point",
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("hour", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("low", sa.Float),
        sa.Column("high", sa.Float),
        sa.Column("games", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("bot", "pool", "season", "version", "hour", name="pk_pool_rating_point"),
    )
    op.create_table(
        "pool_meeting",
        sa.Column("pool", sa.String(32), nullable=False),
        sa.Column("season", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot", sa.String(32), nullable=False),
        sa.Column("other", sa.String(32), nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("points", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("pool", "season", "bot", "other", name="pk_pool_meeting"),
    )


def _index_matches() -> None:
    """Add the indexes, and list the bots of the existing matches."""
    op.create_index("ix_match_state", "match", ["state", "match_id"])
    op.create_index("ix_match_game", "match", ["game", "match_id"])
    op.create_table(
        "match_bot",
        sa.Column("bot", sa.Text, nullable=False),
        sa.Column("match_id", sa.String(26), nullable=False),
        sa.PrimaryKeyConstraint("bot", "match_id", name="pk_match_bot"),
        sa.ForeignKeyConstraint(["match_id"], ["match.match_id"], name="fk_match_bot_match_id"),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT OR IGNORE INTO match_bot (bot, match_id)"
        " SELECT CASE instr(value, '/') WHEN 0 THEN value ELSE substr(value, 1, instr(value, '/') - 1) END, match_id"
        " FROM match, json_each(match.entrants)"
    )


def _create_logins() -> None:
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


def _create_submissions() -> None:
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


def _create_submission_steps() -> None:
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


def _create_owner_bans() -> None:
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
