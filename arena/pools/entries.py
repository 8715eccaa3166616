"""Keeps who is in which pool: connected bots, the seats that they want, get and hold, and since when seats are free."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from arena.pools.matchmaking import Seeker
from arena.pools.pool import Pool
from arena.pools.ports import EntrantOutcome, MatchHost, Notice, PoolSession
from arena.pools.running_pool import MAX_VERSIONS, RunningPool
from arena.pools.seat_allowance import SeatAllowance

SessionKey = tuple[str, str]
"""The bot's name and the instance."""


@dataclass(slots=True)
class Entry:
    """A session in a pool."""

    session: PoolSession
    wanted: int
    allowance: SeatAllowance
    """Shared by all sessions of the bot in this pool, also those that come later."""
    free_since: list[float] = field(default_factory=list)
    """For each free seat, the instant since which it is free, oldest first."""
    not_before: float = 0.0
    """No seat is given before this instant, because the last one could not be given."""


class Entries:
    """The entries of all pools. Times are in seconds on one steady clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._by_pool: dict[str, dict[SessionKey, Entry]] = defaultdict(dict)
        self._allowances: dict[tuple[str, str], SeatAllowance] = {}
        """By pool and bot. They outlive the sessions, so that a new connection does not end a pause."""
        self._held: dict[tuple[str, SessionKey], int] = defaultdict(int)
        """How many seats each session holds in each pool. A session that comes back still holds its seats."""
        self._held_by_session = Counter[SessionKey]()
        """The same in all pools together."""

    def enter(self, running: RunningPool, session: PoolSession, wanted: int) -> None:
        """Enter a session into a pool, or tell it why it cannot enter."""
        pool = running.pool
        refusal = find_refusal(running, session)
        if refusal is not None:
            session.send_pool_notice(refusal)
            return
        bot, now = session.key[0], self._clock()
        allowance = self._allowances.setdefault((pool.name, bot), SeatAllowance())
        free = max(0, wanted - self._held[pool.name, session.key])
        entry = Entry(session, wanted, allowance, [now] * free)
        self._by_pool[pool.name][session.key] = entry
        self._tell(pool.name, entry)

    def forget(self, key: SessionKey) -> None:
        """Remove what any stream of a session wanted. It keeps the seats that it holds."""
        for entries in self._by_pool.values():
            entries.pop(key, None)

    def leave(self, session: PoolSession) -> None:
        """Remove a session from all pools, unless a newer stream has taken its place."""
        for entries in self._by_pool.values():
            entry = entries.get(session.key)
            if entry is not None and entry.session is session:
                del entries[session.key]

    def hold(self, pool: str, key: SessionKey) -> None:
        """Note that a session holds one more seat: the one that was free for the longest time."""
        self._held[pool, key] += 1
        self._held_by_session[key] += 1
        entry = self._by_pool[pool].get(key)
        if entry is not None and entry.free_since:
            del entry.free_since[0]

    def release(self, pool: str, key: SessionKey, since: float | None = None) -> None:
        """Note that a seat is free again. `since` is the instant since which it waits; None means now."""
        self._held[pool, key] -= 1
        if self._held[pool, key] <= 0:
            del self._held[pool, key]
        self._held_by_session[key] -= 1
        if self._held_by_session[key] <= 0:
            del self._held_by_session[key]
        entry = self._by_pool[pool].get(key)
        if entry is not None and len(entry.free_since) + self._held.get((pool, key), 0) < entry.wanted:
            entry.free_since.append(self._clock() if since is None else since)
            entry.free_since.sort()

    def delay(self, pool: str, key: SessionKey, seconds: float) -> None:
        """Give a session no seat for some time."""
        if (entry := self._by_pool[pool].get(key)) is not None:
            entry.not_before = self._clock() + seconds

    def note_outcome(self, pool: str, key: SessionKey, outcome: EntrantOutcome) -> None:
        """Reduce the seats of a bot that did not behave in a match, and tell it why."""
        allowance, now = self._allowances.setdefault((pool, key[0]), SeatAllowance()), self._clock()
        before = allowance.reason, allowance.until
        if outcome.has_declined:
            allowance.note_decline(now)
        elif not outcome.has_accepted:
            allowance.note_absence(now)
        else:
            allowance.note_match(has_left=outcome.has_left, strikes=outcome.strikes, prompts=outcome.prompts, now=now)
        if (allowance.reason, allowance.until) != before:
            self._tell_bot(pool, key[0])

    def lift_restrictions(self) -> None:
        """Give bots whose restriction is over all their seats again, and tell them."""
        now = self._clock()
        for (pool, bot), allowance in self._allowances.items():
            if allowance.lift(now):
                self._tell_bot(pool, bot)

    def find_seekers(self, running: RunningPool, host: MatchHost) -> list[Seeker]:
        """Return the bots that may be seated now, each once: with the session that has waited longest.

        A session whose seats in other pools and matches leave it no room is left out. Otherwise its table would be
        refused again and again, and the others there would never play.
        """
        now, pool = self._clock(), running.pool.name
        longest: dict[str, tuple[float, Entry]] = {}
        unrestricted = self._find_unrestricted(pool, now)
        for key, entry in self._by_pool[pool].items():
            if key[0] in running.pool.house_names or key[0] not in unrestricted:
                continue
            if not entry.free_since or now < entry.not_before or not self._has_room(entry.session, host):
                continue
            since = entry.free_since[0]
            if key[0] not in longest or since < longest[key[0]][0]:
                longest[key[0]] = since, entry
        return [build_seeker(running, entry.session, now - since) for since, entry in longest.values()]

    def find_house(self, running: RunningPool, host: MatchHost) -> list[Seeker]:
        """Return the house bots of a pool that are connected and have room."""
        pool = running.pool
        sessions = {
            key[0]: entry.session
            for key, entry in self._by_pool[pool.name].items()
            if key[0] in pool.house_names and self._has_room(entry.session, host)
        }
        return [build_seeker(running, session, 0.0) for session in sessions.values()]

    def count(self, pool: Pool) -> tuple[int, int]:
        """Return how many bots other than house bots are in a pool, and how many of them wait for a seat."""
        entries = [entry for key, entry in self._by_pool[pool.name].items() if key[0] not in pool.house_names]
        waiting = {entry.session.key[0] for entry in entries if entry.free_since}
        return len({entry.session.key[0] for entry in entries}), len(waiting)

    def close_pool(self, pool: Pool) -> None:
        """Remove all bots from a pool whose last season is over, and tell them."""
        for entry in self._by_pool.pop(pool.name, {}).values():
            entry.session.send_pool_notice(build_closed_notice(pool))

    def _find_unrestricted(self, pool: str, now: float) -> set[str]:
        """Return the bots that may have another seat in a pool. The sessions of a bot count together."""
        wanted, held = Counter[str](), Counter[str]()
        allowances: dict[str, SeatAllowance] = {}
        for key, entry in self._by_pool[pool].items():
            wanted[key[0]] += entry.wanted
            held[key[0]] += self._held.get((pool, key), 0)
            allowances[key[0]] = entry.allowance
        return {bot for bot, allowance in allowances.items() if held[bot] < allowance.seats(wanted[bot], now)}

    def _has_room(self, session: PoolSession, host: MatchHost) -> bool:
        """Return whether a session takes another seat. A seat of this round may not be reserved yet on its node."""
        return max(host.count_seats(session.key), self._held_by_session[session.key]) < session.capacity

    def _tell_bot(self, pool: str, bot: str) -> None:
        for key, entry in self._by_pool[pool].items():
            if key[0] == bot:
                self._tell(pool, entry)

    def _tell(self, pool: str, entry: Entry) -> None:
        now, allowance = self._clock(), entry.allowance
        seats = allowance.seats(entry.wanted, now)
        if allowance.reason is None or now >= allowance.until:
            notice = Notice(pool, seats, "entered", "the bot gets a seat whenever opponents wait")
        else:
            notice = Notice(pool, seats, allowance.reason.value, allowance.describe(), allowance.until - now)
        entry.session.send_pool_notice(notice)


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
    """Return the notice that a pool is closed."""
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
