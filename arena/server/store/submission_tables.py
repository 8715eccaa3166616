"""The tables of submissions in the current schema."""

from typing import Final

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text, text

from arena.server.store.tables import METADATA

SUBMISSIONS: Final = Table(
    "submission",
    METADATA,
    Column("submission_id", String(26), primary_key=True),
    Column("bot", ForeignKey("bot.name"), nullable=False),
    Column("owner", String(32), nullable=False),
    Column("version", String(32), nullable=False),
    Column("package", String(64), nullable=False, index=True),
    Column("archive", String(64), nullable=False),
    Column("byte_count", Integer, nullable=False),
    Column("pools", JSON, nullable=False),
    Column("state", String(9), nullable=False, index=True),
    Column("sentence", Text, nullable=False),
    Column("refused_step", String(9), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    Column("activated_at", Float),
    Index("ix_submission_owner", "owner", "submission_id"),
    Index(
        "uq_submission_version",
        "bot",
        "version",
        unique=True,
        sqlite_where=text("state != 'refused' OR activated_at IS NOT NULL"),
    ),
    Index("uq_submission_active", "bot", unique=True, sqlite_where=text("state = 'active'")),
)
"""`package` is the content hash; `archive` and `byte_count` are the SHA-256 and the size of the archive.

A version that was refused and never played does not keep its name: its author may repair it and submit it again.
`activated_at` says when the owner or the arena activated it last. A roll back does not change that of the version to
which it leads; that of the version that it leaves becomes LEFT_BY_ROLL_BACK.
"""

KEEPS_VERSION: Final = (SUBMISSIONS.c.state != "refused") | SUBMISSIONS.c.activated_at.is_not(None)
"""True for a submission whose version is taken for ever: no other package, and no other program, has it."""

SUBMISSION_STEPS: Final = Table(
    "submission_step",
    METADATA,
    Column("submission_id", ForeignKey("submission.submission_id"), primary_key=True),
    Column("step", String(9), primary_key=True),
    Column("started_at", Float, nullable=False),
    Column("ended_at", Float),
    Column("is_passed", Boolean),
    Column("sentence", Text, nullable=False),
    Column("log", Text, nullable=False),
)
"""The newest run of each step. Only the owner of the bot may read `log`."""

UPLOADS: Final = Table(
    "upload",
    METADATA,
    Column("upload_id", String(26), primary_key=True),
    Column("owner", String(32), nullable=False),
    Column("bot", String(32), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("byte_count", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Index("uq_upload_owner", "owner", "bot", "sha256", unique=True),
)
"""Uploads that have begun. The file of an upload says how much of it has arrived."""
