"""Credits matches with the time for which this process waited for a core around a deadline.

On a busy machine an answer may lie in a socket while the threads that read it wait for a core. Its stamp then says that
it is late. Waits of more than 50 ms are stalls, which `stall_credit` handles; this module credits shorter ones, with an
ordinary `Credit` input, so that a replay needs no such measurements:

    deadline - 25 ms, - 5 ms    the deadline timer takes samples of the waits so far, and whenever it acts
    deadline + 3 ms             it would act now; if there were waits, the deadline first moves later by them
    a late answer               it counts if the waits explain how late it is

Only waits from 5 ms before the deadline on are credited, and at most 11.5 ms for a prompt. While the loop never waits,
arrival stamps lie up to 8 ms before the arrival (`event_loop`), so that answers have this time anyway. It is taken off
what a deadline moves by; and as both together are less than 20 ms, an answer that arrives 20 ms late is late. In a
window with a fixed end late answers are credited with the same time as the deadline, so that the window closes at the
same instant whether or not somebody has answered late.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from arena.match.inputs import Credit
from arena.match.prompts import OpenGroup
from arena.match.scalars import Instant
from arena.node.deadline_timer import READ_MARGIN_US
from arena.node.hosted_match import HostedMatch

LEAD_US: Final = 5_000
"""How long before a deadline a wait may begin to be credited."""
MAX_CREDIT_US: Final = 11_500
"""The most that a prompt is credited."""
MIN_CREDIT_US: Final = 1_000
"""Shorter waits are ordinary."""
MAX_LATE_US: Final = 20_000
"""An answer that has not been handled so long after its deadline gets no credit."""
SAMPLE_LEADS_US: Final = (25_000, LEAD_US)
"""How long before a deadline the waits are sampled. The first sample serves if the loop is late for the second."""
_MAX_SAMPLES: Final = 32
_MIN_INTERVAL_US: Final = 2_500
"""Samples are not taken more often without need, so that they cost a percent of a core at most."""
_MAX_AGE_US: Final = 1_000
"""How old a sample may be that ends the time for which waits are computed."""


class CoreWaits:
    """Samples how long the threads of this process have waited for a core."""

    def __init__(self, clock: Callable[[], Instant], read_us: Callable[[], int]) -> None:
        """`clock` returns microseconds; `read_us` returns the waits of all threads so far, in microseconds."""
        self._clock = clock
        self._read_us = read_us
        self._samples: deque[tuple[Instant, int]] = deque(maxlen=_MAX_SAMPLES)
        """The latest samples, oldest first: when each was taken, and the waits until then."""

    def sample(self, min_interval_us: int = _MIN_INTERVAL_US) -> None:
        """Take a sample, unless the latest one was taken less than `min_interval_us` microseconds ago."""
        now = self._clock()
        if not self._samples or now - self._samples[-1][0] >= min_interval_us:
            self._samples.append((now, self._read_us()))

    def on_stall(self, _gap_us: int) -> None:
        """Forget the samples: everything up to now is credited as a stall of the loop."""
        self._samples.clear()
        self.sample()

    def waited_since(self, since: Instant) -> int:
        """Return how long threads have waited since an instant, in microseconds; at most the time that has passed.

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
        """Credit a match before an answer that arrived at `at` if it is late only because of waits for a core."""
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
        """Return by how many microseconds the deadline of a group may still move, because of waits until now."""
        credited = _credited_us(hosted, group)
        waited = self._waits.waited_since(Instant(due - credited - LEAD_US))
        return min(waited, MAX_CREDIT_US) - credited


def _find_asked(hosted: HostedMatch) -> tuple[OpenGroup, Instant] | None:
    """Return the open questions of a match and when they close.

    None if they have no deadline, and if there are several groups: only in the live style, where deadlines are seconds.
    """
    game = hosted.table.referee.current_game if hosted.is_running else None
    due = hosted.due
    if game is None or due is None or len(game.open_groups) != 1:
        return None
    (group,) = game.open_groups.values()
    return group, due


def _credited_us(hosted: HostedMatch, group: OpenGroup) -> int:
    """Return how many microseconds the open questions of a match have been credited already."""
    return hosted.core_credit_us if hosted.core_credit_prompt_id == group.id else 0


def _apply_credit(hosted: HostedMatch, group: OpenGroup, us: int, at: Instant, now: Instant) -> None:
    hosted.core_credit_us = _credited_us(hosted, group) + us
    hosted.core_credit_prompt_id = group.id
    hosted.table.apply(Credit(at, now, us))
