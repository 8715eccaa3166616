"""Watches one seat of the checked bot: its prompts, the bot's decisions and the server's answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from arena.author.check.findings import Rule
from cheatarena.v1 import decision_pb2, error_reason_pb2, event_pb2, play_pb2

NOTE_BYTES: Final = 200
CROSSING_S: Final = 0.5
"""Seconds for which a decision may come after its prompt was closed, because the two may cross on the way."""

Report = Callable[[Rule, str], None]


@dataclass(slots=True)
class PromptConduct:
    """A prompt that the bot has got, and what it has sent for it."""

    prompt: decision_pb2.Prompt
    actions: dict[int, bytes] = field(default_factory=dict)
    """The decisions for the prompt, serialized, by action id."""
    awaits_retry: bool = False
    """Whether the latest decision was refused while the prompt stays open."""
    may_repeat: bool = False
    """Whether the bot may send its decision again, because its connection was lost or the prompt came again."""
    closed_at: float | None = None
    opened_and_closed_in: int = 0
    """The number of the frame that both opened and closed the prompt; 0 if no frame did."""

    @property
    def is_closed(self) -> bool:
        """Return whether the bot was told that the prompt is closed."""
        return self.closed_at is not None


class SeatConduct:
    """Watches one seat. Instants are in seconds."""

    def __init__(self, seat: tuple[int, int], report: Report) -> None:
        self.prompts: dict[int, PromptConduct] = {}
        self.excused: set[int] = set()
        """Prompts whose strikes are the check's own doing."""
        self.spoiled: set[int] = set()
        """Prompts whose decision the check made illegal, so that another decision is due."""
        self.is_over = False
        """Whether the match is over."""
        self.intermissions = 0
        self.ready_count = 0
        self.may_repeat_ready = False
        """Whether one more Ready is harmless, because the bot cannot know whether an earlier one has arrived."""
        self._name = f"match {seat[0]}, entrant {seat[1]}"
        self._report = report

    # ---- what the bot gets

    def on_message(self, message: play_pb2.SeatMessage, at: float, frame: int) -> None:
        """Handle a message to the seat. `frame` numbers the frame that holds it."""
        if message.HasField("snapshot"):
            self._restore(message, at)
        for event in message.events:
            self._on_event(event, at)
        for answer in message.answers:
            self._on_answer(answer, at)
        for prompt in message.prompts:
            known = self.prompts.get(prompt.id)
            if known is None:
                self.prompts[prompt.id] = PromptConduct(prompt)
            else:
                known.prompt = prompt
                known.may_repeat = True
        fresh = {prompt.id for prompt in message.prompts}
        for number in message.withdrawn:
            self._close(number, at, frame if number in fresh else 0)

    def on_reconnected(self) -> None:
        """Allow the bot to repeat each decision and Ready, because it cannot know which ones have arrived."""
        self.may_repeat_ready = True
        for prompt in self.prompts.values():
            prompt.may_repeat = True

    def _restore(self, message: play_pb2.SeatMessage, at: float) -> None:
        open_ids = {prompt.id for prompt in message.snapshot.prompts}
        for prompt in message.snapshot.prompts:
            self.prompts.setdefault(prompt.id, PromptConduct(prompt)).prompt = prompt
        for number in self.prompts.keys() - open_ids:
            self._close(number, at, 0)
        self.is_over = any(event.HasField("match_ended") for event in message.snapshot.events)
        if any(event.HasField("intermission_started") for event in message.snapshot.events):
            self.intermissions = self.ready_count + 1  # an earlier Ready may be lost, and to repeat it is harmless

    def _on_event(self, event: event_pb2.Event, at: float) -> None:
        if event.HasField("fault"):
            self._on_fault(event.fault)
        elif event.HasField("game_ended") or event.HasField("match_ended"):
            self.is_over = event.HasField("match_ended")
            for number in self.prompts:
                self._close(number, at, 0)
        elif event.HasField("intermission_started"):
            self.intermissions += 1
        elif event.HasField("game_started") and self.ready_count < self.intermissions:
            self.ready_count = self.intermissions
            self._report(Rule.READY, f"{self._name}: a break was over without Ready from the bot")

    def _on_fault(self, fault: event_pb2.Fault) -> None:
        if fault.prompt_id in self.excused | self.spoiled:
            return
        prompt = self.prompts.get(fault.prompt_id)
        which = f"{self._name}: prompt {fault.prompt_id}" + (f" ({kind_of(prompt.prompt)})" if prompt else "")
        match fault.kind:
            case event_pb2.FAULT_KIND_MISSING:
                self._report(Rule.ANSWER, f"{which} got no legal answer before its deadline")
            case event_pb2.FAULT_KIND_LATE:
                self._report(Rule.ANSWER, f"{which} was answered too late")
            case event_pb2.FAULT_KIND_ILLEGAL:
                self._report(Rule.LEGAL, f"{which} got an answer that is refused with {reason_of(fault.reason)}")
            case event_pb2.FAULT_KIND_CRASHED | event_pb2.FAULT_KIND_NO_ANSWER:
                self._report(Rule.ANSWER, f"{which} was answered with no_answer")
            case _:
                self._report(Rule.ANSWER, f"{which} cost the bot its seat")

    def _on_answer(self, answer: decision_pb2.DecisionAnswer, at: float) -> None:
        prompt = self.prompts.get(answer.prompt_id)
        if prompt is None:
            return
        if answer.status == decision_pb2.DECISION_STATUS_REFUSED:
            prompt.awaits_retry = not prompt.is_closed
        elif answer.status in {decision_pb2.DECISION_STATUS_ACCEPTED, decision_pb2.DECISION_STATUS_LANDED}:
            prompt.awaits_retry = False
            self._close(answer.prompt_id, at, 0)

    def _close(self, number: int, at: float, frame: int) -> None:
        prompt = self.prompts.get(number)
        if prompt is None or prompt.is_closed:
            return
        prompt.closed_at, prompt.opened_and_closed_in = at, frame
        if prompt.awaits_retry and number in self.spoiled:
            which = f"{self._name}: prompt {number} ({kind_of(prompt.prompt)})"
            self._report(Rule.RETRY, f"{which} was not answered again after the refusal")

    # ---- what the bot sends

    def on_decision(self, decision: decision_pb2.Decision, at: float) -> None:
        """Handle a decision of the bot, and report what is wrong with it."""
        which = f"{self._name}: prompt {decision.prompt_id}"
        if decision.action_id < 1:
            self._report(Rule.ACTION_ID, f"{which} was answered with action id 0")
        if len(decision.note.encode()) > NOTE_BYTES:
            self._report(Rule.NOTE, f"{which} was answered with a note of {len(decision.note.encode())} bytes")
        prompt = self.prompts.get(decision.prompt_id)
        if prompt is None:
            self._report(Rule.CLOSED, f"{which} was answered, but the bot never got such a prompt")
            return
        which += f" ({kind_of(prompt.prompt)})"
        self._check_repetition(prompt, decision, which)
        if prompt.opened_and_closed_in:
            self._report(Rule.CLOSED, f"{which} was answered, but the same message had withdrawn it")
        elif prompt.closed_at is not None and at - prompt.closed_at > CROSSING_S:
            late = at - prompt.closed_at
            self._report(Rule.CLOSED, f"{which} was answered {late:.1f} s after the bot was told that it is closed")
        prompt.actions[decision.action_id] = content_of(decision)

    def _check_repetition(self, prompt: PromptConduct, decision: decision_pb2.Decision, which: str) -> None:
        content = content_of(decision)
        sent = prompt.actions.get(decision.action_id)
        if prompt.awaits_retry:
            if sent is not None:
                self._report(Rule.RETRY, f"{which} was answered again under the refused action id {decision.action_id}")
            prompt.awaits_retry = False
        elif prompt.may_repeat:
            prompt.may_repeat = False
        elif sent is not None:
            rule = Rule.ONCE if sent == content else Rule.ACTION_ID
            self._report(rule, f"{which} was answered twice under action id {decision.action_id}")
        elif prompt.actions and not prompt.prompt.HasField("lands_us"):
            self._report(Rule.ONCE, f"{which} was answered a second time")


def kind_of(prompt: decision_pb2.Prompt) -> str:
    """Return the kind of a prompt as the contract names it, such as `cheat_turn`."""
    return prompt.WhichOneof("options") or "of an unknown kind"


def reason_of(reason: int) -> str:
    """Return the name of a reason without its prefix; the number if it has no name."""
    if reason not in error_reason_pb2.ErrorReason.values():
        return str(reason)
    name = error_reason_pb2.ErrorReason.Name(error_reason_pb2.ErrorReason.ValueType(reason))
    return name.removeprefix("ERROR_REASON_")


def content_of(decision: decision_pb2.Decision) -> bytes:
    """Return what a decision says, without its note, which may differ when it is sent again."""
    bare = decision_pb2.Decision()
    bare.CopyFrom(decision)
    bare.ClearField("note")
    return bare.SerializeToString(deterministic=True)
