"""Submissions are taken through their steps one after the other, and nothing that happens meanwhile is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from arena.bots.submissions.submission import STEPS, NewSubmission, Submission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import CrowdedHostError, IsolationError, UnknownNameError
from arena.fleet.submissions.kept_builds import Cleanup
from arena.fleet.submissions.step import StepReport
from arena.fleet.submissions.submitted_programs import build_path
from arena.fleet.submissions.worker import SubmissionWorkers
from arena.server.store.open_store import Store
from tests.support.submitted import submit

Act = Callable[[Submission], Awaitable[StepReport]]


class ScriptedStep:
    """A step that does what a test says; implements `Step`."""

    def __init__(self, state: SubmissionState, act: Act) -> None:
        self.state = state
        self.seen: list[str] = []
        self._act = act

    async def run(self, submission: Submission) -> StepReport:
        self.seen.append(submission.version)
        return await self._act(submission)


async def pass_it(_: Submission) -> StepReport:
    return StepReport("fine", "what it wrote")


def make_steps(**acts: Act) -> list[ScriptedStep]:
    """Return the three steps; those that are not named pass."""
    return [ScriptedStep(state, acts.get(state.value, pass_it)) for state in STEPS]


def make_worker(store: Store, steps: list[ScriptedStep], count: int = 1) -> SubmissionWorkers:
    return SubmissionWorkers(store.submissions, steps, Cleanup(store.folder, store.submissions), count)


async def state_of(store: Store, row: Submission) -> tuple[str, str]:
    now = await store.submissions.get(row.submission_id)
    return now.state.value, now.sentence


async def test_submission_that_passes_all_steps_is_active_and_its_logs_are_kept(store):
    row = await submit(store, "1")
    worker = make_worker(store, make_steps())

    assert await worker.work_on_next()
    assert not await worker.work_on_next()

    assert await state_of(store, row) == ("active", "")
    steps = await store.submissions.list_steps(row.submission_id)
    assert [(each.step, each.is_passed, each.sentence) for each in steps] == [(step, True, "fine") for step in STEPS]
    assert await store.submissions.read_log(row.submission_id, "checking") == "what it wrote"


async def test_failed_step_refuses_the_submission_and_no_later_step_runs(store):
    async def refuse(_: Submission) -> StepReport:
        return StepReport("it lies", "no cards left", is_passed=False)

    row = await submit(store, "1")
    steps = make_steps(checking=refuse)

    await make_worker(store, steps).work_on_next()

    assert await state_of(store, row) == ("refused", "it lies")
    assert (await store.submissions.get(row.submission_id)).refused_step == "checking"
    assert [step.seen for step in steps] == [["1"], ["1"], []]


async def test_submission_that_is_withdrawn_meanwhile_stays_withdrawn(store):
    async def withdraw(submission: Submission) -> StepReport:
        build_path(store.folder, submission.package).mkdir(parents=True)
        await store.submissions.withdraw(submission.bot, submission.version)
        return StepReport("fine")

    row = await submit(store, "1")
    steps = make_steps(building=withdraw)

    await make_worker(store, steps).work_on_next()

    assert (await state_of(store, row))[0] == "withdrawn"
    assert [step.seen for step in steps] == [["1"], [], []]
    assert not build_path(store.folder, row.package).exists(), "it never could play, so no league needs it"


async def test_oldest_submission_comes_first(store):
    for version, bot in (("1", "ann-bot"), ("1", "bob-bot"), ("2", "ann-bot")):
        await submit(store, version, bot=bot)
    steps = make_steps()
    worker = make_worker(store, steps)

    while await worker.work_on_next():
        pass

    assert [row.version for row in await store.submissions.list_active()] == ["2", "1"]
    assert steps[0].seen == ["1", "1", "2"]


async def test_fault_of_the_machine_is_never_the_fault_of_a_submission(store, monkeypatch):
    """The submission is queued again, and passes when the machine is well."""
    monkeypatch.setattr("arena.fleet.submissions.worker.RETRY_S", 0.01)
    faults = [IsolationError(["no control group can be made for memory"]), OSError("the disk is full")]

    async def fail_twice(_: Submission) -> StepReport:
        if faults:
            raise faults.pop()
        return StepReport("fine")

    row = await submit(store, "1")
    steps = make_steps(building=fail_twice)
    working = asyncio.create_task(make_worker(store, steps).run())
    async with asyncio.timeout(30):
        while (await state_of(store, row))[0] != "active":
            await asyncio.sleep(0.01)
    working.cancel()

    assert steps[0].seen == ["1", "1", "1"]


@pytest.mark.parametrize(("crowded", "state"), [(2, "active"), (9, "refused")])
async def test_crowded_machine_is_asked_again_but_not_for_ever(store, monkeypatch, crowded, state):
    """Those behind it wait meanwhile, and the submission itself may be what needs too much."""
    monkeypatch.setattr("arena.fleet.submissions.worker.RETRY_S", 0.01)
    faults = [CrowdedHostError("the build of bot was killed because this host had no memory left")] * crowded

    async def fail(_: Submission) -> StepReport:
        if faults:
            raise faults.pop()
        return StepReport("fine")

    row = await submit(store, "1")
    assert await make_worker(store, make_steps(building=fail)).work_on_next()

    found, sentence = await state_of(store, row)
    assert found == state
    assert state == "active" or sentence.endswith("had no memory left, 3 times: submit it again later")


@pytest.mark.parametrize("killed_in", STEPS)
async def test_killed_worker_loses_nothing(store, killed_in):
    """The next one begins again with the step that was under way, and each step has its newest log."""
    reached = asyncio.Event()

    async def hang(_: Submission) -> StepReport:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError

    row = await submit(store, "1")
    first = asyncio.create_task(make_worker(store, make_steps(**{killed_in.value: hang})).run())
    await asyncio.wait_for(reached.wait(), 30)
    first.cancel()
    assert (await state_of(store, row))[0] == killed_in

    second = asyncio.create_task(make_worker(store, make_steps()).run())
    async with asyncio.timeout(30):
        while (await state_of(store, row))[0] != "active":
            await asyncio.sleep(0.01)
    second.cancel()
    assert all(each.is_passed for each in await store.submissions.list_steps(row.submission_id))


async def test_step_that_fails_in_an_unforeseen_way_refuses_its_submission_alone(store):
    """Otherwise one package could stop the queue for ever."""

    async def fail(submission: Submission) -> StepReport:
        if submission.version == "1":
            raise RuntimeError("nobody foresaw this")
        if submission.version == "2":
            raise UnknownNameError("game", "bridge", ["cheat"])
        return StepReport("fine")

    rows = [await submit(store, version) for version in ("1", "2", "3")]
    worker = make_worker(store, make_steps(trying=fail))

    while await worker.work_on_next():
        pass

    assert [await state_of(store, row) for row in rows] == [
        ("refused", "the arena has a fault that stopped this step: tell the organizer"),
        ("refused", "unknown game 'bridge'; known: cheat"),
        ("active", ""),
    ]


async def test_owner_with_many_submissions_does_not_hold_up_the_others(store):
    await store.owners.add("ben", "", 5)
    for version in ("1", "2", "3"):
        await submit(store, version)
    await submit(store, "late", bot="ben-bot", owner="ben")
    steps = make_steps()
    worker = make_worker(store, steps)

    while await worker.work_on_next():
        pass

    assert steps[0].seen == ["1", "late", "2", "3"]


async def test_submission_on_which_the_machine_fails_does_not_hold_up_the_others(store):
    async def fail_for_ann(submission: Submission) -> StepReport:
        if submission.owner == "ann":
            raise OSError("its archive is gone")
        return StepReport("fine")

    await store.owners.add("ben", "", 5)
    await submit(store, "1")
    honest = await submit(store, "1", bot="ben-bot", owner="ben")
    worker = make_worker(store, make_steps(building=fail_for_ann))

    with pytest.raises(OSError, match="gone"):
        await worker.work_on_next()
    await worker.work_on_next()

    assert (await state_of(store, honest))[0] == "active"


class Gate:
    """A step that waits until a test lets a submission pass; implements `Step`."""

    state = STEPS[0]

    def __init__(self) -> None:
        self.under_way: list[str] = []
        """The bots and versions that wait here, in the order in which they came."""
        self._open: dict[str, asyncio.Future[StepReport]] = {}

    async def run(self, submission: Submission) -> StepReport:
        name = f"{submission.bot}@{submission.version}"
        self.under_way.append(name)
        self._open[name] = asyncio.get_running_loop().create_future()
        try:
            return await self._open[name]
        finally:
            self.under_way.remove(name)

    def let_pass(self, name: str) -> None:
        self._open[name].set_result(StepReport("fine"))

    def fail(self, name: str) -> None:
        """Let the machine fail at a submission."""
        self._open[name].set_exception(OSError("the disk is full"))


async def wait_until(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_true():
            await asyncio.sleep(0.01)


def make_gated_workers(store: Store, count: int) -> tuple[SubmissionWorkers, Gate]:
    """Return workers whose first step is a gate."""
    gate, cleanup = Gate(), Cleanup(store.folder, store.submissions)
    return SubmissionWorkers(store.submissions, [gate, *make_steps()[1:]], cleanup, count), gate


@asynccontextmanager
async def running(workers: SubmissionWorkers) -> AsyncIterator[None]:
    """Let workers run."""
    task = asyncio.create_task(workers.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_slow_build_holds_up_no_other_owner(store):
    """Not even if its owner has more of them: of two workers, one is left for the others."""
    await store.owners.add("ben", "", 5)
    await submit(store, "1")
    await submit(store, "2")
    workers, gate = make_gated_workers(store, 2)
    slow = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1"])
    assert not await workers.work_on_next()

    await submit(store, "1", bot="ben-bot", owner="ben")
    quick = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1", "ben-bot@1"])
    gate.let_pass("ben-bot@1")
    await quick
    gate.let_pass("ann-bot@1")
    await slow

    assert [row.bot for row in await store.submissions.list_active()] == ["ann-bot", "ben-bot"]
    next_one = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@2"])
    gate.let_pass("ann-bot@2")
    await next_one


async def test_step_ends_if_its_submission_is_withdrawn(store, monkeypatch):
    """Otherwise an owner who submits slow builds and withdraws them could keep all workers busy."""
    monkeypatch.setattr("arena.fleet.submissions.worker.LOOK_DURING_STEP_S", 0.01)
    row = await submit(store, "1")
    workers, gate = make_gated_workers(store, 1)
    working = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1"])

    await store.submissions.withdraw("ann-bot", "1")

    assert await asyncio.wait_for(working, 30)
    assert gate.under_way == []
    assert (await state_of(store, row))[0] == "withdrawn"


async def test_ban_ends_a_step_and_the_submission_goes_on_when_it_is_lifted(store, monkeypatch):
    """Nothing of the owner starts meanwhile."""
    monkeypatch.setattr("arena.fleet.submissions.worker.LOOK_DURING_STEP_S", 0.01)
    row = await submit(store, "1")
    workers, gate = make_gated_workers(store, 1)
    working = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1"])

    await store.bans.ban("ann", "it scans the host")

    assert await asyncio.wait_for(working, 30)
    assert gate.under_way == []
    assert (await state_of(store, row))[0] == "queued"
    assert not await workers.work_on_next()
    await store.bans.lift("ann")
    again = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1"])
    gate.let_pass("ann-bot@1")
    await again
    assert (await state_of(store, row))[0] == "active"


async def test_same_package_is_never_under_way_twice(store):
    """Even if the first was withdrawn meanwhile: the worker is still at it."""
    await store.owners.add("ben", "", 5)
    first = await submit(store, "1")
    workers, gate = make_gated_workers(store, 3)
    working = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ann-bot@1"])
    await store.submissions.withdraw("ann-bot", "1")
    row = await store.submissions.accept(
        NewSubmission("ben", "ben-bot", "1", first.package, 1_000), SubmissionSettings()
    )
    await store.submissions.move(row.submission_id, SubmissionState.ACCEPTED, SubmissionState.QUEUED)
    assert not await workers.work_on_next()

    gate.let_pass("ann-bot@1")
    await working
    again = asyncio.create_task(workers.work_on_next())
    await wait_until(lambda: gate.under_way == ["ben-bot@1"])
    gate.let_pass("ben-bot@1")
    await again


async def test_fault_at_one_submission_leaves_the_others_under_way(store, monkeypatch):
    monkeypatch.setattr("arena.fleet.submissions.worker.RETRY_S", 0.01)
    await store.owners.add("ben", "", 5)
    await submit(store, "1")
    other = await submit(store, "1", bot="ben-bot", owner="ben")
    workers, gate = make_gated_workers(store, 2)
    async with running(workers):
        await wait_until(lambda: len(gate.under_way) == 2)
        gate.fail("ann-bot@1")
        await wait_until(lambda: gate.under_way == ["ben-bot@1", "ann-bot@1"])
        assert (await state_of(store, other))[0] == "building"


async def test_killed_workers_lose_none_of_several(store):
    await store.owners.add("ben", "", 5)
    await submit(store, "1")
    await submit(store, "1", bot="ben-bot", owner="ben")

    async def run_until_both_are_under_way() -> None:
        workers, gate = make_gated_workers(store, 2)
        async with running(workers):
            await wait_until(lambda: len(gate.under_way) == 2)

    await run_until_both_are_under_way()
    await run_until_both_are_under_way()
