"""The process for submitted bots never ends as if all were well: what starts it would not start it again."""

import asyncio
from pathlib import Path

import pytest

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.fleet.submissions.active_bots import ActiveBots
from arena.fleet.submissions.box_process import BoxProcessSettings, run


async def test_process_whose_work_fails_says_so(tmp_path: Path, monkeypatch):
    async def fail(_: object) -> None:
        raise LookupError("lost")

    monkeypatch.setattr(ActiveBots, "run", fail)
    settings = BoxProcessSettings(str(tmp_path), "unix:/nowhere", BoxSettings(), SubmissionSettings(), "nothing")

    with pytest.raises(LookupError, match="lost"):
        await asyncio.wait_for(run(settings, asyncio.Event()), 20)
