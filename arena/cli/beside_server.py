"""Runs a server's companions: house bots, leagues, the fit of ratings, the packing of old journals, web pages.

Nothing slow is imported for a server that has none of them.
"""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import asdict, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.errors import NotInstalledError, OptionError, StoreError, UnknownNameError
from cheatarena.addresses import is_loopback

if TYPE_CHECKING:
    from arena.competition.pools.pool_settings import PoolSettings
    from arena.fleet.assembly.server import RunningServer
    from arena.fleet.leagues.served_leagues import ServedLeagues
    from arena.fleet.runner.kept_bots import KeptBots
    from arena.fleet.runner.process_sampler import ProcessSource
    from arena.server.config.server_config import ServerConfig
    from arena.server.node.event_loop import NodeClock
    from arena.server.node.observers import ProcessMonitor

_LOCAL_LISTENER: Final = "127.0.0.1:0"
_LEAGUE_PROCESS: Final = "arena.organizer.served.league_process"
_HOUSE_INSTANCE: Final = "house"
"""The instance of every house bot, so that a new process takes over the seats of the one before it."""
_REPORT_INTERVAL_S: Final = 1.0
_HOUSE_CAPACITY: Final = "10000"
"""How many seats a house bot has. The server knows by its name in which pools it plays."""
_PACKAGES: Final = ("python_multipart", "starlette", "uvicorn")


def add_own_listener(settings: "ServerConfig") -> "ServerConfig":
    """Return the settings with a plaintext listener on loopback for house bots, pages and commands, if they have none.

    With `tls_on_loopback` there can be none. Raises OptionError if house bots would need it.
    """
    from arena.server.rpc.listeners import join_address, select_tcp_addresses

    if settings.tls_on_loopback and has_house_bots(settings):
        raise OptionError("tls_on_loopback", True, "expected false: house bots speak plaintext on loopback")
    listening = select_tcp_addresses(settings.listen) or (join_address(settings.host.strip("[]"), settings.port),)
    is_remote = settings.tls_cert is not None or settings.plaintext_behind_proxy
    if settings.tls_on_loopback or not is_remote or any(map(is_loopback, listening)):
        return settings
    return replace(settings, listen=(*set(settings.listen).difference(listening), *listening, _LOCAL_LISTENER))


def choose_house_bots(settings: "ServerConfig") -> "ServerConfig":
    """Return the settings with samples as house bots of each pool that names none: they fill a table beside one bot.

    With `tls_on_loopback` there can be none.
    """
    return replace(settings, pools=tuple(_choose_for_pool(pool, settings) for pool in settings.pools))


def _choose_for_pool(pool: "PoolSettings", settings: "ServerConfig") -> "PoolSettings":
    if pool.house_bots is not None or settings.tls_on_loopback:
        return pool
    from arena.games.catalogue import pack_of, resolve_game_and_preset

    with suppress(UnknownNameError):  # the server tells it with all other faults
        game, _ = resolve_game_and_preset(pool.game, pool.preset)
        return replace(pool, house_bots=pack_of(game).samples[: pool.seats - 1])
    return pool


def has_bots(settings: "ServerConfig") -> bool:
    """Return whether bots stay with a server, in pools or because they were submitted."""
    return bool(settings.pools) or settings.submissions.enabled


def has_house_bots(settings: "ServerConfig") -> bool:
    return any(pool.house_bots for pool in settings.pools)


@asynccontextmanager
async def open_house_bots(
    settings: "ServerConfig", clock: "NodeClock"
) -> AsyncIterator[tuple["KeptBots | None", "list[ProcessSource]", "ProcessMonitor | None"]]:
    """Return the keeper of house bots, the sources of the processes of all bots, and what measures these.

    A server without pools and submissions has no such bots. House bots end when the context is left. So the server has
    to be stopped inside: its last matches keep their bots.
    """
    if not has_bots(settings):
        yield None, [], None
        return
    from arena.bots.launch.launcher import Launcher
    from arena.fleet.runner.boxed_processes import BoxedProcesses
    from arena.fleet.runner.kept_bots import KeptBots
    from arena.fleet.runner.process_sampler import sample_processes

    async with KeptBots(Launcher(settings.data / "bots")) as bots:
        sources: list[ProcessSource] = [bots.launcher, BoxedProcesses(settings.data)]
        async with sample_processes(sources, clock.now) as processes:
            yield bots, sources, processes


