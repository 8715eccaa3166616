"""A prompt's clock starts when the prompt may leave: what a slow disk took from it before is given back.

The referee lets a clock run from the instant at which it asks. Where the question then has to wait for the disk, its
match is credited the wait, as an input like any other credit: a replay needs no disk.
"""

from arena.match.inputs import Credit
from arena.match.pace import US_PER_MS
from arena.match.scalars import Instant
from arena.node.hosted_match import HostedMatch, LobbyStage


def credit_disk_wait(booking: HostedMatch, since: Instant, now: Instant) -> None:
    """Credit what was asked after `since` and may only leave now, once for each question."""
    if booking.is_running:
        _credit_prompts(booking, since, now)
    elif booking.stage is LobbyStage.ENTROPY and not booking.disk_credit_prompt_id:
        _credit_entropy(booking, since, now)


def _credit_prompts(booking: HostedMatch, since: Instant, now: Instant) -> None:
    playing = booking.table.referee.current_game
    groups = [] if playing is None else playing.open_groups.values()
    asked = [group for group in groups if group.id > booking.disk_credit_prompt_id and since < group.started < now]
    if asked:
        booking.disk_credit_prompt_id = max(group.id for group in asked)
        booking.table.apply(Credit(now, now, now - min(group.started for group in asked)))


def _credit_entropy(booking: HostedMatch, since: Instant, now: Instant) -> None:
    """Whoever is asked for entropy has as long as for a turn."""
    length = booking.terms.pace.turn_ms * US_PER_MS
    if booking.entropy.until is not None and booking.entropy.until - length > since:
        booking.disk_credit_prompt_id = -1
        booking.entropy.until = Instant(now + length)
