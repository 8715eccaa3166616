"""The steps that a submission takes after it was built: check and trial games. Each runs the bot in a box."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.programs import BUILT_PREFIX
from arena.bots.submissions.submission_rows import SubmissionRow
from arena.bots.submissions.submission_states import SubmissionState
from arena.errors import CrowdedHostError
from arena.fleet.submissions.step import StepReport, find_reason, join_log, open_step_folder, run_arena
from arena.fleet.submissions.submitted_programs import SubmittedPrograms, build_path
from arena.games.catalogue import games, pack_of
from arena.plurals import format_count

CHECK_TIME_S: Final = 600.0
TRIAL_TIME_S: Final = 600.0
_TRIAL_SEATS: Final = 3
_TOO_MANY_FAULTS: Final = 3
_UNSTEADY: Final = 75
"""The exit code of a command that the machine has failed: another attempt may succeed."""
_CHECK_VERDICTS: Final = {
    1: "it fails the check",
    2: "it does not get far enough to be checked",
    3: "it cannot be started",
}
"""What an exit code of `arena check` means. The reason follows."""
_SEE_LOG: Final = "the log says why"


class CheckStep:
    """Checks the bot as `arena check` does."""

    state: Final = SubmissionState.CHECKING

    def __init__(self, data: Path, boxes: BoxSettings, steps: Sequence[str]) -> None:
        self._data = data
        self._boxes = boxes
        self._steps = steps

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Check the bot and report. Raises CrowdedHostError."""
        with open_step_folder() as folder:
            names = [word for step in self._steps for word in ("--step", step)]
            bot = f"{BUILT_PREFIX}{build_path(self._data, submission.package)}"
            words = ["check", bot, "--untrusted", "--data", str(folder), *names]
            code = await run_arena(words, folder / "log", CHECK_TIME_S, self._boxes)
            log, reason = join_log(folder, submission.bot), find_reason(folder)
        if code is None:
            return StepReport(f"the check took longer than {CHECK_TIME_S:g} s", log, is_passed=False)
        if code == _UNSTEADY:
            raise CrowdedHostError("this server was too busy to check it")
        if code != 0:
            verdict = _CHECK_VERDICTS.get(code, f"the check ended with exit code {code}")
            return StepReport(f"{verdict}: {reason or _SEE_LOG}", log, is_passed=False)
        return StepReport("it follows the protocol", log)


class TrialStep:
    """Plays unrated games with sample bots, in each game that the bot plays."""

    state: Final = SubmissionState.TRYING

    def __init__(self, data: Path, boxes: BoxSettings, game_count: int) -> None:
        self._data = data
        self._boxes = boxes
        self._game_count = game_count

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Play the games and report. Raises CrowdedHostError, and UnknownNameError for an unknown game."""
        program = SubmittedPrograms(self._data).read(submission)
        samples = {game: pack_of(game).samples[0] for game in program.games or (next(iter(games())),)}
        with open_step_folder() as folder:
            bot = f"{BUILT_PREFIX}{build_path(self._data, submission.package)}"
            for game, sample in samples.items():
                words = ["match", "--bot", bot, "--fill", sample, "--seats", str(_TRIAL_SEATS), "--game", game]
                words += ["--games", str(self._game_count), "--unrated", "--untrusted", "--data", str(folder)]
                code = await run_arena(words, folder / "log", TRIAL_TIME_S, self._boxes)
                if code == _UNSTEADY:
                    raise CrowdedHostError(f"this server was too busy for the trial games of {game}")
                if code != 0:
                    sentence = self._describe(code, game, find_reason(folder) or _SEE_LOG)
                    return StepReport(sentence, join_log(folder, submission.bot), is_passed=False)
            games_text = format_count(self._game_count, "game")
            return StepReport(f"it played {games_text} well", join_log(folder, submission.bot))

    def _describe(self, code: int | None, game: str, reason: str) -> str:
        if code is None:
            return f"the trial games of {game} took longer than {TRIAL_TIME_S:g} s"
        if code == _TOO_MANY_FAULTS:
            return f"it has too many faults in the trial games of {game}: {reason}"
        return f"the trial games of {game} ended with exit code {code}: {reason}"
