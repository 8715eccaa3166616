"""Gives matches back the time that they lose through no fault of a bot, on a machine or a disk that is busy.

A credit moves the deadlines of a match later by an ordinary `Credit` input, so a replay needs no measurements. No time
is credited twice:

    StallCredit     a stall of the loop of more than 50 ms, or a journal that cannot be written, costs every match
    MatchCredits    a slow disk held a prompt back, or this process waited for a core around a deadline

What the network and lost connections cost is the referee's affair (`arena.match.referee.entrant_clock`).

On a busy machine an answer may lie in a socket while the threads that read it wait for a core. Its stamp then says that
it is late. Waits too short for a stall are credited like this:

    deadline - 25 ms, - 5 ms    the deadline timer samples the waits so far; it also does so whenever it acts
    deadline + 3 ms             the timer acts; if there were waits, it first moves the deadline later by their sum
    a late answer               counts if the waits explain how late it is

Only waits from 5 ms before the deadline on are credited, and at most 11.5 ms for each prompt.

If the loop is never idle, arrival stamps lie up to 8 ms before the arrival (`event_loop`), so answers have this time
anyway. This time is subtracted from the credit when a deadline moves. The two times together are less than 20 ms, so an
answer that arrives 20 ms late is always late. In a window with a fixed end, a late answer gets the same credit as the
deadline. So the window closes at the same instant whether or not somebody has answered late.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sized
from typing import Final

from arena.log_lines import get_logger
from arena.match.referee.inputs import Credit
from arena.match.referee.open_group import OpenGroup
from arena.match.referee.scalars import Instant
from arena.match.referee.table import MatchTable
from arena.server.node.event_loop import STALL_THRESHOLD_US
from arena.server.node.timers import READ_MARGIN_US

log = get_logger(__name__)

REPORT_INTERVAL_S: Final = 60.0
"""Seconds between two lines of the log about stalls."""
LEAD_US: Final = 5_000
"""Waits are credited from this time before a deadline on."""
MAX_CREDIT_US: Final = 11_500
"""The largest credit for one prompt."""
MIN_CREDIT_US: Final = 1_000
"""Shorter waits are normal and move no deadline."""
MAX_LATE_US: Final = 20_000
"""An answer that is handled later than this after its deadline gets no credit."""
SAMPLE_LEADS_US: Final = (25_000, LEAD_US)
"""How long before a deadline the waits are sampled. The first sample is used if the loop is late for the second."""
_MAX_SAMPLES: Final = 32
_MIN_INTERVAL_US: Final = 2_500
"""The shortest time between two routine samples. So sampling takes at most a percent of a core."""
_MAX_AGE_US: Final = 1_000
"""If the latest sample is older than this, `waited_since` takes a new one."""


class StallCredit:
    """Credits all matches of a node with the time that the node itself lost."""

    def __init__(
        self,
        matches: Sized,
        credit_all: Callable[[int, Instant], None],
        clock: Callable[[], Instant],
        resumed: asyncio.Event,
    ) -> None:
        """`matches` are those of the node. `credit_all` gives each the microseconds that were lost up to an instant.

        `clock` returns microseconds. `resumed` is set while the journal can be written.
        """
        self.stalls_us: list[int] = []
        """Every stall of the loop that was credited, in microseconds."""
        self.credited_to = Instant(0)
        """The instant up to which all lost time has been credited."""
        self._matches = matches
        self._credit_all = credit_all
        self._clock = clock
        self._resumed = resumed
        self._reported_count = 0
        """How many stalls the log has."""
        self._timer: asyncio.TimerHandle | None = None
        """Calls for the next line of the log; None if no line was written within the interval."""

    def on_stall(self, gap_us: int) -> None:
        """Credit a stall of the loop that ends now. While the journal is paused, do nothing: the pause is credited."""
        now = self._clock()
        gap_us = min(gap_us, now - self.credited_to)
        if len(self._matches) and self._resumed.is_set() and gap_us > STALL_THRESHOLD_US:
            self.stalls_us.append(gap_us)
            if self._timer is None:
                self._report()
            self.credit(gap_us, now)

    def _report(self) -> None:
        """Log the stalls since the last line in one line, and those that follow after the interval."""
        stalls_us, self._timer = self.stalls_us[self._reported_count :], None
        if stalls_us:
            self._reported_count += len(stalls_us)
            times = {"longest_ms": max(stalls_us) // 1000, "total_ms": sum(stalls_us) // 1000}
            log.warning("loop stalled", count=len(stalls_us), **times, matches=len(self._matches))
            self._timer = asyncio.get_running_loop().call_later(REPORT_INTERVAL_S, self._report)

    def credit(self, us: int, now: Instant) -> None:
        """Credit every match with `us` microseconds, the time lost up to `now`."""
        self._credit_all(us, now)
        self.credited_to = now


class CoreWaits:
    """Samples how long the threads of this process have waited for a core."""

    def __init__(self, clock: Callable[[], Instant], stamp: Callable[[], Instant], read_us: Callable[[], int]) -> None:
        """`clock` returns microseconds; `stamp` returns the arrival stamp of a message that is read now.

        `read_us` returns the waits of all threads so far, in microseconds.
        """
        self.stamp = stamp
        self._clock = clock
        self._read_us = read_us
        self._samples: deque[tuple[Instant, int]] = deque(maxlen=_MAX_SAMPLES)
        """The latest samples, oldest first. Each has its instant, and the sum of the waits until then."""

    def sample(self, min_interval_us: int = _MIN_INTERVAL_US) -> None:
        """Take a sample, unless the latest one was taken less than `min_interval_us` microseconds ago."""
        now = self._clock()
        if not self._samples or now - self._samples[-1][0] >= min_interval_us:
            self._samples.append((now, self._read_us()))

    def on_stall(self, _gap_us: int) -> None:
        """Forget the samples, because all waits up to now are credited as a stall of the loop."""
        self._samples.clear()
        self.sample()

    def waited_since(self, since: Instant) -> int:
        """Return how many microseconds threads have waited since an instant, but no more than the time that has passed.

        The threads of a message's way through the process wait one after the other, so their waits are added. Waits
        before the first sample count as 0.
        """
        self.sample(_MAX_AGE_US)
        oldest = Instant(since - SAMPLE_LEADS_US[0])
        before = self._samples[-1]
        for sample in reversed(self._samples):
            if sample[0] < oldest:
                break
            before = sample
            if sample[0] <= since:
                break
        now, waited = self._samples[-1]
        return max(0, min(waited - before[1], now - since))


class MatchCredits:
    """Gives lost time back to the open prompts of one running match, each wait only once."""

    def __init__(self, table: MatchTable) -> None:
        self._table = table
        self._disk_prompt_id = 0
        """The latest prompt that was credited with a wait for the disk."""
        self._core_prompt_id = 0
        """The latest prompt that was credited with waits for a core."""
        self._core_us = 0
        """How many microseconds that prompt has got."""

    def credit_disk_wait(self, since: Instant, now: Instant) -> None:
        """Credit the prompts that were issued after `since`, which could not be sent before `now`. Each counts once."""
        game = self._table.referee.current_game
        groups = [] if game is None else game.prompts.groups.values()
        delayed = [each for each in groups if each.id > self._disk_prompt_id and since < each.started < now]
        if delayed:
            self._disk_prompt_id = max(group.id for group in delayed)
            self._table.apply(Credit(now, now, now - min(group.started for group in delayed)))

    def credit_late_answer(self, waits: CoreWaits, at: Instant, now: Instant) -> None:
        """Credit the match if the answer that arrived at `at` is late only because of waits for a core."""
        asked = self._find_asked()
        if asked is None:
            return
        group, due = asked
        owed = self._owed_us(waits, group, due)
        if self._table.referee.terms.pace.fixed_window:  # as for the deadline, so that both move it equally
            owed -= now - waits.stamp()
        if due < at <= due + owed and now < due - self._credited_us(group) + MAX_LATE_US:
            self._credit_core(group, owed, at, now)

    def credit_deadline(self, waits: CoreWaits, now: Instant) -> bool:
        """Credit the match before a deadline takes effect. Return whether the deadline has moved past `now`."""
        asked = self._find_asked()
        if asked is None:
            return False
        group, due = asked
        owed = self._owed_us(waits, group, due) - (now - waits.stamp())
        if owed < MIN_CREDIT_US or now >= due + owed + READ_MARGIN_US:
            return False
        self._credit_core(group, owed, min(now, Instant(due + owed)), now)
        return True

    def _find_asked(self) -> tuple[OpenGroup, Instant] | None:
        """Return the open questions and when they close.

        Return None if the questions have no deadline or form several groups. Only the live style has several groups.
        Its time limits are seconds, so it needs no credit.
        """
        referee = self._table.referee
        game, due = referee.current_game, referee.due
        if game is None or due is None or len(game.prompts.groups) != 1:
            return None
        (group,) = game.prompts.groups.values()
        return group, due

    def _owed_us(self, waits: CoreWaits, group: OpenGroup, due: Instant) -> int:
        """Return by how many microseconds the waits until now may still move the deadline of a group."""
        credited = self._credited_us(group)
        waited = waits.waited_since(Instant(due - credited - LEAD_US))
        return min(waited, MAX_CREDIT_US) - credited

    def _credited_us(self, group: OpenGroup) -> int:
        return self._core_us if self._core_prompt_id == group.id else 0

    def _credit_core(self, group: OpenGroup, us: int, at: Instant, now: Instant) -> None:
        self._core_us = self._credited_us(group) + us
        self._core_prompt_id = group.id
        self._table.apply(Credit(at, now, us))
