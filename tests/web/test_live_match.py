"""One followed match: it is read once and rendered once, and no viewer costs more than the others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.errors import CapacityError, EnvironmentFaultError
from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.replay import Replay
from arena.replays.watch.recorded_match import recorded_messages
from arena.web.live import live_match
from arena.web.live.live_match import KEPT_LINES, LiveMatch, StoredEnd
from tests.replays.watch.spectators import play_match
from tests.web.live_viewers import MATCH, FakeServer, join, settle


def messages_of(game=CHEAT, preset: str = "standard", seed: int = 1) -> list[PublicMessage]:
    return list(recorded_messages(Replay(play_match(game, preset, 4, seed), games())))


@asynccontextmanager
async def following(server: FakeServer, update_s: float = 0.0) -> AsyncIterator[LiveMatch]:
    """Follow the match of a server."""
    match = LiveMatch(MATCH, server.follow, server.find_end, update_s)
    task = asyncio.create_task(match.run())
    await settle()
    yield match
    task.cancel()
    await asyncio.wait([task])


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch):
    for pause in ("_RETRY_S", "_LOOK_S"):
        monkeypatch.setattr(live_match, pause, 0.0)
    monkeypatch.setattr(live_match, "_MOST_LOAD", 1e12)


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.mark.parametrize(("game", "preset"), [(CHEAT, "standard"), (CHEATER, "cheater")])
async def test_every_viewer_gets_the_same_bytes(server, game, preset):
    sent = messages_of(game, preset)
    async with following(server) as match:
        server.send(*sent[:5])
        await settle()
        viewers = [join(match), join(match)]
        for message in sent[5:12]:
            server.send(message)
            await settle()

        first, other = (viewer.tables for viewer in viewers)

    assert first == other
    assert len(first) >= 6
    assert {*first[0]} == {"status", "table", "score", "lines"}
    assert all("score" not in later for later in first[1:]), "what has not changed is not sent again"
    assert server.opened == 1


@pytest.mark.parametrize("end", ["close", "abort"])
async def test_connection_that_is_closing_is_sent_nothing_and_others_go_on(server, end):
    """The loop tells a moment later that it is lost."""
    sent = messages_of()
    async with following(server) as match:
        server.send(*sent[:5])
        await settle()
        leaving, staying = join(match), join(match)
        getattr(leaving, end)()
        for message in sent[5:9]:
            server.send(message)
            await settle()
        match.close()

        assert (len(leaving.tables), len(staying.tables) > 1) == (1, True)


async def test_lines_are_sent_once(server):
    """Whoever puts together the lines of all updates has every line of the match, in order."""
    sent = messages_of()
    async with following(server) as match:
        server.send(*sent[:2])
        await settle()
        viewer = join(match)
        for message in sent[2:30]:
            server.send(message)
            await settle()
        seen = [line for table in viewer.tables for line in reversed(table.get("lines", "").split("<li ")[1:])]
        kept = match.render().view.lines

    assert len(seen) == len(kept) > 10
    assert all(f'data-sequence="{line.sequence}"' in text for line, text in zip(kept, seen, strict=True))


async def test_lines_are_bounded(server):
    async with following(server) as match:
        server.send(*messages_of())
        await settle(2000)
        assert len(match.render().view.lines) <= KEPT_LINES
        viewer = join(match)

    assert viewer.tables[0]["lines"].count("<li ") <= KEPT_LINES


async def test_many_moves_are_one_update(server):
    """However fast the bots are, there is one update for each time span, and the first comes at once."""
    sent = messages_of()
    async with following(server, update_s=3600) as match:
        viewer = join(match)
        server.send(sent[0], sent[1])
        await settle()
        first = len(viewer.tables)
        for message in sent[2:]:
            server.send(message)
            await settle()

        assert len(viewer.tables) == first


async def test_viewer_that_knows_the_state_gets_nothing_twice(server):
    """So it is after a lost connection, also if another process answers."""
    sent = messages_of()
    async with following(server) as match:
        server.send(*sent[:9])
        await settle()
        known = match.render().event_id
        back, new = join(match, known), join(match, "8.00000000")
    other = FakeServer()
    async with following(other) as again:
        other.send(*sent[:9])
        await settle()
        elsewhere = join(again, known)

    assert back.tables == elsewhere.tables == []
    assert len(new.tables) == 1
    assert "lines" in new.tables[0]


async def test_viewer_that_does_not_read_gets_the_newest_state_later(server):
    """Nothing is kept for it meanwhile, and the others are not affected."""
    sent = messages_of()
    async with following(server) as match:
        server.send(*sent[:5])
        await settle()
        slow, other = join(match), join(match)
        size = len(slow.written)
        slow.protocol.pause_writing()
        for message in sent[5:25]:
            server.send(message)
            await settle()
        assert len(slow.written) == size
        slow.protocol.resume_writing()

        assert slow.tables[-1]["table"] == match.render().fragments["table"]
        assert len(slow.tables) == 2
        assert len(other.tables) > 15


async def test_viewer_that_never_reads_is_cut(server):
    async with following(server) as match:
        server.send(*messages_of()[:5])
        await settle()
        slow = join(match, stall_s=0.0)
        slow.protocol.pause_writing()
        await asyncio.sleep(0.01)

        assert slow.is_aborted


async def test_viewer_that_talks_is_cut(server):
    async with following(server) as match:
        talker = join(match)
        talker.protocol.data_received(b"GET / HTTP/1.1\r\n\r\n")

        assert talker.is_aborted


async def test_gone_viewer_is_forgotten(server):
    async with following(server) as match:
        viewer, other = join(match), join(match)
        viewer.protocol.connection_lost(None)
        viewer.protocol.connection_lost(None)
        server.send(*messages_of()[:5])
        await settle()

        assert len(match.viewers) == 1
        assert viewer.tables[1:] == []
        assert other.tables


async def test_end_is_told_when_the_store_has_it(server):
    """Not before: the links of the last update would lead to a match that still runs."""
    async with following(server) as match:
        viewer = join(match)
        server.send(*messages_of())
        server.send(None)
        await settle(200)
        assert viewer.events[-1] != ("over", {})
        server.end = StoredEnd.OPEN
        while not viewer.is_closed:
            await asyncio.sleep(0)

    assert viewer.events[-1] == ("over", {})
    assert f'<a href="/matches/{MATCH}/games/0">' in viewer.tables[-1]["status"]
    assert {*viewer.tables[-1]} == {"status", "table", "score", "lines"}


async def test_replay_of_secret_cards_is_not_linked(server):
    server.end = StoredEnd.SECRET
    async with following(server) as match:
        await settle()
        assert "/games/" not in match.render().fragments["status"]
        assert "over" in match.render().fragments["status"]


async def test_lost_server_is_named_and_the_stream_goes_on(server):
    """The snapshot of the server that is back tells nothing twice."""
    sent = messages_of()
    async with following(server) as match:
        server.send(*sent[:9])
        await settle()
        viewer = join(match)
        lines = match.render().view.lines
        server.refusal = EnvironmentFaultError("gone")
        server.send(EnvironmentFaultError("gone"))
        await settle(50)
        assert "No server shows this table now" in viewer.tables[-1]["status"]
        server.refusal = None
        while server.opened < 2:
            await asyncio.sleep(0)
        server.send(*sent[:12])
        await settle(50)

        assert "turn" in viewer.tables[-1]["status"]
        assert match.render().view.lines[: len(lines)] == lines
        assert server.streams == 1


async def test_full_server_is_named(server):
    server.refusal = CapacityError("full")
    async with following(server) as match:
        await settle()
        assert match.is_ready.is_set()
        assert "as many spectators as it allows" in match.render().fragments["status"]
