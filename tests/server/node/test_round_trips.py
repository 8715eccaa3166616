"""The server measures round trips with its own pings, and records them where they extend deadlines."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from arena.match.referee.inputs import Begin, NewRoundTrip
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.server.node import line_watch
from arena.server.node.bot_line import KEPT_ROUND_TRIPS, RoundTrip
from arena.server.store.journal_file import read_records
from cheatarena.v1 import play_pb2, session_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import WireBot

ANN = EntrantIndex(0)


def round_trip_after(*lengths_us: int) -> RoundTrip:
    measured = RoundTrip()
    for length_us in lengths_us:
        measured.end(measured.start(Instant(1_000)), Instant(1_000 + length_us))
    return measured


def test_shortest_of_the_latest_sixteen_counts():
    assert round_trip_after().shortest_us is None
    assert round_trip_after(900, 300, 500).shortest_us == 300
    assert round_trip_after(300, *[900] * (KEPT_ROUND_TRIPS - 1)).shortest_us == 300
    assert round_trip_after(300, *[900] * KEPT_ROUND_TRIPS).shortest_us == 900


def test_pong_that_was_not_asked_for_or_comes_twice_measures_nothing():
    measured = RoundTrip()
    measured.end(5, Instant(9))
    assert measured.shortest_us is None

    nonce = measured.start(Instant(1_000))
    measured.end(nonce, Instant(1_500))
    measured.end(nonce, Instant(1_001))

    assert measured.shortest_us == 500


async def pong_after(bot: WireBot, seconds: float) -> None:
    """Answer the next ping, but only after a while."""
    ping = (await bot.wait_for_notice("ping")).ping
    await asyncio.sleep(seconds)
    await bot.send(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=ping.nonce)))


async def seat_with_purses(site: LocalServer, seconds: float) -> tuple[int, list[WireBot]]:
    """Seat Ann, who answers her first ping so late, and Bob, who answers his at once."""
    bots = await site.connect_bots("ann", "bob")
    match = await site.create_match("ann", "bob", pace=slow_pace(lag_purse=True))
    await asyncio.gather(pong_after(bots[0], seconds), pong_after(bots[1], 0))
    for bot in bots:
        await bot.answer_offer()
    return match.match_number, bots


def round_trips(site: LocalServer) -> list[NewRoundTrip]:
    return [each for each in site.read_journal() if isinstance(each, NewRoundTrip)]


def known_round_trips(referee: Referee) -> list[int]:
    return [each.clock.round_trip_us for each in referee.entrant_records if referee.terms.pace.lag_purse]


async def test_match_with_purses_pings_before_it_starts_and_records_what_it_measures(site: LocalServer):
    number, (ann, _) = await seat_with_purses(site, 0.08)
    _, first = await ann.wait_for_prompt("cheat_turn")

    await site.node.journal.wait_until_flushed()
    (begin,) = [each for each in site.read_journal() if isinstance(each, Begin)]
    assert begin.round_trips[ANN] >= 80_000
    assert begin.round_trips[ANN] % 1_000 == 0
    assert known_round_trips(site.node.registry.matches[number].table.referee) == [*begin.round_trips]
    assert first.deadline_us == begin.now + 60_000_000 + min(100_000, begin.round_trips[ANN])


async def test_new_round_trip_is_recorded(site: LocalServer):
    number, (ann, _) = await seat_with_purses(site, 0.08)
    await ann.wait_for_prompt("cheat_turn")
    referee = site.node.registry.matches[number].table.referee
    before = known_round_trips(referee)

    while known_round_trips(referee) == before:
        site.node.sessions["ann", "one"].ping(site.node.now())
        await pong_after(ann, 0.0)
        await asyncio.sleep(0.001)

    await site.node.journal.wait_until_flushed()
    assert round_trips(site)[-1].us == known_round_trips(referee)[ANN] < before[ANN]


async def test_replay_has_the_same_deadlines(site: LocalServer):
    number, (ann, bob) = await seat_with_purses(site, 0.05)
    await ann.wait_for_prompt("cheat_turn")
    hosted = site.node.registry.matches[number]
    for _ in range(2):
        site.node.sessions["ann", "one"].ping(site.node.now())
        await pong_after(ann, 0.0)
    await bob.wait_for_event("cheat_dealt")
    await site.node.journal.wait_until_flushed()

    path = site.store.journals_folder / f"{site.node.name}.journal"
    replay = Replay(read_records(path), {hosted.terms.game.name: hosted.terms.game})
    for _ in replay.moments():
        pass

    replayed, played = replay.referee, hosted.table.referee
    assert replayed.due == played.due
    assert known_round_trips(replayed) == known_round_trips(played)
    for entrant in hosted.terms.entrant_indices:
        assert replayed.prompts_of(entrant) == played.prompts_of(entrant)


async def test_match_without_purses_records_no_round_trips(site: LocalServer):
    _, (ann, _) = await site.seat_bots("ann", "bob", pace=slow_pace())
    await ann.wait_for_prompt("cheat_turn")
    site.node.sessions["ann", "one"].ping(site.node.now())
    await pong_after(ann, 0.0)

    await site.node.journal.wait_until_flushed()
    assert round_trips(site) == []


@pytest.mark.parametrize("pace", [{"lag_purse": True}, {}], ids=["purses", "none"])
async def test_offer_says_whether_there_are_purses(site: LocalServer, pace):
    (ann, _) = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", pace=slow_pace(**pace))

    assert (await ann.wait_for_notice("offered")).offered.terms.pace.lag_purse is bool(pace)


@pytest.mark.replaces_code
async def test_every_session_is_pinged_again_and_again(monkeypatch):
    """Sessions that open later too."""
    monkeypatch.setattr(line_watch, "PING_INTERVAL_S", 0.01)
    pinged: list[str] = []
    sessions: dict[tuple[str, str], Any] = {("ann", "1"): SimpleNamespace(ping=lambda _: pinged.append("ann"))}
    line_watch.Pinger(sessions, lambda: Instant(5))

    sessions["bob", "1"] = SimpleNamespace(ping=lambda _: pinged.append("bob"))
    async with asyncio.timeout(30):
        while pinged.count("bob") < 2:
            await asyncio.sleep(0.001)

    assert pinged[:4] == ["ann", "bob"] * 2
