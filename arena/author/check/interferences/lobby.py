"""Interferences with notices: offers that are withdrawn, and questions for entropy that are lost."""

from collections.abc import Sequence
from typing import Final

from arena.author.check.conduct import Conduct
from arena.author.check.interference import Interference
from arena.author.check.interferences.broken_lines import LoseConnection
from cheatarena.v1 import error_reason_pb2, play_pb2

_FIRST_FALSE_NUMBER: Final = 2_000_000_000
"""Offers and matches with this number or a higher one are not the server's."""


class WithdrawOffers(Interference):
    """Adds offers to the real one: one is withdrawn in the same frame, the other as soon as the bot has answered it."""

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> Sequence[play_pb2.PlayResponse]:
        """Add two offers to the first frame that has one, and withdraw one of the two in the same frame."""
        real = next((notice.offered for notice in frame.notices if notice.HasField("offered")), None)
        if real is None or self.happened:
            return [frame]
        self.happened = 1
        for number in (_FIRST_FALSE_NUMBER, _FIRST_FALSE_NUMBER + 1):
            added = frame.notices.add().offered
            added.CopyFrom(real)
            added.offer_id = added.match = number
        self._withdraw(frame, _FIRST_FALSE_NUMBER)
        return [frame]

    def on_bot_frame(self, frame: play_pb2.PlayRequest) -> Sequence[play_pb2.PlayRequest]:
        """Return the frame without answers to offers that the server has not made."""
        answers = [notice for notice in frame.notices if notice.offer_answer.offer_id >= _FIRST_FALSE_NUMBER]
        for notice in answers:
            frame.notices.remove(notice)
            if notice.offer_answer.offer_id > _FIRST_FALSE_NUMBER:
                withdrawal = play_pb2.PlayResponse()
                self._withdraw(withdrawal, notice.offer_answer.offer_id)
                self.stream.send(withdrawal)
        return [frame]

    @staticmethod
    def _withdraw(frame: play_pb2.PlayResponse, offer: int) -> None:
        closed = frame.notices.add().offer_closed
        closed.offer_id, closed.reason = offer, error_reason_pb2.ERROR_REASON_MATCH_CANCELLED


class LoseEntropyQuestion(LoseConnection):
    """Loses the connection when the server asks for entropy. Most bots promise none, so they are never asked."""

    def __init__(self, conduct: Conduct) -> None:
        super().__init__(conduct, at_server_frame=_asks_entropy, times=1)

    @property
    def skip_reason(self) -> str:
        """Return why the step does not apply to a bot that promises no entropy."""
        return "" if self.conduct.lobby.promises else "the bot promises no entropy, and it need not"


def _asks_entropy(frame: play_pb2.PlayResponse) -> bool:
    return any(notice.HasField("entropy_asked") for notice in frame.notices)
