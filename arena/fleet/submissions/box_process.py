"""The process that builds, checks, tries and runs submitted bots beside a server.

    python -m arena.fleet.submissions.box_process SETTINGS

SETTINGS is `BoxProcessSettings` as JSON. The process ends with its server (`arena.fleet.runner.keep_running`), and all
bots end with it. Nothing is lost if it is killed: a submission that it was working on is queued again.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.fleet.runner.boxed_processes import publish_processes
from arena.fleet.runner.boxes import boxes_opener
from arena.fleet.runner.keep_running import follow_server
from arena.fleet.runner.kept_bots import KeptBots
from arena.fleet.submissions.active_bots import ActiveBots
from arena.fleet.submissions.build_step import BuildStep
from arena.fleet.submissions.kept_builds import Cleanup, DiskQuota
from arena.fleet.submissions.run_steps import CheckStep, TrialStep
from arena.fleet.submissions.step import StepWork
from arena.fleet.submissions.worker import SubmissionWorkers
from arena.fleet.telemetry import set_up_logging
from arena.plain_data import from_plain
from arena.server.node.background_work import run_in_background
from arena.server.store.open_store import open_store

_MORE_THREADS: Final = 8
"""Threads besides those of builds: bots are started and ended in them."""


@dataclass(frozen=True, slots=True)
class BoxProcessSettings:
    data: str
    address: str
    """The server's address for bots in boxes, `unix:PATH`."""
    boxes: BoxSettings
    submissions: SubmissionSettings
    step_module: str
    """The module of the process that checks a bot and plays trial games with it (`run_steps`)."""


async def run(settings: BoxProcessSettings, stop: asyncio.Event, on_ready: Callable[[], None] = lambda: None) -> None:
    """Work until `stop` is set, and call `on_ready` first. Call `require_isolation` before.

    Raises StoreError, and what stops the work: then somebody has to start the process again.
    """
    submissions = settings.submissions
    threads = ThreadPoolExecutor(submissions.workers + _MORE_THREADS, "box process")  # each build occupies one
    asyncio.get_running_loop().set_default_executor(threads)
    data = Path(settings.data)
    launcher = Launcher(data / "bots", open_boxes=boxes_opener(settings.boxes))
    async with await open_store(data) as store, KeptBots(launcher) as kept:
        quota = DiskQuota(data, store.submissions, submissions.stored_mb, submissions.workers)
        steps: list[StepWork] = [
            BuildStep(data, settings.boxes, quota, submissions),
            CheckStep(data, settings.boxes, settings.step_module, submissions.check_steps),
            TrialStep(data, settings.boxes, settings.step_module, submissions.trial_games),
        ]
        workers = SubmissionWorkers(store.submissions, steps, Cleanup(data, store.submissions), submissions.workers)
        bots = ActiveBots(store, kept, settings.address)
        async with run_in_background(workers.run(), bots.run(), publish_processes(kept, data)):
            on_ready()
            await stop.wait()


async def _run_until_server_is_gone(settings: BoxProcessSettings) -> None:
    gone = asyncio.Event()
    follow_server(gone, priority=0)  # its bots play beside those that the server starts itself
    await run(settings, gone)


def main() -> None:
    """The server, whose settings are on the command line, has found out that boxes hold here."""
    set_up_logging("info")
    asyncio.run(_run_until_server_is_gone(from_plain(json.loads(sys.argv[1]), BoxProcessSettings)))


if __name__ == "__main__":
    main()
