"""Keeps `arena web` and `arena serve --web` together: the packages that both need, and the process that one starts."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from arena.errors import EnvironmentFaultError, OptionError
from arena.log_lines import get_logger

log = get_logger(__name__)

_PACKAGES: Final = ("starlette", "uvicorn")
_PRIORITY: Final = 10
"""How much lower the priority of the pages is than that of the server (`nice`)."""
_FIRST_WAIT_S: Final = 1.0
_LONGEST_WAIT_S: Final = 60.0
"""Seconds before the pages are started again: at first, and at most. The wait doubles with each end."""
_STEADY_S: Final = 60.0
"""Pages that lived this long are started again after the first wait."""
_STOP_S: Final = 10.0
"""Seconds in which the pages have to end after the server has asked them to."""


def check_web_parts() -> None:
    """Raise EnvironmentFaultError if the packages that the pages need are not installed."""
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise EnvironmentFaultError(f"the web pages need {' and '.join(missing)}: install cheatarena-server[web]")


def check_public_url(name: str, url: str) -> None:
    """Raise an OptionError that names the option `name` if a text is neither empty nor the URL of a site."""
    try:
        parts = urlsplit(url)
        is_site = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
        is_valid = is_site and not (parts.query or parts.fragment or parts.username) and parts.port != 0
    except ValueError:  # such as a port that is no number
        is_valid = False
    if url and not is_valid:
        raise OptionError(name, url, "expected a URL without a path, such as https://arena.example")


def follow_server(stop: asyncio.Event) -> None:
    """Set `stop` when the server that started this process is gone: its end of our stdin then closes, even by SIGKILL.

    Also lowers this process's priority, so that pages never take the processor from games.
    """
    loop = asyncio.get_running_loop()

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        with suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(stop.set)

    with suppress(AttributeError, OSError):  # Windows has no priorities of this kind, and a sandbox may refuse them
        os.nice(_PRIORITY)
    threading.Thread(target=wait, daemon=True).start()


@asynccontextmanager
async def run_pages(folder: Path, port: int, public_url: str = "") -> AsyncIterator[None]:
    """Run `arena web` in a process of its own while the body runs, and start it again whenever it ends.

    The process prints its WEB line itself.
    """
    running = asyncio.create_task(_keep_running(folder, port, public_url))
    try:
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def _keep_running(folder: Path, port: int, public_url: str) -> None:
    loop, wait_s = asyncio.get_running_loop(), _FIRST_WAIT_S
    while True:
        begun = loop.time()
        code = await _run_once(folder, port, public_url)
        wait_s = _FIRST_WAIT_S if loop.time() - begun > _STEADY_S else wait_s
        log.warning("web_ended", exit_code=code, starts_again_in_s=wait_s)
        await asyncio.sleep(wait_s)
        wait_s = min(_LONGEST_WAIT_S, 2 * wait_s)


async def _run_once(folder: Path, port: int, public_url: str) -> int:
    """Run the process until it ends, and return its exit code. If this is cancelled, end it first."""
    program = (sys.executable, "-P", "-c", "from arena.cli.main import main; main()")
    words = ("web", "--with-server", "--data", str(folder), "--port", str(port), "--public-url", public_url)
    # In a session of its own, the process gets no Ctrl-C from the terminal: it ends when the server ends it.
    process = await asyncio.create_subprocess_exec(
        *program, *words, stdin=asyncio.subprocess.PIPE, start_new_session=True
    )
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), _STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()
