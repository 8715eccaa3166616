"""Bytes on their way to another machine: at once after a silence, otherwise many in one call."""

import asyncio
import socket

from arena.fleet.cluster.batches import BatchReader


async def test_bytes_after_a_silence_go_at_once_and_those_behind_them_together():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        batches = BatchReader(ours)
        theirs.send(b"first")
        assert await batches.read() == b"first"

        theirs.send(b"second ")
        joined = asyncio.create_task(batches.read())
        await asyncio.sleep(0)
        theirs.send(b"third")

        assert await joined == b"second third"


async def test_last_bytes_come_before_the_end():
    ours, theirs = socket.socketpair()
    with ours:
        batches = BatchReader(ours)
        theirs.send(b"last")
        theirs.close()

        assert [await batches.read(), await batches.read()] == [b"last", b""]
