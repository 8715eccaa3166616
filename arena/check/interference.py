"""What a step does to the frames on their way between the checked bot and the server."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from arena.check.conduct import Conduct
from arena.check.findings import Rule
from arena.rpc.play_relay import RelayedStream
from cheatarena.v1 import decision_pb2, error_reason_pb2, play_pb2

UNKNOWN_FIELD = b"\xfa\x3e\x05later"
"""A field that no version of the contract has: number 1007, with the text "later"."""


class Interference:
    """Lets every frame pass. Steps use subclasses, one object for each run of a step."""

    def __init__(self, conduct: Conduct) -> None:
        self.conduct = conduct
        self.happened = 0
        """How often the event that the step waits for has happened."""
        self.stream: RelayedStream
        """The bot's newest stream."""

    def on_opened(self) -> None:
        """Handle a new stream."""

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return what the server gets instead of a bot's frame."""
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return what the bot gets instead of a server's frame."""
        return [frame]


class InterferingTap:
    """Passes frames through an interference, and shows the bot's side of it to its conduct."""

    def __init__(self, conduct: Conduct, interference: Interference) -> None:
        self._conduct = conduct
        self._interference = interference
        self._latest: RelayedStream | None = None

    def on_opened(self, stream: RelayedStream) -> None:
        """Handle a new stream."""
        if self._latest is not None and self._latest.is_over:  # the relay may still be ending it
            self._conduct.on_closed(self._latest.number)
        self._conduct.on_opened(stream.number)
        self._latest = self._interference.stream = stream
        self._interference.on_opened()

    def on_bot_frame(self, stream: RelayedStream, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return what the server gets instead of a bot's frame."""
        self._conduct.on_bot_frame(stream.number, frame)
        return self._interference.on_bot_frame(frame) if self._is_current(stream) else ()

    def on_server_frame(self, stream: RelayedStream, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return what the bot gets instead of a server's frame."""
        return self._interference.on_server_frame(frame) if self._is_current(stream) else ()

    def on_delivery(self, frame: play_pb2.PlayResponse) -> None:
        """Handle a frame that the bot gets now."""
        self._conduct.on_server_frame(frame)

    def on_closed(self, stream: RelayedStream) -> None:
        """Handle the end of a stream."""
        self._conduct.on_closed(stream.number)

    def _is_current(self, stream: RelayedStream) -> bool:
        return stream is self._latest and not stream.is_over


class SplitFrames(Interference):
    """Sends each message and each notice in a frame of its own."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return a frame for each part of a frame."""
        parts = [play_pb2.PlayResponse(now_us=frame.now_us, messages=[message]) for message in frame.messages]
        parts += [play_pb2.PlayResponse(now_us=frame.now_us, notices=[notice]) for notice in frame.notices]
        self.happened += len(parts) > 1
        return parts


class JoinFrames(Interference):
    """Collects frames for a while and sends them as one, as a busy server does.

    The bot must not need a frame for each of its answers.
    """

    HOLD_S: Final = 0.05
    MANY: Final = 10
    """The number of prompts in a frame from which the frames with answers are counted."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._held: play_pb2.PlayResponse | None = None
        self._prompt_count = 0
        self._answer_frames = 0

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Count the frames with answers. A third as many frames as prompts is no longer one frame."""
        self._answer_frames += bool(frame.decisions)
        if self._prompt_count >= self.MANY and self._answer_frames * 3 > self._prompt_count:
            came = f"{self._answer_frames} frames with answers to one frame with {self._prompt_count} prompts"
            self.conduct.report(Rule.ONE_FRAME, came)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Hold a frame back. Welcome passes, because it comes alone."""
        if any(notice.HasField("welcome") for notice in frame.notices):
            return [frame]
        if self._held is None:
            self._held = play_pb2.PlayResponse()
            asyncio.get_running_loop().call_later(self.HOLD_S, self._release)
        self._held.MergeFrom(frame)
        return ()

    def _release(self) -> None:
        assert self._held is not None
        self._prompt_count, self._answer_frames = sum(len(message.prompts) for message in self._held.messages), 0
        self.happened += len(self._held.messages) > 1
        if not self.stream.is_over:
            self.stream.send(self._held)
        self._held = None


class AddUnknown(Interference):
    """Adds what only a later version of the contract has: fields, facts and notices."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame with unknown parts."""
        if any(notice.HasField("welcome") for notice in frame.notices):
            return [frame]
        for message in frame.messages:
            for prompt in message.prompts:
                prompt.MergeFromString(UNKNOWN_FIELD)
            for event in message.events:
                event.MergeFromString(UNKNOWN_FIELD)
            message.events.add().MergeFromString(UNKNOWN_FIELD)
            message.MergeFromString(UNKNOWN_FIELD)
            self.happened += 1
        frame.notices.add().MergeFromString(UNKNOWN_FIELD)
        frame.MergeFromString(UNKNOWN_FIELD)
        return [frame]


class SendStrangeMessages(Interference):
    """Adds messages with sequence 0, which refuse a decision for a seat that the bot does not hold."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame with such a message before each message that has a prompt."""
        if any(message.prompts for message in frame.messages):
            strange = play_pb2.SeatMessage(match=2_000_000_000, entrant=1)
            refusal = strange.answers.add(prompt_id=7, action_id=112)
            refusal.status = decision_pb2.DECISION_STATUS_REFUSED
            refusal.reason = error_reason_pb2.ERROR_REASON_UNKNOWN_PROMPT
            frame.messages.insert(0, strange)
            self.happened += 1
        return [frame]


class ShiftClock(Interference):
    """Moves the server's clock ten days ahead, so that a bot that uses its own clock is wrong."""

    SHIFT_US = 864_000_000_000
    _TIMES: Final[Sequence[Literal["deadline_us", "earliest_us", "lands_us"]]] = (
        "deadline_us",
        "earliest_us",
        "lands_us",
    )

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame with all of its instants moved."""
        frame.now_us += self.SHIFT_US
        for message in frame.messages:
            for prompt in (*message.prompts, *message.snapshot.prompts):
                for name in self._TIMES:
                    if prompt.HasField(name):
                        setattr(prompt, name, getattr(prompt, name) + self.SHIFT_US)
                        self.happened += 1
            for event in message.events:
                if event.HasField("intermission_started"):
                    event.intermission_started.until_us += self.SHIFT_US
        for notice in frame.notices:
            if notice.HasField("offered"):
                notice.offered.answer_by_us += self.SHIFT_US
        return [frame]


class AskForPongs(Interference):
    """Sends a ping with every other frame, and keeps the pongs from the server."""

    _FIRST_NONCE = 1 << 40

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame without pongs for pings that the server has not sent."""
        kept = [each for each in frame.notices if not each.HasField("pong") or each.pong.nonce < self._FIRST_NONCE]
        del frame.notices[:]
        frame.notices.extend(kept)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame with a ping."""
        if not any(notice.HasField("welcome") for notice in frame.notices) and frame.messages:
            self.happened += 1
            if self.happened % 2:
                frame.notices.add().ping.nonce = self._FIRST_NONCE + self.happened
        return [frame]
