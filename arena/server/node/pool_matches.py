"""Connects the matchmaker of pools to a node: it learns of sessions and matches, and its matches are played here."""

from collections.abc import Awaitable, Callable, Mapping

from arena.competition.pools.matchmaker import Matchmaker
from arena.competition.pools.ports import EntrantOutcome, MatchOutcome
from arena.match.referee.facts import ANSWER_STRIKES, StrikeKind
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from arena.server.node.hosted_match import HostedMatch, MatchStage
from arena.server.node.identity import SessionKey
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer
from arena.server.node.session import Session

ORGANIZER = "pools"
"""The name under which pools create matches."""


class PoolObserver:
    """Tells the matchmaker what happens; implements `SessionObserver` and `MatchObserver`."""

    def __init__(self, matchmaker: Matchmaker) -> None:
        self._matchmaker = matchmaker

    def on_session_connected(self, session: Session) -> None:
        """Enter a session into the pools that it wants."""
        self._matchmaker.on_session_connected(session)

    def on_session_closed(self, session: Session) -> None:
        """Take a session out of its pools."""
        self._matchmaker.on_session_closed(session)

    def on_match_started(self, hosted: HostedMatch) -> None:
        """Do nothing, because the matchmaker has made the match itself."""

    def on_match_ended(self, hosted: HostedMatch) -> None:
        """Tell the matchmaker how a match ended and how its entrants behaved."""
        referee = hosted.table.referee
        was_running = (
            hosted.is_resumed and hosted.stage is MatchStage.ENDED
        )  # then it was accepted on the server before this one
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


class PoolHost:
    """Plays the matches of pools on a node; implements `MatchHost`."""

    def __init__(self, matches: MatchOrganizer) -> None:
        self._matches = matches

    async def make_match(
        self,
        terms: RequestedTerms,
        instances: Mapping[str, str],
        before_offer: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        """Make a match, call `before_offer` with its id, and offer its seats. Raises ArenaError."""
        request = CreationRequest(
            terms, organizer=ORGANIZER, instances=instances, before_offer=before_offer, needs_everybody=True
        )
        await self._matches.create(request)

    def is_open(self, match_id: MatchId) -> bool:
        """Return whether a match is offered, running, or waiting to be continued here."""
        return self._matches.is_open(match_id)

    def count_seats(self, key: SessionKey) -> int:
        """Return how many seats a session holds or is about to be offered, in matches of any kind."""
        return self._matches.count_seats(key)
