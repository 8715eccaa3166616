"""The tables of logins to the web page in the current schema."""

from typing import Final

from sqlalchemy import Column, Float, LargeBinary, String, Table

from arena.server.store.tables import METADATA

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
