"""Clients that use up the descriptors may keep authors waiting, but they stop nothing."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from arena.errors import EnvironmentFaultError
from arena.games.catalogue import games, load_codecs, phrasing_of
from arena.replays.archive import author_archive
from arena.replays.archive.author_archive import open_author_archive
from arena.replays.archive.author_reader import GameParts
from arena.server.guards.descriptors import find_free_descriptor
from arena.server.store.open_store import open_store
from arena.server.wire.author_messages import PageCall

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a limit of descriptors")

PARTS = GameParts(games, load_codecs, phrasing_of)
ALL_GAMES = PageCall("games", "ann", "", 10, "")


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Let this process open no further descriptor."""
    import resource  # noqa: PLC0415  Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (find_free_descriptor(soft), hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.open(os.devnull, os.O_RDONLY)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(author_archive, "WARM_UP_AFTER_S", 0)


@pytest.mark.usefixtures("_at_once")
async def test_worker_that_finds_no_descriptor_starts_later(tmp_path):
    await (await open_store(tmp_path)).close()
    async with open_author_archive(tmp_path, PARTS) as archive:
        with capture_logs() as logs, no_descriptors():
            await archive.warm_up()
            with pytest.raises(EnvironmentFaultError, match="Too many open files; try again"):
                await archive.list_games("ann", ALL_GAMES)
        assert [each["log_level"] for each in logs] == ["warning"]

        assert await archive.list_games("ann", ALL_GAMES) == ([], "")
