"""What `arena serve` runs for its pools: house bots, and the process that fits ratings.

Nothing slow is imported for a server without pools.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from arena.errors import OptionError
from cheatarena.addresses import is_loopback

if TYPE_CHECKING:
    from arena.app.server import RunningServer
    from arena.config.server_config import ServerConfig
    from arena.launch.process import Launcher
    from arena.node.event_loop import NodeClock
    from arena.node.node_ports import ProcessMonitor

_LOCAL_LISTENER: Final = "127.0.0.1:0"


def add_house_listener(settings: "ServerConfig") -> "ServerConfig":
    """Return the settings with a listener on loopback for house bots, if they need one of their own.

    Raises OptionError if loopback listeners speak TLS, because house bots speak plaintext.
    """
    if not has_house_bots(settings):
        return settings
    if settings.tls_on_loopback:
        raise OptionError("tls_on_loopback", True, "the server starts house bots, and they speak plaintext on loopback")
    listening = settings.listen or (f"{settings.host}:{settings.port}",)
    if any(map(is_loopback, listening)):
        return settings
    return replace(settings, listen=(*listening, _LOCAL_LISTENER))


def has_house_bots(settings: "ServerConfig") -> bool:
    """Return whether any pool has house bots."""
    return any(pool.house_bots for pool in settings.pools)


@asynccontextmanager
async def sample_house_bots(
    settings: "ServerConfig", clock: "NodeClock", launchers: "list[Launcher]"
) -> "AsyncIterator[ProcessMonitor | None]":
    """Measure the processes that the launchers run, if there are house bots."""
    if not has_house_bots(settings):
        yield None
        return
    from arena.runner.process_sampler import sample_processes

    async with sample_processes(launchers, clock.now) as processes:
        yield processes


@asynccontextmanager
async def run_pools(
    settings: "ServerConfig", running: "RunningServer", launchers: "list[Launcher]"
) -> AsyncIterator[None]:
    """Keep the house bots of all pools running, and the process that fits the ratings. On exit, end them."""
    if not settings.pools:
        yield
        return
    from arena.runner.side_process import run_beside

    fitting = ("-m", "arena.seasons.rating_process", str(settings.data))
    async with run_beside("ratings", fitting), _run_house_bots(settings, running, launchers):
        yield


@asynccontextmanager
async def _run_house_bots(
    settings: "ServerConfig", running: "RunningServer", launchers: "list[Launcher]"
) -> AsyncIterator[None]:
    if not running.house_programs:
        yield
        return
    from arena.runner.host import Host, TemporaryTokens
    from arena.runner.house_bots import run_house_bots
    from arena.runner.organizer import LocalOrganizer

    tokens = TemporaryTokens(running.store.tokens)
    address = next(filter(is_loopback, running.listening))
    host = Host(address, LocalOrganizer(running.matches), tokens, settings.data, running, launchers)
    try:
        async with run_house_bots(host, running.house_programs):
            yield
    finally:
        await tokens.revoke()
