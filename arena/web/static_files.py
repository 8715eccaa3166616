"""The style sheet and the scripts. Each URL has the hash of its content, so that browsers may keep the file forever."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from arena.organizer.report.rendering import read_template_file
from arena.web.errors import RefusedError

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_FOREVER: Final = "public, max-age=31536000, immutable"
PATH: Final = "/static/{name}"


@dataclass(frozen=True, slots=True)
class StaticFile:
    content: bytes
    media_type: str


def static_url(name: str) -> str:
    """Return the URL of a file, such as `player.js`. Raises KeyError if there is no such file."""
    return _urls()[name]


async def serve_static(request: Request) -> Response:
    """The hash in the file's name has to be right."""
    name = request.path_params["name"]
    found = _files().get(f"/static/{name}")
    if found is None:
        raise RefusedError(404, f"there is no file {name[:64]!r} here")
    return Response(found.content, media_type=found.media_type, headers={"Cache-Control": _FOREVER})


@cache
def _urls() -> dict[str, str]:
    return {name: _url(name, file.content) for name, file in _named_files().items()}


@cache
def _files() -> dict[str, StaticFile]:
    return {_url(name, file.content): file for name, file in _named_files().items()}


def _url(name: str, content: bytes) -> str:
    stem, _, ending = name.rpartition(".")
    return f"/static/{stem}.{hashlib.sha256(content).hexdigest()[:16]}.{ending}"


@cache
def _named_files() -> dict[str, StaticFile]:
    """Return the files of this room, and the player and the styles of reports with that of this room behind them."""
    own = {
        each.name: each.read_bytes()
        for each in files("arena.web").joinpath("static").iterdir()
        if each.name.rpartition(".")[2] in _TYPES
    }
    shared = read_template_file("style.css") + read_template_file("table.css")
    own["style.css"] = shared.encode() + own.pop("site.css") + own.pop("live.css")
    own["player.js"] = read_template_file("player.js").encode()
    return {name: StaticFile(content, _TYPES[name.rpartition(".")[2]]) for name, content in own.items()}
