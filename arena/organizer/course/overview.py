"""The organizer's table: every owner with the bots and versions that were submitted, and what became of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.bots.submissions.submission import Submission
from arena.ids import WallTime
from arena.server.store.account_values import OwnerRow, TokenRow

if TYPE_CHECKING:
    from arena.server.store.open_store import Store


@dataclass(frozen=True, slots=True)
class OverviewLine:
    """A submitted version, a bot without one, or an owner without bots."""

    owner: str
    contact: str
    bot: str = ""
    """Empty for an owner without bots."""
    submission: Submission | None = None
    last_seen: WallTime | None = None
    """When the owner or a program of the bot last used a token, to about a minute; None if that was never."""
    has_joined: bool = True
    """Whether the owner has a token. Who has none has not redeemed an invitation."""
    banned: str = ""
    """Why the owner is banned; empty if the owner is not."""

    @property
    def state(self) -> str:
        """How far the version came, or why there is none."""
        if self.banned:
            return f"banned: {self.banned}"
        if not self.has_joined:
            return "has not joined"
        return "nothing submitted" if self.submission is None else str(self.submission.state)

    @property
    def sentence(self) -> str:
        """Why the version is refused, with the step that refused it, or what is wrong with it; empty if nothing is."""
        if self.submission is None:
            return ""
        step = f"{self.submission.refused_step}: " if self.submission.refused_step else ""
        return step + self.submission.sentence


async def read_overview(store: "Store", *, has_all: bool = False) -> list[OverviewLine]:
    """As `build_overview`, of everything in a store. Raises StoreError."""
    owners, banned = await store.owners.list(), await store.bans.reasons()
    submissions, tokens = await store.submissions.list(), await store.tokens.list()
    return list(build_overview(owners, submissions, tokens, banned, has_all=has_all))


def build_overview(
    owners: Iterable[OwnerRow],
    submissions: Iterable[Submission],
    tokens: Iterable[TokenRow],
    banned: Mapping[str, str],
    *,
    has_all: bool,
) -> Iterator[OverviewLine]:
    """Yield the lines by owner and bot, and within a bot the newest version first: only that one unless `has_all`."""
    versions, seen = defaultdict[str, list[Submission]](list), defaultdict[tuple[str, str], WallTime](float)
    for submission in sorted(submissions, key=lambda each: each.submission_id, reverse=True):
        versions[submission.bot].append(submission)
    joined = set[str]()
    for token in tokens:
        owner = token.owner or ""
        joined.add(owner)
        seen[owner, token.name] = max(seen[owner, token.name], token.last_used_at or 0)
    for row in owners:
        names = sorted(bot.name for bot in row.bots)
        for bot in names or [""]:
            last = seen.get((row.name, bot or row.name), 0)
            line = OverviewLine(
                row.name, row.contact, bot, None, last or None, row.name in joined, banned.get(row.name, "")
            )
            submitted = versions[bot] if has_all else versions[bot][:1]
            yield from [replace(line, submission=each) for each in submitted] or [line]
