"""Renders a live page: to fragments of the page, and fragments to server-sent events.

A fragment is HTML that replaces the content of one element. The bytes of an event are made once for all viewers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final
from zlib import crc32

import msgspec
from markupsafe import Markup

from arena.replays.watch.drawing import CardFace, Drawing
from arena.replays.watch.live_table import ToldLine
from arena.web.rendering import render_template

REPLACED: Final = ("status", "table", "score")
"""The elements whose content an event replaces: each has the id `live-NAME`. To `live-lines`, new lines are added."""


class LiveStatus(StrEnum):
    """What the page knows of the table."""

    CONNECTING = "connecting"
    """The server has been asked, and has not answered."""
    LIVE = "live"
    """The newest state is shown."""
    STOPPED = "stopped"
    """No server shows the table now. The page goes on when one does."""
    BUSY = "busy"
    """As many matches are watched as the server or this site allows."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class LiveView:
    """A running match as its viewers see it now."""

    status: LiveStatus
    drawing: Drawing
    lines: Sequence[ToldLine] = ()
    """What has happened since this site follows the match, oldest first; the last 100 lines."""
    viewers: int = 0
    """Viewers of this table on this site."""
    is_open: bool = False
    """Whether its cards may be seen: the match is over, and no other game may still use its deal."""

    @property
    def newest(self) -> int:
        """The sequence of the newest line; 0 if there is none."""
        return self.lines[-1].sequence if self.lines else 0


class Event:
    """The bytes of an event, for both ways in which HTTP/1 sends a body of unknown length."""

    def __init__(self, name: str, data: object, event_id: str = "") -> None:
        lines = [f"id: {event_id}"] if event_id else []
        lines += [f"event: {name}", f"data: {msgspec.json.encode(data).decode()}"]
        self.plain = ("\n".join(lines) + "\n\n").encode()

    @cached_property
    def chunk(self) -> bytes:
        """The event as a chunk of HTTP/1.1 (RFC 9112, section 7.1)."""
        return b"%x\r\n%b\r\n" % (len(self.plain), self.plain)


@dataclass(frozen=True, slots=True)
class Rendered:
    view: LiveView
    fragments: Mapping[str, str]
    event_id: str
    """It is the same whenever the page is, also in another process."""

    def event_since(self, earlier: "Rendered | None") -> Event:
        """Return the event that makes the page of an earlier state, or of any state, show this one."""
        before, newest = ({}, 0) if earlier is None else (earlier.fragments, earlier.view.newest)
        changed = {name: html for name, html in self.fragments.items() if before.get(name) != html}
        if lines := [line for line in self.view.lines if line.sequence > newest]:
            changed["lines"] = render_template("live/lines.html", lines=lines).decode()
        return Event("table", changed, self.event_id)


def live_values(rendered: Rendered | None, next_url: str = "") -> dict[str, Any]:
    """Return what `live/section.html` needs besides the view. `next_url` is where a page goes after the match."""
    fragments = {} if rendered is None else rendered.fragments
    return {
        "event_id": "" if rendered is None else rendered.event_id,
        "fragments": {name: Markup(html) for name, html in fragments.items()},  # noqa: S704  rendered here
        "next_url": next_url,
    }


def render_live_view(view: LiveView, match_id: str, faces: Mapping[str, CardFace]) -> Rendered:
    """`faces` says how the cards look, by their texts."""
    values = {"live": view, "match_id": match_id, "faces": faces}
    fragments = {name: render_template(f"live/{name}.html", **values).decode() for name in REPLACED}
    return Rendered(view, fragments, f"{view.newest}.{crc32(''.join(fragments.values()).encode()):08x}")
