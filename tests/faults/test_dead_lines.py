"""Bots behind a proxy that loses everything in one direction, as some do after their settings were loaded again."""

from collections.abc import Sequence

import pytest

from arena.server.rpc.play_relay import PlayRelay, RelayedStream, StreamTap
from cheatarena.v1 import play_pb2
from tests.faults.processes import running_server, sdk_bot
from tests.faults.test_network import create_when_connected
from tests.support.server import slow_pace
from tests.support.wire_bot import play_lowest


class Reload(StreamTap):
    """Loses what the bot sends on its first stream, from its tenth decision on."""

    def __init__(self) -> None:
        self.lost: list[play_pb2.PlayRequest] = []
        self._decision_count = 0
        self.streams: list[RelayedStream] = []

    def on_opened(self, stream: RelayedStream) -> None:
        self.streams.append(stream)

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        self._decision_count += len(frame.decisions)
        if stream is self.streams[0] and self._decision_count >= 10:
            self.lost.append(frame)
            return ()
        return [frame]


@pytest.mark.slow
async def test_bot_leaves_a_line_that_loses_what_it_sends_and_plays_on(tmp_path):
    tap = Reload()
    async with running_server(tmp_path / "data") as (_, clients), PlayRelay(clients.address, tap) as relay:
        near = await clients.connect_bot("near")
        token = await clients.create_token("far")
        with sdk_bot(tmp_path / "bots", relay.address, token):
            pace = slow_pace(turn_ms=2_000, call_ms=1_000, max_auto_moves=50)
            match = await create_when_connected(clients, "far", "near", game_count=6, pace=pace)
            await near.play(play_lowest)
            ended = await clients.wait_for_result(match)

    far, other = ended.strikes
    assert tap.lost
    assert len(tap.streams) == 2
    assert other.missing == 0
    assert 0 < far.missing <= 12
    assert far.gone == 0
    assert ended.figures[0].values["decisions"] > 40
