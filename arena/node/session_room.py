"""The room of one match: sessions take seats in it and leave them, its feed tells them what happens."""

from arena.feed.match_feed import MatchFeed
from arena.match.referee import Referee
from arena.match.scalars import EntrantIndex, StreamSequence
from arena.node.hosted_match import BotSession
from arena.node.session import Session


class SessionRoom:
    """Implements `arena.node.hosted_match.Room` for sessions."""

    def __init__(self, number: int, feed: MatchFeed) -> None:
        """`number` is the match's."""
        self.feed = feed
        self.publish = feed.publish  # runs for every input: no call in between
        self._number = number

    def admit(self, referee: Referee, entrant: EntrantIndex, guest: BotSession, after: StreamSequence | None) -> None:
        """Connect a session."""
        assert isinstance(guest, Session)
        guest.hold_seat(self._number, entrant)
        self.feed.attach(referee, entrant, guest.outbox, after)

    def sequence_of(self, entrant: EntrantIndex) -> StreamSequence:
        """How many messages this entrant has been sent."""
        return self.feed.sequence_of(entrant)

    def dismiss(self, entrant: EntrantIndex, guest: BotSession) -> None:
        """Disconnect a session."""
        assert isinstance(guest, Session)
        self.feed.detach(entrant, guest.outbox)
        guest.release_seat(self._number, entrant)

    def close(self) -> None:
        """The match is over."""
        self.feed.close()
