"""Keeps who is in which pool: connected bots, the seats that they want, get and hold, and since when seats are free."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from arena.competition.pools.matchmaking import Seeker
from arena.competition.pools.pool import Pool
from arena.competition.pools.ports import EntrantOutcome, MatchHost, Notice, PoolSession
from arena.competition.pools.running_pool import MAX_VERSIONS, RunningPool
from arena.competition.pools.seat_allowance import SeatAllowance
from arena.match.referee.scalars import SessionKey


@dataclass(slots=True)
class Entry:
    """A session in a pool."""

    session: PoolSession
    wanted: int
    free_since: list[float] = field(default_factory=list)
    """For each free seat, the instant since which it is free, oldest first."""
    not_before: float = 0.0
    """No seat is given before this instant, because the last one could not be given."""


@dataclass(slots=True)
class BotInPool:
    """A bot in a pool. It outlives the bot's sessions, so that a new connection ends no pause and frees no seat."""

    allowance: SeatAllowance = field(default_factory=SeatAllowance)
    entries: dict[str, Entry] = field(default_factory=dict)
    """The sessions that are connected, by instance."""
    held: Counter[str] = field(default_factory=Counter)
    """How many seats each instance holds."""

    def count_seats(self, now: float) -> int:
        """Return how many seats the sessions of the bot get together."""
        return self.allowance.seats(sum(entry.wanted for entry in self.entries.values()), now)

    def tell(self, pool: str, entry: Entry, now: float) -> None:
        """Tell a session how many seats it gets, and why."""
        allowance, seats = self.allowance, min(entry.wanted, self.count_seats(now))
        if allowance.reason is None or now >= allowance.until:
            notice = Notice(pool, seats, "entered", "the bot gets a seat whenever opponents wait")
        else:
            notice = Notice(pool, seats, allowance.reason.value, allowance.describe(), allowance.until - now)
        entry.session.send_pool_notice(notice)


