"""Takes prompts apart: ids and times, which differ each time, and what is legal, which is said again and again.

So what is legal is decoded once for all prompts that say the same, and the times when somebody asks for them.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from cheatarena.game import QuestionKind
from cheatarena.player import Player, game_base_class
from cheatarena.scanning import read_varint_at
from cheatarena.seat_runtime import Cancellable
from cheatarena.v1.decision_pb2 import Prompt

MAX_CACHED_OPTIONS = 4096
"""So many different things that may be legal are remembered, for each class of bots."""

ID_TAG = 1 << 3
TIME_TAGS = bytes((2 << 3, 3 << 3, 4 << 3))
"""The tags of a prompt's id and of its times."""


class Question:
    """A prompt, and how far its answer is."""

    __slots__ = ("arrival_s", "encoded", "id", "kind", "legal", "running", "tries")

    def __init__(self, prompt_id: int, encoded: bytes, arrival_s: float, kind: QuestionKind, legal: Any) -> None:
        self.id = prompt_id
        self.encoded = encoded
        """The whole Prompt, as it came last."""
        self.arrival_s = arrival_s
        self.kind = kind
        self.legal = legal
        """What `Kind.read` makes of the options."""
        self.running: Cancellable | None = None
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
    try:
        prompt_id, position = encoded[1], 2
        if prompt_id > 127:
            prompt_id, position = prompt_id - 128 | encoded[2] << 7, 3
            if prompt_id >> 14:
                prompt_id, position = read_varint_at(encoded, 1)
        while encoded[position] in TIME_TAGS:
            position += 1
            while encoded[position] > 127:
                position += 1
            position += 1
        if encoded[0] == ID_TAG:
            return prompt_id, encoded[position:]
    except IndexError:
        pass
    return Prompt.FromString(encoded).id, encoded


@lru_cache(maxsize=256)
def build_prompt_reader(bot_class: type[Player]) -> Callable[[bytes], tuple[QuestionKind | None, Any]]:
    """Give what reads the options of prompts for a class of bots: their kind, and what `Kind.read` makes of them.

    The kind is None where the class's game has no such question. `Kind.unwritten` is left only to methods that the
    class has not written. It raises DecodeError where something is no prompt.
    """
    plain = game_base_class(bot_class)
    kinds = {
        name: kind if getattr(bot_class, kind.method) is getattr(plain, kind.method) else kind.without_default_answer()
        for name, kind in bot_class.game.kinds.items()
    }

    @lru_cache(maxsize=MAX_CACHED_OPTIONS)
    def read(encoded: bytes) -> tuple[QuestionKind | None, Any]:
        prompt = Prompt.FromString(encoded)
        name = prompt.WhichOneof("options")
        kind = kinds.get(name or "")
        return (None, None) if name is None or kind is None else (kind, kind.read(getattr(prompt, name)))

    return read
