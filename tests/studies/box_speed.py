"""What boxes cost: `python -m tests.studies.box_speed`.

Boxed and unboxed bots take turns, so that a busy machine slows down both. Medians are compared:

- the start of a Python bot, until it has imported the SDK and prints its first line;
- the turns a second of matches between two bots, which dial the server's socket from their boxes, or loopback;
- the memory of what makes a box, beside the program (PSS: shared pages are divided among those who share them).
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from arena.launch.box_port import UNBOXED, BoxBackend
from arena.launch.process import BotProcess, Launcher
from arena.launch.programs import BotProgram, find_bot
from arena.rpc.listeners import make_socket_path
from arena.sandbox.bubblewrap import BubblewrapBackend
from cheatarena.v1 import match_pb2
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.stamping import stamping_loop

GOAL_START_FACTOR: Final = 1.5
GOAL_START_S: Final = 0.05
GOAL_SPEED: Final = 0.9
GOAL_MEMORY_MB: Final = 3.0

_BOT: Final = str(Path(__file__).parents[2] / "sample_bots" / "python" / "random_legal")
_FIRST_LINE: Final = "import cheatarena\nprint('started', flush=True)\nimport time\ntime.sleep(600)\n"
_POLL_S: Final = 0.0005
_OPTIONS: Final = (match_pb2.OptionSetting(name="max_turns", value="400"),)
_WAIT_S: Final = 120


@dataclass(frozen=True, slots=True)
class BoxCosts:
    """What was measured, unboxed and boxed."""

    starts_s: tuple[Sequence[float], Sequence[float]]
    turns_a_second: tuple[Sequence[float], Sequence[float]]
    memory_mb: Sequence[float]

    def describe(self) -> Iterator[str]:
        """Yield a line for each figure, with its goal."""
        plain_s, boxed_s = map(median, self.starts_s)
        goal_s = GOAL_START_FACTOR * plain_s + GOAL_START_S
        yield f"start       {boxed_s * 1e3:6.0f} ms, unboxed {plain_s * 1e3:.0f} ms; goal at most {goal_s * 1e3:.0f} ms"
        plain, boxed = map(median, self.turns_a_second)
        yield f"turns       {boxed:6.0f} a second, unboxed {plain:.0f}: {boxed / plain:.1%}; goal {GOAL_SPEED:.0%}"
        yield f"memory      {median(self.memory_mb):6.2f} MB beside the program; goal below {GOAL_MEMORY_MB:g} MB"


def measure(start_count: int, match_count: int, game_count: int) -> BoxCosts:
    """Measure all figures, with so many starts and matches of each kind."""
    with tempfile.TemporaryDirectory() as name, asyncio.Runner(loop_factory=stamping_loop) as runner:
        folder = Path(name)
        folder.chmod(0o755)
        starts, memory = _measure_starts(folder, start_count)
        turns = runner.run(_measure_turns(folder, match_count, game_count))
        return BoxCosts(starts, turns, memory)


def _measure_starts(folder: Path, count: int) -> tuple[tuple[list[float], list[float]], list[float]]:
    """Return the times of starts, unboxed and boxed, and the memory of boxes."""
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.py").write_text(_FIRST_LINE)
    program = find_bot(str(folder / "bot"))
    assert isinstance(program, BotProgram)
    times: tuple[list[float], list[float]] = ([], [])
    memory = []
    backends: tuple[BoxBackend, BoxBackend] = (UNBOXED, BubblewrapBackend())
    for _ in range(count):
        for backend, found in zip(backends, times, strict=True):
            with Launcher(folder / "output", backend=backend) as launcher:
                begin = time.perf_counter()
                process = launcher.start(program, address="127.0.0.1:1", token="none", instance="1")
                while process.tail() != ["started"]:
                    assert process.exit_code is None, process.tail()
                    time.sleep(_POLL_S)
                found.append(time.perf_counter() - begin)
                if backend is not UNBOXED:
                    memory.append(_memory_of_box(process))
                process.kill()
    return times, memory


def _memory_of_box(process: BotProcess) -> float:
    """Return the memory of the processes between the launcher and the program, in MB."""
    total_kb = 0
    pid = _parent_of(process.pid)
    while b"bwrap" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        total_kb += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        pid = _parent_of(pid)
    return total_kb / 1024


def _parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


async def _measure_turns(folder: Path, match_count: int, game_count: int) -> tuple[list[float], list[float]]:
    """Return the turns a second of matches, unboxed and boxed. All four bots stay connected."""
    with make_socket_path() as socket, ExitStack() as stack:
        async with open_server(folder / "data", listen=(f"unix:{socket}",)) as server:
            backends: tuple[BoxBackend, BoxBackend] = (UNBOXED, BubblewrapBackend(socket))
            pairs = [("ann", "bob"), ("cid", "dora")]
            for backend, names in zip(backends, pairs, strict=True):
                launcher = stack.enter_context(Launcher(folder / "output", backend=backend))
                for name in names:
                    program = find_bot(_BOT)
                    assert isinstance(program, BotProgram)
                    token = await server.create_token(name)
                    launcher.start(program, address=server.address, token=token, instance="1", name=name)
            while len(server.node.sessions) < 4:
                await asyncio.sleep(0.01)
            rates: tuple[list[float], list[float]] = ([], [])
            for number in range(match_count + 1):
                for names, found in zip(pairs, rates, strict=True):
                    rate = await _play(server, names, game_count)
                    if number:  # the first match of each pair warms it up
                        found.append(rate)
            return rates


async def _play(server: LocalServer, names: Sequence[str], game_count: int) -> float:
    """Play a match, and return its turns a second."""
    begin = time.perf_counter()
    match = await server.create_match(*names, pace=slow_pace(), game_count=game_count, options=_OPTIONS)
    request = match_pb2.WaitForResultRequest(match_id=match.match_id)
    ended = (await server.matches.WaitForResult(request, metadata=server.organizing, timeout=_WAIT_S)).match
    spent = time.perf_counter() - begin
    assert [*ended.strikes] == [match_pb2.Strikes()] * 2
    return float(sum(game.turn_count for game in ended.games) / spent)


def main() -> int:
    """Measure, and print the figures beside their goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--matches", type=int, default=12)
    parser.add_argument("--games", type=int, default=10)
    given = parser.parse_args()
    for line in measure(given.starts, given.matches, given.games).describe():
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
