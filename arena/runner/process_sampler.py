"""Watches how the bots that were started here spend their time, for whoever has to explain a fault.

Once a second each process is looked at, and whenever one of its faults is explained, ten times a second for some time
after that. On systems that keep no account nothing is known. Implements `rpc.witness.Processes`.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from arena.launch.cpu_times import ProcessCpuTimes, longest_wait_us, read_cpu_times
from arena.launch.process import BotProcess, Launcher
from arena.match.strike_record import ProcessTimes

SAMPLE_INTERVAL_S: Final = 1.0
SAMPLE_TURNS: Final = 10
"""Of looking, in that time."""
MAX_SAMPLES: Final = 64
"""Looks at a process; an answer's time may be that many seconds long, or its part of what is known is told."""
CLOSE_SAMPLING_US: Final = 5_000_000
"""So long after a fault a process is looked at each time, as it is likely to have more of them."""
MAX_SAMPLE_AGE_US: Final = 5_000
"""What was read so lately is as good as new."""

Sample = tuple[int, ProcessCpuTimes]
"""When a process was looked at, on the node's clock, and what it had spent by then."""


class ProcessSampler:
    """Of the bots of one node."""

    def __init__(self, launchers: Sequence[Launcher], clock: Callable[[], int]) -> None:
        """`launchers` may change; `clock` gives microseconds since the node started."""
        self._launchers = launchers
        self._clock = clock
        self._looks: dict[str, tuple[int, deque[Sample]]] = {}
        """By name: process id, and the latest looks at it, oldest first."""
        self._close_until: dict[str, int] = {}
        """By name: until when it is looked at closely."""

    async def run(self) -> None:
        """Look at new processes at once, at the others in turns, so that no pass of the loop gets long by it."""
        turn = 0
        while True:
            await asyncio.sleep(SAMPLE_INTERVAL_S / SAMPLE_TURNS)
            turn += 1
            running = list(self._running_bots())
            self._forget_ended(running)
            for index, process in enumerate(running):
                is_close = self._close_until.get(process.name, 0) > self._clock()
                if is_close or process.name not in self._looks or (index + turn) % SAMPLE_TURNS == 0:
                    self._sample(process)

    def process_times(self, name: str, since: int, now: int) -> ProcessTimes | None:
        """Tell what a bot's process did between two instants; None: it is not ours, or nobody keeps account."""
        process = next((each for each in self._running_bots() if each.name == name), None)
        looks = None if process is None else self._sample(process)
        self._close_until[name] = now + CLOSE_SAMPLING_US
        if not looks:
            return None
        begun, before = next((look for look in reversed(looks) if look[0] <= since), looks[0])
        _, spent = looks[-1]
        span = max(0, now - begun)
        return ProcessTimes(
            spent.state,
            max(0, spent.total_ran_us - before.total_ran_us),
            min(span, longest_wait_us(before, spent)),
            span,
        )

    def _running_bots(self) -> Iterator[BotProcess]:
        """All bots of this node, by whomever they were started; the newest of a name first."""
        for launcher in self._launchers:
            yield from reversed(launcher.running)

    def _forget_ended(self, running: list[BotProcess]) -> None:
        names = {process.name for process in running}
        for name in self._looks.keys() - names:
            del self._looks[name]

    def _sample(self, process: BotProcess) -> deque[Sample]:
        """Give what is known of a process up to now."""
        pid, looks = self._looks.get(process.name, (process.pid, deque[Sample](maxlen=MAX_SAMPLES)))
        if pid != process.pid:
            looks = deque(maxlen=MAX_SAMPLES)
        self._looks[process.name] = process.pid, looks
        now = self._clock()
        if not looks or now - looks[-1][0] > MAX_SAMPLE_AGE_US:
            spent = read_cpu_times(process.pid)
            if spent is not None:
                looks.append((now, spent))
        return looks


@asynccontextmanager
async def sample_processes(launchers: Sequence[Launcher], clock: Callable[[], int]) -> AsyncIterator[ProcessSampler]:
    """Watch the bots' processes: a node explains strikes with what they did. `launchers` may grow."""
    watch = ProcessSampler(launchers, clock)
    working = asyncio.ensure_future(watch.run())
    try:
        yield watch
    finally:
        working.cancel()
