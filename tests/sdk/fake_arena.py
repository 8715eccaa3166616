"""A scripted server on its own port. Each stream follows one script, in order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import TypeAlias

import grpc.aio
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from cheatarena.testing import Script
from cheatarena.v1 import lobby_pb2, play_pb2, session_pb2
from cheatarena.v1.error_reason_pb2 import ErrorReason

Context: TypeAlias = "grpc.aio.ServicerContext[bytes, bytes]"


class Stream:
    """A bot's stream as the server sees it."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.metadata = dict(context.invocation_metadata() or ())
        self.hello = session_pb2.Hello()
        self.has_begun = asyncio.Event()

    async def read(self) -> play_pb2.PlayRequest | None:
        """Return the bot's next frame, or None at the end of its stream."""
        data = await asyncio.wait_for(self.context.read(), 10)
        return play_pb2.PlayRequest.FromString(data) if data else None  # the end of a stream is false

    async def decisions(self, count: int) -> list[tuple[int, int, int]]:
        """Read until `count` decisions have arrived; return match, prompt and action id of each."""
        found: list[tuple[int, int, int]] = []
        while len(found) < count:
            frame = await self.read()
            assert frame is not None, f"the stream ended after {found}"
            found += [(each.match, each.prompt_id, each.action_id) for each in frame.decisions]
        return found

    async def welcome(
        self,
        *messages: play_pb2.SeatMessage,
        node: str = "node 1",
        version: int = 1,
        instance: str = "",
        answers_soon: bool = False,
    ) -> None:
        """Read Hello and answer it, with messages in the same frame. Older servers name no instance."""
        frame = await self.read()
        assert frame is not None
        self.hello = frame.notices[0].hello
        greeting = session_pb2.Welcome(
            protocol_version=version, name="tester", node=node, instance=instance, answers_soon=answers_soon
        )
        await self.send(*messages, notices=[play_pb2.ServerNotice(welcome=greeting)])
        self.has_begun.set()

    async def send(self, *messages: play_pb2.SeatMessage, notices: Iterable[play_pb2.ServerNotice] = ()) -> None:
        """Send one frame."""
        frame = play_pb2.PlayResponse(messages=messages, now_us=1_000_000, notices=notices)
        await self.context.write(frame.SerializeToString())

    async def offer(self, offered: lobby_pb2.Offered) -> bool:
        """Offer a seat and return whether it was accepted."""
        await self.send(notices=[play_pb2.ServerNotice(offered=offered)])
        frame = await self.read()
        assert frame is not None
        return frame.notices[0].offer_answer.accept

    async def assign(self, address: str, ticket: str) -> None:
        """Assign a bot to a table on another node."""
        assigned = lobby_pb2.Assigned(match=1, entrant=0, node_address=address, ticket=ticket)
        await self.send(notices=[play_pb2.ServerNotice(assigned=assigned)])

    async def ping(self, nonce: int) -> int:
        """Send a ping and return the pong's nonce."""
        await self.send(notices=[play_pb2.ServerNotice(ping=session_pb2.Ping(nonce=nonce))])
        frame = await self.read()
        assert frame is not None
        return frame.notices[0].pong.nonce

    async def farewell(self, reason: str, detail: str = "") -> None:
        """Send a farewell, which says why the stream ends."""
        said = session_pb2.Farewell(reason=ErrorReason.Value(f"ERROR_REASON_{reason}"), detail=detail)
        await self.send(notices=[play_pb2.ServerNotice(farewell=said)])

    async def refuse(self, code: grpc.StatusCode, details: str, reason: str = "") -> None:
        """End the call with a status, with the contract's reason in its details if there is one."""
        trailer: tuple[tuple[str, bytes], ...] = ()
        if reason:
            detail = any_pb2.Any()
            detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain="cheatarena"))
            status = status_pb2.Status(code=code.value[0], message=details, details=[detail])
            trailer = (("grpc-status-details-bin", status.SerializeToString()),)
        await self.context.abort(code, details, trailer)


Talk = Callable[[Stream], Awaitable[None]]


class FakeArena(grpc.GenericRpcHandler):
    """Answers each stream with the script of its number; the last script serves all later streams."""

    def __init__(self, *talks: Talk) -> None:
        self.talks = talks
        self.streams: list[Stream] = []
        self.errors: list[BaseException] = []
        self.address = ""
        self.was_dialled = asyncio.Event()

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes] | None":
        """Return the handler of the only method."""
        if details.method != "/cheatarena.v1.PlayService/Play":
            return None
        return grpc.stream_stream_rpc_method_handler(self.play)

    async def has_begun(self) -> None:
        """Wait until the first stream has been welcomed."""
        await asyncio.wait_for(self.was_dialled.wait(), 20)
        await asyncio.wait_for(self.streams[0].has_begun.wait(), 20)

    async def play(self, requests: AsyncIterator[bytes], context: Context) -> None:
        """Follow the script of this stream."""
        stream = Stream(context)
        self.streams.append(stream)
        self.was_dialled.set()
        try:
            await self.talks[min(len(self.streams), len(self.talks)) - 1](stream)
        except AssertionError as error:
            self.errors.append(error)


@asynccontextmanager
async def run_fake_arena(*talks: Talk) -> AsyncIterator[FakeArena]:
    """Run a fake arena on a free port of this machine. Raises the error of a script that fails."""
    arena = FakeArena(*talks)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((arena,))
    arena.address = f"localhost:{server.add_insecure_port('localhost:0')}"
    await server.start()
    try:
        yield arena
    finally:
        await server.stop(0)
    assert not arena.errors, arena.errors


async def read_to_end(stream: Stream) -> None:
    """Read until the bot ends its stream."""
    while await stream.read() is not None:
        pass


def of_match(script: Script, match: int = 1) -> list[play_pb2.SeatMessage]:
    """Return a script's messages with another match number."""
    messages = []
    for message in script:
        copy = play_pb2.SeatMessage()
        copy.CopyFrom(message)
        copy.match = match
        messages.append(copy)
    return messages
