"""The process for submitted bots runs exactly the versions that are active."""

import sys
import time

import pytest

from arena.bots.launch.programs import BotProgram
from arena.bots.submissions.submission import STOPPED, Submission, SubmissionState
from arena.errors import BannedError, BotStartError, DeniedError, StoreError
from arena.fleet.runner.kept_bots import KeptBot
from arena.fleet.submissions.active_bots import RETIREMENT_S, ActiveBots
from arena.fleet.submissions.submitted_programs import SubmittedPrograms
from arena.server.store.account_values import TokenIdentity
from arena.server.store.open_store import Store
from tests.support.submitted import submit

ACTIVE = SubmissionState.ACTIVE


class RecordedBots:
    """Notes what is kept running and what is dropped, in place of `KeptBots`."""

    def __init__(self) -> None:
        self.running: dict[tuple[str, str], KeptBot] = {}
        self.keeping_seats: list[str] = []
        """The versions that were dropped without a goodbye."""

    def keep(self, bot: KeptBot) -> None:
        assert bot.key not in self.running
        self.running[bot.key] = bot

    async def drop(self, bot: KeptBot, *, keeps_seats: bool = False) -> None:
        self.running.pop(bot.key, None)
        if keeps_seats:
            self.keeping_seats.append(version_of(bot))

    def versions(self) -> list[str]:
        """Return the versions that run, in the order of their starts."""
        return [version_of(bot) for bot in self.running.values()]

    def find(self, version: str) -> KeptBot:
        """Return the only bot of a version that runs."""
        (found,) = (bot for bot in self.running.values() if version_of(bot) == version)
        return found


def version_of(bot: KeptBot) -> str:
    assert isinstance(bot.entrant.program, BotProgram)
    return bot.entrant.program.environment["CHEATARENA_VERSION"]


@pytest.fixture
def kept(monkeypatch, tmp_path) -> RecordedBots:
    def read(_: object, row: Submission) -> BotProgram:
        return BotProgram(row.bot, (sys.executable,), tmp_path, {"NERVE": "2"}, is_boxed=True, is_submitted=True)

    monkeypatch.setattr(SubmittedPrograms, "read", read)
    return RecordedBots()


def run_bots(store, kept):
    return ActiveBots(store, kept, "unix:/run/bots.sock")


async def start(store: Store, bots: ActiveBots, kept: RecordedBots, version: str) -> TokenIdentity:
    """Hand a version in, let it run, and return what its first process has for a token."""
    await submit(store, version, ACTIVE)
    await bots.follow()
    return await store.tokens.check(await kept.find(version).make_token())


async def valid_tokens(store: Store) -> set[str]:
    return {token.handle for token in await store.tokens.list_version_tokens()}


async def test_version_that_is_active_runs_and_a_withdrawn_one_ends_at_once(store, kept):
    bots = run_bots(store, kept)
    await bots.follow()
    assert kept.versions() == []

    token = await start(store, bots, kept, "1")
    await bots.follow()
    assert kept.versions() == ["1"]

    await store.submissions.withdraw("ann-bot", "1")
    await bots.follow()
    assert kept.versions() == []
    assert token.handle not in await valid_tokens(store)


async def test_version_whose_end_the_store_fails_is_ended_again(store, kept, monkeypatch):
    """Its owner may have read the token in its log, and would play with it elsewhere."""
    bots = run_bots(store, kept)
    token = await start(store, bots, kept, "1")
    await store.submissions.withdraw("ann-bot", "1")

    async def fail(_: str) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(store.tokens, "end_version", fail)
        with pytest.raises(StoreError):
            await bots.follow()
    await bots.follow()

    assert kept.versions() == []
    assert token.handle not in await valid_tokens(store)


