"""The first step of a submission: builds its package in a box, with access to the server's package indexes, if any."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.programs import BotProgram, find_bot
from arena.bots.packages.unpacking import unpack
from arena.bots.sandbox.network.index_proxy import IndexProxy
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.errors import BotStartError, BuildFailedError, RequestError
from arena.fleet.runner.boxed_builds import BoxedBuilds
from arena.fleet.runner.boxes import boxes_opener
from arena.fleet.submissions.kept_builds import DiskQuota
from arena.fleet.submissions.step import StepReport, open_step_folder, read_outputs
from arena.fleet.submissions.submitted_programs import build_path, builds_folder
from arena.games.catalogue import pack_of
from arena.server.intake.intake import package_limits
from arena.server.intake.package_files import open_packages
from arena.server.rpc.listeners import make_socket_path

_MOST_SENTENCES: Final = 20
"""The most different sentences of the proxy that a log has."""
_NO_NETWORK: Final = (
    "this build had no network, because the server names no package indexes: put what it needs into the package, or "
    "ask the organizer"
)


class BuildStep:
    """Builds a package unless one with the same content was built before."""

    state: Final = SubmissionState.BUILDING

    def __init__(self, data: Path, boxes: BoxSettings, quota: DiskQuota, settings: SubmissionSettings) -> None:
        """`data` is the data folder of the server."""
        self._data = data
        self._boxes = boxes
        self._quota = quota
        self._package_indexes = settings.package_indexes
        self._limits = package_limits(settings)

    async def run(self, submission: Submission) -> StepReport:
        """Raises EnvironmentFaultError if the disk is nearly full, StoreError."""
        if build_path(self._data, submission.package).is_dir():  # perhaps just now, before a fault of this machine
            report = StepReport("a package with the same content was built before")
        else:
            self._quota.check_free()
            report = await self._build_with_indexes(submission)
        if report.is_passed and (excess := await self._quota.find_excess(submission)):
            return replace(report, sentence=excess, is_passed=False)
        return report

    async def _build_with_indexes(self, submission: Submission) -> StepReport:
        """The log says what the proxy refused."""
        sentences: dict[str, None] = {}

        def keep(sentence: str) -> None:
            if len(sentences) < _MOST_SENTENCES:
                sentences[sentence] = None

        async with _open_indexes(self._package_indexes, keep) as socket:
            report = await self._build_or_end(submission, socket)
        return replace(report, log="\n".join([*sentences, report.log]))

    async def _build_or_end(self, submission: Submission, socket: Path | None) -> StepReport:
        """If this is cancelled, end what runs in the box, and then the thread."""
        with (
            open_step_folder() as folder,
            Launcher(folder / "bots", open_boxes=boxes_opener(self._boxes)) as launcher,
        ):
            building = asyncio.create_task(asyncio.to_thread(self._build, submission, folder, launcher, socket))
            try:
                return await asyncio.shield(building)
            except asyncio.CancelledError:
                await asyncio.to_thread(launcher.close, grace_s=0.0)
                await asyncio.wait([building])
                raise

    def _build(self, submission: Submission, folder: Path, launcher: Launcher, socket: Path | None) -> StepReport:
        builds = BoxedBuilds(builds_folder(self._data), launcher, self._boxes, socket)
        try:
            program = self._unpack(submission, folder / "bot")
            builds.build(program, submission.package)
        except BuildFailedError as error:
            log = read_outputs(folder / "bots", submission.bot)
            if socket is None:
                log = f"{_NO_NETWORK}\n{log}"
            return StepReport(error.sentence, log, is_passed=False)
        except (BotStartError, RequestError) as error:
            return StepReport(str(error), read_outputs(folder / "bots", submission.bot), is_passed=False)
        sentence = "built" if program.build else "nothing to build"
        return StepReport(sentence, read_outputs(folder / "bots", submission.bot))

    def _unpack(self, submission: Submission, folder: Path) -> BotProgram:
        """Raises BotStartError if the package asks for too much, UnknownNameError for an unknown game."""
        try:
            with open_packages(self._data).path(submission.package).open("rb") as archive:
                unpack(archive, folder, self._limits)
        except FileNotFoundError as error:  # the owner has withdrawn it meanwhile; to try again would not help
            raise BotStartError("its archive is gone: submit it again") from error
        program = find_bot(str(folder))
        assert isinstance(program, BotProgram), "a folder is no remote bot"
        program.limits.check_against(self._boxes.most, "it")
        for game in program.games:
            pack_of(game)
        return replace(program, is_boxed=True)


@asynccontextmanager
async def _open_indexes(hosts: Sequence[str], report: Callable[[str], None]) -> AsyncIterator[Path | None]:
    """Yield the socket of a proxy to these hosts; None without hosts."""
    if not hosts:
        yield None
        return
    with make_socket_path() as path:
        async with IndexProxy(hosts, path, report):
            yield path
