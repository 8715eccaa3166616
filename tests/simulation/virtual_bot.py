"""Bots of the simulation: punctual ones, and some that die, dawdle, flood, err or do not read."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

from cheatarena.v1 import cheat_pb2, decision_pb2, lobby_pb2, play_pb2, session_pb2
from tests.simulation.virtual_network import Connection
from tests.simulation.virtual_time import World

Seat = tuple[int, int]
"""Match number and entrant."""
TEMPERS = ("punctual", "late", "dies", "illegal", "flood", "twice", "deaf", "half-open", "liar")


class Arena(Protocol):
    """What bots dial."""

    def accept(self, bot: "VirtualBot") -> Connection | None:
        """Return a connection; None if no server listens."""


class Witness(Protocol):
    """Sees what a bot receives."""

    def on_bot_message(self, bot: "VirtualBot", message: play_pb2.SeatMessage) -> None:
        """Check a message before the bot reads it."""


class VirtualBot:
    """One bot process. It dials again whenever its connection is gone."""

    def __init__(self, world: World, arena: Arena, witness: Witness, name: str, temper: str) -> None:
        self.name = name
        self.temper = temper
        self.node = ""
        self.positions: dict[Seat, int] = {}
        """The last sequence of each seat, on the present node."""
        self.is_dead = False
        self._world = world
        self._arena = arena
        self._witness = witness
        self._connection: Connection | None = None
        self._hands: dict[Seat, bytearray] = {}
        self._open: dict[Seat, dict[int, decision_pb2.Prompt]] = {}
        self._decisions: dict[tuple[Seat, int], decision_pb2.Decision] = {}

    def dial(self) -> None:
        """Open a stream; try again later if no server listens."""
        if self.is_dead:
            return
        self._connection = connection = self._arena.accept(self)
        if connection is None:
            self._world.schedule(300_000, self.dial)
            return
        positions = [session_pb2.Position(match=m, entrant=e, sequence=s) for (m, e), s in self.positions.items()]
        hello = session_pb2.Hello(
            protocol_version=1,
            instance="one",
            games=[session_pb2.GameSupport(game="cheat")],
            capacity=20,
            positions=positions,
            node=self.node,
            takes_joined_acceptances=self._world.random.random() < 0.5,
        )
        self._send(play_pb2.BotNotice(hello=hello))

    def die(self) -> None:
        """End for good, without a word."""
        self.is_dead = True
        if self._connection is not None:
            self._connection.cut()

    def lose_connection(self, silently: bool) -> None:
        """Lose the connection, if there is one, and dial again."""
        if self._connection is None:
            return
        if silently:
            self._connection.lose_silently()
            self._connection = None
            self._world.schedule(3_000_000, self.dial)
        else:
            self._connection.cut()

    def stop_reading(self, us: int) -> None:
        """Read nothing for some time."""
        if self._connection is not None:
            self._connection.read_from_us = self._world.now_us + us

    def on_closed(self, connection: Connection) -> None:
        """Dial again after a moment."""
        if connection is self._connection:
            self._connection = None
            self._world.schedule(self._world.random.randrange(100_000, 900_000), self.dial)

    def on_frame(self, connection: Connection, raw: bytes) -> None:
        """Read a frame and answer what it asks."""
        if connection is not self._connection or self.is_dead:
            return
        frame = play_pb2.PlayResponse.FromString(raw)
        for notice in frame.notices:
            if notice.HasField("welcome"):
                self._on_welcome(notice.welcome)
        self._world.note(f"{self.name} gets {len(frame.messages)} messages and {len(frame.notices)} notices")
        for message in frame.messages:
            self._witness.on_bot_message(self, message)
            self._on_message(message)
        for notice in frame.notices:
            self._on_notice(notice)

    def _on_welcome(self, welcome: session_pb2.Welcome) -> None:
        if welcome.node != self.node:
            self.node = welcome.node
            for known in (self.positions, self._hands, self._open, self._decisions):
                known.clear()
        for seat, prompts in self._open.items():  # an answer may have been lost with the connection
            for prompt in list(prompts.values()):
                self._plan_answer(seat, prompt)

    def _on_notice(self, notice: play_pb2.ServerNotice) -> None:
        match notice.WhichOneof("notice"):
            case "offered":
                answer = lobby_pb2.OfferAnswer(offer_id=notice.offered.offer_id, accept=True)
                if self.temper in ("liar", "twice"):
                    answer.entropy_promise = sha256(self._entropy(notice.offered.offer_id)).digest()
                self._send(play_pb2.BotNotice(offer_answer=answer))
            case "entropy_asked":
                offer_id = notice.entropy_asked.offer_id
                entropy = bytes(32) if self.temper == "liar" else self._entropy(offer_id)
                self._send(play_pb2.BotNotice(entropy=lobby_pb2.Entropy(offer_id=offer_id, entropy=entropy)))
            case "ping":
                self._send(play_pb2.BotNotice(pong=session_pb2.Pong(nonce=notice.ping.nonce)))
            case _:
                pass

    def _entropy(self, offer_id: int) -> bytes:
        return sha256(f"{self.name} {offer_id}".encode()).digest()

    def _on_message(self, message: play_pb2.SeatMessage) -> None:
        seat = message.match, message.entrant
        if message.sequence:
            self.positions[seat] = message.sequence
        if message.HasField("snapshot"):
            self._open[seat] = {}
            self._hands[seat] = bytearray(message.snapshot.cheat.hand.cards)
        self._update_hand(seat, message)
        answered = {*message.snapshot.answered, *message.withdrawn}
        prompts = self._open.setdefault(seat, {})
        for prompt in [*message.snapshot.prompts, *message.prompts]:
            if prompt.id not in answered:
                is_new = prompt.id not in prompts
                prompts[prompt.id] = prompt
                if is_new:
                    self._plan_answer(seat, prompt)
        for answer in message.answers:
            if answer.status != decision_pb2.DECISION_STATUS_REFUSED:
                prompts.pop(answer.prompt_id, None)
        for closed in answered:
            prompts.pop(closed, None)

    def _update_hand(self, seat: Seat, message: play_pb2.SeatMessage) -> None:
        hand = self._hands.setdefault(seat, bytearray())
        for event in message.events:
            if event.HasField("cheat_hand"):
                hand[:] = event.cheat_hand.cards.cards
            elif event.HasField("cheat_taken"):
                hand += event.cheat_taken.cards.cards
            elif event.HasField("cheat_laid"):
                for card in event.cheat_laid.cards.cards:
                    hand.remove(card)

    # ---- answers

    def _plan_answer(self, seat: Seat, prompt: decision_pb2.Prompt) -> None:
        """Answer after some thought; a bot that dawdles may come after the deadline."""
        random = self._world.random
        think_us = random.randrange(2_000, 60_000)
        if self.temper == "late" and random.random() < 0.1:
            think_us += random.choice((900_000, 2_300_000))
        node = self.node
        self._world.schedule(think_us, lambda: self._answer(node, seat, prompt.id))

    def _answer(self, node: str, seat: Seat, prompt_id: int) -> None:
        prompt = self._open.get(seat, {}).get(prompt_id)
        if prompt is None or node != self.node or self.is_dead:
            return
        decision = self._decisions.get((seat, prompt_id))
        if decision is None:
            decision = self._decisions[seat, prompt_id] = self._decide(seat, prompt)
        frames = [decision]
        if self.temper == "illegal":
            whim = self._world.random.random()
            if whim < 0.2:
                frames.insert(0, self._break_rule(decision))
            elif whim < 0.3:
                frames = [self._say_nothing(seat, prompt_id)]
                self._decisions[seat, prompt_id] = frames[0]
        if self.temper == "flood":
            frames *= 12
        if self.temper == "twice":
            frames += [decision, self._with_action_id(decision, 2)]
        self._send(decisions=frames)

    def _decide(self, seat: Seat, prompt: decision_pb2.Prompt) -> decision_pb2.Decision:
        random, action = self._world.random, cheat_pb2.CheatAction()
        turn, hand = prompt.cheat_turn, sorted(self._hands.get(seat, b""))
        if prompt.HasField("cheat_window"):
            calls = random.random() < 0.15
            action.kind = cheat_pb2.CHEAT_ACTION_KIND_CALL if calls else cheat_pb2.CHEAT_ACTION_KIND_DECLINE
        elif not turn.counts or turn.counts[0] > len(hand):
            action.kind = cheat_pb2.CHEAT_ACTION_KIND_PASS
        else:
            count = turn.counts[0]
            action.kind, action.count = cheat_pb2.CHEAT_ACTION_KIND_PLAY, count
            action.cards, action.rank = bytes(sorted(random.sample(hand, count))), random.choice(turn.ranks)
        return decision_pb2.Decision(
            match=seat[0], entrant=seat[1], prompt_id=prompt.id, action_id=1, cheat=action, note=self.name
        )

    def _break_rule(self, decision: decision_pb2.Decision) -> decision_pb2.Decision:
        broken = self._with_action_id(decision, 9)
        broken.cheat.cards, broken.cheat.count = bytes((1, 1, 1, 1, 1)), 5
        return broken

    @staticmethod
    def _say_nothing(seat: Seat, prompt_id: int) -> decision_pb2.Decision:
        """Return a decision that has no answer."""
        told = decision_pb2.NoAnswer(cause=decision_pb2.NO_ANSWER_CAUSE_CRASHED, text="raised")
        return decision_pb2.Decision(match=seat[0], entrant=seat[1], prompt_id=prompt_id, action_id=1, no_answer=told)

    @staticmethod
    def _with_action_id(decision: decision_pb2.Decision, action_id: int) -> decision_pb2.Decision:
        other = decision_pb2.Decision()
        other.CopyFrom(decision)
        other.action_id = action_id
        return other

    def _send(self, *notices: play_pb2.BotNotice, decisions: Iterable[decision_pb2.Decision] = ()) -> None:
        if self._connection is not None:
            self._connection.send(play_pb2.PlayRequest(notices=notices, decisions=decisions).SerializeToString())
