"""The main function of a bot program. It reads settings from the environment, and writes the log to stderr."""

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn

from cheatarena.client import Client
from cheatarena.errors import BotClassError, CheatArenaError
from cheatarena.missing_run import note_play
from cheatarena.player import Player
from cheatarena.settings import Settings

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def run(bot_class: type[Player]) -> NoReturn:
    """Play with a bot class until a signal stops the process. A new object of the class plays each match.

    The address and the token come from CHEATARENA_ADDRESS (host:port) and CHEATARENA_TOKEN, or from the credentials
    file that `python -m cheatarena join` writes: the file in CHEATARENA_CREDENTIALS, or else
    `~/.config/cheatarena/credentials.json`. If the file has several servers or bots, CHEATARENA_ADDRESS and
    CHEATARENA_BOT choose among them.

    Optional variables of the environment:

    * CHEATARENA_INSTANCE: name of this process; by default it derives from the machine, so that a program that starts
      again finds its seats
    * CHEATARENA_CAPACITY: the largest number of seats at the same time; 1000 by default
    * CHEATARENA_INSECURE: 1 turns TLS off
    * CHEATARENA_PATIENCE: seconds to dial a server that is gone; 30 by default
    * CHEATARENA_ENTROPY: 1 adds random bytes of this bot to every deal
    * CHEATARENA_RECEIPTS: folder for receipts
    * CHEATARENA_POOLS: pools to play in, such as `standard,cheater:3`, where 3 is the number of seats; 1 by default
    * CHEATARENA_VERSION: version of the program, for ratings
    * CHEATARENA_CHALLENGES: whose challenges the bot accepts: own, nobody or everybody; own by default
    * CHEATARENA_CA, CHEATARENA_CERT and CHEATARENA_KEY: PEM files for TLS
    * CHEATARENA_LOG: DEBUG, INFO, WARNING or ERROR; INFO by default

    What a bot prints never fails because of the encoding of stdout: letters that it lacks become question marks.

    A script that defines a bot and ends without calling `run` says so on stderr. Its exit code does not change.

    A class with a misspelled method, or without one that every bot needs, is refused before the first connection. After
    an error, `run` writes one sentence to stderr. It exits with one of these codes:

    * 0: after SIGTERM, or after an interrupt in a pool when the matches that the bot played then are over
    * 64: a setting is missing or invalid, the bot class cannot play as it is, for example because of a misspelled
      method, or `run` was called in a running event loop or outside the main thread
    * 69: the server is gone
    * 70: any other error of this package
    * 75: a newer process took over
    * 76: the server refused the program, for example because of its version, or no arena answers at the address
    * 77: the server refused the token
    * 130: after an interrupt, in a pool after a second one
    """
    note_play()
    gc.freeze()  # what was imported is no garbage: neither a decision nor the end has to wait for a look at it
    replace_missing_letters()
    log_to_stderr(os.environ.get("CHEATARENA_LOG", "INFO"))
    try:
        _check_place(bot_class)
        client = Client(bot_class, Settings.from_environment())
        code = asyncio.run(_play(client))
    except CheatArenaError as error:
        print(error, file=sys.stderr)  # noqa: T201  the user of the program reads it
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _check_place(bot_class: object) -> None:
    """Raise BotClassError if `run` was called where it cannot play."""
    name = getattr(bot_class, "__name__", "Bot")
    with suppress(RuntimeError):
        asyncio.get_running_loop()
        where = "in a running event loop, as a notebook or an async function has"
        raise BotClassError(f"run({name}) was called {where}: use `await Client({name}).play()` there")
    if threading.current_thread() is not threading.main_thread():
        where = "outside the main thread, which alone gets signals"
        raise BotClassError(f"run({name}) was called {where}: use `asyncio.run(Client({name}).play())` there")


def replace_missing_letters() -> None:
    """Let stdout and stderr write a question mark for each letter that their encoding lacks, instead of an error.

    A program that has chosen another way keeps it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def log_to_stderr(level: str) -> None:
    """Write the log of this package and of its bots to stderr. If the level is unknown, warn and use INFO."""
    logger = logging.getLogger("cheatarena")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level if level in LOG_LEVELS else "INFO")
    if level not in LOG_LEVELS:
        logger.warning("CHEATARENA_LOG is %r, expected one of %s", level, ", ".join(LOG_LEVELS))


async def _play(client: Client) -> int:
    """Play until a signal arrives, and return the exit code. An interrupt lets the matches of pools end first."""
    code = 0

    def stop(number: int) -> None:
        nonlocal code
        if number == signal.SIGINT and client.finish():
            return
        code = 130 if number == signal.SIGINT else 0
        client.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:  # Windows: an interrupt is raised instead
            break
    await client.play()
    return code
