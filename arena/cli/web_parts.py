"""Keeps `arena web` and `arena serve --web` together: the packages that both need, and the process that one starts."""

import socket
from contextlib import AbstractAsyncContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.errors import NotInstalledError
from arena.fleet.runner.side_process import run_beside

_PACKAGES: Final = ("python_multipart", "starlette", "uvicorn")


def check_web_parts() -> None:
    """Raise NotInstalledError if the packages that the pages need are not installed."""
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise NotInstalledError(f"the web pages need {' and '.join(missing)}: install cheatarena-server[web]")


def run_pages(folder: Path, port: int, public_url: str = "") -> AbstractAsyncContextManager[None]:
    """Return a context that runs `arena web` in a process of its own. The process prints its WEB line itself.

    Port 0 is any free one. It stays the same if the process is started again, so that open pages find it.
    """
    port = port or _find_free_port()
    program = ("-c", "from arena.cli.main import main; main()")
    words = ("web", "--with-server", "--data", str(folder), "--port", str(port), "--public-url", public_url)
    return run_beside("web", (*program, *words))


def _find_free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])
