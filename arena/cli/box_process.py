"""What `arena serve` runs for submitted bots: a Unix socket for them, and the process that builds and runs them.

Nothing slow is imported for a server that takes no submissions.
"""

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from cheatarena.addresses import UNIX_PREFIX

if TYPE_CHECKING:
    from arena.app.server import RunningServer
    from arena.config.server_config import ServerConfig


def runs_boxes(settings: "ServerConfig") -> bool:
    """Return whether the server itself starts the process that builds and runs submitted bots."""
    return settings.submissions.enabled and settings.submissions.runs_boxes


@contextmanager
def listen_for_submitted_bots(settings: "ServerConfig") -> Iterator["ServerConfig"]:
    """Yield the settings with a Unix socket for submitted bots, if the server runs any and has no such socket yet.

    Raises IsolationError if boxes do not hold on this machine. To find that out takes a few seconds.
    """
    if not runs_boxes(settings):
        yield settings
        return
    from arena.runner.boxes import listen_for_boxes
    from arena.sandbox.backends import open_boxes
    from arena.sandbox.isolation_check import require_isolation

    require_isolation(open_boxes(settings.boxes))
    if any(address.startswith(UNIX_PREFIX) for address in settings.listen):
        yield settings
        return
    with listen_for_boxes(settings, settings.boxes) as listening:
        yield listening


def run_submitted_bots(settings: "ServerConfig", running: "RunningServer") -> AbstractAsyncContextManager[None]:
    """Return a context in which a process beside the server builds, checks and runs submitted bots, if it takes any."""
    if not runs_boxes(settings):
        return nullcontext()
    from arena.plain_data import to_plain
    from arena.runner.side_process import run_beside
    from arena.submissions.box_process import BoxProcessSettings

    submissions = settings.submissions
    told = BoxProcessSettings(
        str(settings.data.absolute()),
        running.sockets[0],
        settings.boxes,
        submissions.trial_games,
        submissions.check_steps,
    )
    return run_beside("boxes", ("-m", "arena.submissions.box_process", json.dumps(to_plain(told))))
