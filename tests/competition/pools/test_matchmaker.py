"""The matchmaker keeps connected bots seated, stores each seating before it is offered, and forgets nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count

import pytest

from arena.competition.pools.matchmaker import RETRY_S, Matchmaker
from arena.competition.pools.matchmaking import inputs_from_plain, seat_tables
from arena.competition.pools.pool import HouseBot, build_pools
from arena.competition.pools.pool_settings import PoolSettings
from arena.competition.pools.ports import EntrantOutcome, MatchOutcome, Notice, SeatingRow
from arena.errors import CapacityError, OptionError
from arena.games.catalogue import games, resolve_game_and_preset
from arena.match.referee.match_order import RequestedTerms
from arena.match.referee.ports import MatchId
from tests.support.memory_pool_store import MemoryPoolStore

HOUSE = ("house-a", "house-b", "house-c")
GOOD = EntrantOutcome(has_accepted=True, has_declined=False, has_left=False, strikes=0, prompts=50)
SETTINGS = PoolSettings(name="open", seats=2, house_bots=HOUSE)


@dataclass(eq=False)
class FakeSession:
    """A connected bot that remembers what it was told."""

    key: tuple[str, str]
    capacity: int = 1000
    owner: str | None = None
    version: str = ""
    pools: Mapping[str, int] = field(default_factory=lambda: {"open": 1})
    plays: bool = True
    notices: list[Notice] = field(default_factory=list)

    def can_play(self, game: str, preset: str) -> bool:
        assert (game, preset) == ("cheat", "standard")
        return self.plays

    def describe_games(self) -> str:
        return "nothing"

    def send_pool_notice(self, notice: Notice) -> None:
        self.notices.append(notice)


class Arena:
    """A matchmaker on a clock that the test moves; implements `MatchHost`."""

    def __init__(self, *settings: PoolSettings, store: MemoryPoolStore | None = None) -> None:
        self.now = 1_000.0
        self.store = store or MemoryPoolStore()
        self.refuses = False
        self.open: list[MatchId] = []
        self.elsewhere: dict[tuple[str, str], int] = {}
        """Seats of sessions in matches that no pool has made."""
        self._ids = count(len(self.store.seatings) + 1)
        written = settings or (SETTINGS,)
        pools = build_pools(written, games(), resolve_game_and_preset, {name: HouseBot(name) for name in HOUSE})
        self.matchmaker = Matchmaker(pools, self.store, lambda: self.now, lambda: self.now, self._new_id)

    def _new_id(self) -> str:
        return f"{next(self._ids):026d}"

    async def make_match(
        self,
        terms: RequestedTerms,
        instances: Mapping[str, str],
        before_offer: Callable[[MatchId], Awaitable[None]],
    ) -> None:
        assert set(instances) == set(terms.entrants)
        if self.refuses:
            raise CapacityError("the server plays enough matches")
        match_id = MatchId(self._new_id())
        await before_offer(match_id)
        self.open.append(match_id)

    def is_open(self, match_id: MatchId) -> bool:
        return match_id in self.open

    def count_seats(self, key: tuple[str, str]) -> int:
        return self.elsewhere.get(key, 0)

    def connect(self, name: str, *, instance: str = "one", **given: object) -> FakeSession:
        session = replace(FakeSession((name, instance)), **given)  # type: ignore[arg-type]  # fields of FakeSession
        self.matchmaker.on_session_connected(session)
        return session

    async def wait(self, seconds: float) -> list[SeatingRow]:
        """Let time pass, and return the seatings that were made meanwhile."""
        before = set(self.store.seatings)
        for _ in range(round(seconds * 5)):
            self.now += 0.2
            await self.matchmaker.play_round(self)
            await self.matchmaker.close()
        return [row for match_id, row in self.store.seatings.items() if match_id not in before]

    def end(self, seating: SeatingRow, places: tuple[int, ...] = (1, 2), **conduct: EntrantOutcome) -> None:
        """End a match. `conduct` has the outcomes of bots that did not behave, with _ for - in their names."""
        self.open.remove(seating.match_id)
        self.store.ended.add(seating.match_id)
        outcomes = tuple(conduct.get(each.bot, GOOD) for each in seating.seated)
        order = tuple(range(len(places)))
        games_played = ((order, places),) if all(each.has_accepted for each in outcomes) else ()
        self.matchmaker.on_match_ended(MatchOutcome(seating.match_id, outcomes, games_played))


async def open_arena(*settings: PoolSettings, store: MemoryPoolStore | None = None) -> Arena:
    arena = Arena(*settings, store=store)
    await arena.matchmaker.load()
    return arena


def bots_of(seating: SeatingRow) -> set[str]:
    return {each.bot for each in seating.seated}


async def test_waits_of_seated_bots_are_counted():
    arena = Arena()
    await arena.matchmaker.load()
    arena.connect("ann")
    await arena.wait(1)
    arena.connect("bob")
    (seating,) = await arena.wait(1)

    assert arena.matchmaker.seated_count == {"open": 2}
    assert arena.matchmaker.waited_s == {"open": sum(each.waited_s for each in seating.seated)}
    assert arena.matchmaker.waited_s["open"] >= 1


async def test_two_bots_that_wait_get_a_match_and_then_another_one():
    arena = await open_arena()
    arena.connect("ada"), arena.connect("bo")
    (first,) = await arena.wait(1)
    assert bots_of(first) == {"ada", "bo"}
    assert await arena.wait(3) == [], "both play"
    arena.end(first)
    (second,) = await arena.wait(1)
    assert bots_of(second) == {"ada", "bo"}


async def test_lone_newcomer_plays_a_house_bot_within_five_seconds_and_a_real_bot_as_soon_as_there_is_one():
    arena = await open_arena()
    for name in HOUSE:
        arena.connect(name, instance="house", pools={"open": 100})
    arena.connect("ada")
    (first,) = await arena.wait(5)
    assert bots_of(first) - set(HOUSE) == {"ada"}
    assert [each.is_house for each in first.seated if each.bot in HOUSE] == [True]
    arena.end(first)
    arena.connect("bo")
    (second,) = await arena.wait(1)
    assert bots_of(second) == {"ada", "bo"}


async def test_house_bots_alone_do_not_play():
    arena = await open_arena()
    for name in HOUSE:
        arena.connect(name, instance="house", pools={"open": 100})
    assert await arena.wait(10) == []


async def test_bot_gets_as_many_seats_as_it_wants():
    arena = await open_arena()
    arena.connect("ada", pools={"open": 3})
    opponents = []
    for number in range(5):
        arena.connect(f"bot{number}")
        opponents += [sorted(bots_of(row)) for row in await arena.wait(3)]
    assert opponents == [["ada", "bot0"], ["ada", "bot1"], ["ada", "bot2"], ["bot3", "bot4"]]


async def test_seating_is_stored_with_its_round_before_it_is_offered_and_follows_from_it():
    arena = await open_arena()
    arena.connect("ada", owner="Ada", version="2"), arena.connect("bo")
    (seating,) = await arena.wait(1)
    inputs = inputs_from_plain(arena.store.rounds[seating.round_id].inputs)
    (table,) = seat_tables(inputs)
    assert [each.bot for each in table.seated] == [each.bot for each in seating.seated]
    ada = next(each for each in seating.seated if each.bot == "ada")
    assert (ada.version, ada.owner, ada.is_house, seating.season, seating.rated) == ("2", "Ada", False, 1, True)


async def test_refused_match_lets_its_bots_wait_on_and_is_tried_again():
    arena = await open_arena()
    arena.connect("ada"), arena.connect("bo")
    arena.refuses = True
    assert await arena.wait(1) == []
    arena.refuses = False
    (seating,) = await arena.wait(RETRY_S + 1)
    assert min(each.waited_s for each in seating.seated) > 1, "the wait counts from the first seat"


async def test_bot_hears_how_many_seats_it_gets():
    arena = await open_arena()
    session = arena.connect("ada", pools={"open": 3})
    (notice,) = session.notices
    assert (notice.pool, notice.seats, notice.reason) == ("open", 3, "entered")


@pytest.mark.parametrize(
    ("given", "reason", "detail"),
    [
        ({"pools": {"closed": 1}}, "unknown_pool", "the pools of this server are: open"),
        ({"plays": False}, "other_game", "the pool plays cheat/standard, and the bot plays nothing"),
    ],
)
async def test_bot_that_cannot_enter_hears_why(given, reason, detail):
    arena = await open_arena()
    session = arena.connect("ada", **given)
    assert [(each.reason, each.detail, each.seats) for each in session.notices] == [(reason, detail, 0)]


async def test_pool_of_certain_owners_admits_nobody_else():
    arena = await open_arena(replace(SETTINGS, owners=("Ada",)))
    assert arena.connect("a", owner="Ada").notices[0].reason == "entered"
    assert arena.connect("b", owner="Bo").notices[0].reason == "not_admitted"
    assert arena.connect("c").notices[0].reason == "not_admitted"


async def test_absent_bot_gets_no_seat_for_a_while_and_hears_why_and_its_opponent_plays_on():
    arena = await open_arena()
    ada, bo = arena.connect("ada"), arena.connect("bo")
    (seating,) = await arena.wait(1)
    arena.end(seating, bo=replace(GOOD, has_accepted=False))
    assert bo.notices[-1].reason == "absent"
    assert bo.notices[-1].seats == 0
    assert 25 < bo.notices[-1].retry_after_s <= 30
    arena.connect("cy")
    (other,) = await arena.wait(2)
    assert bots_of(other) == {"ada", "cy"}
    arena.end(other)
    await arena.wait(40)
    assert bo.notices[-1].reason == "entered"
    assert ada.notices[-1].reason == "entered"
    assert len(ada.notices) == 1


async def test_new_connection_forgives_nothing():
    arena = await open_arena()
    arena.connect("ada")
    bo = arena.connect("bo")
    (seating,) = await arena.wait(1)
    arena.end(seating, bo=replace(GOOD, has_left=True))
    arena.matchmaker.on_session_closed(bo)
    again = arena.connect("bo", version="other", instance="two")
    assert again.notices[0].reason == "left"


async def test_who_accepted_a_match_that_was_withdrawn_is_not_blamed():
    arena = await open_arena()
    ada, bo = arena.connect("ada"), arena.connect("bo")
    (seating,) = await arena.wait(1)
    arena.end(seating, bo=replace(GOOD, has_accepted=False, has_declined=True))
    assert [each.reason for each in ada.notices + bo.notices] == ["entered", "entered"], "one decline is free"


async def test_slow_bot_gets_half_of_its_seats():
    arena = await open_arena()
    ada = arena.connect("ada", pools={"open": 4})
    for number in range(8):
        arena.connect(f"bot{number}")
    seatings = [row for row in await arena.wait(3) if "ada" in bots_of(row)]
    for seating in seatings:
        arena.end(seating, ada=replace(GOOD, strikes=20))
    assert (ada.notices[-1].reason, ada.notices[-1].seats) == ("too_many_strikes", 2)
    assert len([row for row in await arena.wait(3) if "ada" in bots_of(row)]) == 2


async def test_sessions_of_a_slow_bot_get_half_of_its_seats_together():
    arena = await open_arena()
    for number in range(4):
        ada = arena.connect("ada", instance=f"i{number}")
        arena.connect(f"bot{number}"), arena.connect(f"bot{number + 4}")
    for seating in [row for row in await arena.wait(3) if "ada" in bots_of(row)]:
        arena.end(seating, ada=replace(GOOD, strikes=20))
    assert (ada.notices[-1].reason, ada.notices[-1].seats) == ("too_many_strikes", 1)
    seatings = await arena.wait(3)
    for number in range(4):
        arena.connect(f"late{number}")
        seatings += await arena.wait(3)
    assert len([row for row in seatings if "ada" in bots_of(row)]) == 2


async def test_each_session_of_a_slow_bot_hears_how_many_seats_it_gets_at_most():
    """The sessions share half of all seats, so a session that wants more than that half gets no more."""
    arena = await open_arena()
    large, small = (arena.connect("ada", instance=f"i{wanted}", pools={"open": wanted}) for wanted in (7, 1))
    for number in range(8):
        arena.connect(f"bot{number}")
    for seating in [row for row in await arena.wait(3) if "ada" in bots_of(row)]:
        arena.end(seating, ada=replace(GOOD, strikes=20))
    assert [session.notices[-1].seats for session in (large, small)] == [4, 1]


@pytest.mark.parametrize("pools", [{}, {"open": 1}], ids=["in no pool", "refused"])
async def test_stream_that_was_replaced_takes_no_seat_and_holds_up_nobody(pools):
    """A newer stream takes over a session without the end of the older one."""
    arena = await open_arena()
    arena.connect("ada", pools={"open": 100})
    arena.matchmaker.on_session_closed(arena.connect("ada", pools=pools, plays=False))
    arena.connect("bo"), arena.connect("cy")
    assert [bots_of(row) for row in await arena.wait(1)] == [{"bo", "cy"}]
    assert arena.matchmaker.entries.count(arena.matchmaker.pools["open"].pool) == (2, 0)


async def test_bot_without_room_holds_up_nobody():
    """It waits longest, so its table would be refused first, again and again."""
    arena = await open_arena(SETTINGS, replace(SETTINGS, name="other"))
    arena.connect("ada", pools={"open": 9, "other": 9}, capacity=1), arena.connect("bo", pools={"other": 1})
    seatings = await arena.wait(1)
    assert len([row for row in seatings if "ada" in bots_of(row)]) == 1
    arena.connect("cy"), arena.connect("di")
    assert {"cy", "di"} in [bots_of(row) for row in await arena.wait(1)]


async def test_seats_in_other_matches_leave_a_bot_no_room():
    arena = await open_arena()
    ada = arena.connect("ada", capacity=2)
    arena.elsewhere[ada.key] = 2
    arena.connect("bo")
    assert await arena.wait(1) == []
    arena.elsewhere[ada.key] = 1
    assert [bots_of(row) for row in await arena.wait(1)] == [{"ada", "bo"}]


async def test_house_bot_without_room_is_not_chosen():
    arena = await open_arena()
    for name in HOUSE:
        house = arena.connect(name, instance="house", capacity=4)
        arena.elsewhere[house.key] = 3 if name == "house-c" else 4
    arena.connect("ada")
    (seating,) = await arena.wait(5)
    assert bots_of(seating) == {"ada", "house-c"}


async def test_seats_of_an_earlier_server_count_when_a_bot_comes_back():
    store = MemoryPoolStore()
    before = await open_arena(store=store)
    before.connect("ada"), before.connect("bo")
    (seating,) = await before.wait(1)
    after = await open_arena(store=store)
    after.open.append(seating.match_id)
    after.connect("ada"), after.connect("bo")
    assert await after.wait(3) == [], "both still play their match"
    after.end(seating)
    assert len(await after.wait(1)) == 1


async def test_match_that_the_earlier_server_never_offered_frees_its_seats():
    store = MemoryPoolStore()
    before = await open_arena(store=store)
    before.connect("ada"), before.connect("bo")
    (seating,) = await before.wait(1)
    after = await open_arena(store=store)
    after.connect("ada"), after.connect("bo")
    (other,) = await after.wait(7)
    assert other.match_id != seating.match_id
    assert seating.match_id not in store.seatings


async def test_results_move_the_live_ratings():
    arena = await open_arena()
    arena.connect("ada"), arena.connect("bo")
    (seating,) = await arena.wait(1)
    arena.end(seating, (1, 2))
    winner, loser = (arena.matchmaker.pools["open"].ratings.estimate(each.bot, "") for each in seating.seated)
    assert winner.rating > 1500 > loser.rating


async def test_season_ends_and_the_next_one_begins_where_the_bots_were():
    arena = await open_arena(replace(SETTINGS, season_days=1.0))
    arena.connect("ada"), arena.connect("bo")
    (first,) = await arena.wait(1)
    arena.now += 86_400
    assert await arena.wait(6) == []
    arena.end(first)
    (second,) = await arena.wait(6)
    assert (first.season, second.season) == (1, 2)


async def test_pool_closes_for_good_at_a_date():
    ends = datetime.fromtimestamp(1_060, UTC)
    arena = await open_arena(replace(SETTINGS, season_ends=ends))
    ada = arena.connect("ada")
    arena.connect("bo")
    (seating,) = await arena.wait(1)
    await arena.wait(70)
    arena.end(seating)
    assert ada.notices[-1].reason == "closed"
    assert await arena.wait(10) == []


async def test_other_rules_within_a_season_are_refused_with_a_sentence():
    store = MemoryPoolStore()
    await open_arena(store=store)
    with pytest.raises(OptionError, match=r"season 1.*its rules, pace or seats differ.*end it with"):
        await open_arena(replace(SETTINGS, seats=3), store=store)


async def test_season_that_was_ended_from_outside_is_followed_by_the_next():
    """`arena pool end-season` changes the row in the store, and the server reads it again."""
    store = MemoryPoolStore()
    arena = await open_arena(store=store)
    running = arena.matchmaker.pools["open"]

    store.seasons["open", 1] = replace(store.seasons["open", 1], ends_at=arena.now + 1)
    await running.refresh(arena.now)
    assert running.season is not None
    assert running.season.season == 1
    await running.refresh(arena.now + 1)

    assert running.season == running.newest_season == store.seasons["open", 2]


async def test_other_rules_begin_a_new_season_once_the_old_one_was_ended():
    store = MemoryPoolStore()
    await open_arena(store=store)
    store.seasons["open", 1] = replace(store.seasons["open", 1], ends_at=999.0)

    arena = await open_arena(replace(SETTINGS, seats=3), store=store)

    assert arena.matchmaker.pools["open"].season == store.seasons["open", 2]


async def test_bot_with_too_many_versions_hears_so():
    arena = await open_arena()
    notices = [arena.connect("ada", version=str(number)).notices[0] for number in range(51)]
    assert {each.reason for each in notices[:50]} == {"entered"}
    assert notices[50].reason == "too_many_versions"


async def test_rounds_run_until_they_are_cancelled():
    arena = await open_arena()
    arena.connect("ada"), arena.connect("bo")
    task = asyncio.create_task(arena.matchmaker.run(arena))
    arena.now += 1
    async with asyncio.timeout(10):
        while not arena.open:
            await asyncio.sleep(0.02)
    task.cancel()
