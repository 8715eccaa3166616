"""The main function of a bot program: settings from the environment, log on stderr, an exit code at the end."""

import asyncio
import logging
import os
import signal
import sys
from typing import NoReturn

from cheatarena.client import Client
from cheatarena.errors import CheatArenaError
from cheatarena.player import Player
from cheatarena.settings import Settings

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def run(bot_class: type[Player]) -> NoReturn:
    """Play with a bot class until a signal stops the process; a new object plays each match.

    Requires the credentials file that `arena join` writes, or CHEATARENA_ADDRESS (host:port) and CHEATARENA_TOKEN in
    the environment; CHEATARENA_BOT chooses one of several bots of the file. Also reads CHEATARENA_INSTANCE (default:
    random), CHEATARENA_CAPACITY (most seats at once, default 1000), CHEATARENA_INSECURE (1: no TLS to other hosts),
    CHEATARENA_PATIENCE (seconds to dial a server that is gone, default 30), CHEATARENA_ENTROPY (1: add entropy to every
    deal), CHEATARENA_RECEIPTS (a folder for receipts) and CHEATARENA_LOG (DEBUG, INFO, WARNING or ERROR; default INFO).

    Exits with 0 after SIGTERM and with 130 after an interrupt. After an error, writes one sentence to stderr and exits
    with 64 if a setting is missing or invalid, 69 if the server is gone, 75 if a newer process took over, 77 if the
    server refused the token, 76 if it refused the program for another reason such as its version, or 70 after any other
    error of this package.
    """
    log_to_stderr(os.environ.get("CHEATARENA_LOG", "INFO"))
    try:
        client = Client(bot_class, Settings.from_environment())
        code = asyncio.run(_play(client))
    except CheatArenaError as error:
        print(error, file=sys.stderr)  # noqa: T201  the user of the program reads it
        code = error.exit_code
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def log_to_stderr(level: str) -> None:
    """Write the log of this package and of its bots to stderr. INFO replaces an unknown level, with a warning."""
    logger = logging.getLogger("cheatarena")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level if level in LOG_LEVELS else "INFO")
    if level not in LOG_LEVELS:
        logger.warning("CHEATARENA_LOG is %r, expected one of %s", level, ", ".join(LOG_LEVELS))


async def _play(client: Client) -> int:
    """Play until a signal arrives, and return the exit code."""
    code = 0

    def stop(number: int) -> None:
        nonlocal code
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
