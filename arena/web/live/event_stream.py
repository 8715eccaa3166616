"""Answers a request with the events of a live table."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from arena.web.guards.bounded_protocol import CONNECTION
from arena.web.live.event import Event
from arena.web.live.live_match import LiveMatch
from arena.web.live.live_tables import LiveTables
from arena.web.live.viewer import Viewer

HEADERS = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",  # nginx passes each event on at once
}
MEDIA_TYPE = "text/event-stream"
_BEGIN = b"retry: 1000\n\n"


class EventStream(Response):
    """Sends the head of the answer, and then makes the connection a viewer of a table."""

    def __init__(self, tables: LiveTables, match: LiveMatch, viewer: Viewer, known_id: str) -> None:
        """`viewer` has a place. `known_id` is the id of the event that its page shows."""
        super().__init__(media_type=MEDIA_TYPE, headers=HEADERS)
        del self.headers["content-length"]
        self._tables = tables
        self._match = match
        self._viewer = viewer
        self._known_id = known_id

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        """Begin the stream. It goes on when this returns."""
        connection = scope.get("extensions", {}).get(CONNECTION)
        is_handed_over = False
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if connection is None or scope["method"] == "HEAD":  # nothing can be sent later
                await send({"type": "http.response.body", "body": self._match.whole_event().plain})
                return
            await send({"type": "http.response.body", "body": _BEGIN, "more_body": True})
            is_handed_over = True
        finally:
            if not is_handed_over:
                self._tables.free_place(self._viewer.address, self._match.match_id)
        transport = connection.hand_over()
        self._match.admit(self._viewer, transport, self._known_id)


def build_ended_stream() -> Response:
    return Response(Event("over", {}).plain, headers=HEADERS, media_type=MEDIA_TYPE)
