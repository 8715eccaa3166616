"""Interferences that lose connections, refuse decisions and end streams, each at a chosen moment."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from arena.check.conduct import Conduct
from arena.check.findings import Rule
from arena.check.interference import Interference
from cheatarena.v1 import decision_pb2, error_reason_pb2, play_pb2

_STOP_TEXT: Final = "the server is about to stop"
UNKNOWN_REASON: Final = 9_999
"""A reason that no version of the contract has."""

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
        """Return the frame, or lose it."""
        return self._pass_or_lose(frame, is_moment=self._at_server_frame(frame))

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame, or lose it."""
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


class RefuseDecisions(Interference):
    """Empties some decisions, so that the server refuses them. One refusal gets a reason that no bot knows."""

    TIMES: Final = 4

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._kinds: set[str] = set()

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame, with the first decision for each kind of prompt made illegal."""
        for decision in frame.decisions:
            seat = self.conduct.seats.get((decision.match, decision.entrant))
            prompt = seat.prompts.get(decision.prompt_id) if seat is not None else None
            if seat is None or prompt is None or len(prompt.actions) > 1 or self.happened >= self.TIMES:
                continue
            kind = prompt.prompt.WhichOneof("options") or ""
            if kind not in self._kinds or self.happened > len(self._kinds):
                self._kinds.add(kind)
                self.happened += 1
                seat.excused.add(decision.prompt_id)
                if (action := decision.WhichOneof("action")) is not None:
                    decision.ClearField(action)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame, with an unknown reason in one refusal."""
        for message in frame.messages:
            for answer in message.answers:
                if answer.status == decision_pb2.DECISION_STATUS_REFUSED and self.happened == 1:
                    answer.reason = error_reason_pb2.ErrorReason.ValueType(UNKNOWN_REASON)
        return [frame]


class HoldAnswers(Interference):
    """Holds the bot's answer to some turns back until the server has closed the prompt, then passes it on."""

    TIMES: Final = 2

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._held: dict[int, decision_pb2.Decision] = {}

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame without the decision that is held back."""
        kept = []
        for decision in frame.decisions:
            seat = self.conduct.seats.get((decision.match, decision.entrant))
            if seat is not None and not self._held and self.happened < self.TIMES:
                seat.excused.add(decision.prompt_id)
                held = self._held[decision.prompt_id] = decision_pb2.Decision()
                held.CopyFrom(decision)
            else:
                kept.append(decision)
        del frame.decisions[:]
        frame.decisions.extend(kept)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Pass the held decision on as soon as its prompt is closed."""
        for message in frame.messages:
            for number in message.withdrawn:
                if (held := self._held.pop(number, None)) is not None:
                    self.happened += 1
                    self.stream.to_server.put_nowait(play_pb2.PlayRequest(decisions=[held]))
        return [frame]


class ReplaceSession(Interference):
    """Ends the stream in a game because a newer stream has taken over."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """End the stream at the second turn of the bot."""
        if any(message.prompts for message in frame.messages) and not self.happened:
            self.happened = 1
            self.stream.say_farewell("session_replaced", "a newer stream has taken over")
            return ()
        return [frame]

    def on_opened(self) -> None:
        """Note that the bot has come back, which it must not."""
        if self.happened:
            self.conduct.report(Rule.STOP, "the bot connected again after SESSION_REPLACED")


class ShutDown(Interference):
    """Ends the stream because the server stops, and refuses the next attempts to connect."""

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
        """Note that the bot is back."""
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
