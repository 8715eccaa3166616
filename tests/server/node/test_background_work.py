"""Work beside the server: if it fails, the server stops and says so."""

import asyncio

import pytest
from structlog.testing import capture_logs

from arena.cli.exit_codes import ExitCode
from arena.errors import OptionError
from arena.server.node.background_work import run_in_background
from arena.server.node.token_streams import RevokedStreamCloser
from tests.support.commands import run_arena


async def fail() -> None:
    await asyncio.sleep(0)
    raise LookupError("lost")


async def work(cancelled: asyncio.Event) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        cancelled.set()


async def test_failure_ends_the_block_and_is_raised():
    """The block is cancelled, and may still clean up; the other work ends too."""
    cancelled, cleaned = asyncio.Event(), asyncio.Event()

    async def serve() -> None:
        async with run_in_background(fail(), work(cancelled)):
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.01)
                cleaned.set()

    with capture_logs() as logs, pytest.raises(LookupError, match="lost"):
        await asyncio.wait_for(serve(), 10)

    assert cancelled.is_set()
    assert cleaned.is_set()
    assert [(each["log_level"], each["work"]) for each in logs] == [("error", "fail")]


async def test_block_that_ends_cancels_the_work():
    cancelled = asyncio.Event()

    async with run_in_background(work(cancelled)):
        await asyncio.sleep(0)

    assert cancelled.is_set()


async def test_errors_of_the_block_come_out_as_they_are():
    cause = ValueError("why")
    with pytest.raises(OptionError) as caught:
        async with run_in_background(work(asyncio.Event())):
            raise OptionError("port", 1, "no") from cause

    assert caught.value.__cause__ is cause


def test_server_whose_work_fails_ends_with_one_line(capsys, monkeypatch, tmp_path):
    """And with the exit code of an internal error."""

    async def fail_later(_: object) -> None:
        await asyncio.sleep(0.05)
        raise LookupError("lost")

    monkeypatch.setattr(RevokedStreamCloser, "run", fail_later)

    ended = run_arena(capsys, "serve", "--data", tmp_path)

    assert ended.code == ExitCode.INTERNAL_ERROR
    assert ended.out.startswith("READY")
    assert ended.last_line.startswith("arena: internal error: LookupError: lost")
