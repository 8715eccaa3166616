"""Says where the database of a data folder is: in the folder itself, or in PostgreSQL.

A folder whose database is in PostgreSQL has a note with the URL. So every process that knows the folder finds the
database, and forgetting the URL cannot begin a second store. The URL may have a password, so only its user can read
the note, like the receipt key beside it.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arena.errors import RequestError, StoreError
from arena.server.store.data_folder import DATABASE_FILE, STORE_NOTE, make_data_folder, write_private_file
from arena.server.store.engines import Place, describe_place
from arena.typed_command import plain_command

_SCHEMES: Final = ("postgresql", "postgres")
_SECRETS: Final = frozenset({"password", "sslpassword"})
"""Parts of a URL's query that messages would show."""
_REFUSED: Final = (
    "the database of a store must be named as postgresql://USER@HOST/DATABASE; what was named is not shown,"
    " since it may have a password"
)


def find_place(folder: Path) -> Place:
    """Return where the database of a data folder is, whether it exists or not. Raises StoreError."""
    try:
        text = (folder / STORE_NOTE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return folder / DATABASE_FILE
    except OSError as error:
        raise StoreError(f"cannot read {folder / STORE_NOTE}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StoreError(f"cannot read {folder / STORE_NOTE}: it is no text") from error
    try:
        return read_url(text.strip())
    except RequestError as error:
        raise StoreError(f"{folder / STORE_NOTE}: {error}") from error


def choose_place(folder: Path, url: str) -> None:
    """Let the database of a data folder be in PostgreSQL from now on. An empty `url` changes nothing.

    Raises RequestError for a text that is no such URL, and if the folder has another database. Raises StoreError if it
    cannot be written.
    """
    if not url:
        return
    place = read_url(url)
    if (folder / DATABASE_FILE).exists():
        raise RequestError(
            f"the data folder {folder} has a database of its own, {DATABASE_FILE}: name another folder, or copy it to"
            f" {describe_place(place)} with `{plain_command('store', 'copy')}`, and move {DATABASE_FILE} away"
        )
    make_data_folder(folder)
    known = find_place(folder)
    if isinstance(known, URL) and _name_database(known) != _name_database(place):
        raise RequestError(
            f"the data folder {folder} has its database at {describe_place(known)}: to use {describe_place(place)},"
            f" stop its server, copy the store with `{plain_command('store', 'copy')}`, and remove {STORE_NOTE}"
        )
    if known != place:
        try:
            write_private_file(folder / STORE_NOTE, f"{url}\n".encode())
        except OSError as error:
            raise StoreError(f"cannot write {folder / STORE_NOTE}: {error.strerror}") from error


def _name_database(url: URL) -> tuple[object, ...]:
    """Return what identifies a database: neither user nor password does."""
    return url.host, url.port, url.database, *(url.query.get(each) for each in ("host", "port", "options"))


def read_url(text: str) -> URL:
    """Raises RequestError, which does not show the text."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise RequestError(_REFUSED) from error
    if url.drivername not in _SCHEMES or not url.database or "@" in (url.host or ""):
        raise RequestError(_REFUSED)
    if _SECRETS & url.query.keys():
        raise RequestError("the password of a store belongs in ~/.pgpass or before the @ of its URL, not after the ?")
    return url.set(drivername="postgresql")
