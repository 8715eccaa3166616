"""Decoding of prompts, split into ids and times, which always differ, and legal options, which often repeat.

Options are decoded once for all equal prompts, and times only when they are read.
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
    """A prompt, and the progress of its answer."""

    __slots__ = ("arrival_s", "encoded", "id", "kind", "legal", "running", "tries")

    def __init__(self, prompt_id: int, encoded: bytes, arrival_s: float, kind: QuestionKind, legal: Any) -> None:
        self.id = prompt_id
        self.encoded = encoded
        """The latest version of the whole Prompt."""
        self.arrival_s = arrival_s
        self.kind = kind
        self.legal = legal
        """The legal options, from `QuestionKind.read`."""
        self.running: Cancellable | None = None
        """The bot's running method, or the delay until an answer may be sent."""
        self.tries = 0

    @property
    def deadline_us(self) -> int:
        """The deadline on the server's clock, in microseconds; 0 if there is none."""
        return Prompt.FromString(self.encoded).deadline_us

    @property
    def earliest_us(self) -> int:
        """The earliest time for a call on the server's clock, in microseconds; 0: at once."""
        return Prompt.FromString(self.encoded).earliest_us


def split_prompt(encoded: bytes) -> tuple[int, bytes]:
    """Return a prompt's id, and the bytes after its times.

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
    """Return a cached decoder of options for a bot class: it returns their kind and the value of `QuestionKind.read`.

    The kind is None if the game has no such question. `QuestionKind.default_answer` is kept only for methods that the
    class does not override. The decoder raises DecodeError if the bytes are not a prompt.
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