class Entries:
    """The entries of all pools. Times are in seconds on one steady clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._pools: dict[str, dict[str, BotInPool]] = defaultdict(lambda: defaultdict(BotInPool))
        """By name of the pool, each bot that was ever connected or seated there, by name."""

    def enter(self, running: RunningPool, session: PoolSession, wanted: int) -> None:
        """Enter a session into a pool, or tell it why it cannot enter."""
        refusal = find_refusal(running, session)
        if refusal is not None:
            session.send_pool_notice(refusal)
            return
        (name, instance), now = session.key, self._clock()
        bot = self._pools[running.pool.name][name]
        entry = Entry(session, wanted, [now] * (wanted - bot.held[instance]))
        bot.entries[instance] = entry
        bot.tell(running.pool.name, entry, now)

    def forget(self, key: SessionKey) -> None:
        """Remove what any stream of a session wanted. It keeps the seats that it holds."""
        for bot in self._each_of(key[0]):
            bot.entries.pop(key[1], None)

    def leave(self, session: PoolSession) -> None:
        """Remove a session from all pools, unless a newer stream has taken its place."""
        name, instance = session.key
        for bot in self._each_of(name):
            entry = bot.entries.get(instance)
            if entry is not None and entry.session is session:
                del bot.entries[instance]

    def hold(self, pool: str, key: SessionKey) -> None:
        """Note that a session holds one more seat: the one that was free for the longest time."""
        bot = self._pools[pool][key[0]]
        bot.held[key[1]] += 1
        entry = bot.entries.get(key[1])
        if entry is not None and entry.free_since:
            del entry.free_since[0]

    def release(self, pool: str, key: SessionKey, since: float | None = None) -> None:
        """Note that a seat is free again. `since` is the instant since which it waits; None means now."""
        bot = self._pools[pool][key[0]]
        bot.held[key[1]] -= 1
        if bot.held[key[1]] <= 0:
            del bot.held[key[1]]
        entry = bot.entries.get(key[1])
        if entry is not None and len(entry.free_since) + bot.held[key[1]] < entry.wanted:
            entry.free_since.append(self._clock() if since is None else since)
            entry.free_since.sort()

    def delay(self, pool: str, key: SessionKey, seconds: float) -> None:
        """Give a session no seat for some time."""
        if (entry := self._pools[pool][key[0]].entries.get(key[1])) is not None:
            entry.not_before = self._clock() + seconds

    def note_outcome(self, pool: str, key: SessionKey, outcome: EntrantOutcome) -> None:
        """Reduce the seats of a bot that did not behave in a match, and tell it why."""
        bot, now = self._pools[pool][key[0]], self._clock()
        allowance = bot.allowance
        before = allowance.reason, allowance.until
        if outcome.has_declined:
            allowance.note_decline(now)
        elif not outcome.has_accepted:
            allowance.note_absence(now)
        else:
            allowance.note_match(has_left=outcome.has_left, strikes=outcome.strikes, prompts=outcome.prompts, now=now)
        if (allowance.reason, allowance.until) != before:
            for entry in bot.entries.values():
                bot.tell(pool, entry, now)

    def lift_restrictions(self) -> None:
        """Give bots whose restriction is over all their seats again, and tell them."""
        now = self._clock()
        for pool, bots in self._pools.items():
            for bot in bots.values():
                if bot.allowance.lift(now):
                    for entry in bot.entries.values():
                        bot.tell(pool, entry, now)

    def find_seekers(self, running: RunningPool, host: MatchHost) -> list[Seeker]:
        """Return the bots that may be seated now, each once: with the session that has waited longest.

        A session whose seats in other pools and matches leave it no room is left out. Otherwise its table would be
        refused again and again, and the others there would never play.
        """
        pool, now = running.pool, self._clock()
        seekers = []
        for name, bot in self._pools[pool.name].items():
            waiting = [
                entry
                for entry in bot.entries.values()
                if entry.free_since and now >= entry.not_before and self._has_room(entry.session, host)
            ]
            if name not in pool.house_names and waiting and bot.held.total() < bot.count_seats(now):
                longest = min(waiting, key=lambda entry: entry.free_since[0])
                seekers.append(build_seeker(running, longest.session, now - longest.free_since[0]))
        return seekers

    def find_house(self, running: RunningPool, host: MatchHost) -> list[Seeker]:
        """Return the house bots of a pool that are connected and have room."""
        bots = self._pools[running.pool.name]
        sessions = {
            name: entry.session
            for name in running.pool.house_names
            for entry in bots[name].entries.values()
            if self._has_room(entry.session, host)
        }
        return [build_seeker(running, session, 0.0) for session in sessions.values()]

    def count(self, pool: Pool) -> tuple[int, int]:
        """Return how many bots other than house bots are in a pool, and how many of them wait for a seat.

        Metrics ask from another thread, so this reads copies.
        """
        entries = [
            list(bot.entries.values())
            for name, bot in list(self._pools[pool.name].items())
            if bot.entries and name not in pool.house_names
        ]
        return len(entries), sum(any(entry.free_since for entry in of_bot) for of_bot in entries)

    def close_pool(self, pool: Pool) -> None:
        """Remove all bots from a pool whose last season is over, and tell them."""
        for bot in self._pools[pool.name].values():
            for entry in bot.entries.values():
                entry.session.send_pool_notice(build_closed_notice(pool))
            bot.entries.clear()

    def _each_of(self, name: str) -> Iterator[BotInPool]:
        """Yield a bot in each pool where it is known."""
        return (bots[name] for bots in self._pools.values() if name in bots)

    def _has_room(self, session: PoolSession, host: MatchHost) -> bool:
        """Return whether a session takes another seat. A seat of this round may not be reserved yet on its node."""
        name, instance = session.key
        held = sum(bot.held[instance] for bot in self._each_of(name))
        return max(host.count_seats(session.key), held) < session.capacity


def find_refusal(running: RunningPool, session: PoolSession) -> Notice | None:
    """Return the notice with which a pool refuses a session; None if the session may enter."""
    pool, bot = running.pool, session.key[0]
    game, preset = pool.terms.game.name, pool.terms.preset
    if running.season is None:
        return build_closed_notice(pool)
    if bot not in pool.house_names and not pool.admits(session.owner):
        return Notice(pool.name, 0, "not_admitted", "this pool is only open to the bots of certain owners")
    if not session.can_play(game, preset):
        detail = f"the pool plays {game}/{preset}, and the bot plays {session.describe_games()}"
        return Notice(pool.name, 0, "other_game", detail)
    if not running.admit_version(bot, session.version):
        detail = f"the bot has shown {MAX_VERSIONS} versions in this season, the most that are allowed"
        return Notice(pool.name, 0, "too_many_versions", detail)
    return None


def build_closed_notice(pool: Pool) -> Notice:
    return Notice(pool.name, 0, "closed", "the last season of this pool is over")


def build_seeker(running: RunningPool, session: PoolSession, waited_s: float) -> Seeker:
    """Return a session as the matchmaker sees it. Its figures are rounded, so that a recorded round stays the same."""
    bot, instance = session.key
    estimate = running.ratings.estimate(bot, session.version)
    is_house = bot in running.pool.house_names
    return Seeker(
        bot=bot,
        instance=instance,
        owner="" if is_house else session.owner or "",
        version=session.version,
        rating=round(estimate.rating, 1),
        spread=round(estimate.spread, 1),
        waited_s=round(waited_s, 3),
    )
