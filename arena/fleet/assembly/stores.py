"""Opens the stores of a server, and groups what a node gets of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from arena.competition.pools.matchmaker import Matchmaker
from arena.games.catalogue import games
from arena.ids import new_id
from arena.match.referee.interrupted_match import InterruptedMatch
from arena.match.referee.ports import DealStore, Journal, MatchId, ResultStore, Signer
from arena.match.value_class import value_class
from arena.server.node.identity import RecordedTokens
from arena.server.rpc.account_service import Accounts
from arena.server.rpc.author_service import AuthorArchive
from arena.server.rpc.league_service import LeagueHost
from arena.server.rpc.submission_service import SubmissionParts
from arena.server.store.data_folder import FolderLock, acquire_folder_lock, wait_for_old_nodes
from arena.server.store.receipt_key import ReceiptKey, open_receipt_key

if TYPE_CHECKING:
    from arena.bots.submissions.submission_settings import IntakeOffer
    from arena.server.store.open_store import Store


@value_class()
class OpenStores:
    """Holds the lock of a data folder and everything that was opened under the lock."""

    lock: FolderLock
    store: "Store"
    signer: ReceiptKey
    interrupted: Mapping[MatchId, InterruptedMatch]
    """The matches that an earlier `arena serve` left unfinished."""


async def _leave_open(match_id: MatchId) -> None:
    """The node of a runner takes up no matches."""


@value_class()
class NodeStores:
    """What a node gets from the process that owns the store."""

    results: ResultStore
    deals: DealStore
    tokens: RecordedTokens
    signer: Signer
    journals: Path
    name: str
    """Every start uses a different name."""
    journal: Journal | None = None
    """The node's journal, if the owner of the store keeps it; None for a file in `journals`."""
    is_writable: Callable[[], bool] = lambda: True
    """Returns False if the latest attempt to write the store failed."""
    interrupted: Mapping[MatchId, InterruptedMatch] = field(default_factory=dict)
    close_match: Callable[[MatchId], Awaitable[None]] = _leave_open
    """Ends one of these matches as interrupted if it cannot be taken up. Raises StoreError."""
    accounts: Accounts | None = None
    """Owners and invitations; None for a node whose store belongs to another process."""
    authors: AuthorArchive | None = None
    """What authors may read; None for a node whose store belongs to another process."""
    submissions: SubmissionParts | None = None
    """What takes packages of bots; None if the server takes none."""
    matchmaker: Matchmaker | None = None
    """Makes the matches of pools; None if there are no pools."""
    leagues: LeagueHost | None = None
    """Plays leagues; None for a node that plays none."""


@asynccontextmanager
async def open_stores(data: Path) -> AsyncIterator[OpenStores]:
    """Lock a data folder and open its store. End the matches and reveal the deals that a killed server left open.

    Matches that `arena serve` can take up stay as they are, and so do their deals.

    Raises StoreLockedError, StoreVersionError, StoreError.
    """
    from arena.server.store.crash_recovery import (
        JournalCache,
        close_interrupted_matches,
        find_interrupted_matches,
        reveal_abandoned_deals,
        warn_of_strange_journals,
    )
    from arena.server.store.open_store import open_store

    with acquire_folder_lock(data) as lock:
        await asyncio.to_thread(wait_for_old_nodes, data)
        async with await open_store(data, lock) as store:
            signer = open_receipt_key(store.folder, has_deals=await store.deals.has_deals())
            warn_of_strange_journals(store.journals_folder)
            journals = JournalCache(store.journals_folder)
            left = await find_interrupted_matches(store.results, store.deals, journals, games())
            await reveal_abandoned_deals(store.deals, journals, games(), signer, except_for=left)
            await close_interrupted_matches(store.results, journals, games(), except_for=left)
            yield OpenStores(lock, store, signer, left)


def build_node_stores(opened: OpenStores, authors: AuthorArchive, web_url: str) -> NodeStores:
    store = opened.store
    return NodeStores(
        results=store.results,
        deals=store.deals,
        tokens=store.tokens,
        signer=opened.signer,
        journals=store.journals_folder,
        name=new_node_name(opened.lock),
        accounts=Accounts(store.invitations, store.owners, store.profiles, store.tokens, store.logins, web_url),
        authors=authors,
    )


def build_submission_parts(store: "Store", offer: "IntakeOffer | None") -> SubmissionParts | None:
    if offer is None:
        return None
    from arena.server.intake.server_intake import open_intake, open_own_submissions

    return SubmissionParts(open_intake(store, offer), open_own_submissions(store), store.submissions, store.tokens)


def new_node_name(lock: FolderLock) -> str:
    """Return a new id, which sorts by time, and the folder lock's number."""
    return f"{new_id()}-{lock.number}"
