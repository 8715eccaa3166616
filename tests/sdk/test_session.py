"""Streams that start, break, resume and end, against a scripted server."""

import asyncio
import os
import signal
import sys
import time
from typing import ClassVar

import grpc
import pytest

from cheatarena import (
    Bot,
    Client,
    RefusedError,
    ServerGoneError,
    SessionReplacedError,
    Settings,
    SettingsError,
    TokenRefusedError,
    VersionRefusedError,
)
from cheatarena.credentials import ServerCredentials, write_credentials
from cheatarena.testing import Script
from cheatarena.v1 import decision_pb2, lobby_pb2, play_pb2, pool_pb2, session_pb2, snapshot_pb2
from tests.sdk.fake_arena import Stream, of_match, read_to_end, run_fake_arena
from tests.sdk.stories import Onlooker


class Choosy(Onlooker):
    """Accepts unrated matches only."""

    presets = ("standard", "folk")

    @classmethod
    def accepts(cls, offer):
        return not offer.terms.is_rated


class Remembering(Onlooker):
    """Records all objects of its class."""

    made: ClassVar[list["Remembering"]] = []

    def __init__(self):
        self.made.append(self)


def client_of(address: str, bot_class: type[Bot] = Onlooker, **settings) -> Client:
    return Client(bot_class, Settings(address=address, token="secret", instance="one", **settings))


async def play(address: str, bot_class: type[Bot] = Onlooker, **settings) -> None:
    """Play until the server ends the stream."""
    await asyncio.wait_for(client_of(address, bot_class, **settings).play(), 20)


def started_story(hand: str = "KC KD 2C") -> Script:
    return Script(seats=3).deal(hand)


def make_offer(*, rated: bool) -> lobby_pb2.Offered:
    terms = started_story().messages[0].events[0].match_started.terms
    terms.rated = rated
    return lobby_pb2.Offered(offer_id=3, match=1, entrant=0, terms=terms)


# ---- beginning


async def test_hello_identifies_the_bot_and_the_call_carries_the_token():
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Choosy, capacity=5)

    hello, metadata = arena.streams[0].hello, arena.streams[0].metadata
    assert (hello.protocol_version, hello.instance, hello.capacity) == (1, "one", 5)
    assert [(game.game, list(game.presets)) for game in hello.games] == [("cheat", ["standard", "folk"])]
    assert list(hello.positions) == []
    assert metadata["authorization"] == "Bearer secret"
    assert "arena-ticket" not in metadata


async def test_offers_are_answered_as_the_bot_class_says():
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        assert await stream.offer(make_offer(rated=False))
        assert not await stream.offer(make_offer(rated=True))
        unknown = make_offer(rated=False)
        unknown.terms.ruleset.ClearField("cheat")
        assert not await stream.offer(unknown)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Choosy)


async def test_ping_gets_its_pong():
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        assert await stream.ping(77) == 77
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address)


async def test_decisions_of_one_frame_return_in_one_frame(monkeypatch):
    monkeypatch.setattr("cheatarena.session_seats.WRITER_YIELD_S", 60.0)

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        stories = [of_match(started_story().asks_turn("K"), match) for match in range(1, 51)]
        await stream.send(*(message for story in stories for message in story))
        frame = await stream.read()
        assert frame is not None
        assert [each.match for each in frame.decisions] == list(range(1, 51))
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address)


async def test_slow_bots_do_not_hold_back_ready_answers():
    class Slow(Onlooker):
        def turn(self, table, options):
            time.sleep(0.01)
            return super().turn(table, options)

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(
            *(message for match in (1, 2, 3) for message in of_match(started_story().asks_turn("K"), match))
        )
        frame = await stream.read()
        assert frame is not None
        assert len(frame.decisions) == 1
        await stream.decisions(2)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Slow)


