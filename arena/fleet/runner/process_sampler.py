"""Samples how the bots of this machine spend their time, so that strikes can be explained.

Each process is sampled once a second. A process is also sampled whenever one of its strikes is explained, and ten times
a second for some seconds after that. Some systems have no such figures. Implements
`arena.server.node.observers.ProcessMonitor`.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, Protocol

from arena.bots.launch.cpu_times import ProcessCpuTimes, longest_wait_us, read_cpu_times
from arena.match.referee.scalars import SessionKey
from arena.match.referee.strike_record import THROTTLED_STATE, ProcessTimes

SAMPLE_INTERVAL_S: Final = 1.0
SAMPLE_TURNS: Final = 10
"""Passes per sample interval. Each pass samples a part of the processes."""
MAX_SAMPLES: Final = 64
"""Samples kept per process. If an answer took longer, its explanation covers only the time since the oldest sample."""
CLOSE_SAMPLING_US: Final = 5_000_000
"""Microseconds after a strike during which a process is sampled in every pass, because more strikes are likely."""
MAX_SAMPLE_AGE_US: Final = 5_000
"""Microseconds for which a sample is still fresh enough to be reused."""

Sample = tuple[int, ProcessCpuTimes, int]
"""The instant of a sample, on the node's clock, what the process had used by then, and how long a CPU quota had stopped
it (in microseconds)."""


class SampledProcess(Protocol):
    @property
    def name(self) -> str:
        """The name of the bot, or `name_of_session` if other programs may have that name too."""

    @property
    def pid(self) -> int:
        """The id of the process."""

    @property
    def throttled_us(self) -> int:
        """How long a CPU quota has stopped it so far, in microseconds."""


class ProcessSource(Protocol):
    @property
    def running(self) -> Sequence[SampledProcess]: ...


def name_of_session(key: SessionKey) -> str:
    """Return the name of a process that serves this session alone: a bot may have several programs."""
    return "/".join(key)


class ProcessSampler:
    def __init__(self, sources: Sequence[ProcessSource], clock: Callable[[], int]) -> None:
        """The content of `sources` may change. `clock` returns microseconds since the node started."""
        self._sources = sources
        self._clock = clock
        self._samples: dict[str, tuple[int, deque[Sample]]] = {}
        """By name: the process id and its latest samples, oldest first."""
        self._close_until: dict[str, int] = {}
        """By name: the instant until which a process is sampled in every pass."""

    async def run(self) -> None:
        """Sample new processes immediately and the others in turns, so that each pass of the event loop stays short."""
        turn = 0
        while True:
            await asyncio.sleep(SAMPLE_INTERVAL_S / SAMPLE_TURNS)
            turn += 1
            running = list(self._running_bots())
            for ended in self._samples.keys() - {process.name for process in running}:
                del self._samples[ended]
            for index, process in enumerate(running):
                is_close = self._close_until.get(process.name, 0) > self._clock()
                if is_close or process.name not in self._samples or (index + turn) % SAMPLE_TURNS == 0:
                    self._sample(process)

    def has_started(self, name: str) -> bool:
        """Return whether a bot of this name was started here and still runs."""
        return any(process.name == name for process in self._running_bots())

    def process_times(self, key: SessionKey, since: int, now: int) -> ProcessTimes | None:
        """Return None if the process runs elsewhere, or if the system does not report these times."""
        names = (key[0], name_of_session(key))
        process = next((each for each in self._running_bots() if each.name in names), None)
        if process is None:
            return None
        samples = self._sample(process)
        self._close_until[process.name] = now + CLOSE_SAMPLING_US
        if not samples:
            return None
        start, before, throttled_before = next(
            (sample for sample in reversed(samples) if sample[0] <= since), samples[0]
        )
        _, spent, throttled = samples[-1]
        span, stopped = max(0, now - start), max(0, throttled - throttled_before)
        # the system counts a thread that the quota stopped as one that waits for a core
        waited = max(0, longest_wait_us(before, spent) - stopped)
        return ProcessTimes(
            THROTTLED_STATE if 2 * stopped >= max(1, span) else spent.state,
            max(0, spent.total_ran_us - before.total_ran_us),
            min(span, waited),
            span,
        )

    def _running_bots(self) -> Iterator[SampledProcess]:
        """Yield the bots of all sources; of two with the same name, the newer first."""
        for source in self._sources:
            yield from reversed(source.running)

    def _sample(self, process: SampledProcess) -> deque[Sample]:
        """Return all samples of a process, with a new one unless its last is fresh."""
        pid = process.pid
        known, samples = self._samples.get(process.name, (pid, deque[Sample](maxlen=MAX_SAMPLES)))
        if known != pid:
            samples = deque(maxlen=MAX_SAMPLES)
        self._samples[process.name] = pid, samples
        now = self._clock()
        if not samples or now - samples[-1][0] > MAX_SAMPLE_AGE_US:
            spent = read_cpu_times(pid)
            if spent is not None:
                samples.append((now, spent, process.throttled_us))
        return samples


@asynccontextmanager
async def sample_processes(sources: Sequence[ProcessSource], clock: Callable[[], int]) -> AsyncIterator[ProcessSampler]:
    """Sources may be added meanwhile."""
    sampler = ProcessSampler(sources, clock)
    sampling = asyncio.create_task(sampler.run())
    try:
        yield sampler
    finally:
        sampling.cancel()
