"""Builds the services of a node."""

from collections.abc import Collection, Mapping

from arena import __version__
from arena.fleet.assembly.stores import NodeStores
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.referee.ports import MatchId
from arena.server.node.challenges import Challenges
from arena.server.node.match_organizer import MatchOrganizer
from arena.server.node.node import Node
from arena.server.node.token_streams import NotedTokens
from arena.server.rpc import (
    account_service,
    author_service,
    health_service,
    league_service,
    match_service,
    play_service,
    pool_service,
    status_service,
    submission_service,
    watch_service,
)
from arena.server.rpc.account_service import AccountService
from arena.server.rpc.author_service import AuthorService
from arena.server.rpc.caller import CallerReader
from arena.server.rpc.health_service import HealthService
from arena.server.rpc.league_service import LeagueService
from arena.server.rpc.match_service import MatchService
from arena.server.rpc.method_builder import MethodBuilder
from arena.server.rpc.play_service import PlayService
from arena.server.rpc.pool_service import PoolService
from arena.server.rpc.reflection_service import ReflectionService
from arena.server.rpc.server import Service
from arena.server.rpc.status_service import StatusService
from arena.server.rpc.submission_service import SubmissionService
from arena.server.rpc.watch_service import WatchService
from arena.server.store.folder_sizes import FolderMeter

SERVICE_NAMES = tuple(
    each.SERVICE
    for each in (
        play_service,
        match_service,
        watch_service,
        pool_service,
        status_service,
        account_service,
        author_service,
        submission_service,
        league_service,
    )
)
"""The services that a health check may ask about. A node without a store of its own does not serve the last four."""


def _never(_: MatchId) -> bool:
    """A server without pools has no match of a pool."""
    return False


async def _no_owners(_: Collection[str]) -> Mapping[str, str]:
    """A node whose store belongs to another process has no pools."""
    return {}


def build_services(
    node: Node,
    stores: NodeStores,
    matches: MatchOrganizer,
    tokens: NotedTokens,
    callers: CallerReader,
    methods: MethodBuilder,
) -> list[Service]:
    has_version = None if stores.submissions is None else stores.submissions.versions.has_version
    services: list[Service] = [
        PlayService(node, tokens, callers, __version__, has_version),
        MatchService(matches, methods, node.game_codecs),
        WatchService(
            node,
            tokens,
            methods,
            matches.is_open,
            _never if stores.matchmaker is None else stores.matchmaker.is_open_match,
        ),
        _build_pool_service(node, stores, matches, methods),
        StatusService(node, stores.matchmaker, methods, FolderMeter(stores.journals.parent), __version__),
        HealthService(
            SERVICE_NAMES,
            callers,
            lambda: node.resumed.is_set() and stores.is_writable() and not node.registry.is_closing,
        ),
    ]
    services.append(ReflectionService((*SERVICE_NAMES, health_service.SERVICE), callers, tokens, node.admission))
    if stores.accounts is not None:
        services.append(AccountService(stores.accounts, node.admission, methods))
        services.append(SubmissionService(stores.submissions, methods, tokens))
        if stores.authors is not None:
            services.append(AuthorService(node, methods, tokens, stores.authors, stores.accounts.owners))
    if stores.leagues is not None:
        services.append(LeagueService(stores.leagues, methods))
    return services


def _build_pool_service(node: Node, stores: NodeStores, matches: MatchOrganizer, methods: MethodBuilder) -> PoolService:
    """A server without pools has challenges too."""
    matchmaker, accounts = stores.matchmaker, stores.accounts
    owners_of = _no_owners if accounts is None else accounts.owners.owners_of
    pools = {} if matchmaker is None else matchmaker.pools
    house_bots = {name: running.pool.house_names for name, running in pools.items()}
    challenges = Challenges(node.registry.sessions, games(), house_bots, matches, node.now)
    return PoolService(matchmaker, challenges, resolve_game_and_preset, methods, node.game_codecs, owners_of)
