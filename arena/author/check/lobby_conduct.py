"""Watches the notices of the checked bot: its answers to offers, to pings and to the request for its entropy."""

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from arena.author.check.findings import Rule
from arena.author.check.seat_conduct import Report
from cheatarena.v1 import lobby_pb2, play_pb2

NOTICE_ANSWER_S: Final = 2.0
"""Seconds that an answer to a notice may take. The guide says "immediately"; a busy machine needs some."""


class LobbyConduct:
    """Watches the notices of one bot, over all its streams."""

    def __init__(self, report: Report, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self.promises: dict[int, bytes] = {}
        """The hashes of the entropy that the bot promised, by offer."""
        self._report = report
        self._clock = clock
        self._offers: dict[int, float] = {}
        self._pings: dict[int, float] = {}
        self._entropy_asked: dict[int, float] = {}

    @property
    def is_pending(self) -> bool:
        """Return whether a notice waits for its answer."""
        return bool(self._offers or self._pings or self._entropy_asked)

    def check_pending(self) -> None:
        """Report notices that have waited for too long, and forget them."""
        now = self._clock()
        for rule, kind, waiting in (
            (Rule.OFFER, "offer", self._offers),
            (Rule.PONG, "ping", self._pings),
            (Rule.ENTROPY, "EntropyAsked for offer", self._entropy_asked),
        ):
            for number, since in list(waiting.items()):
                if now - since > NOTICE_ANSWER_S:
                    del waiting[number]
                    self._report(rule, f"{kind} {number} got no answer within {now - since:.1f} s")

    def on_closed(self) -> None:
        """Forget the pings and questions of a stream that has ended. Offers and questions come again."""
        self._pings.clear()
        self._entropy_asked.clear()

    def on_server_notice(self, notice: play_pb2.ServerNotice) -> None:
        """Handle a notice that the bot gets."""
        match notice.WhichOneof("notice"):
            case "offered":
                self._offers[notice.offered.offer_id] = self._clock()
            case "offer_closed":
                self._offers.pop(notice.offer_closed.offer_id, None)
            case "ping":
                self._pings[notice.ping.nonce] = self._clock()
            case "entropy_asked":
                self._entropy_asked[notice.entropy_asked.offer_id] = self._clock()
            case _:
                pass

    def on_offer_answer(self, answer: lobby_pb2.OfferAnswer) -> None:
        """Handle the answer to an offer."""
        self._offers.pop(answer.offer_id, None)
        if not answer.accept:
            self._report(Rule.OFFER, f"offer {answer.offer_id} was declined")
        if answer.entropy_promise:
            self.promises[answer.offer_id] = answer.entropy_promise

    def on_pong(self, nonce: int) -> None:
        """Handle a pong."""
        if self._pings.pop(nonce, None) is None:
            self._report(Rule.PONG, f"a pong has the nonce {nonce}, which no ping had")

    def on_entropy(self, entropy: lobby_pb2.Entropy) -> None:
        """Handle the bytes for a promise."""
        self._entropy_asked.pop(entropy.offer_id, None)
        promise = self.promises.get(entropy.offer_id)
        if promise is None:
            self._report(Rule.ENTROPY, f"entropy came for offer {entropy.offer_id}, for which the bot promised none")
        elif len(entropy.entropy) != 32 or sha256(entropy.entropy).digest() != promise:
            self._report(
                Rule.ENTROPY,
                f"the bot sent {len(entropy.entropy)} bytes for offer {entropy.offer_id}, not the 32 bytes whose hash "
                "it had promised",
            )
