"""Takes prompts apart: ids and times, which differ each time, and what is legal, which is said again and again.

So what is legal is decoded once for all prompts that say the same, and the times when somebody asks for them.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from cheatarena.game import Kind
from cheatarena.line import Running
from cheatarena.player import Player, plain_class
from cheatarena.scanning import varint_at
from cheatarena.v1.decision_pb2 import Prompt

MOST_LEGAL = 4096
"""So many different things that may be legal are remembered, for each class of bots."""

BEGINNING = re.compile(rb"\x08[\x80-\xff]*[\x00-\x7f](?:[\x10\x18\x20][\x80-\xff]*[\x00-\x7f])*")
"""A prompt's id and its times, fields 1 to 4: each a tag, and a number of which the last byte alone is below 128."""


class Question:
    """A prompt, and how far its answer is."""

    __slots__ = ("arrival_s", "encoded", "id", "kind", "legal", "running", "tries")

    def __init__(self, prompt_id: int, encoded: bytes, arrival_s: float, kind: Kind, legal: Any) -> None:
        self.id = prompt_id
        self.encoded = encoded
        """The whole Prompt, as it came last."""
        self.arrival_s = arrival_s
        self.kind = kind
        self.legal = legal
        """What `Kind.read` makes of the options."""
        self.running: Running | None = None
        """The bot's thinking, or the wait until an answer may be sent."""
        self.tries = 0

    @property
    def deadline_us(self) -> int:
        """The last instant for an answer on the server's clock; 0 if there is none."""
        return Prompt.FromString(self.encoded).deadline_us

    @property
    def earliest_us(self) -> int:
        """No call is taken before this instant of the server's clock; 0: at once."""
        return Prompt.FromString(self.encoded).earliest_us


def split_prompt(encoded: bytes) -> tuple[int, bytes]:
    """Return a prompt's id, and what is behind its times.

    Raises DecodeError where it is no prompt.
    """
    beginning = BEGINNING.match(encoded)
    if beginning is None:
        return Prompt.FromString(encoded).id, encoded
    prompt_id = encoded[1]
    if prompt_id > 127:
        prompt_id, _ = varint_at(encoded, 1)
    return prompt_id, encoded[beginning.end() :]


@lru_cache(maxsize=256)
def reader_for(bot_class: type[Player]) -> Callable[[bytes], tuple[Kind | None, Any]]:
    """Give what reads the options of prompts for a class of bots: their kind, and what `Kind.read` makes of them.

    The kind is None where the class's game has no such question. `Kind.unwritten` is left only to methods that the
    class has not written. It raises DecodeError where something is no prompt.
    """
    plain = plain_class(bot_class)
    kinds = {
        name: kind if getattr(bot_class, kind.method) is getattr(plain, kind.method) else kind.written()
        for name, kind in bot_class.game.kinds.items()
    }

    @lru_cache(maxsize=MOST_LEGAL)
    def read(encoded: bytes) -> tuple[Kind | None, Any]:
        prompt = Prompt.FromString(encoded)
        name = prompt.WhichOneof("options")
        kind = kinds.get(name or "")
        return (None, None) if name is None or kind is None else (kind, kind.read(getattr(prompt, name)))

    return read
