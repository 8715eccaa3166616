"""Decodes prompts. The id and the times of a prompt are always new, but its legal options often repeat.

So equal options are decoded only once. Times are decoded only when they are read.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from cheatarena.errors import ProtocolError
from cheatarena.game import QuestionKind
from cheatarena.player import Player, game_base_class
from cheatarena.scanning import read_varint_at
from cheatarena.seat_runtime import Cancellable
from cheatarena.v1.decision_pb2 import Prompt

MAX_CACHED_OPTIONS = 4096
"""Maximum number of decoded options in the cache of a bot class."""

ID_TAG = 1 << 3
TIME_TAGS = bytes((2 << 3, 3 << 3, 4 << 3))
"""`ID_TAG` is the tag of a prompt's id; `TIME_TAGS` are the tags of its times."""


class Question:
    """An open prompt, and the state of its answer."""

    __slots__ = ("arrival_s", "encoded", "id", "kind", "legal", "running", "tries")

    def __init__(self, prompt_id: int, encoded: bytes, arrival_s: float, kind: QuestionKind, legal: Any) -> None:
        self.id = prompt_id
        self.encoded = encoded
        """The whole Prompt as bytes. If the server sent it several times, this is the last version.

        It is empty for a question without times that did not come as a message.
        """
        self.arrival_s = arrival_s
        self.kind = kind
        self.legal = legal
        """The legal options, from `QuestionKind.read`."""
        self.running: Cancellable | None = None
        """The bot's running method, or the timer of an answer that must wait before it is sent."""
        self.tries = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy a question, as `GameState` does."""
        return type(self), (self.id, self.encoded, self.arrival_s, self.kind, self.legal), self.__getstate__()

    def explain(self, table: Any, answer: object) -> str:
        """Return why an answer is illegal, as far as the package knows, and what is legal instead.

        The text is empty if the game explains nothing. With None as the answer, the text says only what is legal.
        """
        return self.kind.explain(table, self.legal, answer) if self.kind.explain else ""

    @property
    def deadline_us(self) -> int:
        """The deadline on the server's clock, in microseconds; 0 if there is none."""
        return Prompt.FromString(self.encoded).deadline_us

    @property
    def is_reaction(self) -> bool:
        """Whether the question is about what another seat has done, such as a call window."""
        return self.kind.is_reaction

    @property
    def earliest_us(self) -> int:
        """The earliest time on the server's clock, in microseconds, for a call; 0 if a call may be sent now."""
        return Prompt.FromString(self.encoded).earliest_us


def split_prompt(encoded: bytes) -> tuple[int, bytes]:
    """Return a prompt's id, and the bytes that follow the id and the times.

    If the id and the times do not come first, return the id and all bytes. Raises DecodeError if the bytes are not a
    prompt.
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


def question_kinds(bot_class: type[Player]) -> Mapping[str, QuestionKind]:
    """Return the kinds of questions to bots of a class, by the name of their field in a prompt.

    A kind keeps its default answer only if the bot class does not override the kind's method.
    """
    plain = game_base_class(bot_class)
    return {
        name: kind if getattr(bot_class, kind.method) is getattr(plain, kind.method) else kind.without_default_answer()
        for name, kind in bot_class.game.kinds.items()
    }


@lru_cache(maxsize=256)
def build_prompt_reader(bot_class: type[Player]) -> Callable[[bytes], tuple[QuestionKind | None, Any]]:
    """Return a decoder of legal options for a bot class. The decoder caches its results.

    The decoder returns the kind of a question and the legal options; if the game has no such question, both are None.
    The decoder raises DecodeError if the bytes are not a prompt, and ProtocolError if the options have no meaning.
    """
    kinds = question_kinds(bot_class)

    @lru_cache(maxsize=MAX_CACHED_OPTIONS)
    def read(encoded: bytes) -> tuple[QuestionKind | None, Any]:
        prompt = Prompt.FromString(encoded)
        name = prompt.WhichOneof("options")
        kind = kinds.get(name or "")
        if name is None or kind is None:
            return None, None
        try:
            return kind, kind.read(getattr(prompt, name))
        except (LookupError, ValueError) as error:
            raise ProtocolError(f"the options of a prompt ({name}) make no sense: {error}") from error

    return read
