"""Interferences that change frames but lose nothing: they split and join them, and add to them."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Rule
from arena.author.check.interference import Interference
from arena.plurals import format_count
from cheatarena.v1 import decision_pb2, error_reason_pb2, play_pb2

UNKNOWN_FIELD = b"\xfa\x3e\x05later"
"""A field that no version of the contract has: number 1007, with the text "later"."""


class SplitFrames(Interference):
    """Sends each message and each notice in a frame of its own."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        parts = [play_pb2.PlayResponse(now_us=frame.now_us, messages=[message]) for message in frame.messages]
        parts += [play_pb2.PlayResponse(now_us=frame.now_us, notices=[notice]) for notice in frame.notices]
        self.happened += len(parts) > 1
        return parts


class JoinFrames(Interference):
    """Collects frames for a while and sends them as one, as a busy server does.

    The bot has to answer all prompts of a frame in one frame.
    """

    FIRST_HOLD_S: Final = 3.0
    """The most seconds for which messages are held until there has been a frame with enough of them."""
    HOLD_S: Final = 0.05
    """The most seconds for all later frames."""
    ENOUGH: Final = 100
    """A frame with this many messages is sent at once."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._held = play_pb2.PlayResponse()
        self._timer: asyncio.TimerHandle | None = None
        self._prompt_count = self._asking_frames = self._answer_frames = 0
        self._has_reported = False

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Count the frames with answers. Report a bot that sends more than one of them for every two prompts.

        The step is judged as a whole, because a slow bot may answer a frame after it has got the next one.
        """
        self._answer_frames += bool(frame.decisions)
        is_judged = self._prompt_count >= self.ENOUGH and not self._has_reported
        if is_judged and self._answer_frames * 2 > self._prompt_count:
            self._has_reported = True
            frames, prompts = (
                format_count(self._answer_frames, "frame"),
                format_count(self._prompt_count, "prompt"),
            )
            came = f"{frames} with answers to {prompts}, which came in {format_count(self._asking_frames, 'frame')}"
            self.conduct.report(Rule.ONE_FRAME, came)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Hold back a frame with messages. Other frames pass, so that offers are answered."""
        if not frame.messages:
            return [frame]
        self._held.MergeFrom(frame)
        if len(self._held.messages) >= self.ENOUGH:
            self._release()
        elif self._timer is None:
            hold_s = self.HOLD_S if self.happened else self.FIRST_HOLD_S
            self._timer = asyncio.get_running_loop().call_later(hold_s, self._release)
        return ()

    def _release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        prompts = sum(len(message.prompts) for message in self._held.messages)
        self._prompt_count += prompts
        self._asking_frames += bool(prompts)
        self.happened += len(self._held.messages) >= self.ENOUGH
        if not self.stream.is_over:
            self.stream.send(self._held)
        self._held = play_pb2.PlayResponse()


class AddUnknown(Interference):
    """Adds what only a later version of the contract has: fields, facts and notices."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
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


class CloseAtOnce(Interference):
    """Adds prompts that the same message closes, which the bot must not answer."""

    _FIRST_ID: Final = 100_000_000

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame without answers to prompts that the server has not sent."""
        kept = [decision for decision in frame.decisions if decision.prompt_id < self._FIRST_ID]
        del frame.decisions[:]
        frame.decisions.extend(kept)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame with a closed prompt in each message that has a prompt."""
        for message in frame.messages:
            if message.prompts:
                closed = message.prompts.add()
                closed.CopyFrom(message.prompts[0])
                closed.id = self._FIRST_ID + self.happened
                message.withdrawn.append(closed.id)
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
        if not any(notice.HasField("welcome") for notice in frame.notices) and frame.messages:
            self.happened += 1
            if self.happened % 2:
                frame.notices.add().ping.nonce = self._FIRST_NONCE + self.happened
        return [frame]
