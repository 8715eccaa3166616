"""Lets a step change the frames that pass between the checked bot and the server."""

from collections.abc import Sequence

from arena.author.check.conduct import Conduct
from arena.server.rpc.play_relay import RelayedStream, StreamTap
from cheatarena.v1 import play_pb2


class Interference:
    """Lets every frame pass. Steps use subclasses, one object for each run of a step."""

    def __init__(self, conduct: Conduct) -> None:
        self.conduct = conduct
        self.happened = 0
        """How often the event that the step waits for has happened."""
        self.stream: RelayedStream
        """The bot's newest stream."""

    @property
    def skip_reason(self) -> str:
        """Return why the step does not apply to this bot; empty if it does. This is read when the step is over."""
        return ""

    def on_opened(self) -> None:
        """Handle a new stream."""

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return what the server gets instead of a bot's frame."""
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return what the bot gets instead of a server's frame."""
        return [frame]


class InterferingTap(StreamTap):
    """Passes frames through an interference, and shows the bot's side of it to its conduct."""

    def __init__(self, conduct: Conduct, interference: Interference) -> None:
        self._conduct = conduct
        self._interference = interference
        self._latest: RelayedStream | None = None

    def on_opened(self, stream: RelayedStream) -> None:
        if self._latest is not None and self._latest.is_over:  # the relay may still be ending it
            self._conduct.on_closed(self._latest.number)
        self._conduct.on_opened(stream.number)
        self._latest = self._interference.stream = stream
        self._interference.on_opened()

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        self._conduct.on_bot_frame(stream.number, frame)
        return self._interference.on_bot_frame(frame) if self._is_current(stream) else ()

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        return self._interference.on_server_frame(frame) if self._is_current(stream) else ()

    def on_delivery(self, frame: play_pb2.PlayResponse) -> None:
        self._conduct.on_server_frame(frame)

    def on_closed(self, stream: RelayedStream) -> None:
        self._conduct.on_closed(stream.number)

    def _is_current(self, stream: RelayedStream) -> bool:
        return stream is self._latest and not stream.is_over
