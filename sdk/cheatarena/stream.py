"""One stream to a node: writes hello, reads frames, writes requests, and says goodbye.

One task reads. After each frame, it writes the seats' answers itself before it reads the next frame. This saves one
pass of the event loop, and messages that the server sends in the meantime arrive as one frame. A second task writes
everything else. The reading task is never cancelled. To stop it, the stream cancels the gRPC call, which ends the
reading.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import grpc.aio
from google.protobuf.message import DecodeError

from cheatarena.connection import MAX_FRAME_BYTES, StreamCall
from cheatarena.encoding import encode_notice
from cheatarena.errors import ProtocolError
from cheatarena.stream_ending import StreamEnding
from cheatarena.v1 import play_pb2, session_pb2

HELLO_TIMEOUT_S = 25.0
"""Seconds that the server has to take a Hello. A line that loses what the bot sends never says that it did.

The server says so with the metadata of the call. Its Welcome may come later, while it waits for its disk.
"""
SILENCE_STEP_S = 5.0
"""Seconds between two looks at what has arrived. A pause of this process counts as one look, however long it is."""
SILENT_STEPS = 6
"""After this many looks without a frame, the line is dead: the server pings every 10 s."""
GOODBYE_TIMEOUT_S = 2.0
"""Seconds that the server has for its answer to a goodbye."""

SUPPRESS_STREAM_END = suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError)
"""Used around writes. It ignores the error of an ended stream, because the reader learns why the stream ended."""

FrameHandler = Callable[["Stream", bytes, float], Awaitable[None]]
"""Handles a frame of a stream that arrived at a time in seconds (monotonic). Raises ProtocolError or DecodeError."""


class Stream:
    """One gRPC call, from hello to its end."""

    def __init__(self, call: StreamCall, address: str) -> None:
        self.ending = StreamEnding(address)
        """Why the stream ended. It is complete when `run` has returned."""
        self.is_welcome = False
        """Whether the server has said welcome. Before that, no requests are written."""
        self.is_pinged = False
        """Whether the server pings at all times, so that a silent line is a dead one."""
        self.is_healthy = True
        """Whether everything that the server has sent was valid."""
        self._call = call
        self._out: list[bytes] = []
        self._wake = asyncio.Event()
        self._write_lock = asyncio.Lock()
        """Held while writing, because a gRPC call takes one write at a time."""
        self._is_reading = False
        """True while a frame is handled. The reader itself sends the requests afterwards, so the writer can sleep."""
        self._is_leaving = False
        self._has_arrived = False
        """Whether a frame has arrived since the last look."""
        self._pid = os.getpid()

    async def run(self, hello: bytes, handle_frame: FrameHandler) -> None:
        """Write hello, and then read and write until the stream ends. Raises what `handle_frame` raises."""
        reader = asyncio.create_task(self._read_loop(handle_frame))
        writer = asyncio.create_task(self._write_loop(hello))
        watcher = asyncio.create_task(self._watch_line())
        try:
            await asyncio.wait({reader})
        finally:
            watcher.cancel()
            self._call.cancel()
            self._wake.set()
            await asyncio.wait({reader, writer, watcher})
        for task in (reader, writer, watcher):
            if not task.cancelled():
                task.result()

    def open(self, requests: Iterable[bytes]) -> None:
        """Begin to write requests, because the server has said welcome. These come first."""
        self.is_welcome = True
        self._out[:] = requests
        self._wake.set()

    def send(self, request: bytes) -> None:
        """Add an encoded request to the next frame."""
        self._end_forked_process()
        if not self._is_reading:
            self._wake.set()
        self._out.append(request)

    async def let_writer_run(self) -> None:
        """Let the writer send what is ready, although the handling of a frame is not over."""
        self._wake.set()
        await asyncio.sleep(0)

    def say_goodbye(self) -> None:
        """Write what is queued, and then goodbye. If the server does not answer, end the stream after a while."""
        self._is_leaving = True
        self._wake.set()
        asyncio.get_running_loop().call_later(GOODBYE_TIMEOUT_S, self._call.cancel)

    def cancel(self) -> None:
        """End the stream as a lost connection does."""
        self._call.cancel()

    def fail(self, error: ProtocolError) -> None:
        """End the stream, because the server has sent something invalid."""
        self._note_invalid(error)
        self._call.cancel()

    def _end_forked_process(self) -> None:
        """End a process that the bot forked and that comes back here: it would use up what the connection brings."""
        if os.getpid() != self._pid:
            sentence = "a bot forked its process: the match goes on in the first one, and the fork ends here; use"
            sys.stderr.write(f"{sentence} multiprocessing, or end the fork with os._exit()\n")
            sys.stderr.flush()
            os._exit(70)

    async def _watch_line(self) -> None:
        """End the stream if the server does not take Hello, or if nothing arrives any more."""
        try:
            async with asyncio.timeout(HELLO_TIMEOUT_S):
                await self._call.initial_metadata()
        except TimeoutError:
            self.fail(ProtocolError(f"no answer within {HELLO_TIMEOUT_S:.0f} s"))
            return
        except grpc.aio.AioRpcError:
            return  # the reader learns why
        silent_steps = 0
        while silent_steps < SILENT_STEPS:
            self._has_arrived = False
            await asyncio.sleep(SILENCE_STEP_S)
            silent_steps = 0 if self._has_arrived or not self.is_pinged else silent_steps + 1
        silent_s = SILENT_STEPS * SILENCE_STEP_S
        self.fail(ProtocolError(f"nothing has come from the server for {silent_s:.0f} s, not even a ping"))

    def _note_invalid(self, error: ProtocolError | DecodeError) -> None:
        self.is_healthy = False
        self.ending.detail = str(error)

    async def _read_loop(self, handle_frame: FrameHandler) -> None:
        try:
            while isinstance(data := await self._call.read(), bytes):
                arrival_s = time.monotonic()
                self._has_arrived = True
                self._is_reading = True
                await handle_frame(self, data, arrival_s)
                self._end_forked_process()
                self._is_reading = False
                if self._out and not self._write_lock.locked():
                    await self._flush()
        except grpc.aio.AioRpcError as error:
            self.ending.read_error(error)
        except (ProtocolError, DecodeError) as error:
            self._note_invalid(error)

    async def _write_loop(self, hello: bytes) -> None:
        """Write hello first, then every request that the reader does not write itself, and goodbye at the end."""
        with SUPPRESS_STREAM_END:
            await self._call.write(hello)
            while not self._is_leaving:
                await self._wake.wait()
                self._wake.clear()
                if self._call.done():
                    return
                await self._flush()
            async with self._write_lock:
                await self._call.write(encode_notice(play_pb2.BotNotice(goodbye=session_pb2.Goodbye())))
                await self._call.done_writing()

    async def _flush(self) -> None:
        """Write all queued requests."""
        async with self._write_lock:
            with SUPPRESS_STREAM_END:
                while self._out and self.is_welcome:
                    await self._call.write(self._next_frame())

    def _next_frame(self) -> bytes:
        """Return the next frame: as many queued requests as fit."""
        out = self._out
        frame = b"".join(out)
        count = len(out)
        while len(frame) > MAX_FRAME_BYTES and count > 1:
            count //= 2
            frame = b"".join(out[:count])
        del out[:count]
        return frame