async def test_delayed_answer_leaves_without_another_server_frame():
    class Thinker(Onlooker):
        async def turn(self, table, options):
            await asyncio.sleep(0.01)
            return Onlooker.turn(self, table, options)

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*(message for match in (1, 2) for message in of_match(started_story().asks_turn("K"), match)))
        assert sorted(match for match, _, _ in await stream.decisions(2)) == [1, 2]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Thinker)


async def test_each_match_has_its_own_bot():
    Remembering.made = []

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*of_match(started_story().asks_turn("K"), 1), *of_match(started_story().asks_turn("K"), 2))
        await stream.decisions(2)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Remembering)

    assert len(Remembering.made) == 2


async def test_bot_that_cannot_be_created_leaves_its_seat(caplog):
    class Broken(Onlooker):
        def __init__(self):
            raise OSError("no model")

    async def talk(stream: Stream) -> None:
        await stream.welcome(started_story().messages[0])
        frame = await stream.read()
        assert frame is not None
        assert frame.notices[0].leave.match == 1
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        await play(arena.address, Broken)

    assert "Broken could not be constructed" in caplog.text


# ---- again


async def test_lost_stream_resumes_at_its_position_and_known_messages_are_ignored():
    story = started_story().plays(0, "K", "KC").plays(1, "K", 1).asks_window().asks_turn("K")
    *before, window, turn = story.messages

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*before, window)
        assert await stream.decisions(1) == [(1, 1, 1)]
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "the cable was pulled")

    async def second(stream: Stream) -> None:
        await stream.welcome(*before[2:], window, turn)
        assert await stream.decisions(2) == [(1, 1, 1), (1, 2, 2)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    positions = arena.streams[1].hello.positions
    assert [(each.match, each.entrant, each.sequence) for each in positions] == [(1, 0, window.sequence)]


async def test_answered_decisions_are_not_sent_again():
    story = started_story().asks_turn("K")
    answer = decision_pb2.DecisionAnswer(prompt_id=1, action_id=1, status=decision_pb2.DECISION_STATUS_ACCEPTED)

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*story.messages)
        await stream.decisions(1)
        await stream.send(play_pb2.SeatMessage(match=1, sequence=5, answers=[answer]))
        await stream.ping(1)
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "gone")

    async def second(stream: Stream) -> None:
        story.asks_turn("K").messages[-1].sequence = 6
        await stream.welcome(story.messages[-1])
        assert await stream.decisions(1) == [(1, 2, 2)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)


@pytest.mark.parametrize("is_over", [False, True], ids=["in a break", "after a break"])
async def test_ready_is_sent_again_during_a_break(is_over):
    """The first one may have been lost with the stream."""
    story = started_story().ends_game([1, 2, 3])
    story.messages[-1].events.add().intermission_started.until_us = 9_000_000
    seen: list[list[play_pb2.BotNotice]] = []

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*story.messages)
        frame = await stream.read()
        assert frame is not None
        seen.append([*frame.notices])
        if is_over:
            started = play_pb2.SeatMessage(match=1, sequence=story.messages[-1].sequence + 1)
            started.events.add().game_started.entrants = bytes((0, 1, 2))
            await stream.send(started)
        await stream.ping(1)
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "gone")

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(notices=[play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=1))])
        while not seen[-1] or not seen[-1][-1].HasField("pong"):
            frame = await stream.read()
            assert frame is not None
            seen.append([*frame.notices])
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    kinds = [each.WhichOneof("notice") for notices in seen for each in notices]
    assert kinds == (["ready", "pong"] if is_over else ["ready", "ready", "pong"])


async def test_gap_makes_the_bot_redial_for_the_missing_messages():
    story = started_story().plays(1, "K", 1).asks_turn("K")
    *before, missing, turn = story.messages

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*before, turn)
        await read_to_end(stream)

    async def second(stream: Stream) -> None:
        await stream.welcome(missing, turn)
        await stream.decisions(1)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    assert [each.sequence for each in arena.streams[1].hello.positions] == [before[-1].sequence]
    assert all(stream.hello.takes_joined_acceptances for stream in arena.streams)


