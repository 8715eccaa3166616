"""The steps that a submission takes after it was built: check and trial games. Each runs the bot in a box."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.submissions.submission import Submission, SubmissionState
from arena.fleet.submissions.step import StepReport, join_log, open_step_folder
from arena.fleet.submissions.step_process import StepRequest, run_step_process
from arena.fleet.submissions.submitted_programs import SubmittedPrograms, build_path
from arena.games.catalogue import games, pack_of
from arena.plurals import format_count

CHECK_TIME_S: Final = 600.0
TRIAL_TIME_S: Final = 600.0
"""For the trial games of each game that the bot plays."""


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
        """Check the bot and report. Raises CrowdedHostError."""
        built = str(build_path(self._data, submission.package))
        with open_step_folder() as folder:
            request = StepRequest(built, str(folder), check_steps=self._steps)
            report = await run_step_process(self._module, request, CHECK_TIME_S, self._boxes)
            return replace(report, log=join_log(folder, submission.bot))


class TrialStep:
    """Plays unrated games with sample bots, in each game that the bot plays."""

    state: Final = SubmissionState.TRYING

    def __init__(self, data: Path, boxes: BoxSettings, module: str, game_count: int) -> None:
        """`module` is the process of the step."""
        self._data = data
        self._boxes = boxes
        self._module = module
        self._game_count = game_count

    async def run(self, submission: Submission) -> StepReport:
        """Play the games and report. Raises CrowdedHostError, and UnknownNameError for an unknown game."""
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
