"""The files of a league in its data folder: its secret, lock and port, and which bots it waits for while it runs.

Other commands show the awaited bots. Their file is valid only while the league runs, because a killed league leaves it
behind.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from arena.errors import StoreError, StoreLockedError
from arena.log_lines import get_logger
from arena.match.deal.stream import SEED_BYTES
from arena.server.store.data_folder import is_file_locked, make_private_file, write_private_file
from arena.server.store.open_store import Store

log = get_logger(__name__)
_awaited_decoder = msgspec.json.Decoder(dict[str, int])


def write_secret(path: Path, secret: bytes) -> None:
    """Write a league's secret, readable by this user only. Raises StoreError."""
    try:
        write_private_file(path, secret)
    except OSError as error:
        raise StoreError(f"the league's secret {path} cannot be written: {error.strerror}") from error


def read_secret(path: Path) -> bytes:
    """Return a league's secret, read from its file. Raises StoreError."""
    try:
        secret = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the league's secret {path} cannot be read: {error.strerror}") from error
    if len(secret) != SEED_BYTES:
        raise StoreError(f"the league's secret {path} is damaged: it has {len(secret)} bytes, not {SEED_BYTES}")
    return secret


def secret_path(store: Store, league_id: str) -> Path:
    return store.folder / "leagues" / f"{league_id}.secret"


@contextmanager
def hold_league(folder: Path, league_id: str) -> Iterator[None]:
    """Let nobody else play or amend a league while the context lasts. The lock ends with this process.

    Raises StoreLockedError if somebody does.
    """
    path = _lock_path(folder, league_id)
    make_private_file(path)
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise StoreLockedError("the league is being played or amended: wait, or stop it first") from error
        yield


def is_league_held(folder: Path, league_id: str) -> bool:
    """Return whether a league is being played or amended."""
    return is_file_locked(_lock_path(folder, league_id))


def _lock_path(folder: Path, league_id: str) -> Path:
    return folder / "leagues" / f"{league_id}.lock"


def port_path(folder: Path, league_id: str) -> Path:
    return folder / "leagues" / f"{league_id}.port"


def write_port(path: Path, port: int) -> None:
    """Keep the port at which remote bots dial in. If that fails, the next run takes another port, and says so."""
    try:
        write_private_file(path, str(port).encode())
    except OSError as error:
        log.warning("the port of the league cannot be written", path=str(path), fault=str(error))


def read_port(path: Path) -> int:
    """Return the port at which remote bots dialled in last; 0 if there is no readable file."""
    try:
        return int(path.read_bytes())
    except (OSError, ValueError):
        return 0


def awaited_path(folder: Path, league_id: str) -> Path:
    return folder / "leagues" / f"{league_id}.awaited"


def write_awaited(path: Path, awaited: Mapping[str, int]) -> None:
    """Store how many tables wait for each bot, for other commands. If that fails, they see the numbers from before."""
    try:
        write_private_file(path, msgspec.json.encode(dict(awaited)))
    except OSError as error:
        log.warning("the awaited bots cannot be written", path=str(path), fault=str(error))


def read_awaited(path: Path) -> Mapping[str, int]:
    """Return how many tables wait for each bot; empty if there is no readable file."""
    try:
        return _awaited_decoder.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}
