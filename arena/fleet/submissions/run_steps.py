"""The steps in which a submission that was built runs, in a box: check and trial games, each in a process of its own.

    run_step_process ──▶ python -m MODULE REQUEST ──▶ MODULE: answer_step
          ▲                     │ stdout, stderr             │
          └── log of the step ◀─┴── file of the answer ◀─────┘

To check a bot and to play with it is the work of wings further out. So the command that starts the box process names
the MODULE, as part of `BoxProcessSettings`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.output import sanitize_for_terminal
from arena.bots.launch.programs import BUILT_PREFIX
from arena.bots.sandbox.oci import ENGINE_VARIABLES
from arena.bots.sandbox.probes.isolation_check import vouch_for_boxes
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.errors import CrowdedHostError
from arena.fleet.submissions.step import LOG_NAME, StepReport, join_log, open_step_folder
from arena.fleet.submissions.submitted_programs import SubmittedPrograms, build_path
from arena.games.catalogue import games, pack_of
from arena.plain_data import from_plain, to_plain
from arena.plurals import format_count
from arena.server.config.read_config import box_variables

CHECK_TIME_S: Final = 600.0
TRIAL_TIME_S: Final = 600.0
"""For the trial games of each game that the bot plays."""
INHERITED_VARIABLES: Final = (*ENGINE_VARIABLES, "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH")
"""The variables of this process that the process of a step gets. They say how programs run here, and hold no secret."""
_ANSWER_NAME: Final = "answer.json"
_SEE_LOG: Final = "the log says why"
_MAX_REASON_LENGTH: Final = 400


@dataclass(frozen=True, slots=True)
class StepRequest:
    """What the process of a step is asked: to check a bot, or to play unrated games with it."""

    built: str
    """The folder of the built program."""
    folder: str
    """The folder of the step. It is the data folder of the process, and gets what the bots write."""
    check_steps: tuple[str, ...] = ()
    """The steps of the check; none if games are played."""
    game: str = ""
    """The game that is played; empty for a check."""
    sample: str = ""
    """The bot of the arena that takes the other seats."""
    game_count: int = 0

    @property
    def bot(self) -> str:
        """The BOT argument of the program."""
        return f"{BUILT_PREFIX}{self.built}"

    @property
    def work(self) -> str:
        """What is done, as the subject of a sentence."""
        return f"the trial games of {self.game}" if self.game else "the check"

    def refuse(self, verdict: str, reason: str) -> StepReport:
        """Give the reason in one line, without the folder, which is gone when the owner reads it."""
        short = shorten(reason.replace(f"{self.folder}/", ""), _MAX_REASON_LENGTH, placeholder=" …")
        return StepReport(f"{verdict}: {sanitize_for_terminal(short) or _SEE_LOG}", is_passed=False)

    def refuse_end(self, code: int, reason: str = "") -> StepReport:
        """Return the report of a process that ended with an exit code, and of whose bot nothing else is known."""
        return self.refuse(f"{self.work} ended with exit code {code}", reason)


async def run_step_process(module: str, request: StepRequest, time_s: float, boxes: BoxSettings) -> StepReport:
    """Run the process of a step and return its report, without a log. What it says is added to the log in its folder.

    It makes boxes as the server does, whose settings it does not know otherwise, and which has found that they hold. It
    gets no other variable of the server, because the author reads what it prints. It is ended after `time_s` seconds.
    Raises CrowdedHostError if the machine has failed it.
    """
    answer = Path(request.folder) / _ANSWER_NAME
    answer.unlink(missing_ok=True)  # that of the games before
    code = await _run(module, request, time_s, boxes)
    if code is None:
        return StepReport(f"{request.work} took longer than {time_s:g} s", is_passed=False)
    if not answer.is_file():
        return request.refuse_end(code)
    report = json.loads(answer.read_bytes())
    if report is None:
        raise CrowdedHostError(f"this server was too busy {f'for {request.work}' if request.game else 'to check it'}")
    return from_plain(report, StepReport)


async def _run(module: str, request: StepRequest, time_s: float, boxes: BoxSettings) -> int | None:
    """Return the exit code; None if it took too long."""
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    with (Path(request.folder) / LOG_NAME).open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", module, json.dumps(to_plain(request))),
            env=inherited | {"PYTHONIOENCODING": "utf-8"} | box_variables(boxes) | vouch_for_boxes(boxes),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        return await asyncio.wait_for(process.wait(), time_s)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def answer_step(act: Callable[[StepRequest], StepReport | None]) -> None:
    """The answer is None if the machine has failed."""
    request = from_plain(json.loads(sys.argv[1]), StepRequest)
    answer = json.dumps(to_plain(act(request)))
    (Path(request.folder) / _ANSWER_NAME).write_text(answer, encoding="utf-8")


class CheckStep:
    """Checks the bot as `arena check` does."""

    state: Final = SubmissionState.CHECKING

    def __init__(self, data: Path, boxes: BoxSettings, module: str, steps: Sequence[str]) -> None:
        """`module` is the process of the step."""
        self._data = data
        self._boxes = boxes
        self._module = module
        self._steps = tuple(steps)

    async def run(self, submission: Submission) -> StepReport:
        """Raises CrowdedHostError."""
        built = str(build_path(self._data, submission.package))
        with open_step_folder() as folder:
            request = StepRequest(built, str(folder), check_steps=self._steps)
            report = await run_step_process(self._module, request, CHECK_TIME_S, self._boxes)
            return replace(report, log=join_log(folder, submission.bot))


class TrialStep:
    """Plays unrated games with sample bots, in each game of the bot."""

    state: Final = SubmissionState.TRYING

    def __init__(self, data: Path, boxes: BoxSettings, module: str, game_count: int) -> None:
        """`module` is the process of the step."""
        self._data = data
        self._boxes = boxes
        self._module = module
        self._game_count = game_count

    async def run(self, submission: Submission) -> StepReport:
        """Raises CrowdedHostError, and UnknownNameError for an unknown game."""
        program = SubmittedPrograms(self._data).read(submission)
        built = str(build_path(self._data, submission.package))
        samples = {game: pack_of(game).samples[0] for game in program.games or (next(iter(games())),)}
        report = StepReport(f"it played {format_count(self._game_count, 'game')} well")
        with open_step_folder() as folder:
            for game, sample in samples.items():
                request = StepRequest(built, str(folder), game=game, sample=sample, game_count=self._game_count)
                found = await run_step_process(self._module, request, TRIAL_TIME_S, self._boxes)
                if not found.is_passed:
                    report = found
                    break
            return replace(report, log=join_log(folder, submission.bot))
