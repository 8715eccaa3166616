"""The steps that a submission takes before it plays: build, check, trial games. Each runs the bot in a box."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from arena.errors import BotStartError, BuildFailedError, OptionsError, PackageRefusedError
from arena.games.catalogue import games, pack_of
from arena.launch.box_settings import BoxSettings
from arena.launch.process import Launcher
from arena.launch.programs import BotProgram, find_bot
from arena.packages.unpacking import unpack
from arena.plurals import format_count
from arena.runner.boxed_builds import BoxedBuilds
from arena.runner.boxes import boxes_opener
from arena.store.submission_rows import SubmissionRow
from arena.store.submission_states import SubmissionState
from arena.submissions.places import build_path, builds_folder, package_path
from arena.submissions.step import StepReport, read_outputs, run_arena
from arena.submissions.submitted_programs import SubmittedPrograms

CHECK_TIME_S: Final = 600.0
TRIAL_TIME_S: Final = 600.0
_TRIAL_SEATS: Final = 3
_TOO_MANY_FAULTS: Final = 3
_CHECK_VERDICTS: Final = {
    1: "it breaks a rule of the protocol: the log says which",
    2: "it does not get far enough to be checked: the log says how far",
    3: "it cannot be started: the log says why",
}
"""What an exit code of `arena check` means."""


class BuildStep:
    """Builds the package in a box, unless a package with the same content was built before."""

    state: Final = SubmissionState.BUILDING

    def __init__(self, data: Path, boxes: BoxSettings, socket: Path | None = None) -> None:
        """`data` is the data folder of the server. `socket` leads builds to the package indexes; None: nowhere."""
        self._data = data
        self._boxes = boxes
        self._socket = socket

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Build the package and report."""
        return await asyncio.to_thread(self._run, submission)

    def _run(self, submission: SubmissionRow) -> StepReport:
        if build_path(self._data, submission.package).is_dir():
            return StepReport("a package with the same content was built before")
        with (
            _open_folder() as folder,
            Launcher(folder / "bots", open_boxes=boxes_opener(self._boxes)) as launcher,
        ):
            builds = BoxedBuilds(builds_folder(self._data), launcher, socket=self._socket)
            try:
                program = self._unpack(submission, folder / "bot")
                builds.build(program, submission.package)
            except BuildFailedError as error:
                return StepReport(error.sentence, read_outputs(folder / "bots"), is_passed=False)
            except (PackageRefusedError, BotStartError, OptionsError) as error:
                return StepReport(str(error), read_outputs(folder / "bots"), is_passed=False)
            return StepReport("built" if program.build else "nothing to build", read_outputs(folder / "bots"))

    def _unpack(self, submission: SubmissionRow, folder: Path) -> BotProgram:
        """Unpack the package into a new folder and return its program. Raises BotStartError if it asks for too much."""
        try:
            with package_path(self._data, submission.package).open("rb") as archive:
                unpack(archive, folder)
        except FileNotFoundError as error:  # the owner has withdrawn it meanwhile; to try again would not help
            raise BotStartError("its archive is gone: submit it again") from error
        program = find_bot(str(folder))
        assert isinstance(program, BotProgram), "a folder is no remote bot"
        if excess := program.limits.find_excess(self._boxes.most):
            raise BotStartError(f"it asks for too much: {'; '.join(map(str, excess))}")
        return replace(program, is_boxed=True)


class CheckStep:
    """Checks the bot as `arena check` does."""

    state: Final = SubmissionState.CHECKING

    def __init__(self, data: Path, boxes: BoxSettings, steps: Sequence[str]) -> None:
        self._data = data
        self._boxes = boxes
        self._steps = steps

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Check the bot and report."""
        with _open_folder() as folder:
            names = [word for step in self._steps for word in ("--step", step)]
            bot = str(build_path(self._data, submission.package))
            words = ["check", bot, "--untrusted", "--data", str(folder), *names]
            code = await run_arena(words, folder / "log", CHECK_TIME_S, self._boxes)
            log = _join_log(folder)
        if code is None:
            return StepReport(f"the check took longer than {CHECK_TIME_S:g} s", log, is_passed=False)
        if code != 0:
            verdict = _CHECK_VERDICTS.get(code, f"the check ended with exit code {code}")
            return StepReport(verdict, log, is_passed=False)
        return StepReport("it follows the protocol", log)


class TrialStep:
    """Plays unrated games with sample bots, in each game that the bot plays."""

    state: Final = SubmissionState.TRYING

    def __init__(self, data: Path, boxes: BoxSettings, game_count: int) -> None:
        self._data = data
        self._boxes = boxes
        self._game_count = game_count

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Play the games and report. Raises UnknownNameError for a game that the arena does not know."""
        program = SubmittedPrograms(self._data).read(submission)
        samples = {game: pack_of(game).samples[0] for game in program.games or (next(iter(games())),)}
        with _open_folder() as folder:
            bot = str(build_path(self._data, submission.package))
            for game, sample in samples.items():
                words = ["match", "--bot", bot, "--fill", sample, "--seats", str(_TRIAL_SEATS), "--game", game]
                words += ["--games", str(self._game_count), "--unrated", "--untrusted", "--data", str(folder)]
                code = await run_arena(words, folder / "log", TRIAL_TIME_S, self._boxes)
                if code != 0:
                    return StepReport(self._describe(code, game), _join_log(folder), is_passed=False)
            return StepReport(f"it played {format_count(self._game_count, 'game')} well", _join_log(folder))

    def _describe(self, code: int | None, game: str) -> str:
        if code is None:
            return f"the trial games of {game} took longer than {TRIAL_TIME_S:g} s"
        if code == _TOO_MANY_FAULTS:
            return f"it has too many faults in the trial games of {game}: the log says which"
        return f"the trial games of {game} ended with exit code {code}: the log says why"


@contextmanager
def _open_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed afterwards."""
    with TemporaryDirectory(prefix="arena-step-") as folder:
        Path(folder).chmod(0o711)  # boxes belong to another user
        yield Path(folder)


def _join_log(folder: Path) -> str:
    """Return what a command has said, and then what its bots wrote."""
    said = (folder / "log").read_text(encoding="utf-8", errors="replace") if (folder / "log").is_file() else ""
    return f"{said}\n{read_outputs(folder / 'bots')}"
