"""Submitted bots are found in the store of a server, whichever process uses it."""

import asyncio
from pathlib import Path

import pytest

from arena.bots.launch.programs import find_bot
from arena.bots.submissions.submission import SubmissionState
from arena.errors import BannedError, BotStartError
from arena.fleet.submissions.submitted_programs import SubmittedPrograms, build_path
from arena.server.store.open_store import Store, open_store
from tests.support.submitted import submit


async def build(store: Store, version: str, state: SubmissionState) -> None:
    """Add a version of ann-bot in a state, with what was built of it."""
    row = await submit(store, version, state)
    place = build_path(store.folder, row.package)
    place.mkdir(parents=True)
    (place / "bot.py").write_text("pass")
    (place / "bot.toml").write_text(f'name = "ann-bot"\nversion = "{version}"\n[resources]\nmemory_mb = 99\n')


@pytest.fixture
def programs(tmp_path) -> SubmittedPrograms:
    """Return the bots of a folder with an inactive, a refused, a withdrawn, a queued and an active version."""

    async def fill() -> None:
        async with await open_store(tmp_path / "server") as store:
            await store.owners.add("ann", "", 5)
            for version, state in (
                ("1", SubmissionState.ACTIVE),
                ("2", SubmissionState.REFUSED),
                ("3", SubmissionState.ACTIVE),
                ("4", SubmissionState.QUEUED),
            ):
                await build(store, version, state)

    asyncio.run(fill())
    return SubmittedPrograms(tmp_path / "server")


def test_active_version_is_found_and_always_boxed(programs):
    found = programs.find("ann-bot", "")

    assert (found.name, found.version, found.limits.memory_mb) == ("ann-bot", "3", 99)
    assert found.is_boxed
    assert found.is_submitted
    assert found.folder.name == found.content


def test_inactive_version_may_play_if_it_is_named(programs):
    assert programs.find("ann-bot", "1").version == "1"
    assert find_bot("submitted:ann-bot@1", submitted=programs) == programs.find("ann-bot", "1")


@pytest.mark.parametrize(
    ("name", "version", "told"),
    [
        ("ann-bot", "2", "version 2 of ann-bot is refused, so it may not play"),
        ("ann-bot", "4", "version 4 of ann-bot is queued, so it may not play"),
        ("ann-bot", "5", r"no version 5 of ann-bot was submitted to .*; versions that may play: 1, 3"),
        ("bob-bot", "", "no active version of bob-bot was submitted to"),
    ],
)
def test_version_that_may_not_play_is_named(programs, name, version, told):
    with pytest.raises(BotStartError, match=told):
        programs.find(name, version)


def test_version_is_found_by_its_content(programs):
    first = programs.find("ann-bot", "1")

    assert programs.find_content("ann-bot", first.content) == first
    assert programs.find_content("ann-bot", programs.find("ann-bot", "3").content) != first
    assert programs.find_content("ann-bot", "c0ffee") is None


def test_folder_without_a_store_is_named(tmp_path):
    with pytest.raises(BotStartError, match=r"no bot was submitted to .*nowhere: there is no store"):
        SubmittedPrograms(tmp_path / "nowhere").find("ann-bot", "")


def test_store_is_only_read(programs, tmp_path):
    before = {path: path.stat().st_size for path in Path(tmp_path / "server").glob("*.db*")}

    programs.find("ann-bot", "")

    assert {path: path.stat().st_size for path in before} == before


def test_version_of_a_banned_owner_is_refused_for_the_reason(programs, tmp_path):
    """A league that has sealed it goes on with it: no owner can stop a league, not even by being banned."""
    content = programs.find("ann-bot", "").content

    async def ban() -> None:
        async with await open_store(tmp_path / "server") as store:
            await store.bans.ban("ann", "it scans the host")

    asyncio.run(ban())
    with pytest.raises(BannedError, match="it scans the host"):
        programs.find("ann-bot", "")
    assert programs.find_content("ann-bot", content) is not None
