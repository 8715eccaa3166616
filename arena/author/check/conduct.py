"""Watches everything that the checked bot gets and sends, and notes each rule of the guide that it breaks."""

import asyncio
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final

from google.protobuf.message import Message

from arena.author.check.findings import Finding, Rule
from arena.author.check.seat_conduct import Report, SeatConduct
from arena.server.rpc.play_service import PROTOCOL_VERSION
from cheatarena.v1 import lobby_pb2, play_pb2, session_pb2


class Conduct:
    """The conduct of one bot, over all its streams."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` returns seconds."""
        self.findings: list[Finding] = []
        self.seats: dict[tuple[int, int], SeatConduct] = {}
        self.hellos: list[session_pb2.Hello] = []
        """The Hello of each stream."""
        self.opened_at: list[float] = []
        """The instant at which each stream was opened."""
        self.features: set[str] = set()
        """What the bot has got so far; see `features_of`."""
        self.lobby = LobbyConduct(self.report, clock)
        self.has_goodbye = False
        self.may_replace_stream = False
        """Whether the bot may open a stream while its last one is open, because it was asked to leave its pools."""
        self.has_prompt = asyncio.Event()
        self._clock = clock
        self._live_streams: set[int] = set()
        self._hello_seen: set[int] = set()
        self._frame = 0

    def report(self, rule: Rule, came: str) -> None:
        """Note a breach of a rule, once for each rule and text."""
        finding = Finding(rule, came)
        if finding not in self.findings:
            self.findings.append(finding)

    # ---- streams

    def on_opened(self, stream: int) -> None:
        if self._live_streams and not self.may_replace_stream:
            self.report(Rule.ONE_STREAM, "the bot opened a second stream while its first one was open")
        self._live_streams.add(stream)
        self.opened_at.append(self._clock())

    def on_closed(self, stream: int) -> None:
        self._live_streams.discard(stream)
        self.lobby.on_closed()

    # ---- frames

    def on_bot_frame(self, stream: int, frame: play_pb2.PlayRequest) -> None:
        at = self._clock()
        if stream not in self._hello_seen:
            self._hello_seen.add(stream)
            self._check_first_frame(frame)
            return
        for decision in frame.decisions:
            seat = self.seats.get((decision.match, decision.entrant))
            if seat is None:
                self.report(Rule.SEATS, f"a decision names match {decision.match}, entrant {decision.entrant}")
            else:
                seat.on_decision(decision, at)
        for notice in frame.notices:
            self._on_notice(notice)

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> None:
        at = self._clock()
        self._frame += 1
        for message in frame.messages:
            if message.sequence:
                key = (message.match, message.entrant)
                seat = self.seats.setdefault(key, SeatConduct(key, self.report))
                seat.on_message(message, at, self._frame)
                self.features.update(features_of(message))
                if message.prompts:
                    self.has_prompt.set()
        for notice in frame.notices:
            self.lobby.on_server_notice(notice)
            if notice.HasField("welcome") and len(self.hellos) > 1:
                for seat in self.seats.values():
                    seat.on_reconnected()

    # ---- parts of frames

    def _check_first_frame(self, frame: play_pb2.PlayRequest) -> None:
        kinds = [notice.WhichOneof("notice") or "an empty notice" for notice in frame.notices]
        if kinds != ["hello"] or frame.decisions:
            found = ", ".join([*kinds, *["a decision"] * len(frame.decisions)]) or "nothing"
            self.report(Rule.HELLO, f"the first frame holds {found}")
            return
        self._check_hello(frame.notices[0].hello)

    def _check_hello(self, hello: session_pb2.Hello) -> None:
        if hello.protocol_version != PROTOCOL_VERSION:
            came = f"Hello has protocol_version {hello.protocol_version}: it has to be {PROTOCOL_VERSION}"
            self.report(Rule.HELLO, came)
        if not 1 <= len(hello.instance) <= 64 or not hello.instance.isprintable():
            self.report(Rule.HELLO, f"the instance is {hello.instance!r}: it needs 1 to 64 printable characters")
        if not hello.games:
            self.report(Rule.HELLO, "Hello lists no games, so the bot gets no seat")
        if not 1 <= hello.capacity <= 10_000:
            self.report(Rule.HELLO, f"the capacity is {hello.capacity}: it has to be 1 to 10000")
        if self.hellos and self.hellos[-1].instance != hello.instance:
            self.report(Rule.INSTANCE, f"the instance was {self.hellos[-1].instance!r} and is {hello.instance!r} now")
        self.hellos.append(hello)

    def _on_notice(self, notice: play_pb2.BotNotice) -> None:
        match notice.WhichOneof("notice"):
            case "hello":
                self.report(Rule.HELLO, "the bot sent a second Hello on one stream")
            case "offer_answer":
                self.lobby.on_offer_answer(notice.offer_answer)
            case "pong":
                self.lobby.on_pong(notice.pong.nonce)
            case "entropy":
                self.lobby.on_entropy(notice.entropy)
            case "leave":
                self.report(Rule.STAY, f"the bot sent Leave for match {notice.leave.match}")
            case "goodbye":
                self.has_goodbye = True
            case "ready":
                self._on_ready((notice.ready.match, notice.ready.entrant))
            case _:
                pass

    def _on_ready(self, key: tuple[int, int]) -> None:
        seat = self.seats.get(key)
        if seat is not None and seat.ready_count < seat.intermissions:
            seat.ready_count += 1
        elif seat is not None and seat.may_repeat_ready:
            seat.may_repeat_ready = False
        else:
            self.report(Rule.READY, f"Ready for match {key[0]} came without a break")


def features_of(message: play_pb2.SeatMessage) -> Iterator[str]:
    """Yield the paths of all fields that the prompts and facts of a message have set: what a step may wait for.

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
        self._offers.pop(answer.offer_id, None)
        if not answer.accept:
            self._report(Rule.OFFER, f"offer {answer.offer_id} was declined")
        if answer.entropy_promise:
            self.promises[answer.offer_id] = answer.entropy_promise

    def on_pong(self, nonce: int) -> None:
        if self._pings.pop(nonce, None) is None:
            self._report(Rule.PONG, f"a pong has the nonce {nonce}, which no ping had")

    def on_entropy(self, entropy: lobby_pb2.Entropy) -> None:
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
