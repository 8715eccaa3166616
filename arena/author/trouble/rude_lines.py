"""The lines of rude neighbours: sample bots whose frames are held, repeated, spoiled and cut on their way.

So the neighbours can play any game under any ruleset, and no manner needs a program of its own.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from arena.server.rpc.play_relay import RelayedStream, StreamTap
from cheatarena.v1 import play_pb2

LAST_MOMENT_S: Final = 0.15
"""Seconds before its deadline at which a held answer leaves."""
REPEATS: Final = 30
"""How often a flood repeats a frame."""

BotFrames = Sequence[play_pb2.PlayRequest]
ServerFrames = Sequence[play_pb2.PlayResponse]


class Manner:
    """One way to be rude. This base class is polite."""

    name = ""
    """What is counted, in the plural."""
    gap = (20, 40)
    """The fewest and the most frames with decisions, or with messages from the server, between two rude acts."""

    def __init__(self, counts: Counter[str], random: Random) -> None:
        self._counts = counts
        self._random = random
        self._left = self._draw_gap()

    def on_opened(self, stream: RelayedStream) -> None:
        """Handle a new stream of the neighbour."""

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> BotFrames:
        """Return what the server gets instead of a frame with the neighbour's decisions."""
        return [frame]

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> None:
        """Handle a frame from the server."""

    def is_time(self) -> bool:
        """Return whether it is time to be rude, and count it if so."""
        self._left -= 1
        if self._left > 0:
            return False
        self._left = self._draw_gap()
        self._counts[self.name] += 1
        return True

    def _draw_gap(self) -> int:
        return self._random.randint(*self.gap)


class AnswerAtLastMoment(Manner):
    """Holds some answers until shortly before their deadlines."""

    name = "answers at the last moment"

    def __init__(self, counts: Counter[str], random: Random) -> None:
        super().__init__(counts, random)
        self._leaves_at: dict[int, float] = {}
        """The time at which the held answer to each prompt leaves, on the clock of the event loop."""

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> None:
        """Note the deadlines of the prompts."""
        now = asyncio.get_running_loop().time()
        for message in frame.messages:
            for prompt in (*message.prompts, *message.snapshot.prompts):
                if prompt.HasField("deadline_us"):
                    left_s = (prompt.deadline_us - frame.now_us) / 1e6
                    self._leaves_at[prompt.id] = now + max(0.0, left_s - LAST_MOMENT_S)

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> BotFrames:
        leaves_at = min((self._leaves_at.pop(each.prompt_id, 0.0) for each in frame.decisions), default=0.0)
        if not leaves_at or not self.is_time():
            return [frame]
        asyncio.get_running_loop().call_at(leaves_at, stream.to_server.put_nowait, frame)
        return ()


class Flood(Manner):
    """Sends some frames many times."""

    name = "floods"

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> BotFrames:
        return [frame] * (REPEATS if self.is_time() else 1)


class AnswerIllegally(Manner):
    """Takes the action out of some decisions, so that the server refuses them and asks again."""

    name = "illegal answers"

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> BotFrames:
        if self.is_time():
            for decision in frame.decisions:
                action = decision.WhichOneof("action")
                if action is not None:
                    decision.ClearField(action)
        return [frame]


class Reconnect(Manner):
    """Loses its connection again and again."""

    name = "reconnections"
    gap = (30, 60)

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> None:
        if self.is_time():
            stream.cut()


class Leave(Manner):
    """Says goodbye in the last game."""

    name = "departures"

    def __init__(self, counts: Counter[str], random: Random, game_count: int) -> None:
        super().__init__(counts, random)
        self._last_game = game_count - 1
        self._is_last = self._has_left = False

    def on_opened(self, stream: RelayedStream) -> None:
        """Refuse a neighbour that has left."""
        if self._has_left:
            stream.cut()

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> None:
        """Say goodbye some frames after the beginning of the last game."""
        for message in frame.messages:
            started = [event.game_started for event in message.events if event.HasField("game_started")]
            self._is_last = self._is_last or any(each.game == self._last_game for each in started)
        if self._is_last and not self._has_left and self.is_time():
            self._has_left = True
            goodbye = play_pb2.PlayRequest()
            goodbye.notices.add().goodbye.SetInParent()
            stream.to_server.put_nowait(goodbye)


class RudeTap(StreamTap):
    """The tap of one neighbour's relay, with one or more manners."""

    def __init__(self, manners: Sequence[Manner]) -> None:
        self._manners = manners

    def on_opened(self, stream: RelayedStream) -> None:
        for manner in self._manners:
            manner.on_opened(stream)

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> BotFrames:
        """Return what the server gets. Frames without decisions pass as they are."""
        if not frame.decisions:
            return [frame]
        frames: BotFrames = [frame]
        for manner in self._manners:
            frames = [out for each in frames for out in manner.on_bot_frame(stream, each)]
        return frames

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> ServerFrames:
        """Return the frame as it is, after the manners have seen it."""
        if frame.messages:
            for manner in self._manners:
                manner.on_server_frame(stream, frame)
        return () if stream.is_over else [frame]


def rude_taps(count: int, game_count: int, counts: Counter[str], random: Random) -> list[RudeTap]:
    """Return the taps of `count` neighbours. Each manner belongs to one of them; nobody leaves a table for two.

    `counts` counts how often the neighbours were rude, by manner.
    """
    manners: list[Manner] = [each(counts, random) for each in (AnswerAtLastMoment, Flood, AnswerIllegally, Reconnect)]
    if count > 1:
        manners.insert(3, Leave(counts, random, game_count))  # the others stay until the end
    return [RudeTap(manners[index::count]) for index in range(count)]
