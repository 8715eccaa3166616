"""What a bot can do wrong: the rules of the protocol guide that a check observes, and the breaches that it found."""

from dataclasses import dataclass
from enum import Enum


class Rule(Enum):
    """A rule of the protocol guide: the words in which a report names it, and its section in the guide."""

    HELLO = "send one Hello, alone, in the first frame", 3
    INSTANCE = "use the same instance after a reconnect", 3
    ONE_STREAM = "hold all seats on one stream", 3
    ONE_FRAME = "read each frame to its end, then answer in one frame", 3
    OFFER = "accept every offer immediately", 3
    ENTROPY = "send the promised entropy when the server asks for it", 3
    NODE = "open a stream to the node of the table, with its ticket and your token", 3
    PONG = "answer each ping with its nonce", 3
    STAY = "keep each seat until its match is over", 3
    READY = "send Ready in breaks, on each new stream again", 9
    SEQUENCE = "reconnect if a message is missing", 4
    ANSWER = "answer every prompt before its deadline", 5
    LEGAL = "answer within the options of the prompt", 5
    ONCE = "answer each prompt once", 5
    ACTION_ID = "use an action id of 1 or more, and each id for one action only", 5
    CLOSED = "forget prompts that are closed", 4
    SEATS = "answer only for seats that you hold", 4
    NOTE = "keep notes within 200 bytes", 5
    RETRY = "after a refusal, answer again under a new action id", 6
    PAUSES = "reconnect with growing pauses", 9
    DEAD_LINE = "open a new stream if frames arrive and no decision is answered for 10 s", 9
    STOP = "stop when the guide says so, with one clear line", 9
    EXIT_CODE = "use the exit code that says why the bot ends", 2
    SAY = "stop with one clear line, or keep trying and say so, while no connection can be made", 2
    GOODBYE = "end with Goodbye and exit code 0 when asked to stop", 2
    FINISH = "after SIGINT in a pool, take no new seats, play your matches to the end, say Goodbye, and end with 0", 2
    ALIVE = "keep running, and play each match to its end", 9

    def __init__(self, text: str, section: int) -> None:
        self.text = text
        self.section = section


@dataclass(frozen=True, slots=True)
class Finding:
    rule: Rule
    came: str
    """What the bot did instead, as a sentence without its full stop."""
