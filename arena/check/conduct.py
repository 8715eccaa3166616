"""Watches everything that the checked bot gets and sends, and notes each rule of the guide that it breaks."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from arena.check.findings import Finding, Rule
from arena.check.seat_conduct import SeatConduct
from cheatarena.v1 import play_pb2, session_pb2

PROMPT_ANSWER_S: Final = 2.0
"""Seconds that an answer to an offer or a ping may take. The guide says "immediately"; a busy machine needs some."""


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
        self.decision_frames = 0
        """How many frames of the bot had decisions."""
        self.decision_count = 0
        self.has_goodbye = False
        self.has_prompt = asyncio.Event()
        self._clock = clock
        self._live_streams: set[int] = set()
        self._hello_seen: set[int] = set()
        self._pings: dict[int, float] = {}
        self._offers: dict[int, float] = {}
        self._frame = 0

    def report(self, rule: Rule, came: str) -> None:
        """Note a breach of a rule, once for each rule and text."""
        finding = Finding(rule, came)
        if finding not in self.findings:
            self.findings.append(finding)

    # ---- streams

    def on_opened(self, stream: int) -> None:
        """Take in that the bot has opened a stream."""
        if self._live_streams:
            self.report(Rule.ONE_STREAM, "the bot opened a second stream while its first one was open")
        self._live_streams.add(stream)
        self.opened_at.append(self._clock())

    def on_closed(self, stream: int) -> None:
        """Take in that a stream has ended."""
        self._live_streams.discard(stream)
        self._pings.clear()

    # ---- frames

    def on_bot_frame(self, stream: int, frame: play_pb2.PlayRequest) -> None:
        """Take in a frame of the bot."""
        at = self._clock()
        if stream not in self._hello_seen:
            self._hello_seen.add(stream)
            self._check_first_frame(frame)
            return
        self.decision_frames += bool(frame.decisions)
        for decision in frame.decisions:
            self.decision_count += 1
            seat = self.seats.get((decision.match, decision.entrant))
            if seat is None:
                self.report(Rule.SEATS, f"a decision names match {decision.match}, entrant {decision.entrant}")
            else:
                seat.on_decision(decision, at)
        for notice in frame.notices:
            self._on_notice(notice)

    def on_server_frame(self, frame: play_pb2.PlayResponse) -> None:
        """Take in a frame as the bot gets it."""
        at = self._clock()
        self._frame += 1
        for message in frame.messages:
            if message.sequence:
                key = (message.match, message.entrant)
                seat = self.seats.setdefault(key, SeatConduct(key, self.report))
                seat.on_message(message, at, self._frame)
                if message.prompts:
                    self.has_prompt.set()
        for notice in frame.notices:
            match notice.WhichOneof("notice"):
                case "offered":
                    self._offers[notice.offered.offer_id] = at
                case "offer_closed":
                    self._offers.pop(notice.offer_closed.offer_id, None)
                case "ping":
                    self._pings[notice.ping.nonce] = at
                case "welcome" if len(self.hellos) > 1:
                    for seat in self.seats.values():
                        seat.on_reconnected()

    @property
    def is_pending(self) -> bool:
        """Return whether an offer or a ping waits for its answer."""
        return bool(self._offers or self._pings)

    def check_pending(self) -> None:
        """Report offers and pings that have waited for too long, and forget them."""
        now = self._clock()
        for rule, kind, waiting in ((Rule.OFFER, "offer", self._offers), (Rule.PONG, "ping", self._pings)):
            for number, since in list(waiting.items()):
                if now - since > PROMPT_ANSWER_S:
                    del waiting[number]
                    self.report(rule, f"{kind} {number} got no answer within {now - since:.1f} s")

    # ---- parts of frames

    def _check_first_frame(self, frame: play_pb2.PlayRequest) -> None:
        kinds = [notice.WhichOneof("notice") or "an empty notice" for notice in frame.notices]
        if kinds != ["hello"] or frame.decisions:
            found = ", ".join([*kinds, *["a decision"] * len(frame.decisions)]) or "nothing"
            self.report(Rule.HELLO, f"the first frame holds {found}")
            return
        hello = frame.notices[0].hello
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
                self._offers.pop(notice.offer_answer.offer_id, None)
                if not notice.offer_answer.accept:
                    self.report(Rule.OFFER, f"offer {notice.offer_answer.offer_id} was declined")
            case "pong":
                if self._pings.pop(notice.pong.nonce, None) is None:
                    self.report(Rule.PONG, f"a pong has the nonce {notice.pong.nonce}, which no ping had")
            case "goodbye":
                self.has_goodbye = True
            case "ready":
                seat = self.seats.get((notice.ready.match, notice.ready.entrant))
                if seat is None or seat.ready_count >= seat.intermissions:
                    self.report(Rule.READY, f"Ready for match {notice.ready.match} came without a break")
                else:
                    seat.ready_count += 1
            case _:
                pass
