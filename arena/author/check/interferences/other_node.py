"""Moves the bot's table to another node, as a server with several nodes would."""

import asyncio
from collections.abc import Sequence
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Rule
from arena.author.check.interference import Interference
from arena.server.rpc.play_relay import RelayedStream, StreamTap
from cheatarena.v1 import play_pb2

TICKET: Final = "ticket-of-the-check"
OPEN_TIME_S: Final = 3.0
"""Seconds that the bot has to open its stream to the other node."""


class MoveTable(Interference):
    """Says in Assigned that the table is on another node, and sends the seat's messages only there.

    There is no other node: its stream ends in this object, which is that stream's tap too. What the bot sends there
    goes to the real server on the bot's first stream. A bot that opens no such stream plays on here, and the step is
    skipped.
    """

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self.node_address = ""
        """HOST:PORT of the other node."""
        self.node = _NodeTap(conduct, self)
        self._welcome = play_pb2.PlayResponse()
        self._held: list[play_pb2.PlayResponse] = []
        self._is_moved = False
        self._has_stayed = False

    @property
    def skip_reason(self) -> str:
        """Return why the step does not apply to a bot that opened no stream to the other node."""
        return "the bot opened no stream to the other node, and today it need not" if self._has_stayed else ""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame without the seat's messages, which go to the other node."""
        if any(notice.HasField("welcome") for notice in frame.notices):
            self._welcome.CopyFrom(frame)
        if self._has_stayed:
            return [frame]
        for notice in frame.notices:
            if notice.HasField("assigned"):
                notice.assigned.node_address, notice.assigned.ticket = self.node_address, TICKET
                if not self._is_moved:
                    self._is_moved = True
                    asyncio.get_running_loop().call_later(OPEN_TIME_S, self._stay_unless_opened)
        if frame.messages:
            self._held.append(play_pb2.PlayResponse(messages=frame.messages, now_us=frame.now_us))
            del frame.messages[:]
            self.deliver()
        return [frame] if frame.notices else ()

    def welcome_at_node(self, stream: RelayedStream) -> None:
        """Answer the bot's Hello at the other node."""
        welcome = play_pb2.PlayResponse()
        welcome.CopyFrom(self._welcome)
        welcome.notices[0].welcome.node += "-other"
        stream.send(welcome)
        self.happened += 1
        self.deliver()

    def deliver(self) -> None:
        """Send the seat's waiting messages, if the bot is there."""
        stream = self.stream if self._has_stayed else self.node.welcomed_stream
        if stream is not None:
            for frame in self._held:
                stream.send(frame)
            self._held.clear()

    def _stay_unless_opened(self) -> None:
        if self.node.stream is None:
            self._has_stayed = True
            self.deliver()


class _NodeTap(StreamTap):
    def __init__(self, conduct: Conduct, table: MoveTable) -> None:
        self.stream: RelayedStream | None = None
        self.welcomed_stream: RelayedStream | None = None
        self._conduct = conduct
        self._table = table

    def on_opened(self, stream: RelayedStream) -> None:
        """Check the token and the ticket of a new stream."""
        self.stream = stream
        if (ticket := stream.metadata.get("arena-ticket")) != TICKET:
            came = f"with the ticket {ticket!r}" if ticket else "without `arena-ticket`"
            self._conduct.report(Rule.NODE, f"the bot opened a stream to the node {came}")
        if stream.metadata.get("authorization") != self._table.stream.metadata.get("authorization"):
            self._conduct.report(Rule.NODE, "the bot opened a stream to the node without its token, or with another")

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Welcome the bot at its Hello, and pass every later frame to the real server."""
        self._conduct.on_bot_frame(-stream.number, frame)
        if self.welcomed_stream is not stream:
            self.welcomed_stream = stream
            self._table.welcome_at_node(stream)
        elif frame.decisions:
            self._table.stream.to_server.put_nowait(frame)
        return ()

    def on_server_frame(self, _: RelayedStream, __: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return nothing: no server is behind the node."""
        return ()

    def on_delivery(self, frame: play_pb2.PlayResponse) -> None:
        self._conduct.on_server_frame(frame)

    def on_closed(self, stream: RelayedStream) -> None:
        """Keep the seat's messages until the bot is back."""
        if self.stream is stream:
            self.stream = self.welcomed_stream = None
