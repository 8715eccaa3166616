"""A stream that has caught up says so: `Resumed` follows everything about the seats that the session holds."""

import pytest

from arena.match.feed import outbox
from arena.match.referee.scalars import EntrantIndex
from arena.server.node.session import Session
from cheatarena.v1 import match_pb2, play_pb2, session_pb2
from tests.support.server import LocalServer, slow_pace
from tests.support.wire_bot import WireBot

ONE_MESSAGE_BYTES = outbox.FRAME_OVERHEAD_BYTES + 1
"""With frames of this size, each message comes in a frame of its own."""


@pytest.fixture(params=[outbox.MAX_FRAME_BYTES, ONE_MESSAGE_BYTES], ids=["one frame", "many frames"])
def frame_bytes(request, monkeypatch):
    """Limit the frames that the server sends."""
    monkeypatch.setattr(outbox, "MAX_FRAME_BYTES", request.param)


async def play_three_matches(site: LocalServer) -> tuple[WireBot, list[match_pb2.Match]]:
    """Seat ann at three tables, and wait until each has dealt."""
    ann, bob = await site.connect_bots("ann", "bob")
    matches = []
    for _ in range(3):
        matches.append(await site.create_match("ann", "bob", pace=slow_pace()))
        await ann.answer_offer()
        await bob.answer_offer()
        await ann.wait_for_event("cheat_dealt")
    return ann, matches


async def lose_connection(site: LocalServer, ann: WireBot, ended: match_pb2.Match) -> None:
    """Disconnect ann, and let one of its matches end meanwhile."""
    await ann.disconnect()
    await site.wait_until_gone("ann")
    await site.matches.CancelMatch(match_pb2.CancelMatchRequest(match_id=ended.match_id), metadata=site.organizing)


def positions_of(bot: WireBot) -> list[session_pb2.Position]:
    """Return the position of a bot that has only the first message of each seat."""
    return [
        session_pb2.Position(match=each.match, entrant=each.entrant, sequence=1)
        for each in bot.messages
        if each.sequence == 1
    ]


def kinds_of(notices: list[play_pb2.ServerNotice]) -> list[str | None]:
    return [each.WhichOneof("notice") for each in notices]


async def test_new_session_has_caught_up_at_once(site: LocalServer):
    ann = await site.connect_bot("ann")

    await ann.wait_for_notice("resumed")

    assert len(ann.raw_frames) == 2
    assert not ann.notices


@pytest.mark.usefixtures("frame_bytes")
@pytest.mark.parametrize("is_exact", [True, False], ids=["from positions", "from snapshots"])
async def test_resumed_follows_assignments_and_missed_messages(site: LocalServer, is_exact):
    """The seats of matches that have ended get nothing. So after Resumed, a seat that was not assigned is over."""
    ann, matches = await play_three_matches(site)
    await lose_connection(site, ann, matches[1])

    again = await site.open_stream("ann")
    await again.open_session(positions=positions_of(ann) if is_exact else (), node=site.node.name)
    while "resumed" not in kinds_of([*again.notices]):
        await again.receive()

    assert kinds_of([*again.notices]) == ["assigned", "assigned", "resumed"]
    assert [each.assigned.match for each in again.notices if each.HasField("assigned")] == [1, 3]
    feeds = {number: hosted.feed for number, hosted in site.node.registry.matches.items()}
    caught_up = {each.match: each.sequence for each in again.messages}
    assert caught_up == {number: feeds[number].sequence_of(EntrantIndex(0)) for number in (1, 3)}
    assert any(each.HasField("snapshot") for each in again.messages) is not is_exact


async def test_resumed_follows_unanswered_requests(site: LocalServer):
    """An offer and a request for entropy come again before it."""
    ann, bob = await site.connect_bots("ann", "bob")
    await site.create_match("ann", "bob", pace=slow_pace(), seed=b"")
    await ann.answer_offer(promise=bytes(32))
    await bob.answer_offer()
    await ann.wait_for_notice("entropy_asked")
    await site.create_match("ann", "bob", pace=slow_pace())
    await ann.wait_for_notice("offered")

    again = await site.open_stream("ann")
    await again.open_session()
    while "resumed" not in kinds_of([*again.notices]):
        await again.receive()

    assert kinds_of([*again.notices]) == ["entropy_asked", "offered", "resumed"]


@pytest.mark.replaces_code
async def test_seat_of_a_match_that_goes_on_right_after_resumed_comes_in_a_later_frame(site: LocalServer, monkeypatch):
    """So no bot takes its match, whose messages a frame has before its notices, for one that Resumed declares over."""
    ann, _ = await play_three_matches(site)
    hosted = site.node.registry.matches[1]
    await ann.disconnect()
    await site.wait_until_gone("ann")
    del site.node.registry.matches[1]
    site.node.registry.sessions.release_all_seats(hosted)

    confirm = Session.confirm_resumption

    def confirm_and_go_on(session: Session) -> None:
        confirm(session)
        now = site.node.now()
        site.node.registry.continue_match(hosted, now, now)

    monkeypatch.setattr(Session, "confirm_resumption", confirm_and_go_on)
    again = await site.open_stream("ann")
    await again.open_session()
    while all(each.match != hosted.number for each in again.messages):
        await again.receive()

    frames = [play_pb2.PlayResponse.FromString(raw) for raw in again.raw_frames]
    [caught_up] = [frame for frame in frames if "resumed" in kinds_of([*frame.notices])]
    assert kinds_of([*caught_up.notices]) == ["assigned", "assigned", "resumed"]
    assert hosted.number not in {each.match for each in caught_up.messages}
