"""One step that a submission takes before it plays: its report, its folder and its log."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from arena.bots.launch.output import TAIL_BYTES, output_stem, read_end, sanitize_for_terminal
from arena.bots.submissions.submission import Submission, SubmissionState

LOG_NAME: Final = "log"
"""The file in the folder of a step with what its processes have said."""
_MAX_OUTPUTS: Final = 20
"""The most output files of a bot that a log has: a check starts it once for each of its twelve steps."""


@dataclass(frozen=True, slots=True)
class StepReport:
    sentence: str
    """What the owner is told."""
    log: str = ""
    """What the programs wrote, for the owner alone."""
    is_passed: bool = True


class StepWork(Protocol):
    @property
    def state(self) -> SubmissionState:
        """The state of a submission during the step."""

    async def run(self, submission: Submission) -> StepReport:
        """Raises IsolationError if boxes do not hold here, EnvironmentFaultError."""


@contextmanager
def open_step_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed afterwards."""
    with TemporaryDirectory(prefix="arena-step-") as folder:
        Path(folder).chmod(0o711)  # boxes belong to another user
        yield Path(folder)


def join_log(folder: Path, bot: str) -> str:
    """Return what the processes of a step have said, and then what the bot wrote.

    The folder is gone when the owner reads the log, so its path is left out, and so are commands that need it.
    """
    path = folder / LOG_NAME
    said = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    lines = [line.replace(f"{folder}/", "") for line in said.splitlines() if f"--data {folder}" not in line]
    return "\n".join([*lines, "", read_outputs(folder / "bots", bot)])


def read_outputs(folder: Path, bot: str) -> str:
    """Return the ends of the bot's output files, sanitized, each below its name.

    The other bots there are the arena's, and would bury what the owner looks for.
    """
    parts = []
    paths = sorted(folder.glob("*.log"), key=_natural_order)
    own = [path for path in paths if path.stem.startswith(output_stem(bot))]
    for path in (own or paths)[:_MAX_OUTPUTS]:
        lines = "\n".join(map(sanitize_for_terminal, read_end(path, TAIL_BYTES).splitlines()))
        parts.append(f"--- {folder.name}/{path.name}\n{lines}")
    return "\n".join(parts)


def _natural_order(path: Path) -> list[tuple[str, int]]:
    """Return a key that sorts `bot-2` before `bot-10`."""
    return [(rest, int(digits or 0)) for rest, digits in re.findall(r"(\D*)(\d*)", path.stem)]
