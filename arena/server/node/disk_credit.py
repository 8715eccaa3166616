"""Credits prompts with the time for which they waited for a slow disk before they could be sent.

The referee starts the clock of a prompt when it issues the prompt. If the prompt then has to wait for the disk, the
match gets an ordinary `Credit` input for the wait. A replay reads this input, so it does not depend on a disk.
"""

from arena.match.referee.inputs import Credit
from arena.match.referee.pace import US_PER_MS
from arena.match.referee.scalars import Instant
from arena.server.node.hosted_match import HostedMatch
from arena.server.node.match_stage import MatchStage


def credit_disk_wait(hosted: HostedMatch, since: Instant, now: Instant) -> None:
    """Credit a match with the time for which its prompts, or its request for entropy, waited for the disk.

    Only what was issued after `since` is credited, because it could not be sent before now. Each prompt is credited
    once.
    """
    if hosted.is_running:
        game = hosted.table.referee.current_game
        groups = [] if game is None else game.prompts.groups.values()
        delayed = [group for group in groups if group.id > hosted.disk_credit_prompt_id and since < group.started < now]
        if delayed:
            hosted.disk_credit_prompt_id = max(group.id for group in delayed)
            hosted.table.apply(Credit(now, now, now - min(group.started for group in delayed)))
    elif hosted.stage is MatchStage.ENTROPY and not hosted.disk_credit_prompt_id:
        length = hosted.terms.pace.turn_ms * US_PER_MS  # bots have the time of a turn to send their entropy
        if hosted.entropy.until is not None and hosted.entropy.until - length > since:
            hosted.disk_credit_prompt_id = -1
            hosted.entropy.until = Instant(now + length)
