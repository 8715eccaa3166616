"""Spectators of a recorded match: the bytes that a server would send them, decoded as their client decodes them."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.games.catalogue import games, load_codecs, pack_of, watched_game_of
from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.feed.public_message import PublicMessage
from arena.match.game import Game
from arena.match.referee.ports import NullJournal
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import Instant, StreamSequence
from arena.replays.watch.live_table import LiveTable, ToldLine
from arena.server.wire.proto_codec import ProtoCodec
from arena.server.wire.public_reader import PublicReader
from cheatarena.v1 import watch_pb2
from tests.replays.narration.random_match import RandomMatch

_UNLIMITED = 1 << 60


def play_match(
    game: Game, preset: str, seats: int, seed: int, *, options: Mapping[str, Any] | None = None, **settings: Any
) -> list[bytes]:
    """Return the records of a match that is played at random to its end. `settings` are those of `RandomMatch`."""
    short = {"max_turns": 60, **(options or {})}
    return RandomMatch(game, seats, seed, preset=preset, options=short, **settings).play().records


class Spectator:
    """A live table, and what it was sent."""

    def __init__(self) -> None:
        self.outbox = Outbox(lambda: None, lambda: Instant(0), _UNLIMITED, _UNLIMITED)
        self.table = LiveTable(watched_game_of)
        self.messages: list[PublicMessage] = []
        self.lines: list[ToldLine] = []
        self._reader = PublicReader(load_codecs())

    def read(self) -> None:
        """Read what has been sent."""
        frame = watch_pb2.WatchMatchResponse.FromString(b"".join(self.outbox.take_frame()))
        for each in frame.messages:
            message = self._reader.read(each)
            self.messages.append(message)
            self.lines += self.table.add(message)


class Broadcast:
    """A recorded match that is played again for spectators."""

    def __init__(self, records: list[bytes]) -> None:
        self.replay = Replay(records, games())
        terms = self.replay.terms
        self._gate = Gate(NullJournal(), lambda _: None)
        codec = ProtoCodec(pack_of(terms.game.name).load_codec())
        self._feed = MatchFeed(1, terms, [bytes(32)] * len(terms.entrants), codec, self._gate)
        self._spectators: list[Spectator] = []

    def admit(self, after: int | None = None) -> Spectator:
        """Return a new spectator: it gets the messages after a sequence, or a snapshot."""
        spectator = Spectator()
        self.connect(spectator, after)
        return spectator

    def connect(self, spectator: Spectator, after: int | None) -> None:
        """Send a spectator the messages after a sequence, or a snapshot, and everything from then on."""
        sequence = None if after is None else StreamSequence(after)
        self._feed.watch(self.replay.referee, spectator.outbox, sequence)
        self._spectators.append(spectator)
        self._send()

    def disconnect(self, spectator: Spectator) -> None:
        """Send a spectator nothing more."""
        self._feed.unwatch(spectator.outbox)
        self._spectators.remove(spectator)

    def play(self) -> Iterator[bool]:
        """Play the match input by input. After each, yield whether a seat is asked something."""
        for moment in self.replay.moments():
            if moment.orders:
                self._feed.publish(moment.orders)
            self._send()
            playing = self.replay.referee.current_game
            yield playing is not None and bool(playing.prompts.groups)

    def _send(self) -> None:
        self._gate.open()
        for spectator in self._spectators:
            spectator.read()
