"""What a bot can do wrong: the rules of the protocol guide that a check observes, and the breaches that it found."""

from dataclasses import dataclass
from enum import Enum


class Rule(Enum):
    """A rule of the protocol guide, in the words in which a report names it."""

    HELLO = "send one Hello, alone, in the first frame"
    INSTANCE = "use the same instance after a reconnect"
    ONE_STREAM = "hold all seats on one stream"
    ONE_FRAME = "read each frame to its end, then answer in one frame"
    OFFER = "accept every offer immediately"
    ANSWER = "answer every prompt before its deadline"
    LEGAL = "answer within the options of the prompt"
    ONCE = "answer each prompt once"
    RETRY = "after a refusal, answer again under a new action id"
    ACTION_ID = "use an action id of 1 or more, and each id for one action only"
    CLOSED = "forget prompts that are closed"
    SEATS = "answer only for seats that you hold"
    NOTE = "keep notes within 200 bytes"
    READY = "send Ready in breaks"
    PONG = "answer each ping with its nonce"
    RECONNECT = "reconnect within the reconnect allowance"
    PAUSES = "reconnect with growing pauses"
    STOP = "stop when the guide says so, with one clear line and an exit code that is not 0"
    GOODBYE = "end with Goodbye and exit code 0 when asked to stop"
    ALIVE = "keep running"
    POSITIONS = "give the positions of the node that you saw last, or none"


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach of a rule."""

    rule: Rule
    came: str
    """What the bot did instead, as a sentence without its full stop."""
