"""The line of a runner and a node: what is asked, answered and raised arrives as it was; who has gone is noticed."""

import asyncio
import socket
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.errors import (
    ArenaError,
    BotStartError,
    DeniedError,
    NotConnectedError,
    OptionError,
    ProtocolError,
    RequestError,
    StoreError,
)
from arena.launch.programs import BotProgram
from arena.match.match_order import MatchOrder, MatchReport, PlayedGame
from arena.match.pace import Pace
from arena.match.ports import DealRow, GameRow, MatchId, MatchRow
from arena.match.terms import Seating
from arena.runner.bot_entrant import BotEntrant
from arena.runner.channel import Line, LineCutError
from arena.runner.job import MatchJob, MatchJobResult, NodeSetup
from arena.runner.letters import packed, unpacked
from arena.runner.match_bots import BotExit
from arena.store.token_identity import Revocations, Scope, TokenIdentity

M = MatchId("01M7ZS0Z5T9EMRPN0YK13RPN5R")
ORDER = MatchOrder(("a", "b"), options={"decks": "2"}, pace=Pace.live_defaults(), seating=Seating.FIXED, seed=bytes(32))
PROGRAM = BotProgram("a", ("python", "-u", "bot.py"), Path("/bots/a"), {"HOW": "well"}, 3.5)
REPORT = MatchReport(
    M, "ended", (PlayedGame(0, (2, 1), "finished", 30),), "finished", ({"late": 1}, {"late": 0}), ({"think_s": 0.25},)
)
VALUES = [
    DealRow(1, M, "d", "j.journal", 7, 0.5, b"\x00\xff", bytes(32), bytes(32), {"seed": "00", "salts": ["01"]}),
    MatchRow(M, 1, "j", 0.5, "cheat", "folk", {"ruleset": {"ranks": [1, 2]}}, ("a", "b"), True, strikes=({"late": 1},)),
    GameRow(M, 3, (1, 2), "finished", 40, "2", "ab", bytes(range(256))),
    TokenIdentity("ä#1", frozenset({Scope.PLAY}), "cat_12345678", None),
    Revocations(4, ("cat_1", "cat_2")),
    MatchJob(ORDER, (BotEntrant("a", PROGRAM),), ("a",)),
    MatchJobResult(
        REPORT, {"a": Path("bots/a.log")}, (BotExit("a", "ended", ("x", "y"), Path("a.log")),), (5, 6), "gone"
    ),
    NodeSetup(Path("data"), "N-1", bytes(range(32))),
    [1, None, True, 0.1, "text", {"plain": {"nested": [1, [2]]}}],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_arrives_as_it_was_sent(value):
    assert unpacked(packed(value)) == value


def test_what_has_no_name_on_the_line_does_not_travel():
    with pytest.raises(TypeError, match="a complex does not travel"):
        packed(1j)


@pytest.mark.parametrize("data", [b"", b"{", b'{"$":"Popen","of":{}}', b'{"$":"GameRow","of":{"x":1}}', b"\xff"])
def test_what_is_no_letter_is_refused(data):
    with pytest.raises(ProtocolError, match="cannot be read"):
        unpacked(data)


@asynccontextmanager
async def lines(answers=None, hears=None):
    """Both ends: the one that asks, and the one that answers."""
    ends = [await asyncio.open_connection(sock=end) for end in socket.socketpair()]
    asking, answering = Line(ends[0], {}, {}), Line(ends[1], answers or {}, hears or {})
    tasks = [asyncio.ensure_future(line.work()) for line in (asking, answering)]
    try:
        yield asking, answering
    finally:
        asking.close()
        answering.close()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks)


async def test_each_ask_gets_its_own_answer():
    """Whatever the order in which they are done."""
    doors = [asyncio.Event() for _ in range(3)]

    async def wait(number):
        await doors[number].wait()
        return number

    async with lines({"wait": wait}) as (asking, _):
        asked = [asyncio.ensure_future(asking.ask("wait", number)) for number in range(3)]
        for door in reversed(doors):
            door.set()

        assert await asyncio.gather(*asked) == [0, 1, 2]


async def test_a_large_value_arrives_whole():
    """More than any buffer between the ends holds."""

    async def echo(value):
        return value

    async with lines({"echo": echo}) as (asking, _):
        assert await asking.ask("echo", bytes(4 << 20)) == bytes(4 << 20)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (StoreError("the disk is full"), StoreError),
        (DeniedError("no"), DeniedError),
        (NotConnectedError(["a", "b"]), RequestError),
        (OptionError("seed", "x", "expected none"), RequestError),
        (KeyError("a bug"), ArenaError),
    ],
)
async def test_an_error_is_told_as_the_kind_of_error_that_it_is(raised, kind):
    """One that is made of more than its text arrives as the next kind above it: the exit code stays the same."""

    async def fail():
        raise raised

    async with lines({"fail": fail}) as (asking, _):
        with pytest.raises(ArenaError) as told:
            await asking.ask("fail")

    assert type(told.value) is kind
    assert str(raised) in str(told.value)


async def test_what_was_noted_on_an_error_is_told_too():
    async def fail():
        error = BotStartError("a ended")
        error.add_note("its last line")
        raise error

    async with lines({"fail": fail}) as (asking, _):
        with pytest.raises(BotStartError) as told:
            await asking.ask("fail")

    assert told.value.__notes__ == ["its last line"]


async def test_what_is_told_arrives_in_order_and_before_what_is_asked_later():
    heard: list[int] = []

    async def how_many():
        return len(heard)

    async with lines({"how_many": how_many}, {"count": heard.append}) as (asking, _):
        for number in range(100):
            asking.tell("count", number)

        assert await asking.ask("how_many") == 100
    assert heard == list(range(100))


async def test_an_end_that_goes_is_an_error_for_whoever_waits_and_whoever_asks_then():
    async def never():
        await asyncio.Event().wait()

    async with lines({"never": never}) as (asking, answering):
        asked = asyncio.ensure_future(asking.ask("never"))
        await asyncio.sleep(0)

        answering.close()

        with pytest.raises(LineCutError):
            await asked
        with pytest.raises(LineCutError):
            await asking.ask("never")
        asking.tell("nobody hears it")


async def test_an_ask_that_nobody_waits_for_any_more_disturbs_nobody():
    door = asyncio.Event()

    async def wait():
        await door.wait()
        return "late"

    async def hello():
        return "hello"

    async with lines({"wait": wait, "hello": hello}) as (asking, _):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asking.ask("wait"), 0.01)
        door.set()

        assert await asking.ask("hello") == "hello"
