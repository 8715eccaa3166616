"""Recorded sessions of raw clients: the frames of both sides, and how they are played again to a present server.

A session is a file of JSON lines, each with one key:

    {"create": {…}}           an organizer creates this match
    {"open": "solo"}          a stream is opened under this name; an unknown token is called "stranger"
    {"bot": "…"}              a frame of the bot, in base64
    {"server": "…"}           a frame that the server sent after the frame above
    {"lost": true}            the connection is lost
    {"end": ["OK", "GOODBYE"]}   the server ended the stream, with this status and reason

Frames are read as the client of the release reads them, with the contract of its time. So what was added since does not
count. Values that differ from run to run, such as times, have to be there, but are not compared.
"""

import asyncio
import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from cheatarena.v1 import match_pb2, play_pb2
from tests.support.server import LocalServer
from tests.support.wire_bot import CallOutcome, WireBot

STRANGER = "stranger"
NO_TOKEN = "cat_" + "0" * 46
IDLE_S = 0.002
"""Seconds in which the loop is idle before a bot sends a frame.

Otherwise the frame may get the stamp of the one before, because this loop is the bot's and the server's. Then a guard
time that begins again ends no later, and no prompt has to say so.
"""
WAIT_S = 10.0
"""Seconds to wait for a frame of the server."""

VOLATILE = frozenset(
    {"answer_by_us", "deadline_us", "earliest_us", "lands_us", "late_us", "retry_at_us", "until_us"}
    | {"match_id", "node", "server_version"}
    | {"digest", "public_key", "receipt_salts", "signature", "terms_hash"}
    | {"frame_bytes", "decision_bytes", "note_bytes", "messages_per_second"}
)
"""Fields that have to be there with any value: times, new names, what is signed, and limits, which may get looser."""

Reading = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Messages to seats, and notices."""


class Contract:
    """The contract of a release: reads the server's frames as a client of that release does."""

    def __init__(self, image: Path) -> None:
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes()).file:
            pool.Add(file)
        self._frame = message_factory.GetMessageClass(pool.FindMessageTypeByName("cheatarena.v1.PlayResponse"))

    def read(self, frames: Iterable[bytes]) -> Reading:
        """Return what frames say to that client. Pings come at any time, so they are left out."""
        messages, notices = [], []
        for frame in frames:
            said = json_format.MessageToDict(self._frame.FromString(frame), preserving_proto_field_name=True)
            messages += said.get("messages", [])
            notices += [each for each in said.get("notices", []) if each and "ping" not in each]
        return [_mask(each) for each in messages], [_mask(each) for each in notices]


def _mask(value: Any) -> Any:
    """Replace volatile values, and drop facts that the release does not know."""
    if isinstance(value, dict):
        return {name: "…" if name in VOLATILE else _mask(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_mask(each) for each in value if each != {}]
    return value


class RawClient:
    """A stream whose frames are read as they come."""

    def __init__(self, wire: WireBot) -> None:
        self._wire = wire
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        """Frames from the server; None is the end of the stream."""
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            while (raw := await self._wire.call.read()) is not grpc.aio.EOF:
                self.frames.put_nowait(raw)
        except (grpc.aio.AioRpcError, asyncio.CancelledError):
            pass  # the server has refused the stream, or `disconnect` has cancelled it
        self.frames.put_nowait(None)

    async def send(self, frame: bytes) -> None:
        """Send a frame."""
        await self._wire.send_raw(frame)

    async def disconnect(self) -> None:
        """Lose the connection."""
        await self._wire.disconnect()
        await self._reader

    async def wait_for_end(self) -> CallOutcome:
        """Read to the end of the stream, and return how it ended."""
        await self._reader
        return await self._wire.wait_for_end()


async def open_client(site: LocalServer, name: str) -> RawClient:
    """Open a stream under a name."""
    if name == STRANGER:
        site.tokens[STRANGER] = NO_TOKEN
    return RawClient(await site.open_stream(name))


async def create_match(site: LocalServer, request: dict[str, Any]) -> None:
    """Create a recorded match."""
    wanted = json_format.ParseDict(request, match_pb2.CreateMatchRequest())
    await site.matches.CreateMatch(wanted, metadata=site.organizing)


def on_this_node(frame: bytes, node: str) -> bytes:
    """Return a frame of the bot with the name of the present node, if it is a Hello that names a node."""
    request = play_pb2.PlayRequest.FromString(frame)
    if len(request.notices) != 1 or not request.notices[0].hello.node:
        return frame
    request.notices[0].hello.node = node
    return request.SerializeToString()


async def receive(client: RawClient, contract: Contract, wanted: Reading) -> Reading:
    """Read until as many messages and notices have come as are wanted, or the stream has ended."""
    messages: list[dict[str, Any]] = []
    notices: list[dict[str, Any]] = []
    while len(messages) < len(wanted[0]) or len(notices) < len(wanted[1]):
        async with asyncio.timeout(WAIT_S):
            frame = await client.frames.get()
        if frame is None:
            break
        said = contract.read([frame])
        messages += said[0]
        notices += said[1]
    return messages, notices


def read_session(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a session."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def play_again(site: LocalServer, entries: list[dict[str, Any]], contract: Contract) -> None:
    """Play the bot's side of a session, and check that each answer of the server means what it meant."""
    client = None
    for index, entry in enumerate(entries):
        if "create" in entry:
            await create_match(site, entry["create"])
        elif "open" in entry:
            client = await open_client(site, name := entry["open"])
        assert client is not None
        if "bot" in entry:
            await asyncio.sleep(IDLE_S)
            await client.send(on_this_node(base64.b64decode(entry["bot"]), site.node.name))
        elif "lost" in entry:
            await client.disconnect()
            await site.wait_until_gone(name)
        elif "end" in entry:
            outcome = await client.wait_for_end()
            assert [outcome.code.name, outcome.reason] == entry["end"], f"entry {index}"
        wanted = contract.read(_answers_after(entries, index))
        if "server" not in entry:
            assert await receive(client, contract, wanted) == wanted, f"after entry {index}"


def _answers_after(entries: list[dict[str, Any]], index: int) -> list[bytes]:
    """Return the frames that the server sent after an entry, until the next entry of another kind."""
    frames = []
    for entry in entries[index + 1 :]:
        if "server" not in entry:
            break
        frames.append(base64.b64decode(entry["server"]))
    return frames
