"""Remote bots of leagues over real processes: what the league shows for them, and the bots themselves."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.commands import CommandProcess


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def access_of(league: CommandProcess, name: str) -> dict[str, str]:
    """Return the environment that the league shows for a bot."""
    league.wait_for_line(f"{name} dials in")

    def read() -> dict[str, str]:
        _, _, after = "".join(league.err).partition(f"{name} dials in")
        found = dict(re.findall(r"export (\w+)=(\S+)", after.partition(" dials in")[0]))
        return found if "CHEATARENA_INSTANCE" in found else {}

    found: dict[str, str] = wait_for(read, 10)
    return found


@contextmanager
def running_bot(program: Path, access: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen([sys.executable, program], env={**os.environ, **access}, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def wait_for(what: Any, time_s: float) -> Any:
    """Return what comes; raise TimeoutError if nothing comes in time."""
    deadline = time.monotonic() + time_s
    while not (found := what()):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.2)
    return found
