"""Says whether the bots of a run need boxes, and makes sure beforehand that boxes hold."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from arena.bots.launch.box_port import OpenBoxes, refuse_boxes
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.sandbox.backends import open_boxes
from arena.bots.sandbox.probes.isolation_check import require_isolation
from arena.fleet.runner.bot_entrant import BotEntrant
from arena.server.config.server_config import ServerConfig
from arena.server.rpc.listeners import make_socket_path
from cheatarena.addresses import UNIX_PREFIX


def choose_boxes(
    players: Iterable[BotEntrant], settings: BoxSettings, *, are_more_boxed: bool = False
) -> BoxSettings | None:
    """Return None if no bot, now or later (`are_more_boxed`), runs in a box.

    Raises IsolationError if boxes do not hold on this machine. To find that out takes a few seconds.
    """
    if not (are_more_boxed or any(player.is_boxed for player in players)):
        return None
    require_isolation(settings)
    return settings


def boxes_opener(settings: BoxSettings | None) -> OpenBoxes:
    """Return the function that a launcher calls when a bot first needs a box. Without settings, it refuses."""
    return refuse_boxes if settings is None else partial(open_boxes, settings)


@contextmanager
def listen_for_boxes(config: ServerConfig, boxes: BoxSettings | None) -> Iterator[ServerConfig]:
    """Yield the settings of a server, with a Unix socket among its listeners if there are bots in boxes."""
    if boxes is None:
        yield config
        return
    with make_socket_path() as path:
        yield replace(config, listen=(*config.listen, f"{UNIX_PREFIX}{path}"), boxes=boxes)
