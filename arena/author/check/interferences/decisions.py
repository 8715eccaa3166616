"""Interferences that make decisions fail: they are refused, or they arrive too late."""

from collections.abc import Sequence
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.interference import Interference
from arena.author.check.seat_conduct import kind_of
from cheatarena.v1 import decision_pb2, error_reason_pb2, play_pb2

UNKNOWN_REASON: Final = 9_999
"""A reason that no version of the contract has."""


class RefuseDecisions(Interference):
    """Empties some decisions, so that the server refuses them. One refusal gets a reason that no bot knows."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct)
        self._kinds: set[str] = set()
        self._has_unknown_reason = False

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame, with the first decision for each kind of prompt made illegal."""
        for decision in frame.decisions:
            seat = self.conduct.seats.get((decision.match, decision.entrant))
            prompt = seat.prompts.get(decision.prompt_id) if seat is not None else None
            action = decision.WhichOneof("action")
            if seat is None or prompt is None or action is None:
                continue
            kind = kind_of(prompt.prompt)
            if kind not in self._kinds:
                self._kinds.add(kind)
                self.happened += 1
                seat.excused.add(decision.prompt_id)
                decision.ClearField(action)
        return [frame]

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Return the frame, with an unknown reason in the first refusal."""
        for message in frame.messages:
            for answer in message.answers:
                if answer.status == decision_pb2.DECISION_STATUS_REFUSED and not self._has_unknown_reason:
                    self._has_unknown_reason = True
                    answer.reason = error_reason_pb2.ErrorReason.ValueType(UNKNOWN_REASON)
        return [frame]


class HoldAnswers(Interference):
    """Holds back the bot's answers to some turns until the server has closed their prompts, then passes them on."""

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