async def test_persistent_gap_makes_the_bot_request_a_snapshot():
    story = started_story().plays(1, "K", 1).asks_turn("K")
    *before, _, turn = story.messages
    snapshot = snapshot_pb2.SeatSnapshot(
        events=[event for message in story.messages[:2] for event in message.events], prompts=turn.prompts
    )

    async def gap(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*before, turn)
        await read_to_end(stream)

    async def still(stream: Stream) -> None:
        await stream.welcome(turn)
        await read_to_end(stream)

    async def third(stream: Stream) -> None:
        await stream.welcome(play_pb2.SeatMessage(match=1, sequence=turn.sequence, snapshot=snapshot))
        await stream.decisions(1)
        await stream.farewell("GOODBYE")

    async with run_fake_arena(gap, still, third) as arena:
        await play(arena.address)

    assert list(arena.streams[2].hello.positions) == []


async def test_inconsistent_facts_make_the_bot_request_a_snapshot(caplog):
    story = started_story().plays(0, "K", "AS").asks_turn("K")

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*story.messages)
        await read_to_end(stream)

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    assert list(arena.streams[1].hello.positions) == []
    assert "a move cannot have been" in caplog.text


async def test_matches_of_a_restarted_node_are_forgotten(caplog):
    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*started_story().asks_turn("K"))
        await stream.decisions(1)
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "restart")

    async def second(stream: Stream) -> None:
        await stream.welcome(node="node 2")
        await stream.send(*started_story().asks_turn("K"))
        assert await stream.decisions(1) == [(1, 1, 1)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    assert "was restarted: 1 match starts again" in caplog.text


async def test_finished_match_is_not_started_again():
    Remembering.made = []
    story = started_story().ends_game([1, 2, 3]).ends_match()

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*story.messages)
        await stream.ping(1)
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "gone")

    async def second(stream: Stream) -> None:
        await stream.welcome(story.messages[-1])
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address, Remembering)

    assert len(Remembering.made) == 1
    assert [each.sequence for each in arena.streams[1].hello.positions] == [len(story.messages)]


async def test_seat_that_is_not_assigned_again_before_resumed_is_dropped(caplog):
    kept = lobby_pb2.Assigned(match=2, entrant=0)

    async def first(stream: Stream) -> None:
        await stream.welcome(*of_match(started_story(), 1), *of_match(started_story(), 2))
        await stream.ping(1)
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "gone")

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(notices=[play_pb2.ServerNotice(assigned=kept)])
        await stream.send(notices=[play_pb2.ServerNotice(resumed=session_pb2.Resumed())])
        await stream.send(*of_match(started_story().asks_turn("K", (1, 4)), 2)[-1:])
        assert await stream.decisions(1) == [(2, 1, 1)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    dropped = [each.getMessage() for each in caplog.records if "while the connection was lost" in each.getMessage()]
    assert dropped == [f"{arena.address}: match 1 ended while the connection was lost"]


async def test_seat_that_is_assigned_right_after_resumed_is_kept(caplog):
    """A match that a new server takes up may go on at any moment, and one frame may tell both."""
    resumed = play_pb2.ServerNotice(resumed=session_pb2.Resumed())
    assigned = play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=1, entrant=0))

    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*started_story().asks_turn("K").messages, notices=[resumed, assigned])
        assert await stream.decisions(1) == [(1, 1, 1)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first) as arena:
        await play(arena.address)

    assert "while the connection was lost" not in caplog.text


async def test_seat_that_was_taken_for_lost_is_played_when_the_server_assigns_it_again(caplog):
    told = started_story().asks_turn("K", (1, 4)).messages
    resumed = play_pb2.ServerNotice(resumed=session_pb2.Resumed())
    assigned = play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=1, entrant=0))

    async def first(stream: Stream) -> None:
        await stream.welcome(*told[:-1])
        await stream.refuse(grpc.StatusCode.UNAVAILABLE, "gone")

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(notices=[resumed])
        await stream.send(told[-1])

    async def third(stream: Stream) -> None:
        await stream.welcome()
        await stream.send(*told, notices=[assigned, resumed])
        assert await stream.decisions(1) == [(1, 1, 1)]
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second, third) as arena:
        await play(arena.address)

    assert [[each.sequence for each in stream.hello.positions] for stream in arena.streams] == [[], [3], [0]]
    assert caplog.text.count("while the connection was lost") == 1


