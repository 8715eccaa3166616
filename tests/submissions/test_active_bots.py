"""The process for submitted bots runs exactly the versions that are active."""

import sys
from pathlib import Path

import pytest

from arena.launch.programs import BotProgram
from arena.runner.kept_bots import KeptBot
from arena.store.open_store import open_store
from arena.store.submission_rows import SubmissionRow
from arena.store.submission_states import SubmissionState
from arena.submissions.active_bots import ActiveBots
from arena.submissions.submitted_programs import SubmittedPrograms
from tests.support.submitted import hand_in

ACTIVE = SubmissionState.ACTIVE


class RecordedBots:
    """Notes what is kept running and what is dropped, in place of `KeptBots`."""

    def __init__(self) -> None:
        self.running: dict[str, KeptBot] = {}
        self.dropped: list[str] = []

    def keep(self, bot: KeptBot) -> None:
        assert bot.entrant.name not in self.running
        self.running[bot.entrant.name] = bot

    async def drop(self, name: str) -> None:
        del self.running[name]
        self.dropped.append(name)


@pytest.fixture
async def store(tmp_path: Path):
    async with await open_store(tmp_path) as opened:
        await opened.owners.add("ann", "", 5)
        yield opened


@pytest.fixture
def kept(monkeypatch, tmp_path) -> RecordedBots:
    def read(_: object, row: SubmissionRow) -> BotProgram:
        return BotProgram(row.bot, (sys.executable,), tmp_path, {"NERVE": "2"}, is_boxed=True, is_submitted=True)

    monkeypatch.setattr(SubmittedPrograms, "read", read)
    return RecordedBots()


def running_version(kept: RecordedBots) -> str | None:
    if "ann-bot" not in kept.running:
        return None
    program = kept.running["ann-bot"].entrant.program
    assert isinstance(program, BotProgram)
    return program.environment["CHEATARENA_VERSION"]


async def test_newest_active_version_runs_and_others_end(store, kept):
    bots = ActiveBots(store, kept, "unix:/run/bots.sock")
    await bots.follow()
    assert running_version(kept) is None

    await hand_in(store, "1", ACTIVE)
    await bots.follow()
    await bots.follow()
    assert running_version(kept) == "1"

    await hand_in(store, "2", ACTIVE)
    await bots.follow()
    assert running_version(kept) == "2"
    assert kept.dropped == ["ann-bot"]

    await store.submissions.roll_back("ann-bot")
    await bots.follow()
    assert running_version(kept) == "1"

    await store.submissions.withdraw("ann-bot", "1")
    await bots.follow()
    assert running_version(kept) is None


async def test_bot_gets_its_pools_its_environment_and_a_token_of_its_own(store, kept):
    await hand_in(store, "1", ACTIVE, pools=("quick", "open"))
    bots = ActiveBots(store, kept, "unix:/run/bots.sock")
    await bots.follow()
    bot = kept.running["ann-bot"]
    assert isinstance(bot.entrant.program, BotProgram)

    first = await store.tokens.check(await bot.make_token())
    second = await store.tokens.check(await bot.make_token())

    assert bot.address == "unix:/run/bots.sock"
    wanted = {"NERVE": "2", "CHEATARENA_POOLS": "quick,open", "CHEATARENA_VERSION": "1"}
    assert bot.entrant.program.environment == wanted
    assert (second.name, second.owner, set(second.scopes)) == ("ann-bot", "ann", {"play"})
    assert second.version == "1"
    valid = [each.handle for each in await store.tokens.list() if each.revoked_at is None]
    assert second.handle in valid
    assert first.handle not in valid, "the token of the process before is revoked"


async def test_token_ends_with_the_version(store, kept):
    await hand_in(store, "1", ACTIVE)
    bots = ActiveBots(store, kept, "unix:/run/bots.sock")
    await bots.follow()
    identity = await store.tokens.check(await kept.running["ann-bot"].make_token())

    await store.submissions.withdraw("ann-bot", "1")
    await bots.follow()

    assert identity.handle not in [each.handle for each in await store.tokens.list() if each.revoked_at is None]
