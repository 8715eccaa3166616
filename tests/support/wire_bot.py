"""A bot that a test controls: the test says which frames it sends, and which messages it waits for.

It uses only gRPC and the generated messages, as a bot in any language can. With `play`, it plays on its own.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType, TracebackType
from typing import Any, Self

import grpc
from google.rpc import error_details_pb2, status_pb2

from cheatarena.v1 import cheat_pb2, decision_pb2, event_pb2, lobby_pb2, play_pb2, pool_pb2, session_pb2

PLAY_METHOD = "/cheatarena.v1.PlayService/Play"
RECEIVE_TIMEOUT_S = 30.0
"""Seconds to wait for an expected frame before the test fails."""

Message = play_pb2.SeatMessage
Seat = tuple[int, int]
"""Match number and entrant."""
Choose = Callable[["WireBot", Message, decision_pb2.Prompt], decision_pb2.Decision]
"""Returns the decision for a prompt; `WireBot.play` fills in match, entrant, prompt and action id."""

_channel_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """How a call ended."""

    code: grpc.StatusCode
    reason: str = ""
    """The reason in the ErrorInfo of its status."""
    text: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    """What was expected of each refused field, from the BadRequest of its status."""
    domain: str = ""
    metadata: dict[str, str] = field(default_factory=dict, compare=False)
    """The metadata in the ErrorInfo of its status."""


def _outcome_from_status(
    code: grpc.StatusCode, text: str | None, trailing: Iterable[tuple[str, Any]] | None
) -> CallOutcome:
    """Read a status with its details."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for key, value in trailing or ():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                detail.Unpack(info)
                detail.Unpack(bad)
    faults = {violation.field: violation.description for violation in bad.field_violations}
    return CallOutcome(code, info.reason, text or "", faults, info.domain, dict(info.metadata))


async def expect_refusal(call: Awaitable[Any]) -> CallOutcome:
    """Await a call that must be refused, and return how it was refused."""
    try:
        given = await call
    except grpc.aio.AioRpcError as error:
        trailing: Any = error.trailing_metadata()
        return _outcome_from_status(error.code(), error.details(), trailing)
    raise AssertionError(f"not refused: {given}")


def new_channel(address: str, *options: tuple[str, int]) -> grpc.aio.Channel:
    """Return a channel with its own connection: a unique option keeps gRPC from sharing one."""
    return grpc.aio.insecure_channel(address, options=[("cheatarena.test.channel", next(_channel_numbers)), *options])


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),) if token else ()