async def test_version_that_is_activated_while_its_end_fails_runs_again(store, kept, monkeypatch):
    bots = run_bots(store, kept)
    await submit(store, "1", ACTIVE)
    await bots.follow()
    await submit(store, "2", ACTIVE)

    async def fail(_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(store.submissions, "note_runs", fail)
        with pytest.raises(StoreError):
            await bots.follow()
    await store.submissions.activate("ann-bot", "1")
    await bots.follow()

    assert "1" in kept.versions()


async def test_version_that_the_organizer_refuses_ends_at_once(store, kept):
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")
    await store.submissions.refuse_active("ann-bot", "it scans the host")
    await bots.follow()
    assert kept.versions() == []


async def test_replaced_version_plays_its_games_to_the_end_beside_the_new_one(store, kept):
    """It gets no more seats. The server revokes its token when no game is left."""
    bots = run_bots(store, kept)
    old = await start(store, bots, kept, "1")
    new = await start(store, bots, kept, "2")
    await bots.follow()

    assert kept.versions() == ["1", "2"]
    assert kept.find("1").key != kept.find("2").key, "otherwise one would take over the seats of the other"
    now = {token.handle: token for token in await store.tokens.list_version_tokens()}
    assert now[old.handle].is_retiring
    assert now[old.handle].expires_at <= time.time() + RETIREMENT_S
    assert not now[new.handle].is_retiring

    await store.tokens.revoke(old.handle)
    await bots.follow()
    assert kept.versions() == ["2"]


async def test_replaced_version_that_crashes_comes_back_only_for_its_games(store, kept):
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")
    retiring = kept.find("1")
    await start(store, bots, kept, "2")

    again = await store.tokens.check(await retiring.make_token())
    assert again.is_retiring
    assert again.version == "1"
    assert not await retiring.is_over()
    await store.tokens.revoke(again.handle)
    assert await retiring.is_over()
    assert not await kept.find("2").is_over()
    with pytest.raises(DeniedError, match="no game left"):
        await retiring.make_token()


async def test_replaced_version_ends_when_its_time_is_over(store, kept, monkeypatch):
    monkeypatch.setattr("arena.fleet.submissions.active_bots.RETIREMENT_S", -1.0)
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")
    await start(store, bots, kept, "2")
    await bots.follow()
    assert kept.versions() == ["2"]


async def test_replaced_version_ends_at_once_if_it_is_withdrawn(store, kept):
    bots = run_bots(store, kept)
    for version in ("1", "2"):
        await start(store, bots, kept, version)
    await store.submissions.withdraw("ann-bot", "1")
    await bots.follow()
    assert kept.versions() == ["2"]


async def test_replaced_version_that_ends_again_and_again_is_not_started_any_more(store, kept):
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")
    for _ in range(3):
        kept.find("1").record.note_failure("it needs more memory than there is")
    await start(store, bots, kept, "2")
    assert kept.versions() == ["2"]


async def test_of_each_bot_one_version_retires_at_a_time(store, kept):
    """Otherwise an owner could have any number of processes."""
    bots = run_bots(store, kept)
    for version in ("1", "2", "3"):
        await start(store, bots, kept, version)
    assert kept.versions() == ["2", "3"]


async def test_version_that_is_rolled_back_to_while_it_retires_gets_seats_again(store, kept):
    bots = run_bots(store, kept)
    for version in ("1", "2"):
        await start(store, bots, kept, version)
    instance = kept.find("1").instance

    await store.submissions.roll_back("ann-bot")
    await bots.follow()

    assert sorted(kept.versions()) == ["1", "2"]
    assert kept.find("1").instance == instance, "its games go on"
    assert kept.keeping_seats == ["1"]
    assert not (await store.tokens.check(await kept.find("1").make_token())).is_retiring


async def test_retiring_version_survives_the_process_that_runs_it(store, kept):
    """The next process finds it by its token, and lets no token of the one before it stay valid."""
    first = run_bots(store, kept)
    old = [await start(store, first, kept, version) for version in ("1", "2")]
    by = (await store.tokens.list_version_tokens())[0].expires_at

    later = RecordedBots()
    second = run_bots(store, later)
    await second.resume()
    await second.follow()
    tokens = [await store.tokens.check(await later.find(version).make_token()) for version in ("1", "2")]

    assert later.versions() == ["1", "2"]
    assert [token.is_retiring for token in tokens] == [True, False]
    assert tokens[0].expires_at == by
    assert await valid_tokens(store) == {token.handle for token in tokens}
    assert {bot.instance for bot in later.running.values()} == {bot.instance for bot in kept.running.values()}
    assert not {token.handle for token in old} & await valid_tokens(store)


async def test_bot_gets_its_pools_its_environment_and_a_token_of_its_own(store, kept):
    await submit(store, "1", ACTIVE, pools=("quick", "open"))
    bots = run_bots(store, kept)
    await bots.follow()
    bot = kept.find("1")
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


async def test_third_version_ends_the_one_that_retires_also_after_a_restart(store, kept):
    """Whatever the order is in which they were found."""
    for version in ("1", "2"):
        await submit(store, version, ACTIVE)
    for version in ("2", "1"):
        secret = await store.tokens.create("ann-bot", ["play"], owner="ann", version=version)
    await store.tokens.retire((await store.tokens.check(secret)).handle, time.time() + 600)
    bots = run_bots(store, kept)
    await bots.resume()
    await bots.follow()
    assert kept.versions() == ["2", "1"]

    await submit(store, "3", ACTIVE)
    await bots.follow()
    assert kept.versions() == ["2", "3"]


async def test_owner_hears_why_a_version_has_ended(store, kept):
    """Not how its process ended, which the arena has ended itself."""
    bots = run_bots(store, kept)
    old = await start(store, bots, kept, "1")
    await start(store, bots, kept, "2")
    await store.tokens.revoke(old.handle)
    await bots.follow()
    await store.submissions.withdraw("ann-bot", "2")
    await bots.follow()

    rows = {row.version: row for row in await store.submissions.list_owned("ann")}
    steps = {each: (await store.submissions.list_steps(rows[each].submission_id))[-1] for each in rows}
    assert steps["1"].sentence == "another version plays in its place"
    assert steps["2"].sentence == "it was withdrawn"
    assert all(step.ended_at is not None for step in steps.values())


async def test_owner_sees_how_the_version_does_and_why_it_cannot_run(store, kept, monkeypatch):
    monkeypatch.setattr("arena.fleet.submissions.active_bots.TELL_INTERVAL_S", 0.0)
    bots = run_bots(store, kept)
    row = await submit(store, "1", ACTIVE)
    await bots.follow()
    for _ in range(3):
        kept.find("1").record.note_failure("it needs more memory than there is")
    await bots.tell_owners()

    sentence = (await store.submissions.get(row.submission_id)).sentence
    assert sentence.startswith("it does not keep running: it ended 3 times in a row")
    assert "more memory" in await store.submissions.read_log(row.submission_id, "active")

    def read(_: object, row: Submission) -> BotProgram:
        raise BotStartError("its files are gone")

    monkeypatch.setattr(SubmittedPrograms, "read", read)
    row = await submit(store, "2", ACTIVE)
    await bots.follow()
    await bots.tell_owners()
    assert (await store.submissions.get(row.submission_id)).sentence == "its files are gone"


async def test_bots_of_a_banned_owner_end_and_stay_away_until_the_ban_is_lifted(store, kept):
    """Also one that retires, and also after a restart."""
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")
    await start(store, bots, kept, "2")
    running = kept.find("2")

    await store.bans.ban("ann", "two accounts")
    await bots.follow()
    await bots.follow()

    assert kept.versions() == []
    with pytest.raises(BannedError, match="two accounts"):
        await running.make_token()
    later = run_bots(store, kept)
    await later.resume()
    await later.follow()
    assert kept.versions() == []

    await store.bans.lift("ann")
    await later.follow()
    assert kept.versions() == ["2"]


async def test_bots_of_an_owner_whose_tokens_were_revoked_end_until_there_is_a_new_one(store, kept):
    await store.tokens.create("ann", ["own"], owner="ann")
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")

    await store.tokens.revoke("ann")
    await bots.follow()
    assert kept.versions() == []
    assert await valid_tokens(store) == set()

    await store.tokens.create("ann", ["own"], owner="ann")
    await bots.follow()
    assert kept.versions() == ["1"]


async def test_version_whose_token_somebody_revokes_plays_when_its_owner_activates_it_again(store, kept):
    bots = run_bots(store, kept)
    await start(store, bots, kept, "1")

    await store.tokens.revoke("ann-bot")
    await bots.follow()
    assert kept.versions() == []
    (row,) = await store.submissions.list_owned("ann")
    assert (row.state, row.sentence) == (SubmissionState.INACTIVE, STOPPED)

    await store.submissions.activate("ann-bot", "1")
    await bots.follow()
    assert kept.versions() == ["1"]
