"""What is blamed on a bot whose answer was refused, and what is the step's own doing."""

from unittest.mock import Mock

import pytest

from arena.author.check.conduct import Conduct
from arena.author.check.findings import Rule
from arena.author.check.interference import Interference
from arena.author.check.interferences.answers import RefuseDecisions
from arena.author.check.interferences.broken_lines import LoseEverythingSent
from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, play_pb2

MATCH, PROMPT = 1, 11


class Line:
    """A bot with one seat and one open prompt, seen through a step."""

    def __init__(self, step: type[Interference]) -> None:
        self.conduct = Conduct()
        self.step = step(self.conduct)
        self.step.stream = Mock()  # the bot's only stream
        self.conduct.on_opened(1)
        self._bot_says(play_pb2.PlayRequest())
        prompt = decision_pb2.Prompt(id=PROMPT, cheat_turn=cheat_pb2.CheatTurn())
        self.server_says(play_pb2.SeatMessage(prompts=[prompt]))

    def answer(self, action_id: int) -> None:
        """Let the bot answer the prompt."""
        decision = decision_pb2.Decision(
            match=MATCH, prompt_id=PROMPT, action_id=action_id, cheat=cheat_pb2.CheatAction()
        )
        self._bot_says(play_pb2.PlayRequest(decisions=[decision]))

    def server_says(self, message: play_pb2.SeatMessage) -> None:
        """Send a message to the seat."""
        message.match, message.sequence = MATCH, 1
        for frame in self.step.on_server_frame(play_pb2.PlayResponse(messages=[message])):
            self.conduct.on_server_frame(frame)

    def refuse(self, kind: event_pb2.FaultKind.ValueType) -> None:
        """Refuse the bot's decision for a fault; the prompt stays open."""
        refused = decision_pb2.DecisionAnswer(prompt_id=PROMPT, status=decision_pb2.DECISION_STATUS_REFUSED)
        self.server_says(play_pb2.SeatMessage(events=[_fault(kind)], answers=[refused]))

    def close(self) -> None:
        """Close the prompt at its deadline, without a legal answer."""
        self.server_says(play_pb2.SeatMessage(events=[_fault(event_pb2.FAULT_KIND_MISSING)], withdrawn=[PROMPT]))

    @property
    def broken_rules(self) -> set[Rule]:
        """Return the rules that the bot is said to have broken, but for its Hello, which it never sent."""
        return {finding.rule for finding in self.conduct.findings} - {Rule.HELLO}

    def _bot_says(self, frame: play_pb2.PlayRequest) -> None:
        self.conduct.on_bot_frame(1, frame)
        self.step.on_bot_frame(frame)


def _fault(kind: event_pb2.FaultKind.ValueType) -> event_pb2.Event:
    return event_pb2.Event(fault=event_pb2.Fault(kind=kind, prompt_id=PROMPT))


def test_late_answer_over_a_dead_line_needs_no_other():
    line = Line(LoseEverythingSent)
    line.answer(1)
    line.refuse(event_pb2.FAULT_KIND_LATE)
    line.close()
    assert line.broken_rules == set()


def test_decision_that_the_step_spoils_is_to_be_made_again():
    line = Line(RefuseDecisions)
    line.answer(1)
    line.refuse(event_pb2.FAULT_KIND_ILLEGAL)
    line.close()
    assert line.broken_rules == {Rule.RETRY}


def test_spoiled_decision_that_is_made_again_breaks_no_rule():
    line = Line(RefuseDecisions)
    line.answer(1)
    line.refuse(event_pb2.FAULT_KIND_ILLEGAL)
    line.answer(2)
    line.close()
    assert line.broken_rules == set()


@pytest.mark.parametrize("kind", [event_pb2.FAULT_KIND_LATE, event_pb2.FAULT_KIND_MISSING])
def test_bot_itself_is_blamed_where_no_step_interferes(kind):
    line = Line(Interference)
    line.answer(1)
    line.refuse(kind)
    assert line.broken_rules == {Rule.ANSWER}
