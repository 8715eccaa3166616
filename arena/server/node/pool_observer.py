"""Tells the matchmaker of pools how its matches on a node end."""

from arena.competition.pools.matchmaker import Matchmaker
from arena.competition.pools.ports import EntrantOutcome, MatchOutcome
from arena.match.referee.facts import ANSWER_STRIKES, StrikeKind
from arena.server.node.hosted_match import HostedMatch, MatchStage


class PoolObserver:
    """The matchmaker's `MatchObserver`."""

    def __init__(self, matchmaker: Matchmaker) -> None:
        self._matchmaker = matchmaker

    def on_match_started(self, hosted: HostedMatch) -> None:
        """Do nothing: the matchmaker has made the match itself."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        """The matchmaker learns how the match ended and how its entrants behaved."""
        referee = hosted.table.referee
        # A match that was running on the server before this one was accepted there.
        was_running = hosted.is_resumed and hosted.stage is MatchStage.ENDED
        entrants = tuple(
            EntrantOutcome(
                has_accepted=hosted.answers.get(record.entrant, was_running),
                has_declined=hosted.answers.get(record.entrant) is False,
                has_left=record.gone,
                strikes=sum(record.strikes[kind] for kind in ANSWER_STRIKES),
                prompts=record.decision_count + record.strikes[StrikeKind.MISSING],
            )
            for record in referee.entrant_records
        )
        games = tuple((tuple(map(int, each.entrants)), each.places) for each in referee.results)
        self._matchmaker.on_match_ended(MatchOutcome(hosted.match_id, entrants, games))
