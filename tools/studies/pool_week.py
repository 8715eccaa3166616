"""Simulates a week of a pool, and tells each bot's share of games and how many intervals hold the truth.

    python -m tools.studies.pool_week [--bots 200] [--days 7] [--seeds 1]

The matchmaker and the fit are those of the server; time, matches and results are simulated. A third of the bots stay,
a third come and go, a third come late or leave for good. Some show new versions, whose strength differs. Bots of one
owner come in pairs. The result of a game follows the Plackett-Luce model with a term for the seat.

The share of a bot is its part of the time that all bots were connected, times all seats that were given. Bots that
were connected for less than an hour are left out of the shares: a match that begins or not is much for them.
"""

import argparse
import asyncio
import heapq
import math
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random

from arena.competition.league.elo_scale import POINTS_PER_THETA
from arena.competition.league.estimates import Interval
from arena.competition.pools.matchmaker import ROUND_INTERVAL_S, Matchmaker
from arena.competition.pools.pool import build_pools
from arena.competition.pools.pool_settings import PoolSettings
from arena.competition.pools.ports import EntrantOutcome, FitRow, MatchOutcome, Notice, PlayedGame, SeasonBot
from arena.competition.pools.season_ratings import fit_season
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from tests.support.memory_pool_store import MemoryPoolStore

POOL = "week"
SEATS = 4
DAY_S = 86_400.0
MATCH_S = 180.0
"""The median length of a match in seconds."""
FIT_EVERY_S = DAY_S / 4
SEAT_TERMS = (20.0, 5.0, -5.0, -20.0)
"""What each seat is worth, in rating points."""
NAN = float("nan")


@dataclass(eq=False)
class SimulatedBot:
    """A bot that is sometimes connected; implements `PoolSession`."""

    name: str
    owner: str | None
    strength: float
    version: str = "1"
    strengths: dict[str, float] = field(default_factory=dict)
    """The true strength of each version that was connected."""
    pools: Mapping[str, int] = field(default_factory=lambda: {POOL: 1})
    since: float = NAN
    connected_s: float = 0.0
    seatings: int = 0
    key: tuple[str, str] = ("", "")
    capacity: int = 1

    def __post_init__(self) -> None:
        self.key = self.name, "simulated"

    def can_play(self, game: str, preset: str) -> bool:
        return bool(game and preset)

    def describe_games(self) -> str:
        return "all"

    def send_pool_notice(self, notice: Notice) -> None:
        """Refuse notices of fewer seats: no bot deserves one."""
        assert notice.reason == "entered", notice


