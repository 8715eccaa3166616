"""A game unknown to the arena is added from outside and works in every part.

Server, referee, feed, journal and store see a game through its interface and its wire conversion alone.
"""

import asyncio
import zlib

import pytest

from arena.games.catalogue import PACKS, games
from arena.match.referee.match_record import group_by_match
from arena.match.referee.replay import Replay
from arena.server.store.journal_file import read_records
from cheatarena.v1 import match_pb2, ruleset_pb2
from tests.support.server import open_server, slow_pace
from tests.support.toy_pack import RAID_PACK
from tests.support.toy_wire import decode_raid, raid_decision
from tests.support.wire_bot import is_match_over

LIVE = ruleset_pb2.Pace(style=ruleset_pb2.PACE_STYLE_LIVE, turn_ms=60_000, call_ms=2_000, reconnect_grace_ms=10_000)


@pytest.fixture
async def raid_site(tmp_path, monkeypatch):
    """Return a server that knows one more game."""
    monkeypatch.setitem(PACKS, "raid", RAID_PACK)
    async with open_server(tmp_path) as opened:
        yield opened


def expect_carried(message):
    """Return the name and the fields of the payload that a message must carry."""
    found = decode_raid(message)
    assert found is not None
    return found


def raid(bot, message, prompt):
    """Aim at the first target, take everything, and block every third raid."""
    name, options = expect_carried(prompt.cheater_act)
    if name == "AimOptions":
        return raid_decision(f"aim {options['targets'][0]}")
    if name == "TakeOptions":
        return raid_decision(f"take {options['most']}")
    return raid_decision("block" if prompt.id % 3 == 0 else "allow")


@pytest.mark.parametrize("pace", [slow_pace(), LIVE], ids=["sealed", "live"])
async def test_external_game_is_played_recorded_and_stored(raid_site, pace):
    """The match is created through the service, played to the end, replayed from the journal.

    Stored with events and figures.
    """
    site = raid_site
    names = ("ann", "bob", "cid")
    bots = [await site.connect_bot(name, games=["raid"]) for name in names]
    match = await site.create_match(
        *names, game="raid", preset="plain", options=[match_pb2.OptionSetting(name="coins", value="4")], pace=pace,
        game_count=3,
    )  # fmt: skip

    await asyncio.gather(*(bot.play(raid) for bot in bots))
    ended = await site.wait_for_result(match)
    (records,) = group_by_match(read_records(site.store.journals_folder / f"{site.node.name}.journal")).values()
    replay = Replay(records, games())
    for _ in replay.moments():
        pass
    rows = await site.store.results.games(match.match_id)

    assert ended.termination == "finished"
    assert [game.termination for game in ended.games] == ["cups_lifted"] * 3
    assert [game.turn_count for game in ended.games] == [9] * 3
    assert replay.referee.ended is not None
    assert [tuple(game.places) for game in ended.games] == [row.places for row in rows]
    assert all(b"CupsFilled" in zlib.decompress(row.events) for row in rows)
    assert ended.figures[0].values["turns"] == 9
    assert [*ended.strikes] == [match_pb2.Strikes()] * 3


async def test_external_game_keeps_its_secrets(raid_site):
    """What its `redact` reveals to one seat reaches only that seat."""
    site = raid_site
    bots = [await site.connect_bot(name, games=["raid"]) for name in ("ann", "bob")]
    await site.create_match("ann", "bob", game="raid", preset="short", options=[], pace=slow_pace())

    await asyncio.gather(*(bot.play(raid) for bot in bots))

    for bot in bots:
        told = [decode_raid(event) for message in bot.messages for event in message.events]
        assert sum(each is not None and each[0] == "OwnCup" for each in told) == 1
        assert not any(each is not None and each[0] == "CupsFilled" for each in told)
        assert is_match_over(bot.messages[-1])


async def test_bot_resumes_its_seat_in_external_game(raid_site):
    """The snapshot is the game's own, with its open prompt."""
    site = raid_site
    ann = await site.connect_bot("ann", games=["raid"])
    bob = await site.connect_bot("bob", games=["raid"])
    match = await site.create_match("ann", "bob", game="raid", preset="short", options=[], pace=slow_pace())
    await ann.answer_offer()
    await bob.answer_offer()
    _, prompt = await ann.wait_for_prompt()

    again = await site.open_stream("ann")
    await again.open_session(games=["raid"])
    resumed, same = await again.wait_for_prompt()
    again.unread.appendleft(resumed)
    await asyncio.gather(again.play(raid), bob.play(raid))

    name, seen = expect_carried(resumed.snapshot)
    assert name == "Snapshot"
    assert seen["coins"] == [5, 5]
    assert same == prompt
    assert (await site.wait_for_result(match)).termination == "finished"


async def test_action_unknown_to_external_game_is_refused(raid_site):
    """An action of another game is not one of this game."""
    site = raid_site
    ann = await site.connect_bot("ann", games=["raid"])
    bob = await site.connect_bot("bob", games=["raid"])
    await site.create_match("ann", "bob", game="raid", preset="short", options=[], pace=slow_pace())
    await ann.answer_offer()
    await bob.answer_offer()
    _, prompt = await ann.wait_for_prompt()

    action_id = await ann.decide((1, 0), prompt.id, kind=1)

    assert (await ann.wait_for_answer(action_id)).reason == 5
