"""Takes submissions through their steps, several at a time.

No owner and no submission can stop those behind it: the store says whose turn it is (`SubmissionStore.take_next`), and
a step that fails for any reason but the machine refuses its submission.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import ArenaError, CrowdedHostError, EnvironmentFaultError
from arena.fleet.submissions.kept_builds import Cleanup
from arena.fleet.submissions.step import StepReport, StepWork
from arena.log_lines import get_logger
from arena.server.store.submission_store import SubmissionStore

log = get_logger(__name__)

LOOK_INTERVAL_S: Final = 0.5
"""Seconds between looks for new submissions."""
LOOK_DURING_STEP_S: Final = 0.5
"""Seconds between looks whether a submission was withdrawn, or its owner shut out, during its step."""
CLEANUP_INTERVAL_S: Final = 3_600.0
"""Seconds between two looks for what nobody needs any more."""
RETRY_S: Final = 30.0
"""Seconds to wait after a fault of this machine, which is never the submission's fault."""
CROWDED_ATTEMPTS: Final = 3
"""How often a step is tried while all boxes together need more than this machine has."""
_FAILED: Final = "the arena has a fault that stopped this step: tell the organizer"


class SubmissionWorkers:
    def __init__(
        self, submissions: SubmissionStore, steps: Sequence[StepWork], cleanup: Cleanup, count: int = 1
    ) -> None:
        """`steps` are in the order of their states; `count` is how many submissions are worked on at once."""
        self._submissions = submissions
        self._steps = steps
        self._cleanup = cleanup
        self._count = count
        self._most_an_owner = max(1, count - 1)
        """With several workers, one is always left for other owners."""
        self._packages = set[str]()
        """The packages that are under way. None is built twice at once."""
        self._interrupted = set[str]()
        """The submissions at which the machine failed."""
        self._taking = asyncio.Lock()
        """Held while a worker takes a submission, and while old builds, which it might need, are removed."""
        self._cleans_up_at = 0.0
        """Instant on the monotonic clock, in seconds."""

    async def run(self) -> None:
        """Work for ever. First queue again what an earlier process was working on. If the machine fails, try again."""
        while True:
            try:
                await self._submissions.requeue_interrupted()
                await self._cleanup.discard_parts()
                break
            except (EnvironmentFaultError, OSError) as error:
                await self._wait_for_machine(error)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._count):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            try:
                await self._clean_up()
                if not await self.work_on_next():
                    await asyncio.sleep(LOOK_INTERVAL_S)
            except (EnvironmentFaultError, OSError) as error:
                await self._wait_for_machine(error)

    async def _wait_for_machine(self, fault: Exception) -> None:
        log.warning("submissions wait", fault=str(fault))
        await asyncio.sleep(RETRY_S)

    async def work_on_next(self) -> bool:
        """Take the next submission that may start through all steps; return False if there is none.

        Raises StoreError, EnvironmentFaultError and OSError for faults of this machine. The submission is then queued
        again before the next one is taken.
        """
        async with self._taking:
            for submission_id in list(self._interrupted):
                await self._submissions.requeue_interrupted(submission_id)
                self._interrupted.discard(submission_id)
            submission = await self._submissions.take_next(self._packages, self._most_an_owner)
            if submission is None:
                return False
            self._packages.add(submission.package)
        try:
            await self._take_through_steps(submission)
        except (EnvironmentFaultError, OSError):
            self._interrupted.add(submission.submission_id)
            raise
        finally:
            self._packages.discard(submission.package)
        return True

    async def _take_through_steps(self, submission: Submission) -> None:
        for place, step in enumerate(self._steps):
            report = await self._run_step(submission, step)
            if report is None:  # after a ban, it goes on as if the machine had stopped
                await self._submissions.requeue_interrupted(submission.submission_id)
                await self._cleanup.discard_untried(submission.package)
                return
            following = self._steps[place + 1].state if place + 1 < len(self._steps) else SubmissionState.ACTIVE
            if not report.is_passed:
                following = SubmissionState.REFUSED
            log.info("submission", bot=submission.bot, version=submission.version, step=step.state, then=following)
            sentence = "" if report.is_passed else report.sentence
            is_moved = await self._submissions.move(submission.submission_id, step.state, following, sentence=sentence)
            if not (report.is_passed and is_moved):  # its owner may have withdrawn it just now
                await self._cleanup.discard_untried(submission.package)
                return

    async def _clean_up(self) -> None:
        async with self._taking:
            if time.monotonic() >= self._cleans_up_at:
                await self._cleanup.discard_old(time.time())
                self._cleans_up_at = time.monotonic() + CLEANUP_INTERVAL_S

    async def _run_step(self, submission: Submission, step: StepWork) -> StepReport | None:
        """Return None if the submission may not go on."""
        identity = submission.submission_id
        if step is not self._steps[0]:  # that one began when the submission was taken
            await self._submissions.start_step(identity, step.state)
        report = await self._report_unless_over(submission, step)
        told = report or StepReport("it was stopped", is_passed=False)
        await self._submissions.end_step(
            identity, step.state, is_passed=told.is_passed, sentence=told.sentence, log=told.log
        )
        return report

    async def _report_unless_over(self, submission: Submission, step: StepWork) -> StepReport | None:
        """Run a step. End it and return None if its submission is withdrawn, or its owner shut out.

        Otherwise one owner could keep all workers busy.
        """
        reporting = asyncio.create_task(self._report(submission, step))
        try:
            while True:
                await asyncio.wait([reporting], timeout=LOOK_DURING_STEP_S)
                if reporting.done():
                    return reporting.result()
                if not await self._submissions.may_go_on(submission.submission_id, step.state):
                    return None
        finally:
            reporting.cancel()
            await asyncio.wait([reporting])

    async def _report(self, submission: Submission, step: StepWork) -> StepReport:
        """Run a step. What it raises refuses the submission, unless it is a fault of this machine.

        If the machine is crowded, try again, but not for ever: others wait, and the submission may be what crowds it.
        """
        for _ in range(CROWDED_ATTEMPTS - 1):
            with suppress(CrowdedHostError):
                return await self._report_once(submission, step)
            await asyncio.sleep(RETRY_S)
        try:
            return await self._report_once(submission, step)
        except CrowdedHostError as error:
            return StepReport(f"{error}, {CROWDED_ATTEMPTS} times: submit it again later", is_passed=False)

    async def _report_once(self, submission: Submission, step: StepWork) -> StepReport:
        try:
            return await step.run(submission)
        except (EnvironmentFaultError, OSError):
            raise
        except ArenaError as error:
            return StepReport(str(error), is_passed=False)
        except Exception:  # the submissions behind it must go on
            log.exception("a step failed", bot=submission.bot, step=step.state)
            return StepReport(_FAILED, is_passed=False)
