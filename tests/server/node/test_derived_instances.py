"""Programs of a bot that derive the same instance: each keeps what it has, and one that starts again gets its seats."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc

from arena.server.node.bot_line import STEP_S
from arena.server.node.limits import Limits
from arena.server.node.line_watch import SILENCE_S
from tests.support.server import LocalServer, open_server, slow_pace
from tests.support.wire_bot import WireBot

OWN = "9f86d081884c7d65"
SECOND = f"{OWN}.2"
LOOKS = int(SILENCE_S / STEP_S) + 1
GONE_US = 3_000_000


async def derive(site: LocalServer, name: str = "ann") -> tuple[WireBot, str, int]:
    """Start a program that derives its instance. Return it, the instance that it gets, and how many seats it holds."""
    return await come_back(site, OWN, name, is_instance_derived=True)


async def come_back(site: LocalServer, instance: str, name: str = "ann", **hello: Any) -> tuple[WireBot, str, int]:
    bot = await site.open_stream(name)
    welcome = await bot.open_session(instance=instance, **hello)
    return bot, welcome.instance, welcome.seat_count


async def seat_first_of_two(site: LocalServer, name: str = "ann") -> tuple[WireBot, WireBot]:
    """Start a program, seat it, and start a second one. Return both."""
    first, _, _ = await derive(site, name)
    bob = await site.connect_bot("bob")
    await site.create_match(name, "bob", pace=slow_pace(turn_ms=2_000, reconnect_grace_ms=60_000))
    await first.answer_offer()
    await bob.answer_offer()
    await first.wait_for_event("game_started")
    second, given, seats = await derive(site, name)
    assert (given, seats) == (SECOND, 0)
    return first, second


async def lose(site: LocalServer, bot: WireBot, instance: str) -> None:
    """Cut a program's line, and let the time pass in which it would come back."""
    bot.call.cancel()
    await wait_until_lost(site, instance)


async def wait_until_lost(site: LocalServer, instance: str) -> None:
    await site.wait_until_gone("ann", instance)
    standings, key, now = site.node.standings, ("ann", instance), site.node.now()
    kept = standings.take(key, now)
    assert kept is not None
    standings.keep(key, kept, now - GONE_US)


def is_ended(site: LocalServer, instance: str) -> bool:
    site.node.line_watch.look()
    session = site.node.sessions.get(("ann", instance))
    return session is None or session.ended.done()


async def test_silence_of_the_last_run_counts_from_when_the_program_starts_again(site: LocalServer):
    first, _ = await seat_first_of_two(site)
    await first.wait_for_notice("ping")
    while not site.node.sessions["ann", OWN].is_waiting_for_bot:
        await asyncio.sleep(0.001)

    for _ in range(LOOKS):
        site.node.line_watch.look()

    assert (await first.wait_for_end()).reason == "SILENT"


async def test_program_comes_back_to_the_seats_of_its_last_run(site: LocalServer):
    first, second = await seat_first_of_two(site)
    await lose(site, first, OWN)
    site.node.line_watch.look()
    ended = await second.wait_for_end()
    assert (ended.code, ended.reason) == (grpc.StatusCode.UNAVAILABLE, "SEATS_WAIT")

    again, given, seats = await come_back(site, SECOND)

    assert (given, seats) == (OWN, 1)
    await again.wait_for_message(lambda message: message.snapshot.HasField("cheat"))


async def test_nothing_happens_to_two_programs_that_live(site: LocalServer):
    await seat_first_of_two(site)
    assert not is_ended(site, OWN)
    assert not is_ended(site, SECOND)


async def test_program_that_comes_back_soon_keeps_its_seats(site: LocalServer):
    first, _ = await seat_first_of_two(site)
    first.call.cancel()
    await site.wait_until_gone("ann", OWN)
    assert not is_ended(site, SECOND)

    assert (await come_back(site, OWN))[1:] == (OWN, 1)
    assert not is_ended(site, SECOND)


async def test_program_that_comes_back_late_takes_its_seats_back_for_good(site: LocalServer):
    """Nobody replaces it in turn: the other one gets SESSION_REPLACED, after which programs take a random name."""
    first, second = await seat_first_of_two(site)
    await lose(site, first, OWN)
    site.node.line_watch.look()
    await second.wait_for_end()
    heir, _, _ = await come_back(site, SECOND)

    assert (await come_back(site, OWN))[1:] == (OWN, 1)
    assert (await heir.wait_for_end()).reason == "SESSION_REPLACED"
    assert (await come_back(site, "0123456789abcdef"))[1:] == ("0123456789abcdef", 0)
    assert not is_ended(site, "0123456789abcdef")
    assert not is_ended(site, OWN)


async def test_program_with_seats_of_its_own_keeps_them(site: LocalServer):
    first, second = await seat_first_of_two(site)
    await site.create_match(f"ann/{SECOND}", "bob", pace=slow_pace())
    await second.answer_offer()
    await lose(site, first, OWN)

    assert not is_ended(site, SECOND)
    assert (await come_back(site, SECOND))[1:] == (SECOND, 1)


async def test_program_that_has_said_goodbye_leaves_nothing_to_its_copies(site: LocalServer):
    first, _ = await seat_first_of_two(site)
    await first.send_goodbye()
    await wait_until_lost(site, OWN)

    assert not is_ended(site, SECOND)


async def test_chosen_instance_is_never_changed(site: LocalServer):
    """Also if it looks as if it had a number."""
    first = await site.connect_bot("ann", instance="one")
    await site.connect_bot("bob")
    await site.create_match("ann", "bob", pace=slow_pace())
    await first.answer_offer()
    await site.connect_bot("ann", instance="one.2")
    await lose(site, first, "one")

    assert not is_ended(site, "one.2")
    assert (await come_back(site, "one.2"))[1:] == ("one.2", 0)


async def test_program_that_comes_back_counts_as_no_new_session(tmp_path: Path):
    limits = replace(Limits(), joins_a_minute=2, sessions_a_token=2, binds_loopback=True)
    async with open_server(tmp_path, limits) as site:
        first, second = await seat_first_of_two(site)
        await lose(site, first, OWN)
        site.node.line_watch.look()
        await second.wait_for_end()

        assert (await come_back(site, SECOND))[1:] == (OWN, 1)


async def test_program_finds_the_seats_of_its_last_run_after_a_restart_of_the_server(tmp_path: Path):
    async with open_server(tmp_path, resumes=True) as site:
        await seat_first_of_two(site)
    async with open_server(tmp_path, resumes=True, bot_return_s=0) as site:
        assert (await come_back(site, SECOND))[1:] == (SECOND, 0)
        assert not is_ended(site, SECOND), "the first one may come back too"
        async with asyncio.timeout(30):
            while not is_ended(site, SECOND):
                await asyncio.sleep(0.1)

        assert (await come_back(site, SECOND))[1:] == (OWN, 1)
