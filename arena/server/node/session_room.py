"""Connects the sessions of one match to its feed."""

from arena.match.feed.match_feed import MatchFeed
from arena.match.referee.referee import Referee
from arena.match.referee.scalars import EntrantIndex, StreamSequence
from arena.server.node.hosted_match import BotSession
from arena.server.node.session import Session


class SessionRoom:
    """Implements `arena.server.node.hosted_match.Room` for sessions."""

    def __init__(self, number: int, feed: MatchFeed) -> None:
        """`number` is the match number."""
        self.feed = feed
        self.publish = feed.publish  # not a method: it runs for every input, and a method would add a call
        self._number = number

    def admit(self, referee: Referee, entrant: EntrantIndex, session: BotSession, after: StreamSequence | None) -> None:
        """Connect a session to the feed and add its seat."""
        assert isinstance(session, Session)
        session.hold_seat(self._number, entrant)
        self.feed.attach(referee, entrant, session.outbox, after)

    def sequence_of(self, entrant: EntrantIndex) -> StreamSequence:
        """Return the sequence of the last message to this entrant."""
        return self.feed.sequence_of(entrant)

    def dismiss(self, entrant: EntrantIndex, session: BotSession) -> None:
        """Disconnect a session from the feed and remove its seat."""
        assert isinstance(session, Session)
        self.feed.detach(entrant, session.outbox)
        session.release_seat(self._number, entrant)

    def close(self) -> None:
        """Close the feed."""
        self.feed.close()