# ---- elsewhere


async def test_table_on_another_node_is_dialled_with_its_ticket():
    away_done = asyncio.Event()

    async def away(stream: Stream) -> None:
        await stream.welcome(node="node 2")
        await stream.send(*started_story().asks_turn("K"))
        await stream.decisions(1)
        away_done.set()
        await read_to_end(stream)

    async with run_fake_arena(away) as other:

        async def home(stream: Stream) -> None:
            await stream.welcome()
            await stream.assign("", "")
            await stream.assign(other.address, "ticket 9")
            await stream.assign(other.address, "ticket 9")
            await asyncio.wait_for(away_done.wait(), 10)
            await stream.farewell("GOODBYE")

        async with run_fake_arena(home) as arena:
            await play(arena.address)

        assert [stream.metadata["arena-ticket"] for stream in other.streams] == ["ticket 9"]
        assert other.streams[0].hello.instance == "one"


# ---- ending


@pytest.mark.parametrize(
    ("code", "reason", "error"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "", TokenRefusedError),
        (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", TokenRefusedError),
        (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING", TokenRefusedError),
        (grpc.StatusCode.FAILED_PRECONDITION, "UNSUPPORTED_VERSION", VersionRefusedError),
        (grpc.StatusCode.UNIMPLEMENTED, "", VersionRefusedError),
        (grpc.StatusCode.INVALID_ARGUMENT, "HELLO_EXPECTED", RefusedError),
        (grpc.StatusCode.ABORTED, "SESSION_REPLACED", SessionReplacedError),
    ],
)
async def test_permanent_refusal_ends_the_program(code, reason, error):
    async def talk(stream: Stream) -> None:
        await stream.refuse(code, "no", reason)

    async with run_fake_arena(talk) as arena:
        with pytest.raises(error, match="no"):
            await play(arena.address)

    # If the refusal comes while Hello is being written, grpc.aio loses its status, and the bot has to ask once more.
    assert len(arena.streams) <= 2


async def test_lost_status_is_asked_for_again_without_a_word(caplog):
    """grpc.aio gives this text to a write that fails because the server has refused the stream meanwhile."""

    async def talk(stream: Stream) -> None:
        is_first = len(arena.streams) == 1
        code = grpc.StatusCode.INTERNAL if is_first else grpc.StatusCode.UNAUTHENTICATED
        await stream.refuse(code, "Internal error from Core" if is_first else "no", "")

    async with run_fake_arena(talk) as arena:
        with pytest.raises(TokenRefusedError, match="no"):
            await play(arena.address)

    assert "still trying" not in caplog.text


@pytest.mark.parametrize(
    ("reason", "error"), [("SESSION_REPLACED", SessionReplacedError), ("TOKEN_REVOKED", TokenRefusedError)]
)
async def test_final_farewell_ends_the_program(reason, error):
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell(reason, "somebody else plays now")
        await stream.refuse(grpc.StatusCode.ABORTED, "over")

    async with run_fake_arena(talk) as arena:
        with pytest.raises(error, match="somebody else plays now") as caught:
            await play(arena.address)

    assert caught.value.reason == reason
    assert len(arena.streams) == 1


async def test_server_of_another_version_is_left_alone():
    async def talk(stream: Stream) -> None:
        await stream.welcome(version=2)
        await read_to_end(stream)

    async with run_fake_arena(talk) as arena:
        with pytest.raises(VersionRefusedError, match="speaks version 2 of the protocol"):
            await play(arena.address)


async def test_stopping_server_is_redialled():
    async def first(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("SHUTTING_DOWN")

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        await play(arena.address)

    assert len(arena.streams) == 2


async def test_server_that_disappears_ends_the_program_after_a_while():
    with pytest.raises(ServerGoneError, match=r"no server at localhost:1 for 0\.2 seconds"):
        await play("localhost:1", patience_s=0.2)


async def test_stop_sends_a_farewell():
    ended = asyncio.Event()

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        frame = await stream.read()
        assert frame is not None
        assert frame.notices[0].HasField("goodbye")
        assert await stream.read() is None
        ended.set()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(talk) as arena:
        client = client_of(arena.address)
        playing = asyncio.create_task(client.play())
        await arena.has_begun()
        client.stop()
        await asyncio.wait_for(playing, 10)

    assert ended.is_set()


async def test_bot_of_a_pool_that_finishes_takes_no_new_seats_and_ends_with_its_matches(caplog):
    story = started_story()
    has_stopped = asyncio.Event()

    async def play_on(stream: Stream) -> None:
        await stream.welcome()
        assigned = play_pb2.ServerNotice(assigned=lobby_pb2.Assigned(match=1, entrant=0))
        await stream.send(*story.messages, notices=[assigned])
        await read_to_end(stream)

    async def end(stream: Stream) -> None:
        await stream.welcome()
        assert not await stream.offer(make_offer(rated=True))
        await stream.send(*story.ends_game([1, 2, 3]).ends_match().messages[-2:])
        frame = await stream.read()
        assert frame is not None
        assert frame.notices[0].HasField("goodbye")
        has_stopped.set()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(play_on, end) as arena:
        client = client_of(arena.address, pools={"standard": 2}, challenges="everybody", capacity=50)
        playing = asyncio.create_task(client.play())
        await arena.has_begun()
        async with asyncio.timeout(10):
            while not client.finish():
                await asyncio.sleep(0.01)
        assert not client.finish(), "a second request ends it now"
        await asyncio.wait_for(playing, 10)

    assert has_stopped.is_set()
    hello = arena.streams[1].hello
    assert (list(hello.pools), hello.capacity, len(hello.positions)) == ([], 1, 1)
    assert hello.challenges == pool_pb2.CHALLENGE_POLICY_NOBODY
    assert "takes no new seats, plays 1 match to the end, and ends; press Ctrl-C again to end now" in caplog.text
    assert "still trying" not in caplog.text


@pytest.mark.parametrize("pools", [{}, {"standard": 1}])
async def test_bot_without_a_pool_or_a_seat_has_nothing_to_finish(pools):
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await read_to_end(stream)

    async with run_fake_arena(talk) as arena:
        client = client_of(arena.address, pools=pools)
        playing = asyncio.create_task(client.play())
        await arena.has_begun()
        assert not client.finish()
        client.stop()
        await asyncio.wait_for(playing, 10)


async def test_stop_ends_a_bot_that_waits_for_its_server():
    client = client_of("localhost:1", patience_s=60)
    playing = asyncio.create_task(client.play())
    await asyncio.sleep(0.2)

    client.stop()

    await asyncio.wait_for(playing, 5)


# ---- whole programs

PROGRAM = """
from cheatarena import (Bot, run)

class Waiting(Bot):
    def turn(self, table, options):
        return options.pass_()

run(Waiting)
"""


async def program(address: str | None) -> asyncio.subprocess.Process:
    """Start a bot in its own process."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CHEATARENA_")}
    env = inherited | ({"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": "secret"} if address else {})
    path = os.pathsep.join(each for each in sys.path if each)
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, env=env | {"PYTHONPATH": path}, stderr=asyncio.subprocess.PIPE
    )


async def end_of(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """Wait for a process, and return its exit code and its last line of output."""
    _, written = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode, (written.decode().splitlines() or [""])[-1]


async def test_program_without_an_address_reports_it():
    code, last = await end_of(await program(None))

    assert code == 64
    assert last.startswith("no server is named: set CHEATARENA_ADDRESS to host:port; there is no token")


async def test_program_with_a_refused_token_ends_with_one_sentence():
    async def talk(stream: Stream) -> None:
        await stream.refuse(grpc.StatusCode.UNAUTHENTICATED, "unknown token")

    async with run_fake_arena(talk) as arena:
        code, last = await end_of(await program(arena.address))

    assert code == 77
    assert last == f"the server refused the token ({arena.address}: unknown token)"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")
@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_program_that_receives_a_stop_signal_sends_a_farewell(number, expected):
    goodbyes = []

    async def talk(stream: Stream) -> None:
        await stream.welcome()
        frame = await stream.read()
        assert frame is not None
        goodbyes.append(frame.notices[0].WhichOneof("notice"))

    async with run_fake_arena(talk) as arena:
        process = await program(arena.address)
        await arena.has_begun()
        process.send_signal(number)
        code, _ = await end_of(process)

    assert code == expected
    assert goodbyes == ["goodbye"]


# ---- tokens


@pytest.mark.parametrize("reason", ["TOKEN_EXPIRED", "TOKEN_REVOKED"])
async def test_bot_goes_on_with_the_token_that_replaced_its_own(tmp_path, reason):
    """Its owner has rotated the token, which is in the credentials file."""
    file = tmp_path / "credentials.json"

    def write(address: str, token: str) -> None:
        write_credentials(file, {address: ServerCredentials("ann", "cat_owner", {"counter": token})})

    async def first(stream: Stream) -> None:
        await stream.welcome()
        write(arena.address, "new")
        await stream.farewell(reason)

    async def second(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("GOODBYE")

    async with run_fake_arena(first, second) as arena:
        write(arena.address, "old")
        settings = Settings.from_environment({"CHEATARENA_CREDENTIALS": str(file)})
        await asyncio.wait_for(Client(Onlooker, settings).play(), 20)

    assert [stream.metadata["authorization"] for stream in arena.streams] == ["Bearer old", "Bearer new"]


async def test_bot_without_another_token_ends_when_its_own_is_refused(tmp_path):
    async def talk(stream: Stream) -> None:
        await stream.welcome()
        await stream.farewell("TOKEN_EXPIRED")

    async with run_fake_arena(talk) as arena:
        file = tmp_path / "credentials.json"
        write_credentials(file, {arena.address: ServerCredentials("ann", "cat_owner", {"counter": "old"})})
        settings = Settings.from_environment({"CHEATARENA_CREDENTIALS": str(file)})
        with pytest.raises(TokenRefusedError, match="expired"):
            await asyncio.wait_for(Client(Onlooker, settings).play(), 20)

    assert len(arena.streams) == 1


# ---- settings


def test_settings_are_read_from_the_environment():
    settings = Settings.from_environment(
        {
            "CHEATARENA_ADDRESS": "arena.example:443",
            "CHEATARENA_TOKEN": "secret",
            "CHEATARENA_CAPACITY": "7",
            "CHEATARENA_PATIENCE": "86400",
        }
    )

    assert (settings.address, settings.capacity, settings.speaks_tls) == ("arena.example:443", 7, True)
    assert settings.patience_s == 86_400
    assert settings.instance == "", "which derives it from the machine"
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"CHEATARENA_TOKEN": "x"}, "no server is named"),
        ({"CHEATARENA_ADDRESS": "x:1"}, "there is no token"),
        ({"CHEATARENA_CAPACITY": "many"}, "CHEATARENA_CAPACITY is 'many', expected a number"),
        ({"CHEATARENA_PATIENCE": "for ever"}, "CHEATARENA_PATIENCE is 'for ever', expected a number of seconds"),
        ({"CHEATARENA_CAPACITY": "20000", "CHEATARENA_ADDRESS": "x:1", "CHEATARENA_TOKEN": "x"}, "expected 1 to 10000"),
    ],
)
def test_missing_and_wrong_settings_are_named(environ, sentence):
    with pytest.raises(SettingsError, match=sentence):
        Settings.from_environment(environ)
