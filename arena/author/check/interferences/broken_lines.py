"""Interferences that lose connections, and end streams, each at a chosen moment."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Rule
from arena.author.check.interference import Interference
from arena.server.rpc.play_relay import RelayedStream
from cheatarena.v1 import decision_pb2, play_pb2

_STOP_TEXT: Final = "the server is about to stop"

Frame = TypeVar("Frame")
ServerMoment = Callable[[play_pb2.PlayResponse], bool]
BotMoment = Callable[[play_pb2.PlayRequest], bool]


def never(_: object) -> bool:
    """Choose no moment."""
    return False


class LoseConnection(Interference):
    """Ends the stream at chosen moments, as a lost connection does. What is on its way is lost."""

    def __init__(
        self,
        conduct: Conduct,
        at_server_frame: ServerMoment = never,
        at_bot_frame: BotMoment = never,
        *,
        times: int = 2,
        is_delivered: bool = False,
    ) -> None:
        """`is_delivered` says whether the frame itself still arrives."""
        super().__init__(conduct)
        self._at_server_frame = at_server_frame
        self._at_bot_frame = at_bot_frame
        self._times = times
        self._is_delivered = is_delivered

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        return self._pass_or_lose(frame, is_moment=self._at_server_frame(frame))

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        return self._pass_or_lose(frame, is_moment=self._at_bot_frame(frame))

    def _pass_or_lose(self, frame: Frame, *, is_moment: bool) -> Sequence[Frame]:
        if not is_moment or self.happened >= self._times:
            return [frame]
        self.happened += 1
        if self._is_delivered:
            self.stream.cut_after_sending()
            return [frame]
        self.stream.cut()
        return ()


class LoseEverythingSent(Interference):
    """Loses what the bot sends on a stream, from its first decision on. What the server sends still arrives."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._dead: RelayedStream | None = None
        self._is_heard = False
        """Whether the server has accepted a decision since the bot left the dead stream."""

    def on_opened(self) -> None:
        self.happened = int(self._dead is not None)

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        if self._dead is None and frame.decisions:
            self._dead = self.stream
        return () if self.stream is self._dead else [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame. Report a bot that leaves it to the server to end the dead stream, or to end the match."""
        for message in frame.messages if self._dead is not None and not self._is_heard else ():
            accepted = decision_pb2.DECISION_STATUS_ACCEPTED
            self._is_heard = self.happened > 0 and any(each.status == accepted for each in message.answers)
            seat = self.conduct.seats.get((message.match, message.entrant))
            if seat is not None:  # what the bot misses is the step's own doing
                seat.excused.update(event.fault.prompt_id for event in message.events)
        ends = _ends_match(frame) or any(notice.HasField("farewell") for notice in frame.notices)
        if ends and self.stream is self._dead:
            self.conduct.report(Rule.DEAD_LINE, "the bot stayed on a stream on which all that it sent was lost")
        return [frame]


def _ends_match(frame: play_pb2.PlayResponse) -> bool:
    return any(event.HasField("match_ended") for message in frame.messages for event in message.events)


class EnterPool(Interference):
    """Lets every frame pass. The step is for bots that enter pools."""

    @property
    def skip_reason(self) -> str:
        """Return why the step does not apply to a bot that enters no pool."""
        hellos = self.conduct.hellos
        return "" if not hellos or hellos[0].pools else "Hello names no pool, although CHEATARENA_POOLS does"


class ReplaceSession(Interference):
    """Ends the stream during a game, as if a newer stream had taken over."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """End the stream at the bot's first prompt."""
        if any(message.prompts for message in frame.messages) and not self.happened:
            self.happened = 1
            self.stream.say_farewell("session_replaced", "a newer stream has taken over")
            return ()
        return [frame]

    def on_opened(self) -> None:
        """Note that the bot has come back, which it must not do."""
        if self.happened:
            self.conduct.report(Rule.STOP, "the bot connected again after SESSION_REPLACED")


class ShutDown(Interference):
    """Ends the stream as if the server were stopping, and refuses the next attempts to connect."""

    REFUSALS: Final = 4

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._refused = 0

    def on_opened(self) -> None:
        """Refuse the first attempts after the stop, and check the pauses between them."""
        if not self.happened or self._refused > self.REFUSALS:
            return
        self._refused += 1
        if self._refused <= self.REFUSALS:
            self.stream.refuse("shutting_down", _STOP_TEXT)
            return
        attempts = self.conduct.opened_at[-self.REFUSALS - 1 :]
        pauses = [after - before for before, after in pairwise(attempts)]
        if pauses[-1] < 1.2 * pauses[0]:
            words = ", ".join(f"{pause:.2f}" for pause in pauses)
            self.conduct.report(Rule.PAUSES, f"the pauses between the attempts were {words} s")

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """End the stream when a game is under way."""
        if any(message.prompts for message in frame.messages) and not self.happened:
            self.happened = 1
            self.stream.say_farewell("shutting_down", _STOP_TEXT)
            return ()
        return [frame]


class RenumberAfterRestart(Interference):
    """Loses the connection once. Afterwards the server has another name, and the match another number."""

    OFFSET: Final = 1_000_000

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._is_back = False

    def on_opened(self) -> None:
        self._is_back = self.happened > 0

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Lose the connection at a prompt in a game; later, return the frame with new numbers."""
        if not self.happened and any(message.prompts and message.sequence > 1 for message in frame.messages):
            self.happened = 1
            self.conduct.seats.clear()  # the server knows nothing of the old numbers
            self.stream.cut()
            return ()
        if self._is_back:
            for message in frame.messages:
                message.match += self.OFFSET
            for notice in frame.notices:
                if notice.HasField("assigned"):
                    notice.assigned.match += self.OFFSET
                elif notice.HasField("welcome"):
                    notice.welcome.node += "-restarted"
        return [frame]

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame with the numbers that the real server knows."""
        if self._is_back:
            for decision in frame.decisions:
                decision.match = max(decision.match - self.OFFSET, 0)
            for notice in frame.notices:
                if notice.HasField("ready"):
                    notice.ready.match = max(notice.ready.match - self.OFFSET, 0)
                elif notice.HasField("hello"):  # a server does not know the positions of another one
                    del notice.hello.positions[:]
        return [frame]


class DropMessage(Interference):
    """Drops one message to the bot's seat. The next message shows the gap, and the bot must not ignore it."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._dropped: tuple[int, int, int] | None = None
        """Match, entrant and sequence of the dropped message."""
        self._has_gap = False

    def on_opened(self) -> None:
        """Note that the bot is back, so that its seat is complete again."""
        self._has_gap = False

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame, or drop it if it is the first that has only the result of a decision."""
        if self._dropped is None:
            return self._drop(frame)
        if not self.happened:
            self.happened = self._has_gap = any(_follows(message, self._dropped) for message in frame.messages)
        return [frame]

    def _drop(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        if len(frame.messages) != 1 or frame.notices or not frame.messages[0].answers or frame.messages[0].prompts:
            return [frame]
        message = frame.messages[0]
        self._dropped = message.match, message.entrant, message.sequence
        return ()

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Report decisions that the bot makes for the seat in spite of the gap."""
        if self._has_gap and frame.decisions:
            self.conduct.report(Rule.SEQUENCE, "the bot sent decisions on the stream on which a message was missing")
        return [frame]


def _follows(message: play_pb2.SeatMessage, dropped: tuple[int, int, int]) -> bool:
    return (message.match, message.entrant) == dropped[:2] and message.sequence > dropped[2]


class RefuseVersion(Interference):
    """Refuses every stream because the server speaks another version of the protocol."""

    def on_opened(self) -> None:
        text = "this server speaks version 2 of the protocol, not version 1"
        self.stream.refuse("unsupported_version", text)
