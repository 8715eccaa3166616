"""One step that a submission takes before it plays, and the command of the arena that a step may run."""

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from arena.config.read_config import box_variables
from arena.launch.box_settings import BoxSettings
from arena.launch.output import TAIL_BYTES, sanitize_for_terminal
from arena.store.submission_rows import SubmissionRow
from arena.store.submission_states import SubmissionState

_ARENA: Final = (sys.executable, "-P", "-c", "from arena.cli.main import main; main()")
_MAX_OUTPUTS: Final = 10
"""The most output files of bots that a log has."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """What a step has found."""

    sentence: str
    """What the owner is told."""
    log: str = ""
    """What the programs of the step wrote, for the owner alone."""
    is_passed: bool = True


class Step(Protocol):
    """One step."""

    @property
    def state(self) -> SubmissionState:
        """The state of a submission during the step."""

    async def run(self, submission: SubmissionRow) -> StepReport:
        """Run the step and report. Raises IsolationError if boxes do not hold here, EnvironmentFaultError."""


@contextmanager
def open_step_folder() -> Iterator[Path]:
    """Yield a new folder for one step, which is removed afterwards."""
    with TemporaryDirectory(prefix="arena-step-") as folder:
        Path(folder).chmod(0o711)  # boxes belong to another user
        yield Path(folder)


async def run_arena(words: Sequence[str], log: Path, time_s: float, boxes: BoxSettings) -> int | None:
    """Run a command of the arena in a process of its own, with its output in a file. Return its exit code.

    The command makes boxes as the server does, whose settings it does not know otherwise. Return None if it took longer
    than `time_s` seconds; it is ended then.
    """
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *_ARENA,
            *words,
            env={**os.environ, **box_variables(boxes)},
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


def read_outputs(folder: Path) -> str:
    """Return the ends of the output files in a folder, sanitized, each below its name."""
    parts = []
    for path in sorted(folder.glob("*.log"))[:_MAX_OUTPUTS]:
        text = path.read_bytes()[-TAIL_BYTES:].decode("utf-8", "replace")
        lines = "\n".join(map(sanitize_for_terminal, text.splitlines()))
        parts.append(f"--- {path.stem}\n{lines}")
    return "\n".join(parts)