def open_leagues(
    settings: "ServerConfig", sources: "list[ProcessSource]"
) -> "AbstractAsyncContextManager[ServedLeagues | None]":
    """Return a context with what plays leagues, whose bots end when it is left. `sources` gets their processes.

    A server without pools and submissions plays none.
    """
    if not has_bots(settings):
        return nullcontext()
    from arena.fleet.leagues.served_leagues import open_leagues as open_served

    boxes = settings.boxes if settings.submissions.enabled and settings.submissions.runs_boxes else None
    return open_served(settings.data, _LEAGUE_PROCESS, boxes, sources)


async def keep_house_bots(bots: "KeptBots | None", running: "RunningServer") -> None:
    """Keep the house bots of a server's pools running, and report those that do not run, until cancelled."""
    if bots is None or running.matchmaker is None:
        return
    from arena.fleet.runner.bot_entrant import BotEntrant
    from arena.fleet.runner.host import TOKEN_TTL
    from arena.fleet.runner.kept_bots import KeptBot

    tokens = running.store.tokens

    async def make_token(name: str) -> str:
        with suppress(UnknownNameError):  # the bot has never been started
            await tokens.revoke(name)
        return await tokens.create_local(name, TOKEN_TTL)

    kept = []
    for house in running.house_programs:
        environment = {"CHEATARENA_CAPACITY": _HOUSE_CAPACITY, **house.program.environment}
        entrant = BotEntrant(house.name, replace(house.program, environment=environment))
        kept.append(KeptBot(entrant, running.address, _HOUSE_INSTANCE, partial(make_token, house.name)))
        bots.keep(kept[-1])
    while True:
        faults = {each.entrant.name: fault for each in kept if (fault := each.record.describe_trouble())}
        if faults != running.matchmaker.house_faults:
            running.matchmaker.house_faults = faults
            with suppress(StoreError):  # the pages show it later, once the disk has room
                running.note_idle_house_bots(sorted(faults))
        await asyncio.sleep(_REPORT_INTERVAL_S)


def fit_ratings(settings: "ServerConfig") -> AbstractAsyncContextManager[None]:
    """Return a context in which a process beside the server fits the ratings of its pools, if there are any."""
    if not settings.pools:
        return nullcontext()
    from arena.fleet.runner.keep_running import run_beside

    return run_beside("ratings", ("-m", "arena.organizer.seasons.rating_process", str(settings.data)))


def pack_journals(settings: "ServerConfig", look_s: float | None = None) -> AbstractAsyncContextManager[None]:
    """Return a context in which a process beside the server packs old journals once a day, if there are any.

    `look_s` is how often to look for them; None for the usual pause.
    """
    if not settings.retention.enabled:
        return nullcontext()
    from arena.fleet.runner.keep_running import LOOK_S, run_daily

    def is_due() -> bool:
        from arena.organizer.retention.old_journals import is_due as find_due  # a server that starts has other work

        return find_due(settings.data, settings.retention, time.time)

    terms = json.dumps(asdict(settings.retention))
    words = ("-m", "arena.organizer.retention.retention_process", str(settings.data), terms)
    return run_daily("journals", words, is_due, LOOK_S if look_s is None else look_s)


def check_web_parts() -> None:
    """Raises NotInstalledError."""
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise NotInstalledError(f"the web pages need {' and '.join(missing)}: install cheatarena-server[web]")


def run_pages(settings: "ServerConfig", config: Path | None) -> AbstractAsyncContextManager[None]:
    """Return a context in which `arena web` runs in a process of its own, which prints its WEB line itself.

    Port 0 is any free one. It stays the same if the process is started again, so that open pages find it. Without a
    port (None) nothing runs. `config` is the file with the settings of the site.
    """
    if settings.web_port is None:
        return nullcontext()
    from arena.fleet.runner.keep_running import run_beside

    port = settings.web_port or _find_free_port()
    program = ("-c", "from arena.cli.main import main; main()")
    words = ("web", "--with-server", "--data", str(settings.data), "--port", str(port))
    people = ("--people-an-address", str(settings.limits.people_an_address))
    file = () if config is None else ("--config", str(config))
    metrics = () if settings.web_metrics_port is None else ("--metrics-port", str(settings.web_metrics_port))
    return run_beside("web", (*program, *words, "--public-url", settings.web_url, *people, *file, *metrics))


def _find_free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])
