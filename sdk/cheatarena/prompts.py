"""Decodes prompts in two parts: ids and times, which always differ, and legal options, which often repeat.

Equal options are decoded once, and times only when they are read.
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
"""Most decoded options cached for each bot class."""

ID_TAG = 1 << 3
TIME_TAGS = bytes((2 << 3, 3 << 3, 4 << 3))
"""The tags of a prompt's id and of its times."""


class Question:
    """An open prompt, and how far its answer has come."""

    __slots__ = ("arrival_s", "encoded", "id", "kind", "legal", "running", "tries")

    def __init__(self, prompt_id: int, encoded: bytes, arrival_s: float, kind: QuestionKind, legal: Any) -> None:
        self.id = prompt_id
        self.encoded = encoded
        """The whole Prompt as bytes, in the version received last."""
        self.arrival_s = arrival_s
        self.kind = kind
        self.legal = legal
        """The legal options, from `QuestionKind.read`."""
        self.running: Cancellable | None = None
        """The bot's running method, or the timer of an answer that may not be sent yet."""
        self.tries = 0

    @property
    def deadline_us(self) -> int:
        """The deadline on the server's clock, in microseconds; 0 if there is none."""
        return Prompt.FromString(self.encoded).deadline_us

    @property
    def earliest_us(self) -> int:
        """The earliest time for a call, on the server's clock, in microseconds; 0 if it may be sent at once."""
        return Prompt.FromString(self.encoded).earliest_us


def split_prompt(encoded: bytes) -> tuple[int, bytes]:
    """Return a prompt's id, and its bytes after the times, or all of its bytes if its fields are in another order.

    Raises DecodeError if it is not a prompt.
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
    """Return a decoder of options for a bot class, which caches its results.

    The decoder returns the kind of the question and its legal options, or twice None if the game has no such question.
    A kind has a default answer only if the class does not override its method. The decoder raises DecodeError if the
    bytes are not a prompt.
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
