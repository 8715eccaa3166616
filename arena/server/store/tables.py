"""The tables of the current schema without those of pools.

A test checks that `migrations/` lead to the same tables.
"""

from typing import Final

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

from arena.match.referee.deal import SHARED_DEAL_PREFIX

METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Every constraint has a name, so that a later migration can refer to it."""


MATCHES: Final = Table(
    "match",
    METADATA,
    Column("match_id", String(26), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("journal", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("game", Text, nullable=False),
    Column("preset", Text, nullable=False),
    Column("terms", JSON, nullable=False),
    Column("entrants", JSON, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("termination", Text, nullable=False),
    Column("strikes", JSON, nullable=False),
    Column("statistics", JSON, nullable=False),
    Column("faults", JSON, nullable=False, server_default="[]"),
)
Index(None, MATCHES.c.state, MATCHES.c.match_id)
Index(None, MATCHES.c.game, MATCHES.c.match_id)

MATCH_BOTS: Final = Table(
    "match_bot",
    METADATA,
    Column("bot", Text, primary_key=True),
    Column("match_id", ForeignKey("match.match_id"), primary_key=True),
    sqlite_with_rowid=False,
)
"""Which bots play in each match. An instance of a bot (NAME/1) counts as the bot.

So a page of a bot's matches costs the same however many are stored.
"""

GAMES: Final = Table(
    "game",
    METADATA,
    Column("match_id", ForeignKey("match.match_id"), primary_key=True),
    Column("game", Integer, primary_key=True, autoincrement=False),
    Column("places", JSON, nullable=False),
    Column("termination", Text, nullable=False),
    Column("turn_count", Integer, nullable=False),
    Column("rules_version", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("events", LargeBinary, nullable=False),
)
"""The `events` of a shared deal stay sealed by its seed, which DEALS has once they may be read (`sealed_rows`)."""

DEALS: Final = Table(
    "deal",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("match_id", String(26), nullable=False, unique=True),
    Column("deal_id", Text, nullable=False),
    Column("journal", Text, nullable=False),
    Column("match_number", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("rules", LargeBinary(32), nullable=False),
    Column("commitment", LargeBinary(32), nullable=False),
    Column("link", LargeBinary(32), nullable=False),
    Column("revealed", JSON(none_as_null=True)),
)
"""A chain: `number` counts from 1 without gaps, and `link` is the hash of the previous link and the commitment.

Before a deal is `revealed`, only the journal contains its secret.
"""

IS_SHARED: Final = DEALS.c.deal_id.startswith(SHARED_DEAL_PREFIX, autoescape=True)
"""True for a deal that is played at several tables; the league that plays it also reveals it."""

TOKENS: Final = Table(
    "token",
    METADATA,
    Column("handle", String(16), primary_key=True),
    Column("name", String(32), nullable=False, index=True),
    Column("scopes", JSON, nullable=False),
    Column("secret_hash", LargeBinary(32), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("revoked_at", Float),
    Column("revocation", Integer, unique=True),
    Column("owner", String(32), index=True),
    Column("last_used_at", Float),
    Column("league", String(26), index=True),
    Column("version", String(32)),
)
"""`revocation` numbers tokens from 1, in the order in which they were revoked or got an earlier expiry.

`owner` is NULL for tokens that belong to no owner, such as the tokens of a single match. `league` is the id of the
league for which the token was made; NULL for other tokens. `version` is the version of the submitted bot that the arena
runs with the token; NULL for other tokens.
"""

OWNERS: Final = Table(
    "owner",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("skeleton", String(32), nullable=False, index=True),
    Column("contact", Text, nullable=False),
    Column("bot_limit", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
)
"""Names that look alike have the same `skeleton`; see `names`."""

BANS: Final = Table(
    "owner_ban",
    METADATA,
    Column("number", Integer, primary_key=True),
    Column("owner", String(32), nullable=False),
    Column("because", Text, nullable=False),
    Column("banned_at", Float, nullable=False),
    Column("lifted_at", Float),
    Index("uq_owner_ban_owner", "owner", unique=True, sqlite_where=text("lifted_at IS NULL")),
)
"""Every ban that there ever was. Rows are never removed, and change only when their ban is lifted."""

BOTS: Final = Table(
    "bot",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("owner", ForeignKey("owner.name"), nullable=False, index=True),
    Column("skeleton", String(32), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("profile", JSON, nullable=False, server_default="{}"),
)
"""`profile` has the fields of `BotProfile`; those left out are empty."""

INVITATIONS: Final = Table(
    "invitation",
    METADATA,
    Column("handle", String(16), primary_key=True),
    Column("code_hash", LargeBinary(32), nullable=False),
    Column("owner", String(32)),
    Column("bot_limit", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("used_at", Float),
    Column("used_by", String(32)),
    Column("revoked_at", Float),
)
"""`owner` is NULL if the author may choose the name."""

LEAGUES: Final = Table(
    "league",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("league_id", String(26), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("text", Text, nullable=False),
    Column("sealed", JSON, nullable=False),
)

LEAGUE_ACTS: Final = Table(
    "league_act",
    METADATA,
    Column("league", ForeignKey("league.name"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Float, nullable=False),
    Column("kind", Text, nullable=False),
    Column("values", JSON, nullable=False),
)
"""The entries of each league's ledger, in order, except its blocks. Rows are added and never changed."""

LEAGUE_BLOCKS: Final = Table(
    "league_block",
    METADATA,
    Column("league", ForeignKey("league.name"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False),
    Column("round", Integer, nullable=False),
    Column("label", Text, nullable=False),
    Column("tables", JSON, nullable=False),
    Column("matches", JSON, nullable=False),
    Column("journals", JSON, nullable=False),
    Column("state", String(8), nullable=False),
    Column("results", JSON),
    Column("insight", JSON),
    Column("ended_at", Float),
)
"""Every attempt at a block. Its state, results and end are written in one transaction."""

LOGIN_CODES: Final = Table(
    "login_code",
    METADATA,
    Column("handle", String(16), primary_key=True),
    Column("code_hash", LargeBinary(32), nullable=False),
    Column("owner", String(32), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("used_at", Float),
)

WEB_SESSIONS: Final = Table(
    "web_session",
    METADATA,
    Column("handle", String(16), primary_key=True),
    Column("secret_hash", LargeBinary(32), nullable=False),
    Column("owner", String(32), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("ended_at", Float),
)

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
"""The newest run of each step. Only the owner of the bot and the organizer may read `log`."""

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
