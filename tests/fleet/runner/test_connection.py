"""The connection of a runner and a node: calls, answers and errors arrive as they were; a lost end is noticed."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from arena.bots.launch.programs import BotProgram
from arena.errors import (
    ArenaError,
    BotStartError,
    DeniedError,
    NotationError,
    NotConnectedError,
    OptionError,
    OptionsError,
    ProtocolError,
    StoreError,
    UnknownNameError,
)
from arena.fleet.runner.connection import PROTOCOL_VERSION, Connection, LineCutError, StreamTransport
from arena.fleet.runner.job import MatchJobResult, NodeSetup, ResourceUsage
from arena.fleet.runner.node_services import SharedTableMessage
from arena.fleet.runner.service import Handlers, Service
from arena.fleet.runner.started_bot import BotExit
from arena.games.catalogue import games
from arena.match.referee.deal import DealSecret
from arena.match.referee.match_order import MatchOrder, MatchReport, terms_from_order
from arena.match.referee.pace import Pace
from arena.match.referee.ports import DealRow, GameRow, GameSummary, MatchId, MatchRow
from arena.match.referee.terms import Seating
from arena.plain_errors import describe_error
from arena.server.config.server_config import ServerConfig
from arena.server.node.deals import SharedTable
from arena.server.store.account_values import Revocations, Scope, TokenIdentity

M = MatchId("01M7ZS0Z5T9EMRPN0YK13RPN5R")
ORDER = MatchOrder(("a", "b"), options={"decks": "2"}, pace=Pace.live_defaults(), seating=Seating.FIXED, seed=bytes(32))
PROGRAM = BotProgram("a", ("python", "-u", "bot.py"), Path("/bots/a"), {"HOW": "well"}, 3.5, files=(Path("x"),))
REPORT = MatchReport(
    M, "ended", (GameSummary(0, (2, 1), "finished", 30),), "finished", ({"late": 1}, {"late": 0}), ({"think_s": 0.25},)
)
DEAL = DealRow(1, M, "d", "j.journal", 7, 0.5, b"\x00\xff", bytes(32), bytes(32), {"seed": "00", "salts": ["01"]})
MATCH = MatchRow(
    M, 1, "j", 0.5, "cheat", "folk", {"ruleset": {"ranks": [1, 2]}}, ("a", "b"), True, strikes=({"late": 1},)
)
GAME = GameRow(M, 3, (1, 2), "finished", 40, "2", "ab", bytes(range(256)))
IDENTITY = TokenIdentity("ä#1", frozenset({Scope.PLAY}), "cat_12345678", None)
TERMS = terms_from_order(ORDER, games())
TABLE = SharedTable(M, TERMS, DealSecret("d", b"r", b"s", (b"1",), 2), 0.5, "league", frozenset({"a"}), (b"x", b"y"))
RESULT = MatchJobResult(
    REPORT, {"a": Path("bots/a.log"), "b": None}, (BotExit("a", "ended", ("x", "y"), Path("a.log")),), (5, 6), "gone"
)


class Echo(Protocol):
    """Gives each kind of value back that crosses between a runner and its nodes."""

    async def deal(self, value: DealRow | None) -> DealRow | None: ...
    async def match(self, value: MatchRow) -> MatchRow: ...
    async def games(self, value: Sequence[GameRow]) -> Sequence[GameRow]: ...
    async def identity(self, value: TokenIdentity) -> TokenIdentity: ...
    async def revocations(self, value: Revocations) -> Revocations: ...
    async def order(self, value: MatchOrder) -> MatchOrder: ...
    async def programs(self, value: Mapping[str, BotProgram]) -> Mapping[str, BotProgram]: ...
    async def table(self, value: SharedTableMessage) -> SharedTableMessage: ...
    async def result(self, value: MatchJobResult) -> MatchJobResult: ...
    async def setup(self, value: NodeSetup) -> NodeSetup: ...
    async def usage(self, value: ResourceUsage) -> ResourceUsage: ...
    async def plain(self, value: Mapping[str, Any]) -> Mapping[str, Any]: ...
    async def data(self, value: bytes) -> bytes: ...


class Echoing:
    """Implements `Echo`."""

    def __getattr__(self, name):
        async def echo(value):
            return value

        return echo


VALUES = [
    ("deal", DEAL),
    ("deal", None),
    ("match", MATCH),
    ("games", [GAME]),
    ("identity", IDENTITY),
    ("revocations", Revocations(4, ("cat_1", "cat_2"))),
    ("order", ORDER),
    ("programs", {"b": PROGRAM, "a": PROGRAM}),
    ("table", SharedTableMessage.of(TABLE)),
    ("table", SharedTableMessage.of(replace(TABLE, needs_everybody=True))),
    ("result", RESULT),
    ("setup", NodeSetup(Path("data"), "N-1", bytes(range(32)))),
    ("setup", NodeSetup(Path("data"), "N-1", bytes(32), server=ServerConfig(listen=("[::]:7",), tls_cert=Path("c")))),
    ("usage", ResourceUsage(1, 0.5, 0.25, 2, 3, 4)),
    ("plain", {"a": [1, None, True, 0.1, "text", {"plain": {"nested": [1, [2]]}}]}),
    ("data", bytes(4 << 20)),
]
ECHO = Service(Echo)


@pytest.mark.parametrize(("method", "value"), VALUES, ids=[f"{method}" for method, _ in VALUES])
async def test_value_round_trips(method, value):
    """A large value does too, which fits into no buffer between the ends."""
    async with connections(ECHO.handlers(Echoing())) as (caller, _):
        assert await getattr(ECHO.client(caller), method)(value) == value


def test_message_replaces_a_table_which_cannot_be_sent():
    assert SharedTableMessage.of(TABLE).restore() == TABLE


async def test_value_of_wrong_type_is_refused_by_the_reading_end():
    async with connections(ECHO.handlers(Echoing())) as (caller, _):
        with pytest.raises(ProtocolError, match="Expected `bytes`, got `int`"):
            await ECHO.client(caller).data(3)  # type: ignore[arg-type]  # this is what the test is about


async def test_value_of_unknown_type_is_not_sent():
    async with connections(ECHO.handlers(Echoing())) as (caller, _):
        with pytest.raises(NotImplementedError, match="a complex cannot be sent"):
            await ECHO.client(caller).plain({"a": 1j})


async def test_call_unknown_to_the_other_end_is_refused():
    async with connections({}) as (caller, _):
        with pytest.raises(ProtocolError, match=r"the other process called 'Echo\.data'"):
            await ECHO.client(caller).data(b"")


class Counter(Protocol):
    """A service with calls and notices."""

    async def work(self, number: int = 7) -> int: ...
    def count(self, number: int) -> None: ...


COUNTER = Service(Counter)


class Working:
    """Implements `Counter`."""

    def __init__(self, work: Callable[[int], Awaitable[int]] | None = None) -> None:
        self.counted: list[int] = []
        self._work = work

    async def work(self, number: int = 0) -> int:
        return len(self.counted) if self._work is None else await self._work(number)

    def count(self, number: int) -> None:
        self.counted.append(number)


def ends() -> tuple[Coroutine[Any, Any, StreamTransport], Coroutine[Any, Any, StreamTransport]]:
    """Both ends of a socket."""

    async def transport(end: socket.socket) -> StreamTransport:
        return StreamTransport(*await asyncio.open_connection(sock=end))

    one, other = socket.socketpair()
    return transport(one), transport(other)


@asynccontextmanager
async def connections(handlers: Handlers) -> AsyncIterator[tuple[Connection, Connection]]:
    """Both ends: the one that calls, and the one that answers."""
    calling, answering = [Connection(await end) for end in ends()]
    tasks = [asyncio.create_task(calling.run({})), asyncio.create_task(answering.run(handlers))]
    try:
        yield calling, answering
    finally:
        calling.close()
        answering.close()
        async with asyncio.timeout(5):
            await asyncio.gather(*tasks)


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"\xff",
        msgspec.msgpack.encode({"type": "hello", "version": PROTOCOL_VERSION + 1}),
        msgspec.msgpack.encode([1]),
    ],
)
async def test_peer_with_different_version_is_refused(first):
    ours, theirs = [await end for end in ends()]
    connection = Connection(ours)
    theirs.send(first)
    asked = asyncio.create_task(COUNTER.client(connection).work())
    await asyncio.sleep(0)

    with pytest.raises(ProtocolError):
        await connection.run({})
    with pytest.raises(LineCutError, match="the other process"):
        await asked
    connection.close()
    theirs.close()


async def test_each_call_gets_its_own_reply():
    """The order in which the calls complete does not matter."""
    doors = [asyncio.Event() for _ in range(3)]

    async def wait(number: int) -> int:
        await doors[number].wait()
        return number

    async with connections(COUNTER.handlers(Working(wait))) as (caller, _):
        asked = [asyncio.create_task(_work(caller, number)) for number in range(3)]
        for door in reversed(doors):
            door.set()

        assert await asyncio.gather(*asked) == [0, 1, 2]


async def _work(caller: Connection, number: int) -> int:
    return await COUNTER.client(caller).work(number)


async def test_omitted_argument_has_its_declared_default():
    async def give_back(number: int) -> int:
        return number

    async with connections(COUNTER.handlers(Working(give_back))) as (caller, _):
        assert await COUNTER.client(caller).work() == 7


ERRORS = [
    StoreError("the disk is full"),
    DeniedError("no"),
    NotConnectedError(["a", "b"]),
    UnknownNameError("game", "chess", ["cheat", "cheater"]),
    OptionError("seed", "x", "expected none"),
    OptionsError([OptionError("seed", None, "expected none"), OptionError("entrants", ["a"], "once")]),
    NotationError("Zz", "a card"),
]


@pytest.mark.parametrize("raised", ERRORS, ids=lambda error: type(error).__name__)
async def test_error_is_reraised_unchanged(raised):
    async def fail(_: int) -> int:
        raise raised

    async with connections(COUNTER.handlers(Working(fail))) as (caller, _):
        with pytest.raises(ArenaError) as told:
            await COUNTER.client(caller).work()

    assert type(told.value) is type(raised)
    assert str(told.value) == str(raised)
    assert describe_error(told.value) == describe_error(raised)


async def test_foreign_error_names_the_call():
    async def fail(_: int) -> int:
        raise KeyError("a bug")

    async with connections(COUNTER.handlers(Working(fail))) as (caller, _):
        with pytest.raises(ArenaError, match=r"Counter\.work: KeyError: 'a bug'"):
            await COUNTER.client(caller).work()


async def test_error_of_another_package_arrives_as_nearest_arena_error():
    class LostError(StoreError):
        pass

    async def fail(_: int) -> int:
        raise LostError("gone")

    async with connections(COUNTER.handlers(Working(fail))) as (caller, _):
        with pytest.raises(StoreError, match="gone") as told:
            await COUNTER.client(caller).work()

    assert type(told.value) is StoreError


async def test_notes_of_an_error_arrive_too():
    async def fail(_: int) -> int:
        error = BotStartError("a ended")
        error.add_note("its last line")
        raise error

    async with connections(COUNTER.handlers(Working(fail))) as (caller, _):
        with pytest.raises(BotStartError) as told:
            await COUNTER.client(caller).work()

    assert told.value.__notes__ == ["its last line"]


async def test_notifications_arrive_in_order_and_before_later_calls():
    working = Working()

    async with connections(COUNTER.handlers(working)) as (caller, _):
        for number in range(100):
            COUNTER.client(caller).count(number)

        assert await COUNTER.client(caller).work() == 100
    assert working.counted == list(range(100))


async def test_closed_end_fails_pending_and_later_calls():
    async def never(_: int) -> int:
        await asyncio.Event().wait()
        return 0

    async with connections(COUNTER.handlers(Working(never))) as (caller, answering):
        asked = asyncio.create_task(_work(caller, 1))
        await asyncio.sleep(0)

        answering.close()

        with pytest.raises(LineCutError):
            await asked
        with pytest.raises(LineCutError):
            await COUNTER.client(caller).work()
        COUNTER.client(caller).count(1)


async def test_abandoned_call_does_not_affect_others():
    door = asyncio.Event()

    async def wait(number: int) -> int:
        if number == 1:
            await door.wait()
        return number

    async with connections(COUNTER.handlers(Working(wait))) as (caller, _):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_work(caller, 1), 0.01)
        door.set()

        assert await COUNTER.client(caller).work(2) == 2
