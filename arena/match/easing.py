"""A prompt's clock starts when the prompt may leave: what a slow disk took from it before is given back.

The referee lets a clock run from the instant at which it asks. Where the question then has to wait for the disk, its
match is credited the wait, as an input like any other credit: a replay needs no disk.
"""

from arena.match.booking import Booking, Stage
from arena.match.pace import MS


def ease(booking: Booking, since: int, now: int) -> None:
    """Credit what was asked after `since` and may only leave now, once for each question."""
    if booking.is_running:
        _ease_prompts(booking, since, now)
    elif booking.stage is Stage.ENTROPY and not booking.eased:
        _ease_entropy(booking, since, now)


def _ease_prompts(booking: Booking, since: int, now: int) -> None:
    playing = booking.table.referee.playing
    groups = [] if playing is None else playing.open.values()
    asked = [group for group in groups if group.id > booking.eased and since < group.started < now]
    if asked:
        booking.eased = max(group.id for group in asked)
        booking.table.credit(now, now, now - min(group.started for group in asked))


def _ease_entropy(booking: Booking, since: int, now: int) -> None:
    """Whoever is asked for entropy has as long as for a turn."""
    length = booking.terms.pace.turn_ms * MS
    if booking.entropy.until is not None and booking.entropy.until - length > since:
        booking.eased = -1
        booking.entropy.until = now + length
