"""Which of a bot's programs this one is, so that a program that starts again finds its seats."""

import re
import secrets
import socket
from hashlib import sha256
from typing import Final

_CONTAINER_ID: Final = re.compile(r"[0-9a-f]{12}")
"""How the host name of a container looks unless somebody chose one. Each new container has another."""


def derive_instance(game: str, version: str) -> str:
    """Return the instance of a program that was given none: the same after each start on this machine.

    Programs of one bot that play another game or are another version must not take over each other's seats, so these
    two count as well. All containers count as one machine, because their host names do not last.
    """
    host = socket.gethostname()
    machine = "container" if _CONTAINER_ID.fullmatch(host) else host
    return sha256(f"{machine}\n{game}\n{version}".encode()).hexdigest()[:16]


class Instance:
    """The name of this process among the programs of its bot: a chosen one, or one derived from this machine.

    A server lets several programs derive the same name: it tells each which one it has (`Welcome.instance`). An older
    server lets the newest program replace the others, so these then take random names.
    """

    def __init__(self, chosen: str, game: str, version: str) -> None:
        """`chosen` is empty to derive the name."""
        self.name = chosen or derive_instance(game, version)
        self.is_derived = not chosen
        """Whether the server may still give this program another name."""
        self._may_be_random = not chosen

    def settle(self, given: str) -> bool:
        """Keep the name that the server gave, and return whether it is another one. Older servers give none."""
        self.is_derived = False
        is_other = bool(given) and given != self.name and self._may_be_random
        if is_other:
            self.name = given
        return is_other

    def give_way(self) -> bool:
        """Take a random name, because another program replaced this one. Return False if the name was chosen."""
        if not self._may_be_random:
            return False
        self.name, self._may_be_random = secrets.token_hex(8), False
        return True
