"""The restarts of crashed bots: a bot that ends by itself or does not start is started again, up to a limit.

    NodeProcess.lost_bots ──▶ BotRestarts ──▶ BotPool: start it again, or give it up at every node
                                   │
                                   └──▶ Ledger: a "restarted" or an "away" entry

Restarts are counted over the last hundred games of the bot, so that a rare crash does not end a long league for it. A
bot that crashes once more after its last restart is away: it forfeits its games for the rest of the league. So does a
bot of another game, at once: a restart would not change what it plays.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

from arena.errors import BotEndedError, BotGameError, BotStartError
from arena.fleet.runner.started_bot import BotExit
from arena.organizer.play.bot_pool import BotPool, CrashHandler
from arena.organizer.seal.amendments import departed_entrants
from arena.organizer.seal.ledger import Ledger

MAX_RESTARTS: Final = 3
"""Restarts of a crashed bot within `RESTART_WINDOW` of its games, before it forfeits."""
RESTART_WINDOW: Final = 100
"""Number of games of a bot after which a restart no longer counts."""


class BotRestarts:
    """Decides whether a crashed bot of a league is started again, and has its pool do so."""

    def __init__(self, ledger: Ledger, build_pools: Callable[[CrashHandler], Sequence[BotPool]]) -> None:
        """`build_pools` returns the pool of each node. A pool calls the given handler when a bot does not start."""
        self.away = departed_entrants(ledger.acts)
        """Entrants that forfeit from now on, with the reason."""
        self._ledger = ledger
        self._restarts = defaultdict[str, list[int]](list)
        """For each bot, the number of its finished games at each of its restarts. Old entries lack it: they count 0."""
        for act in ledger.acts:
            if act.kind == "restarted":
                self._restarts[act.values["name"]].append(act.values.get("games", 0))
        self.pools = build_pools(self.record_crash)

    async def restart_lost_bots(self, pool: BotPool) -> None:
        """Whenever a bot of the pool ends by itself, restart it or give it up. Runs until cancelled."""
        async with asyncio.TaskGroup() as recoveries:
            while True:
                loss = await pool.next_lost_bot()
                recoveries.create_task(self._restart_or_give_up(pool, loss))

    async def record_crash(self, name: str, error: BotStartError) -> bool:
        """Record that a bot has crashed or does not start. Return whether to start it again.

        When a bot has no restart left, or plays another game, all nodes give it up.
        """
        if name in self.away:
            return False
        values: dict[str, Any] = {"name": name, "how": str(error), "kind": type(error).__name__}
        games = self._ledger.count_games_of(name)
        time = 1 + sum(games - at < RESTART_WINDOW for at in self._restarts[name])
        if time <= MAX_RESTARTS and not isinstance(error, BotGameError):
            self._restarts[name].append(games)
            values |= {"time": time, "of": MAX_RESTARTS, "games": games, "window": RESTART_WINDOW}
            await self._ledger.add_entry("restarted", values)
            return True
        self.away[name] = str(error)
        await self._ledger.add_entry("away", values)
        await asyncio.gather(*(pool.give_up(name) for pool in self.pools if pool.is_up))
        return False

    async def _restart_or_give_up(self, pool: BotPool, loss: BotExit) -> None:
        if await self.record_crash(loss.name, BotEndedError(str(loss))):
            pool.start_if_needed(loss.name)
        else:  # if the bot is away already, it may have been starting when the nodes gave it up
            await pool.give_up(loss.name)
