"""Judges a step by what was noted while it ran."""

from collections.abc import Sequence
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.interference import Interference
from arena.author.check.step import ExitStep, Step, StepResult, Verdict

ENOUGH_SILENT_STEPS: Final = 2
"""After this many steps without a stream, a check stops waiting for the bot."""


def judge(step: Step | ExitStep, conduct: Conduct, interference: Interference, skip_reason: str = "") -> StepResult:
    """Return the result of a step; `skip_reason` is why the bot could not play in it, if it could not."""
    if skip_reason:
        return StepResult(step, Verdict.SKIPPED, note=skip_reason)
    if conduct.findings:
        return StepResult(step, Verdict.FAILED, tuple(conduct.findings), is_silent=not conduct.opened_at)
    if interference.skip_reason:
        return StepResult(step, Verdict.SKIPPED, note=interference.skip_reason)
    if isinstance(step, Step) and (missed := _what_was_missed(step, conduct, interference)):
        return StepResult(step, Verdict.NOT_REACHED, note=missed)
    return StepResult(step, Verdict.PASSED)


def silent_bot_result(step: Step | ExitStep, results: Sequence[StepResult]) -> StepResult | None:
    """Return the result of a step without running it, if the earlier results show that the bot never connects."""
    playing = [each for each in results if isinstance(each.step, Step) and each.verdict is not Verdict.NOT_REACHED]
    if len(playing) < ENOUGH_SILENT_STEPS or not all(result.is_silent for result in playing):
        return None
    names = " and ".join(result.step.name for result in playing)
    return StepResult(step, Verdict.NOT_REACHED, note=f"the bot opened no stream in the steps {names}")


def _what_was_missed(step: Step, conduct: Conduct, interference: Interference) -> str:
    """Return what the step has waited for in vain; empty if it was reached."""
    if step.awaited and not interference.happened:
        return step.awaited
    missing = [feature for feature in step.features if feature not in conduct.features]
    return f"in these games the bot never got {', '.join(missing)}" if missing else ""
