"""Says which names an owner or a bot may take, within a transaction of other work."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, select

from arena.errors import OptionError
from arena.names import SEPARATORS, fold_look_alikes, is_arena_name, is_readable_name
from arena.server.store.tables import BOTS, INVITATIONS, OWNERS, TOKENS

_SECRETS: Final = ("cat_", "cai_")
"""What the secrets of tokens and the codes of invitations begin with. A name that did so could be taken for one."""
_ALLOWED: Final = (
    "1 to 32 letters and digits of one script, spaces or . _ + # -, with a letter or digit at both ends,"
    " not cat_ or cai_ first"
)


def normalize_name(name: str, field: str = "name") -> str:
    """Return a name in its canonical form (NFKC).

    If the name is invalid, raises an OptionError that names the option `field`.

    Letters of several scripts are refused, unless people write them together (`arena.names`).
    """
    plain = unicodedata.normalize("NFKC", name)
    if plain.startswith(_SECRETS) or not is_readable_name(plain):
        raise OptionError(field, name, _ALLOWED)
    return plain


def name_skeleton(name: str) -> str:
    """Return a text that is the same for all names that look alike. It is never empty for a canonical name.

    >>> name_skeleton("Corn-1"), name_skeleton("c0m i"), name_skeleton("other")
    ('coml', 'coml', 'other')
    """
    return fold_look_alikes(name, ignored=SEPARATORS)


def is_owner(connection: Connection, name: str) -> bool:
    return connection.scalar(select(OWNERS.c.name).where(OWNERS.c.name == name)) is not None


def refuse_taken_name(connection: Connection, field_name: str, name: str, owner: str | None) -> None:
    """Raise OptionError if a name is taken or looks like a taken one. The owner's own names count as free.

    Names that a server gives are taken from the start. So is every name that ever had a token, because recorded games
    bear it.
    """
    if is_arena_name(name):
        raise OptionError(field_name, name, "only the arena gives such names: choose another name")
    refuse_owned_name(connection, field_name, name, owner)
    others = select(TOKENS.c.name).where(TOKENS.c.owner.is_(None)).distinct()
    for other in connection.scalars(others):
        if name_skeleton(other) == name_skeleton(name):
            raise _look_alike_error(field_name, name, other)


def refuse_owned_name(connection: Connection, field_name: str, name: str, owner: str | None) -> None:
    """Raise OptionError if a name is, or looks like, the name of another owner or of another owner's bot."""
    for other in find_owned_look_alikes(connection, name, owner):
        raise _look_alike_error(field_name, name, other)


def find_owned_look_alikes(connection: Connection, name: str, owner: str | None) -> Sequence[str]:
    """Return the other owners, and their bots, that have this name or one that looks like it."""
    skeleton = name_skeleton(name)
    owners = select(OWNERS.c.name).where(OWNERS.c.skeleton == skeleton, OWNERS.c.name.is_distinct_from(owner))
    bots = select(BOTS.c.name).where(BOTS.c.skeleton == skeleton, BOTS.c.owner.is_distinct_from(owner))
    return (*connection.scalars(owners), *connection.scalars(bots))


def refuse_reserved_name(connection: Connection, field_name: str, name: str, invited: str | None, now: float) -> None:
    """Raise OptionError if a name is, or looks like, the name of an owner who has an open invitation.

    Invitations of the owner `invited` do not count.
    """
    named = select(INVITATIONS.c.owner).where(
        INVITATIONS.c.owner.is_distinct_from(invited),
        INVITATIONS.c.used_at.is_(None),
        INVITATIONS.c.revoked_at.is_(None),
        INVITATIONS.c.expires_at > now,
    )
    for other in connection.scalars(named):
        if other is not None and name_skeleton(other) == name_skeleton(name):
            raise _look_alike_error(field_name, name, other)


def _look_alike_error(field_name: str, name: str, other: str) -> OptionError:
    why = "it is taken" if other == name else f"it looks like {other!r}, which is taken"
    return OptionError(field_name, name, f"{why}: choose another name")
