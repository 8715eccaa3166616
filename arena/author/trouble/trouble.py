"""The kinds of trouble under which a bot can practise, caused at its line, its process, or the server."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Final

from arena.author.trouble.proxy import POLL_S, Proxy, Reception
from arena.errors import OptionError, UnknownNameError

ALL: Final = "all"
"""The word that stands for all kinds."""


class Trouble(StrEnum):
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


Act = Callable[[Callable[[], None]], Awaitable[None]]
"""Causes trouble once. It calls its argument when the harm is done, which may be long before all is well again."""

DROP_GAP: Final = (40, 90)
"""The fewest and the most messages to the bot between two cuts of its connection."""
OUTAGE_S: Final = (0.05, 0.4)
"""The shortest and the longest time for which new connections are refused after a cut, in seconds."""
HANDSHAKE_OUTAGE_S: Final = (0.3, 0.8)
"""The shortest and the longest time for which no handshake ends, in seconds. Bots dial in it more than once."""
_BROKEN_HANDSHAKES: Final = (Reception.CUT, Reception.SILENT, Reception.PAGE)
RESTART_GAP: Final = (60, 120)
"""The fewest and the most messages to the bot between two restarts, of the bot or of the server."""
SERVER_PAUSE_S: Final = 0.3
"""Seconds between the stop of the server and its next start."""
CUTS_A_GAME: Final = 4
RESTARTS_A_GAME: Final = 2
"""The most cuts and restarts in a phase, for each of its games. More would use up the time for which a match waits."""


class Disturbance:
    def __init__(
        self,
        trouble: Trouble,
        line: Proxy,
        random: Random,
        restart_bot: Act,
        restart_server: Act,
        game_count: int,
    ) -> None:
        """`line` is the bot's connection to the server; `random` decides when something happens."""
        self.counts: Counter[str] = Counter()
        """How often each thing has happened. What the end of the match prevents does not count."""
        self._trouble = trouble
        self._line = line
        self._random = random
        self._restart_bot = restart_bot
        self._restart_server = restart_server
        self._game_count = game_count

    async def run(self) -> None:
        """Cause trouble until this task is cancelled. Call it when the match has begun."""
        match self._trouble:
            case Trouble.DELAY:
                self._line.up.delay_s = self._line.down.delay_s = DELAY_S
                await self._count_late_messages()
            case Trouble.JITTER:
                self._line.up.jitter_s = self._line.down.jitter_s = JITTER_S
                await self._count_late_messages()
            case Trouble.DROPS:
                await self._repeat("cuts", self._cut, DROP_GAP, CUTS_A_GAME)
            case Trouble.TLS:
                await self._repeat("broken handshakes", self._break_handshakes, DROP_GAP, CUTS_A_GAME)
            case Trouble.RESTARTS:
                await self._repeat("restarts of the bot", self._restart_bot, RESTART_GAP, RESTARTS_A_GAME)
            case Trouble.SERVER:
                await self._repeat("restarts of the server", self._restart_server, RESTART_GAP, RESTARTS_A_GAME)
            case Trouble.QUIET | Trouble.NEIGHBOURS:
                pass

    async def _count_late_messages(self) -> None:
        before = self._message_count
        while True:
            await asyncio.sleep(POLL_S)
            self.counts["late messages"] = self._message_count - before

    async def _repeat(self, what: str, act: Act, gap: tuple[int, int], times_a_game: int) -> None:
        """Act again and again, each time after a random number of messages to the bot."""
        while self.counts[what] < times_a_game * self._game_count:
            wanted = self._line.down.chunk_count + self._random.randint(*gap)
            while self._line.down.chunk_count < wanted:  # noqa: ASYNC110  nothing announces a message
                await asyncio.sleep(POLL_S)
            await act(lambda: self.counts.update([what]))

    async def _cut(self, count: Callable[[], None]) -> None:
        self._line.cut(refuses=True)
        count()
        await asyncio.sleep(self._random.uniform(*OUTAGE_S))
        self._line.cut()

    async def _break_handshakes(self, count: Callable[[], None]) -> None:
        """Cut the connection, and for a moment also the handshakes of new ones, each time in the next way."""
        self._line.turn_away(_BROKEN_HANDSHAKES[self.counts["broken handshakes"] % len(_BROKEN_HANDSHAKES)])
        count()
        await asyncio.sleep(self._random.uniform(*HANDSHAKE_OUTAGE_S))
        self._line.cut()

    @property
    def _message_count(self) -> int:
        return self._line.up.chunk_count + self._line.down.chunk_count
