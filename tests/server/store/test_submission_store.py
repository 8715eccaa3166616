"""Submissions: every change of state happens once, one version of a bot plays, and an owner has quotas."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import pytest

from arena.bots.submissions.submission import (
    MAX_LOG_CHARACTERS,
    STEPS,
    NewSubmission,
    RunNote,
    Submission,
    SubmissionState,
    TransitionError,
)
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import CapacityError, OptionError, RequestError, UnknownNameError
from arena.server.store.database import Database
from arena.server.store.open_store import Store, open_store
from arena.server.store.submission_store import SubmissionStore
from arena.server.store.upload_store import MAX_UPLOADS, UploadStore

S = SubmissionState
QUOTAS = SubmissionSettings()


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_700_000_000.0

    def __call__(self) -> float:
        self.seconds += 1
        return self.seconds


@pytest.fixture
async def store(tmp_path) -> AsyncIterator[Store]:
    """A store with the owners ada, who may have two bots, and ben."""
    async with await open_store(tmp_path / "data") as opened:
        await opened.owners.add("ada", "", 2)
        await opened.owners.add("ben", "", 2)
        yield opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def submissions(store: Store, clock: Clock) -> SubmissionStore:
    return SubmissionStore(store.database, clock)


def new(version: str = "1", bot: str = "counter", owner: str = "ada", **fields: Any) -> NewSubmission:
    """Return a package to submit; its content follows from its version."""
    return NewSubmission(
        owner, bot, version, fields.pop("package", version * 64), fields.pop("byte_count", 1_000), **fields
    )


async def try_version(
    submissions: SubmissionStore, version: str, bot: str = "counter", pools: tuple[str, ...] = ()
) -> Submission:
    """Submit a version and take it through all steps."""
    row = await submissions.accept(new(version, bot, pools=pools), QUOTAS)
    states = [S.ACCEPTED, S.QUEUED, *STEPS, S.ACTIVE]
    for state, following in pairwise(states):
        assert await submissions.move(row.submission_id, state, following)
    return row


async def states(store: Store) -> dict[str, str]:
    """Return the state of each version."""
    return {row.version: row.state for row in await store.submissions.list_owned("ada")}


# ---- states


async def test_submission_goes_through_all_states(store: Store, submissions: SubmissionStore):
    row = await try_version(submissions, "1")

    found = await store.submissions.get(row.submission_id)
    assert (found.state, found.bot, found.version, found.package) == (S.ACTIVE, "counter", "1", "1" * 64)
    assert found.created_at < found.changed_at == found.activated_at
    assert await store.submissions.find_active("counter") == found
    assert await store.owners.owner_of("counter") == "ada"


async def test_refusal_says_step_and_reason(store: Store, submissions: SubmissionStore):
    row = await submissions.accept(new(), QUOTAS)
    await submissions.move(row.submission_id, S.ACCEPTED, S.QUEUED)
    await submissions.take_next()
    await submissions.move(row.submission_id, S.BUILDING, S.REFUSED, sentence="make: no rule")

    found = await store.submissions.get(row.submission_id)
    assert (found.state, found.refused_step, found.sentence) == (S.REFUSED, "building", "make: no rule")


async def test_only_one_of_two_writers_moves(store: Store, submissions: SubmissionStore):
    """Two processes that have the same store try every change at the same time."""
    other_database = Database(store.database.place)
    other = SubmissionStore(other_database)
    rows = [await submissions.accept(new(str(number)), SubmissionSettings(queued=20)) for number in range(10)]

    for state, following in ((S.ACCEPTED, S.QUEUED), (S.QUEUED, S.REFUSED)):
        calls = [each.move(row.submission_id, state, following) for row in rows for each in (submissions, other)]
        moved = await asyncio.gather(*calls)
        assert [sum(pair) for pair in zip(moved[::2], moved[1::2], strict=True)] == [1] * len(rows)
    await other_database.close()


async def test_two_workers_take_different_submissions(store: Store, submissions: SubmissionStore):
    other_database = Database(store.database.place)
    other = SubmissionStore(other_database)
    for number in range(6):
        row = await submissions.accept(new(str(number)), SubmissionSettings(queued=20))
        await submissions.move(row.submission_id, S.ACCEPTED, S.QUEUED)

    taken = await asyncio.gather(*(each.take_next() for _ in range(4) for each in (submissions, other)))

    assert sorted(row.version for row in taken if row) == list("012345")
    assert [row for row in taken if row is None] == [None, None]
    await other_database.close()


async def test_restart_queues_what_was_under_way_and_nothing_else(store: Store, submissions: SubmissionStore):
    await try_version(submissions, "1")
    accepted = await submissions.accept(new("2"), QUOTAS)
    building = await submissions.accept(new("3"), QUOTAS)
    await submissions.move(building.submission_id, S.ACCEPTED, S.QUEUED)
    await submissions.move(building.submission_id, S.QUEUED, S.BUILDING)

    assert await submissions.requeue_interrupted() == 2

    assert await states(store) == {"1": "active", "2": "queued", "3": "queued"}
    assert accepted.is_pending


# ---- versions


async def test_newest_version_plays_and_roll_back_goes_further_each_time(store: Store, submissions: SubmissionStore):
    for version in "123":
        await try_version(submissions, version)
    assert await states(store) == {"1": "inactive", "2": "inactive", "3": "active"}

    assert (await submissions.roll_back("counter")).version == "2"
    assert (await submissions.roll_back("counter")).version == "1"
    with pytest.raises(RequestError, match="no version of 'counter' was active before '1'"):
        await submissions.roll_back("counter")
    assert await states(store) == {"1": "active", "2": "inactive", "3": "inactive"}


async def test_activated_version_is_rolled_back_to_the_one_before(store: Store, submissions: SubmissionStore):
    for version in "123":
        await try_version(submissions, version)
    assert (await submissions.activate("counter", "1")).state is S.ACTIVE
    assert (await submissions.activate("counter", "1")).state is S.ACTIVE

    assert (await submissions.roll_back("counter")).version == "3"


async def test_roll_back_never_leads_to_a_version_that_was_rolled_back(store: Store, submissions: SubmissionStore):
    """Version 2 was bad, so its owner went back to 1. Version 3 is bad too: what was active before it is 1, not 2."""
    for version in "12":
        await try_version(submissions, version)
    await submissions.roll_back("counter")
    await try_version(submissions, "3")

    assert (await submissions.roll_back("counter")).version == "1"
    with pytest.raises(RequestError, match="was active before '1'"):
        await submissions.roll_back("counter")


async def test_version_that_was_rolled_back_can_be_activated_by_its_name(submissions: SubmissionStore):
    for version in "12":
        await try_version(submissions, version)
    await submissions.roll_back("counter")
    await submissions.activate("counter", "2")
    await try_version(submissions, "3")

    assert (await submissions.roll_back("counter")).version == "2"


async def test_older_version_that_passes_later_does_not_replace_a_newer_one(store: Store, submissions: SubmissionStore):
    """The build of version 1 takes long; version 2 plays already when the trial of 1 ends."""
    slow = await submissions.accept(new("1"), QUOTAS)
    await try_version(submissions, "2")

    for state, following in pairwise([S.ACCEPTED, S.QUEUED, *STEPS, S.ACTIVE]):
        assert await submissions.move(slow.submission_id, state, following)

    assert await states(store) == {"1": "inactive", "2": "active"}
    assert (await submissions.activate("counter", "1")).state is S.ACTIVE


async def test_version_without_pools_replaces_one_that_plays_in_pools_only_if_it_is_activated(
    store: Store, submissions: SubmissionStore
):
    await try_version(submissions, "1", pools=("main",))
    await try_version(submissions, "2")

    assert await states(store) == {"1": "active", "2": "inactive"}
    (newest, _) = await store.submissions.list_owned("ada")
    assert newest.sentence == "its bot.toml names no `pools`, so version 1 plays on: activate this one to replace it"

    await submissions.activate("counter", "2")
    assert await states(store) == {"1": "inactive", "2": "active"}
    assert (await store.submissions.list_owned("ada"))[0].sentence == ""


async def test_older_version_that_passes_later_plays_if_the_newer_one_is_gone(
    store: Store, submissions: SubmissionStore
):
    slow = await submissions.accept(new("1"), QUOTAS)
    await try_version(submissions, "2")
    await submissions.withdraw("counter", "2")

    for state, following in pairwise([S.ACCEPTED, S.QUEUED, *STEPS, S.ACTIVE]):
        assert await submissions.move(slow.submission_id, state, following)

    assert await states(store) == {"1": "active", "2": "withdrawn"}


async def test_withdrawn_version_never_plays_again(store: Store, submissions: SubmissionStore):
    for version in "12":
        await try_version(submissions, version)
    await submissions.withdraw("counter", "1")
    await submissions.withdraw("counter", "1")

    with pytest.raises(TransitionError, match="withdrawn cannot become active"):
        await submissions.activate("counter", "1")
    with pytest.raises(RequestError, match="was active before"):
        await submissions.roll_back("counter")
    await submissions.withdraw("counter", "2")
    assert await store.submissions.find_active("counter") is None
    with pytest.raises(RequestError, match="no version of 'counter' is active"):
        await submissions.roll_back("counter")


async def test_version_that_was_not_tried_cannot_be_activated(submissions: SubmissionStore):
    await submissions.accept(new("1"), QUOTAS)

    with pytest.raises(RequestError, match="version '1' of 'counter' is accepted: it plays once it was tried"):
        await submissions.activate("counter", "1")
    with pytest.raises(UnknownNameError, match="unknown version of counter '7'; known: 1"):
        await submissions.activate("counter", "7")


async def test_owner_activates_while_another_version_ends_its_trial(store: Store, submissions: SubmissionStore):
    """Whatever comes first, exactly one version plays."""
    other_database = Database(store.database.place)
    for version in "12":
        await try_version(submissions, version)
    row = await submissions.accept(new("3"), QUOTAS)
    for state, following in ((S.ACCEPTED, S.QUEUED), (S.QUEUED, S.BUILDING), (S.BUILDING, S.CHECKING)):
        await submissions.move(row.submission_id, state, following)
    await submissions.move(row.submission_id, S.CHECKING, S.TRYING)

    await asyncio.gather(
        submissions.move(row.submission_id, S.TRYING, S.ACTIVE),
        SubmissionStore(other_database).activate("counter", "1"),
        SubmissionStore(other_database).roll_back("counter"),
        return_exceptions=True,
    )

    assert sorted((await states(store)).values()) == ["active", "inactive", "inactive"]
    await other_database.close()


# ---- what an owner may submit


async def test_same_package_again_is_the_same_submission(store: Store, submissions: SubmissionStore):
    first = await submissions.accept(new("1"), QUOTAS)

    assert await submissions.accept(new("1"), QUOTAS) == first
    assert len(await states(store)) == 1


async def test_version_names_one_package(submissions: SubmissionStore):
    await submissions.accept(new("1"), QUOTAS)

    with pytest.raises(RequestError, match="counter@1 was submitted before and is accepted: give the package another"):
        await submissions.accept(new("1", package="f" * 64), QUOTAS)


async def test_version_that_never_played_may_be_repaired(store: Store, submissions: SubmissionStore):
    first = await submissions.accept(new("1"), QUOTAS)
    await submissions.move(first.submission_id, S.ACCEPTED, S.REFUSED, sentence="it does not build")

    second = await submissions.accept(new("1", package="f" * 64), QUOTAS)

    found = await store.submissions.find_version("counter", "1")
    assert found == second


async def test_version_that_played_keeps_its_name(submissions: SubmissionStore):
    row = await try_version(submissions, "1")
    await submissions.move(row.submission_id, S.ACTIVE, S.REFUSED, sentence="it floods the server")

    with pytest.raises(RequestError, match="counter@1 was submitted before and is refused"):
        await submissions.accept(new("1", package="f" * 64), QUOTAS)


async def test_bot_of_another_owner_is_refused(submissions: SubmissionStore):
    await submissions.accept(new("1"), QUOTAS)

    for name in ("counter", "c0unter"):
        with pytest.raises(OptionError, match="taken"):
            await submissions.accept(new("1", bot=name, owner="ben"), QUOTAS)


async def test_bots_count_towards_the_limit_of_the_owner(store: Store, submissions: SubmissionStore):
    await store.owners.create_bot("ada", "first")
    await submissions.accept(new("1", bot="first"), QUOTAS)
    await submissions.accept(new("1", bot="second"), QUOTAS)

    with pytest.raises(CapacityError, match="'ada' has 2 bots already, the limit of this owner"):
        await submissions.accept(new("1", bot="third"), QUOTAS)
    assert await store.owners.owner_of("third") is None


async def test_quota_of_pending_submissions(submissions: SubmissionStore):
    quotas = SubmissionSettings(queued=2)
    row = await submissions.accept(new("1"), quotas)
    await submissions.accept(new("2"), quotas)

    with pytest.raises(CapacityError, match="'ada' has 2 submissions under way, the most at once"):
        await submissions.accept(new("3"), quotas)
    await submissions.accept(new("3", owner="ben", bot="other"), quotas)
    await submissions.move(row.submission_id, S.ACCEPTED, S.REFUSED)
    await submissions.accept(new("3"), quotas)


async def test_quota_of_a_day(submissions: SubmissionStore, clock: Clock):
    quotas = SubmissionSettings(versions_a_day=2, queued=9)
    await submissions.accept(new("1"), quotas)
    await submissions.accept(new("2"), quotas)
    with pytest.raises(CapacityError, match="'ada' submitted 2 versions within 24 hours"):
        await submissions.accept(new("3"), quotas)

    clock.seconds += 86_400

    await submissions.accept(new("3"), quotas)


async def test_quota_of_bytes_counts_what_is_kept(submissions: SubmissionStore):
    quotas = SubmissionSettings(stored_mb=3)
    await submissions.accept(new("1", byte_count=2 << 20), quotas)
    with pytest.raises(CapacityError, match=r"'ada' has 2\.0 of 3 MB of packages stored"):
        await submissions.accept(new("2", byte_count=(1 << 20) + 1), quotas)
    await submissions.withdraw("counter", "1")

    await submissions.accept(new("2", byte_count=3 << 20), quotas)


# ---- steps


async def test_step_has_a_log_that_lists_do_not_carry(store: Store, submissions: SubmissionStore):
    row = await submissions.accept(new("1"), QUOTAS)
    await submissions.start_step(row.submission_id, S.CHECKING)
    await submissions.start_step(row.submission_id, S.BUILDING)
    await submissions.end_step(row.submission_id, S.BUILDING, is_passed=True, sentence="built in 3 s", log="cc bot.c\n")

    built, checked = await store.submissions.list_steps(row.submission_id)
    assert (built.step, built.is_passed, built.sentence) == (S.BUILDING, True, "built in 3 s")
    assert (checked.step, checked.is_passed, checked.ended_at) == (S.CHECKING, None, None)
    assert await store.submissions.read_log(row.submission_id, "building") == "cc bot.c\n"
    with pytest.raises(UnknownNameError, match="unknown step 'trying'; known: building, checking"):
        await store.submissions.read_log(row.submission_id, "trying")


async def test_second_run_of_a_step_replaces_the_first(store: Store, submissions: SubmissionStore):
    row = await submissions.accept(new("1"), QUOTAS)
    await submissions.start_step(row.submission_id, S.BUILDING)
    await submissions.end_step(row.submission_id, S.BUILDING, is_passed=False, sentence="killed", log="old")
    await submissions.start_step(row.submission_id, S.BUILDING)

    (step,) = await store.submissions.list_steps(row.submission_id)
    assert (step.is_passed, step.sentence) == (None, "")
    assert await store.submissions.read_log(row.submission_id, "building") == ""


async def test_long_log_keeps_its_beginning_and_its_end(store: Store, submissions: SubmissionStore):
    row = await submissions.accept(new("1"), QUOTAS)
    await submissions.start_step(row.submission_id, S.BUILDING)
    log = "first" + "x" * 10_000_000 + "last"
    await submissions.end_step(row.submission_id, S.BUILDING, is_passed=False, sentence="", log=log)

    kept = await store.submissions.read_log(row.submission_id, "building")
    assert len(kept) == MAX_LOG_CHARACTERS
    assert kept.startswith("first")
    assert kept.endswith("last")
    assert "characters are left out" in kept


# ---- uploads


async def test_upload_of_the_same_archive_goes_on(store: Store):
    first = await store.uploads.begin("ada", "counter", "a" * 64, 100)

    assert await store.uploads.begin("ada", "counter", "a" * 64, 100) == first
    assert (await store.uploads.begin("ben", "counter", "a" * 64, 100)).upload_id != first.upload_id
    assert await store.uploads.find(first.upload_id) == first
    await store.uploads.end(first.upload_id)
    assert await store.uploads.find(first.upload_id) is None


async def test_uploads_of_an_owner_are_limited_and_forgotten(store: Store, clock: Callable[[], float]):
    uploads = UploadStore(store.database, clock)
    begun = [await uploads.begin("ada", "counter", str(number) * 64, 100) for number in range(MAX_UPLOADS)]
    with pytest.raises(CapacityError, match="'ada' has 3 uploads under way"):
        await uploads.begin("ada", "counter", "f" * 64, 100)

    assert await uploads.end_older(3_600) == []
    assert sorted(await uploads.end_older(-3_600)) == sorted(row.upload_id for row in begun)
    await uploads.begin("ada", "counter", "f" * 64, 100)


async def test_organizer_can_refuse_the_active_version_for_ever(store, submissions):
    """To revoke the tokens of its owner is not enough: the arena itself makes those with which it plays."""
    await try_version(submissions, "1")
    row = await try_version(submissions, "2")

    refused = await submissions.refuse_active("counter", "it insults others")

    assert (refused.submission_id, refused.state, refused.sentence) == (
        row.submission_id,
        "refused",
        "it insults others",
    )
    assert await store.submissions.list_active() == []
    with pytest.raises(RequestError, match="no version of 'counter' is active"):
        await submissions.refuse_active("counter", "again")
    with pytest.raises(TransitionError):
        await submissions.activate("counter", "2")
    with pytest.raises(RequestError, match="counter@2 was submitted before and is refused"):
        await submissions.accept(new("2"), QUOTAS)


async def test_version_that_plays_has_a_log_and_its_trouble_is_told(store: Store, submissions: SubmissionStore):
    row = await submissions.accept(new("1"), QUOTAS)
    for before, after in pairwise((S.ACCEPTED, S.QUEUED, *STEPS, S.ACTIVE)):
        await submissions.move(row.submission_id, before, after)

    await submissions.note_runs(
        [RunNote(row.submission_id, "it ended 3 times", "it does not keep running", "no cards")]
    )
    (step,) = await store.submissions.list_steps(row.submission_id)
    assert (step.step, step.is_passed, step.ended_at, step.sentence) == (S.ACTIVE, None, None, "it ended 3 times")
    assert await store.submissions.read_log(row.submission_id, "active") == "no cards"
    assert (await store.submissions.get(row.submission_id)).sentence == "it does not keep running"

    await submissions.note_runs([RunNote(row.submission_id, "it runs", "", "cards")])
    assert (await store.submissions.get(row.submission_id)).sentence == ""

    await submissions.refuse_active("counter", "it scans the host")
    await submissions.note_runs([RunNote(row.submission_id, "it ended", "it does not keep running", "", is_over=True)])
    assert (await store.submissions.get(row.submission_id)).sentence == "it scans the host"
    assert (await store.submissions.list_steps(row.submission_id))[0].ended_at is not None