class Week:
    """One simulation; implements `MatchHost`."""

    def __init__(self, bots: int, days: float, seed: int) -> None:
        self.now, self.end_s = 0.0, days * DAY_S
        self.random = Random(seed)
        self.store = MemoryPoolStore()
        self._ids = count(1)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        settings = PoolSettings(name=POOL, seats=SEATS)
        pools = build_pools([settings], games(), resolve_game_and_preset, {})
        self.matchmaker = Matchmaker(pools, self.store, lambda: self.now, lambda: self.now + 1.0, self._new_id)
        self.bots = {bot.name: bot for bot in map(self._new_bot, range(bots))}
        self.waits: list[float] = []
        self.rounds = 0
        self.matchmaking_s = 0.0
        self._fitted = -1.0

    def _new_id(self) -> str:
        return f"{next(self._ids):026d}"

    def _new_bot(self, number: int) -> SimulatedBot:
        random = self.random
        owner = f"owner{number // 2}" if number % 5 < 2 else None  # some owners have two bots
        bot = SimulatedBot(f"bot{number}", owner, random.gauss(0, 150))
        match number % 3:
            case 0:  # stays
                self._at(random.uniform(0, 600), lambda: self._connect(bot))
            case 1:  # comes and goes
                self._at(random.expovariate(1 / 14_400), lambda: self._visit(bot))
            case _:  # comes late, or leaves for good
                begin, end = sorted((random.uniform(0, self.end_s), random.uniform(0, self.end_s)))
                self._at(begin, lambda: self._connect(bot))
                self._at(end, lambda: self._disconnect(bot))
        return bot

    # ---- events

    def _at(self, instant: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (instant, next(self._ids), act))

    def _connect(self, bot: SimulatedBot) -> None:
        bot.strengths[bot.version] = bot.strength
        bot.since = self.now
        self.matchmaker.on_session_connected(bot)

    def _disconnect(self, bot: SimulatedBot) -> None:
        if not math.isnan(bot.since):
            bot.connected_s += self.now - bot.since
            bot.since = NAN
            self.matchmaker.on_session_closed(bot)

    def _visit(self, bot: SimulatedBot) -> None:
        """Connect a bot for some hours, and let it come back later, sometimes with a new version."""
        if self.random.random() < 0.1:
            bot.version = str(len(bot.strengths) + 1)
            bot.strength += self.random.gauss(0, 80)
        self._connect(bot)
        leave = self.now + self.random.expovariate(1 / 14_400)
        self._at(leave, lambda: self._disconnect(bot))
        self._at(leave + self.random.expovariate(1 / 14_400), lambda: self._visit(bot))

    # ---- MatchHost

    async def make_match(
        self,
        terms: RequestedTerms,
        instances: Mapping[str, str],
        before_offer: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        assert set(instances) == set(terms.entrants)
        match_id = MatchId(self._new_id())
        await before_offer(match_id)
        seating = self.store.seatings[match_id]
        for each in seating.seated:
            self.bots[each.bot].seatings += 1
            self.waits.append(each.waited_s)
        owners = [each.owner for each in seating.seated if each.owner]
        assert len(set(owners)) == len(owners), owners
        length = MATCH_S * math.exp(self.random.gauss(0, 0.3))
        strengths = [self.bots[each.bot].strengths[each.version] for each in seating.seated]
        self._at(self.now + length, lambda: self._end_match(match_id, strengths))

    def is_open(self, match_id: MatchId) -> bool:
        return match_id in self.store.seatings and match_id not in self.store.ended

    def count_seats(self, _: tuple[str, str]) -> int:
        """Return 0: no bot plays outside of the pool."""
        return 0

    def _end_match(self, match_id: MatchId, strengths: Sequence[float]) -> None:
        places = draw_places(strengths, self.random)
        seating = self.store.seatings[match_id]
        played = PlayedGame(match_id, 0, tuple((each.bot, each.version) for each in seating.seated), places)
        self.store.games.setdefault((POOL, 1), []).append(played)
        self.store.ended.add(match_id)
        honest = EntrantOutcome(has_accepted=True, has_declined=False, has_left=False, strikes=0, prompts=100)
        order = tuple(range(SEATS))
        self.matchmaker.on_match_ended(MatchOutcome(match_id, (honest,) * SEATS, ((order, places),)))

    # ---- the run

    async def run(self) -> None:
        """Play the whole time."""
        await self.matchmaker.load()
        while self.now < self.end_s:
            while self._events and self._events[0][0] <= self.now:
                heapq.heappop(self._events)[2]()
            begun = time.perf_counter()
            await self.matchmaker.play_round(self)
            await self.matchmaker.close()
            self.matchmaking_s += time.perf_counter() - begun
            self.rounds += 1
            if self.now - self._fitted >= FIT_EVERY_S:
                self._fitted = self.now
                self.store.fits[POOL, 1] = self.fit()
            waits = self.matchmaker.entries.count(self.matchmaker.pools[POOL].pool)[1]
            self.now += ROUND_INTERVAL_S
            if not waits and self._events:  # nobody can be seated before something happens
                self.now = max(self.now, min(self._events[0][0], self.end_s))
        for bot in self.bots.values():
            self._disconnect(bot)

    def fit(self) -> FitRow:
        played = sorted(self.store.games.get((POOL, 1), []), key=lambda game: game.match_id)
        upto = len(self.store.seatings)
        unended = self.store.seatings.keys() - self.store.ended
        return fit_season(
            POOL, 1, played, {}, bots=self.season_bots(), fitted_at=self.now + 1.0, upto=upto, unended=unended
        )

    def season_bots(self) -> Mapping[str, SeasonBot]:
        return {name: SeasonBot(name, bot.owner or "") for name, bot in self.bots.items()}

    def shares(self) -> Mapping[str, float]:
        """Return, by bot, its seatings divided by its share of all seatings."""
        present = {name: bot for name, bot in self.bots.items() if bot.connected_s >= 3_600}
        rate = sum(bot.seatings for bot in present.values()) / sum(bot.connected_s for bot in present.values())
        return {name: bot.seatings / (rate * bot.connected_s) for name, bot in present.items()}


def draw_places(strengths: Sequence[float], random: Random) -> tuple[int, ...]:
    """Return the place of each seat, drawn from the Plackett-Luce model (the largest of Gumbel variables is first)."""
    scores = [
        (strength + term) / POINTS_PER_THETA - math.log(random.expovariate(1.0))
        for strength, term in zip(strengths, SEAT_TERMS, strict=True)
    ]
    order = sorted(range(len(scores)), key=lambda seat: -scores[seat])
    return tuple(order.index(seat) + 1 for seat in range(len(scores)))


def count_held(week: Week, fit: FitRow) -> tuple[int, int]:
    """Return how many intervals of the final ratings hold the true strength, and how many intervals there are."""
    true = {(row.bot, row.version): week.bots[row.bot].strengths[row.version] for row in fit.ratings}
    games_played = {(row.bot, row.version): row.games for row in fit.ratings}
    shift = 1500 - sum(true[each] * games_played[each] for each in true) / sum(games_played.values())
    intervals = [
        Interval(row.low, row.high).contains(true[row.bot, row.version] + shift)
        for row in fit.ratings
        if None not in (row.low, row.high)
    ]
    return sum(intervals), len(intervals)


def describe(week: Week, fit: FitRow) -> str:
    """Return the figures of a run as one line."""
    shares = sorted(week.shares().values())
    held, intervals = count_held(week, fit)
    house = Counter(each.is_house for row in week.store.seatings.values() for each in row.seated)[True]
    waits = sorted(week.waits)
    return (
        f"{len(week.store.ended)} matches; shares {shares[0]:.3f} to {shares[-1]:.3f} of {len(shares)} bots;"
        f" waits median {statistics.median(waits):.2f} s, 99 % {waits[int(len(waits) * 0.99)]:.2f} s;"
        f" intervals hold the truth {held} of {intervals} ({held / intervals:.1%}); house seats {house};"
        f" matchmaker {week.matchmaking_s:.0f} s of {week.now:.0f} s ({week.matchmaking_s / week.now:.3%})"
    )


def main() -> None:
    """Run the simulated weeks and print their figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--seeds", type=int, default=1)
    asked = parser.parse_args()
    held = intervals = 0
    for seed in range(1, asked.seeds + 1):
        week = Week(asked.bots, asked.days, seed)
        asyncio.run(week.run())
        fit = week.fit()
        print(f"seed {seed}: {describe(week, fit)}", flush=True)
        one = count_held(week, fit)
        held, intervals = held + one[0], intervals + one[1]
    print(f"all: {held} of {intervals} intervals hold the truth ({held / intervals:.1%})")


if __name__ == "__main__":
    main()