class WireBot:
    """One stream to a server, as an asynchronous context manager.

    Leaving it without `send_goodbye` looks like a lost connection to the server.
    """

    def __init__(self, address: str, token: str, *options: tuple[str, int]) -> None:
        self.channel = new_channel(address, *options)
        self.call: Any = self.channel.stream_stream(PLAY_METHOD)(metadata=bearer(token))
        self.raw_frames: list[bytes] = []
        self.messages: list[Message] = []
        """All messages received for its seats."""
        self.unread: deque[Message] = deque()
        self.notices: deque[play_pb2.ServerNotice] = deque()
        """Notices that the test has not waited for yet."""
        self.hands: dict[Seat, bytearray] = {}
        self.accepted: list[tuple[int, int, int, int]] = []
        """Match, entrant, prompt id and action id of every accepted decision."""
        self._action_ids = itertools.count(1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.disconnect()

    async def disconnect(self) -> None:
        """Close the connection without a goodbye."""
        self.call.cancel()
        await self.channel.close()

    # ---- sending

    async def send(self, *notices: play_pb2.BotNotice, decisions: Iterable[decision_pb2.Decision] = ()) -> None:
        """Send one frame."""
        await self.send_raw(play_pb2.PlayRequest(notices=notices, decisions=decisions).SerializeToString())

    async def send_raw(self, frame: bytes) -> None:
        """Send any bytes as a frame."""
        await self.call.write(frame)

    async def open_session(
        self,
        instance: str = "one",
        capacity: int = 100,
        games: Iterable[str] = ("cheat",),
        version: int = 1,
        positions: Iterable[session_pb2.Position] = (),
        node: str = "",
        takes_joined_acceptances: bool = False,
        pools: Mapping[str, int] = MappingProxyType({}),
        *,
        bot_version: str = "",
        **more: Any,
    ) -> session_pb2.Welcome:
        """Open the session, and return the welcome. `more` has further fields of Hello."""
        support = [session_pb2.GameSupport(game=game) for game in games]
        hello = session_pb2.Hello(
            protocol_version=version,
            instance=instance,
            games=support,
            capacity=capacity,
            positions=positions,
            node=node,
            takes_joined_acceptances=takes_joined_acceptances,
            pools=[pool_pb2.PoolEntry(pool=pool, seats=seats) for pool, seats in pools.items()],
            version=bot_version,
            **more,
        )
        hello.positions.extend(positions)
        await self.send(play_pb2.BotNotice(hello=hello))
        return (await self.wait_for_notice("welcome")).welcome

    async def answer_offer(self, accept: bool = True, promise: bytes = b"") -> lobby_pb2.Offered:
        """Wait for an offer, accept or decline it, and return it. The answer may carry a promise of entropy."""
        offered = (await self.wait_for_notice("offered")).offered
        answer = lobby_pb2.OfferAnswer(offer_id=offered.offer_id, accept=accept, entropy_promise=promise)
        await self.send(play_pb2.BotNotice(offer_answer=answer))
        return offered

    async def send_entropy(self, offer_id: int, entropy: bytes) -> None:
        """Reveal entropy for an offer, whether it is the promised one or not."""
        await self.send(play_pb2.BotNotice(entropy=lobby_pb2.Entropy(offer_id=offer_id, entropy=entropy)))

    async def decide(self, seat: Seat, prompt_id: int, action_id: int = 0, **action: Any) -> int:
        """Send one decision of Cheat, such as `kind=CALL`, and return its action id."""
        action_id = action_id or next(self._action_ids)
        decision = decision_pb2.Decision(
            match=seat[0],
            entrant=seat[1],
            prompt_id=prompt_id,
            action_id=action_id,
            cheat=cheat_pb2.CheatAction(**action),
        )
        await self.send(decisions=[decision])
        return action_id

    async def send_goodbye(self) -> None:
        """Send goodbye, which leaves all seats."""
        await self.send(play_pb2.BotNotice(goodbye=session_pb2.Goodbye()))

    # ---- receiving

    async def receive(self) -> bool:
        """Read one frame. Return False at the end of the stream."""
        async with asyncio.timeout(RECEIVE_TIMEOUT_S):
            raw = await self.call.read()
        if raw is grpc.aio.EOF:
            return False
        self.raw_frames.append(raw)
        frame = play_pb2.PlayResponse.FromString(raw)
        for message in frame.messages:
            self._record(message)
        self.messages.extend(frame.messages)
        self.unread.extend(frame.messages)
        self.notices.extend(frame.notices)
        return True

    def _record(self, message: Message) -> None:
        seat = message.match, message.entrant
        if message.snapshot.HasField("cheat"):
            self.hands[seat] = bytearray(message.snapshot.cheat.hand.cards)
        for event in message.events:
            if event.HasField("cheat_hand"):
                self.hands[seat] = bytearray(event.cheat_hand.cards.cards)
            elif event.HasField("cheat_taken"):
                self.hands[seat] += event.cheat_taken.cards.cards
            elif event.HasField("cheat_laid"):
                for card in event.cheat_laid.cards.cards:
                    self.hands[seat].remove(card)
        for answer in message.answers:
            if answer.status == decision_pb2.DECISION_STATUS_ACCEPTED:
                self.accepted.append((*seat, answer.prompt_id, answer.action_id))

    async def wait_for_notice(self, kind: str) -> play_pb2.ServerNotice:
        """Wait for a notice of this kind; other notices stay in `notices`."""
        while True:
            for notice in self.notices:
                if notice.WhichOneof("notice") == kind:
                    self.notices.remove(notice)
                    return notice
            assert await self.receive(), f"the stream ended before {kind}: {self.call}"

    async def wait_for_message(self, fits: Callable[[Message], Any]) -> Message:
        """Wait for a message that fits, and drop the unread messages before it."""
        while True:
            while self.unread:
                message = self.unread.popleft()
                if fits(message):
                    return message
            assert await self.receive(), f"the stream ended: {self.call}"

    async def wait_for_prompt(self, kind: str = "") -> tuple[Message, decision_pb2.Prompt]:
        """Wait for a prompt of this kind, such as `cheat_turn`, or of any kind. Return its message and the prompt."""

        def find(message: Message) -> decision_pb2.Prompt | None:
            prompts: list[Any] = [*message.prompts, *message.snapshot.prompts]
            return next((each for each in prompts if not kind or each.HasField(kind)), None)

        message = await self.wait_for_message(find)
        prompt = find(message)
        assert prompt is not None
        return message, prompt

    async def wait_for_answer(self, action_id: int) -> decision_pb2.DecisionAnswer:
        """Wait for the answer to a decision."""
        message = await self.wait_for_message(lambda m: any(answer.action_id == action_id for answer in m.answers))
        return next(answer for answer in message.answers if answer.action_id == action_id)

    async def wait_for_event(self, kind: str) -> event_pb2.Event:
        """Wait for a fact of this kind."""
        message = await self.wait_for_message(lambda m: any(each.WhichOneof("fact") == kind for each in m.events))
        return next(each for each in message.events if each.WhichOneof("fact") == kind)

    async def wait_for_end(self) -> CallOutcome:
        """Read to the end of the stream, and return how it ended."""
        try:
            while await self.receive():
                pass
        except grpc.aio.AioRpcError:
            pass
        return _outcome_from_status(
            await self.call.code(), await self.call.details(), await self.call.trailing_metadata()
        )

    # ---- playing

    async def play(self, choose: Choose, stop: Callable[[Message], Any] | None = None) -> Message:
        """Accept every offer and answer every prompt until a match is over; return the last message.

        With `stop`, play only until a message for which it is true. That message stays unread, so `play` can continue.
        """
        fits = stop or is_match_over
        while True:
            decisions: list[decision_pb2.Decision] = []
            while self.unread:
                message = self.unread.popleft()
                if fits(message):
                    if stop is not None:
                        self.unread.appendleft(message)
                    await self.send(decisions=decisions)
                    return message
                decisions += self._decide(message, choose)
            accepting = [each.offered for each in self.notices if each.HasField("offered")]
            self.notices = deque(each for each in self.notices if not each.HasField("offered"))
            answers = [lobby_pb2.OfferAnswer(offer_id=each.offer_id, accept=True) for each in accepting]
            if decisions or answers:
                await self.send(*[play_pb2.BotNotice(offer_answer=each) for each in answers], decisions=decisions)
            assert await self.receive(), f"the stream ended: {self.call}"

    def _decide(self, message: Message, choose: Choose) -> list[decision_pb2.Decision]:
        answered, withdrawn = {*message.snapshot.answered}, {*message.withdrawn}
        decisions = []
        for prompt in [*message.prompts, *message.snapshot.prompts]:
            if prompt.id not in answered | withdrawn:
                decision = choose(self, message, prompt)
                decision.match, decision.entrant = message.match, message.entrant
                decision.prompt_id, decision.action_id = prompt.id, next(self._action_ids)
                decisions.append(decision)
        return decisions


def is_match_over(message: Message) -> bool:
    """Return whether a message reports the end of its match."""
    events = [*message.events, *message.snapshot.events]
    return any(event.HasField("match_ended") for event in events)


def begins_game(number: int) -> Callable[[Message], bool]:
    """Return a test for the message with which a game begins."""
    return lambda message: any(
        each.HasField("game_started") and each.game_started.game == number for each in message.events
    )


def play_lowest(bot: WireBot, message: Message, prompt: decision_pb2.Prompt) -> decision_pb2.Decision:
    """Lay the lowest cards of the hand with the first legal claim, and call every ninth move."""
    if prompt.HasField("cheat_window"):
        kind = cheat_pb2.CHEAT_ACTION_KIND_CALL if prompt.id % 9 == 0 else cheat_pb2.CHEAT_ACTION_KIND_DECLINE
        return decision_pb2.Decision(cheat=cheat_pb2.CheatAction(kind=kind))
    turn = prompt.cheat_turn
    if not turn.counts:
        return decision_pb2.Decision(cheat=cheat_pb2.CheatAction(kind=cheat_pb2.CHEAT_ACTION_KIND_PASS))
    count, hand = turn.counts[0], sorted(bot.hands[message.match, message.entrant])
    return decision_pb2.Decision(
        cheat=cheat_pb2.CheatAction(
            kind=cheat_pb2.CHEAT_ACTION_KIND_PLAY, cards=bytes(hand[:count]), rank=turn.ranks[0], count=count
        )
    )
