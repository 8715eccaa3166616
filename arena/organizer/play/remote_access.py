"""Gives each remote bot of a league what it needs to connect: an address and a token for the whole league.

If a remote bot has no valid token, the league makes one that lasts until the league is over, and shows it once. The
league also keeps its port. So a bot needs nothing new if the league is stopped or killed and then resumed. When the
league is over, the tokens that were made for it end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.ids import WallTime
from arena.organizer.play.node_bots import LEAGUE_INSTANCE
from arena.server.store.account_values import Scope

if TYPE_CHECKING:
    from arena.server.store.open_store import Store


DIAL_PATIENCE_S: Final = 86_400
"""Seconds for which a bot that uses the SDK keeps dialling while the league is down."""
AFTER_CLOSE: Final = timedelta(days=7)
"""How long a token stays valid after the last close. Games may still be running then, or be played again."""
AFTER_START: Final = timedelta(days=180)
"""How long a token of a league without dates stays valid after the latest start of the league."""


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
            f"export CHEATARENA_PATIENCE={DIAL_PATIENCE_S}",
        ]


@dataclass(frozen=True, slots=True)
class AccessPeriod:
    """For how long the bots of one league connect."""

    league_id: str
    now: WallTime
    last_close: WallTime | None = None
    """When the last date closes, as amended; None in a league without dates."""

    @property
    def end(self) -> WallTime:
        """Until when the league lasts at least."""
        return self.now if self.last_close is None else max(self.now, self.last_close)

    @property
    def tokens_end(self) -> WallTime:
        """Until when the tokens of the league are valid."""
        return self.end + (AFTER_START if self.last_close is None else AFTER_CLOSE).total_seconds()


async def give_access(
    store: "Store", period: AccessPeriod, names: Iterable[str], address: str, authority: Path | None = None
) -> Sequence[RemoteAccess]:
    """Return what each of these remote bots needs to join. A bot without a valid token gets a new one.

    The league's tokens are extended to the end of the period. The new token of an owner's bot belongs to the owner. A
    token that was made for no league counts as valid if it lasts as long as the league's tokens. One that was made for
    another league does not count, because it ends with that league. Raises StoreError.
    """
    await store.tokens.extend_league(period.league_id, period.tokens_end)
    has_token = {
        (row.name, row.owner)
        for row in await store.tokens.list()
        if Scope.PLAY in row.scopes
        and (
            (row.league == period.league_id and row.is_valid(period.end))
            or (row.league is None and row.is_valid(period.tokens_end))
        )
    }
    ttl = timedelta(seconds=period.tokens_end - period.now)

    async def make_token(name: str, owner: str | None) -> str:
        return await store.tokens.create(name, [Scope.PLAY], ttl, owner, period.league_id)

    owners = {name: await store.owners.owner_of(name) for name in names}
    return [
        RemoteAccess(
            name, address, "" if (name, owner) in has_token else await make_token(name, owner), owner, authority
        )
        for name, owner in owners.items()
    ]
