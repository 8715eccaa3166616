"""Gives each remote bot of a league with dates what it needs to connect.

If a remote bot has no valid token, the league makes one that stays valid until after the last close, and shows it once.
So a bot keeps its token if the league is stopped or killed and then resumed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.hosting.play.bot_pool import LEAGUE_INSTANCE
from arena.store.token_identity import Scope

if TYPE_CHECKING:
    from arena.store.open_store import Store

PATIENCE_S: Final = 86_400
"""Seconds for which a bot that uses the SDK keeps dialling while the league is down."""
AFTER_CLOSE: Final = timedelta(days=7)
"""How long a token stays valid after the last close. Games may still be running then, or be played again."""


@dataclass(frozen=True, slots=True)
class RemoteAccess:
    """What one remote bot needs to connect."""

    name: str
    address: str
    token: str = field(default="", repr=False)
    """A new token; empty if the bot has a valid one."""
    owner: str | None = None
    """The bot's owner; None if it has none."""
    authority: Path | None = None
    """The certificate file of a local authority, which the author needs too; None if the server's authority is
    public."""

    def lines(self) -> Sequence[str]:
        """Return lines to send to the bot's author: a sentence, then the environment variables."""
        whose = "it" if self.owner is None else f"its owner {self.owner!r}"
        has_token = "" if self.token else f", with the token that {whose} has"
        token = [f"export CHEATARENA_TOKEN={self.token}"] if self.token else []
        sending = "" if self.authority is None else f"; send the file {self.authority} together with these lines"
        authority = [] if self.authority is None else [f"export CHEATARENA_CA={self.authority.name}"]
        return [
            f"{self.name} dials in{has_token}{sending}:",
            f"export CHEATARENA_ADDRESS={self.address}",
            *token,
            *authority,
            f"export CHEATARENA_INSTANCE={LEAGUE_INSTANCE}",
            f"export CHEATARENA_PATIENCE={PATIENCE_S}",
        ]


async def give_access(
    store: "Store",
    names: Iterable[str],
    address: str,
    last_close: float,
    now: float,
    authority: Path | None = None,
) -> Sequence[RemoteAccess]:
    """Return what each of these remote bots needs. A bot without a valid token gets a new one.

    The new token of an owner's bot belongs to the owner. A token counts as valid if it does not expire before the last
    close. Times are in seconds since 1970. Raises StoreError.
    """
    rows = await store.tokens.list()
    has_token = {
        (row.name, row.owner) for row in rows if Scope.PLAY in row.scopes and row.is_valid(max(now, last_close))
    }
    ttl = timedelta(seconds=max(0.0, last_close - now)) + AFTER_CLOSE
    owners = {name: await store.owners.owner_of(name) for name in names}
    return [
        RemoteAccess(
            name,
            address,
            "" if (name, owner) in has_token else await store.tokens.create(name, [Scope.PLAY], ttl, owner),
            owner,
            authority,
        )
        for name, owner in owners.items()
    ]
