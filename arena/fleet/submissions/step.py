"""One step that a submission takes before it plays, and the command of the arena that a step may run."""

import asyncio
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Final, Protocol

from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.output import TAIL_BYTES, output_stem, read_end, sanitize_for_terminal
from arena.bots.sandbox.oci import ENGINE_VARIABLES
from arena.bots.sandbox.probes.isolation_check import vouch_for_boxes
from arena.bots.submissions.submission_rows import SubmissionRow
from arena.bots.submissions.submission_states import SubmissionState
from arena.server.config.read_config import box_variables

_ARENA: Final = (sys.executable, "-P", "-c", "from arena.cli.main import main; main()")
INHERITED_VARIABLES: Final = (*ENGINE_VARIABLES, "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH")
"""The variables of this process that the command of a step gets. They say how programs run here, and hold no secret."""
_FAULTY_STEP: Final = re.compile(
    r"^(?:failed|not reached) +(\S+).*\n(?: {4}expected .*\n)? {4}(?:came|because) +(.+)", re.MULTILINE
)
"""What `arena check` says about a step that did not pass: its name, and what came."""
_FIRST_FAULT: Final = re.compile(r"^  (the first, in game (?:.*\n)+?)  to read it:", re.MULTILINE)
"""What `arena match` says about the first fault of a bot with too many of them."""
_ERROR: Final = re.compile(r"^arena: (.+)", re.MULTILINE)
_MAX_REASON_LENGTH: Final = 400
_MAX_OUTPUTS: Final = 20
"""The most output files of a bot that a log has: a check starts it once for each of its twelve steps."""


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

    The command makes boxes as the server does, whose settings it does not know otherwise, and which has found that they
    hold. It gets no other variable of the server, because the author reads what it prints. Return None if it took
    longer than `time_s` seconds; it is ended then.
    """
    inherited = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *_ARENA,
            *words,
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


def find_reason(folder: Path) -> str:
    """Return why the command of a step did not pass, from what it said; empty if that does not say why.

    It names the step of the check, if one was at fault.
    """
    said = _read_said(folder).replace(f"{folder}/", "")
    if found := _FAULTY_STEP.search(said):
        reason = f"in step {found[1]}, {found[2]}"
    elif found := _FIRST_FAULT.search(said) or _ERROR.search(said):
        reason = found[1]
    else:
        return ""
    return sanitize_for_terminal(shorten(reason, _MAX_REASON_LENGTH, placeholder=" …"))


def join_log(folder: Path, bot: str) -> str:
    """Return what the commands of a step have said, and then what the bot wrote.

    The folder is gone when the owner reads the log, so its path is left out, and so are commands that need it.
    """
    said = _read_said(folder)
    lines = [line.replace(f"{folder}/", "") for line in said.splitlines() if f"--data {folder}" not in line]
    return "\n".join([*lines, "", read_outputs(folder / "bots", bot)])


def _read_said(folder: Path) -> str:
    path = folder / "log"
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def read_outputs(folder: Path, bot: str) -> str:
    """Return the ends of the bot's output files in a folder, sanitized, each below its name.

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
