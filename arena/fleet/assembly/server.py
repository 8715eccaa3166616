"""Assembles a server: a node with its store in the same process."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from arena.bots.launch.program_sets import HouseProgram, find_house_programs
from arena.bots.submissions.submission_settings import IntakeOffer
from arena.competition.pools.matchmaker import Matchmaker
from arena.competition.pools.pool import HouseBot, Pool, build_pools
from arena.fleet.assembly.node import RunningNode, start_node
from arena.fleet.assembly.stores import build_node_stores, build_submission_parts, open_stores
from arena.games.catalogue import games, load_codecs, phrasing_of, resolve_game_and_preset
from arena.ids import new_id
from arena.plain_data import to_plain
from arena.server.config.server_config import ServerConfig, check_site_url
from arena.server.node.background_work import run_in_background
from arena.server.node.event_loop import NodeClock, StampingSelector
from arena.server.node.observers import MatchObserver, ProcessMonitor
from arena.server.rpc.league_service import LeagueHost

if TYPE_CHECKING:
    from arena.server.store.open_store import Store


@dataclass(frozen=True, slots=True)
class RunningServer(RunningNode):
    store: "Store"
    matchmaker: Matchmaker | None
    """None if there are no pools."""
    house_programs: Sequence[HouseProgram]
    """The house bots of the pools, which the caller starts."""
    note_idle_house_bots: Callable[[Sequence[str]], None]
    """Tells the readers of the data folder which house bots do not run. Raises StoreError."""


@asynccontextmanager
async def start_server(
    config: ServerConfig,
    clock: NodeClock,
    selector: StampingSelector,
    observers: Sequence[MatchObserver] = (),
    processes: ProcessMonitor | None = None,
    *,
    resumes: bool = False,
    leagues: LeagueHost | None = None,
) -> AsyncIterator[RunningServer]:
    """Open the store and start a node in this process. On exit, shut it down in order.

    The shutdown refuses new matches, waits up to the grace period for running ones, and stores all results. If
    `resumes` is set, the server takes up the matches that an earlier server left unfinished, and it leaves its own
    unfinished matches to the next server. Otherwise unfinished matches end as `interrupted`.

    Raises StoreLockedError, StoreVersionError, StoreError, PortBusyError, OptionError, OptionsError.
    """
    from arena.replays.archive.author_archive import open_author_archive
    from arena.replays.archive.author_reader import GameParts
    from arena.server.store.crash_recovery import close_match
    from arena.server.store.write_probe import WriteProbe

    check_site_url("web_url", config.web_url)
    config = replace(config, limits=replace(config.limits, leaves_matches=resumes))
    pools, house_programs = _build_pools(config)
    offer = _build_offer(config, pools)
    parts = GameParts(games, load_codecs, phrasing_of)
    async with open_stores(config.data) as opened, open_author_archive(config.data, parts) as authors:
        store, probe = opened.store, WriteProbe(opened.store.database)
        matchmaker = await _load_matchmaker(pools, store, clock) if pools else None
        stores = replace(
            build_node_stores(opened, authors, config.web_url),
            matchmaker=matchmaker,
            leagues=leagues,
            submissions=build_submission_parts(store, offer),
            is_writable=lambda: probe.is_writable,
            interrupted=opened.interrupted if resumes else {},
            close_match=partial(close_match, store.results, store.deals, store.journals_folder, games(), opened.signer),
        )
        async with start_node(config, stores, clock, selector, observers, processes) as running:
            opened.lock.write_lock_info(
                running.address, config.public_address, to_plain(offer), speaks_tls=running.speaks_tls
            )
            works = [probe.run(), authors.warm_up()] if resumes else [probe.run()]
            async with run_in_background(*works):
                yield RunningServer(
                    running.address,
                    running.speaks_tls,
                    running.public_address,
                    running.node,
                    running.result_writer,
                    running.matches,
                    running.listening,
                    running.sockets,
                    store,
                    matchmaker,
                    house_programs,
                    opened.lock.note_idle_house_bots,
                )


def _build_pools(config: ServerConfig) -> tuple[Mapping[str, Pool], Sequence[HouseProgram]]:
    """Return the pools by name, and their house bots. Raises OptionsError."""
    house = find_house_programs(config.pools)
    bots = {text: HouseBot(each.name, each.program.games) for text, each in house.items()}
    return build_pools(config.pools, games(), resolve_game_and_preset, bots), tuple(house.values())


def _build_offer(config: ServerConfig, pools: Mapping[str, Pool]) -> IntakeOffer | None:
    if not config.submissions.enabled:
        return None
    return IntakeOffer(config.submissions, {name: pool.terms.game.name for name, pool in pools.items()})


async def _load_matchmaker(pools: Mapping[str, Pool], store: "Store", clock: NodeClock) -> Matchmaker:
    """Raises StoreError, OptionError."""
    matchmaker = Matchmaker(pools, store.pools, lambda: clock.now() / 1e6, time.time, new_id)
    await matchmaker.load()
    return matchmaker
