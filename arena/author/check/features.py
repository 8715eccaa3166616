"""Lists what a message to a seat contains, so that a step can say what the bot has to get before the step counts."""

from collections.abc import Iterator

from google.protobuf.message import Message

from cheatarena.v1 import play_pb2


def features_of(message: play_pb2.SeatMessage) -> Iterator[str]:
    """Yield the paths of all fields that the prompts and facts of a message have set.

    Examples are `lands_us`, `cheat_turn`, `cheat_turn.can_believe` and `cheat_hand.cards.counted`.
    """
    for part in (*message.prompts, *message.snapshot.prompts, *message.events):
        yield from _paths_of(part, "")


def _paths_of(message: Message, prefix: str) -> Iterator[str]:
    for field, value in message.ListFields():
        path = prefix + field.name
        yield path
        if isinstance(value, Message):
            yield from _paths_of(value, f"{path}.")
