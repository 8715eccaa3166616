"""The kinds of trouble under which a bot can practise, with what happens in each."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from arena.errors import OptionError, UnknownNameError

ALL: Final = "all"
"""The word that stands for all kinds."""


class Trouble(StrEnum):
    """A kind of trouble."""

    QUIET = "quiet"
    """No trouble. The other phases are compared with this one."""
    DELAY = "delay"
    JITTER = "jitter"
    DROPS = "drops"
    TLS = "tls"
    RESTARTS = "restarts"
    SERVER = "server"
    NEIGHBOURS = "neighbours"


KINDS: Final = tuple(kind for kind in Trouble if kind is not Trouble.QUIET)
"""All kinds of trouble, in the order in which they are played."""

DELAY_S: Final = 0.05
"""Seconds that each message takes longer in the phase `delay`."""
JITTER_S: Final = 0.1
"""The most seconds that a message takes longer in the phase `jitter`."""

DESCRIPTIONS: Final[Mapping[Trouble, str]] = {
    Trouble.QUIET: "nothing happens",
    Trouble.DELAY: f"each message takes {DELAY_S * 1000:.0f} ms longer, in both directions",
    Trouble.JITTER: f"each message takes up to {JITTER_S * 1000:.0f} ms longer, at random",
    Trouble.DROPS: "the connection is cut again and again, and refused for a moment",
    Trouble.TLS: "the line speaks TLS, is cut again and again, and lets no handshake end for a moment",
    Trouble.RESTARTS: "the process of the bot is killed and started again",
    Trouble.SERVER: "the server stops and starts again, and takes the match up",
    Trouble.NEIGHBOURS: "the other bots answer at the last moment, flood, reconnect, answer illegally, and leave",
}


def parse_kinds(text: str) -> Sequence[Trouble]:
    """Read kinds of trouble separated by commas, or `all`. Return them in the order in which they are played.

    Raises UnknownNameError for an unknown kind, OptionError for an empty text.
    """
    if text == ALL:
        return KINDS
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise OptionError("chaos", text, f"expected one or more of {', '.join(KINDS)}")
    for word in words:
        if word not in KINDS:
            raise UnknownNameError("kind of trouble", word, KINDS)
    return [kind for kind in KINDS if kind in words]
