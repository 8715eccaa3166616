"""Credits matches with the time for which this process waited for a core around a deadline.

On a busy machine an answer may lie in a socket while the threads that read it wait for a core. Its stamp then says that
it is late. Waits of more than 50 ms are stalls, which `stall_credit` handles. This module credits shorter waits with an
ordinary `Credit` input, so a replay needs no measurements:

    deadline - 25 ms, - 5 ms    the deadline timer samples the waits so far; it also does so whenever it acts
    deadline + 3 ms             the timer acts; if there were waits, it first moves the deadline later by their sum
    a late answer               counts if the waits explain how late it is

Only waits from 5 ms before the deadline on are credited, and at most 11.5 ms for each prompt.

If the loop is never idle, arrival stamps lie up to 8 ms before the arrival (`event_loop`), so answers have this time
anyway. This time is subtracted from the credit when a deadline moves. The two times together are less than 20 ms, so an
answer that arrives 20 ms late is always late. In a window with a fixed end, a late answer gets the same credit as the
deadline. So the window closes at the same instant whether or not somebody has answered late.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from arena.match.referee.inputs import Credit
from arena.match.referee.open_group import OpenGroup
from arena.match.referee.scalars import Instant
from arena.server.node.deadline_timer import READ_MARGIN_US
from arena.server.node.hosted_match import HostedMatch

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


class CoreWaits:
    """Samples how long the threads of this process have waited for a core."""

    def __init__(self, clock: Callable[[], Instant], read_us: Callable[[], int]) -> None:
        """`clock` returns microseconds; `read_us` returns the waits of all threads so far, in microseconds."""
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


class CoreCredit:
    """Credits the matches of one node."""

    def __init__(self, waits: CoreWaits, stamp: Callable[[], Instant]) -> None:
        """`stamp` returns the arrival stamp of a message that is read now."""
        self._waits = waits
        self._stamp = stamp

    def credit_answer(self, hosted: HostedMatch, at: Instant, now: Instant) -> None:
        """Credit a match if the answer that arrived at `at` is late only because of waits for a core."""
        asked = _find_asked(hosted)
        if asked is None:
            return
        group, due = asked
        owed = self._owed_us(hosted, group, due)
        if hosted.terms.pace.fixed_window:  # as for the deadline, so that it takes effect at the same instant
            owed -= now - self._stamp()
        if due < at <= due + owed and now < due - _credited_us(hosted, group) + MAX_LATE_US:
            _apply_credit(hosted, group, owed, at, now)

    def credit_deadline(self, hosted: HostedMatch, now: Instant) -> bool:
        """Credit a match before a deadline takes effect. Return whether the deadline has moved past `now`."""
        asked = _find_asked(hosted)
        if asked is None:
            return False
        group, due = asked
        owed = self._owed_us(hosted, group, due) - (now - self._stamp())
        if owed < MIN_CREDIT_US or now >= due + owed + READ_MARGIN_US:
            return False
        _apply_credit(hosted, group, owed, min(now, Instant(due + owed)), now)
        return True

    def _owed_us(self, hosted: HostedMatch, group: OpenGroup, due: Instant) -> int:
        """Return by how many microseconds the waits until now may still move the deadline of a group."""
        credited = _credited_us(hosted, group)
        waited = self._waits.waited_since(Instant(due - credited - LEAD_US))
        return min(waited, MAX_CREDIT_US) - credited


def _find_asked(hosted: HostedMatch) -> tuple[OpenGroup, Instant] | None:
    """Return the open questions of a match and when they close.

    Return None if the questions have no deadline or form several groups. Only the live style has several groups. Its
    time limits are seconds, so it needs no credit.
    """
    game = hosted.table.referee.current_game if hosted.is_running else None
    due = hosted.due
    if game is None or due is None or len(game.prompts.groups) != 1:
        return None
    (group,) = game.prompts.groups.values()
    return group, due


def _credited_us(hosted: HostedMatch, group: OpenGroup) -> int:
    """Return how many microseconds of credit the open questions of a match already have."""
    return hosted.core_credit_us if hosted.core_credit_prompt_id == group.id else 0


def _apply_credit(hosted: HostedMatch, group: OpenGroup, us: int, at: Instant, now: Instant) -> None:
    hosted.core_credit_us = _credited_us(hosted, group) + us
    hosted.core_credit_prompt_id = group.id
    hosted.table.apply(Credit(at, now, us))
