"""Turns a table's orders into messages; each fact is redacted by the game and encoded once for all viewers.

A public fact goes to each seat, even if one session has several of them. In rated matches a bot has one seat; for a
session with two of four, the repeated facts are 9 % of its bytes.
"""

from collections.abc import Callable, Sequence

from arena.match.feed.codec import Codec, ViewerSnapshot
from arena.match.feed.gate import Gate
from arena.match.feed.outbox import Outbox
from arena.match.feed.viewer_stream import PUBLIC_FIRST, PUBLIC_MIXED, WITHOUT_PUBLIC, ViewerStream
from arena.match.game import Seat
from arena.match.referee.facts import (
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchStarted,
)
from arena.match.referee.orders import (
    AnnounceFact,
    Ask,
    DecisionResult,
    DecisionStatus,
    GiveReceipt,
    Order,
    PromptView,
    TellEvent,
    TellStrike,
    Withdraw,
)
from arena.match.referee.referee import Referee
from arena.match.referee.scalars import EntrantIndex, StreamSequence
from arena.match.referee.terms import Terms

SPECTATOR = EntrantIndex(-1)
"""The viewer number of all spectators."""
MAX_SNAPSHOT_ANSWERS = 8
"""How many of a seat's latest decision results a snapshot contains."""


class MatchFeed:
    """The audience of one table: a stream for every entrant and one for spectators."""

    def __init__(
        self,
        number: int,
        terms: Terms,
        seeds: Sequence[bytes],
        codec: Codec,
        gate: Gate,
        adjust_snapshot: Callable[[EntrantIndex, ViewerSnapshot], ViewerSnapshot] = lambda _, snapshot: snapshot,
    ) -> None:
        """`seeds` has each entrant's own random seed. `adjust_snapshot` may change a viewer's snapshot."""
        self._terms = terms
        self._seeds = seeds
        """The seeds by entrant; emptied once they are sent."""
        self._codec = codec
        self._gate = gate
        self._adjust_snapshot = adjust_snapshot
        self._redact = terms.game.redact
        self._seats: tuple[EntrantIndex, ...] = ()
        """The entrant of each seat in the running game."""
        self._public_stream = public = ViewerStream(codec.encode_header(number, EntrantIndex(0)))
        self._entrant_streams = {e: ViewerStream(codec.encode_header(number, e), public) for e in terms.entrant_indices}
        self._snapshot_facts: list[tuple[EntrantIndex | None, bool, bytes]] = []
        """Facts to repeat in snapshots: the receiver (or None for every viewer), whether the fact passes when a game
        begins or ends, the encoding."""

    # ---- publishing

    def publish(self, orders: Sequence[Order]) -> None:
        first = orders[0]
        if type(first) is DecisionResult and len(orders) == 1:
            self._send_result(first)
            return
        draft = _Draft()
        asked: PromptView | None = None
        prompt = b""
        for order in orders:
            if isinstance(order, Ask):
                entrant, view = order.entrant, order.prompt
                if view is not asked:
                    asked, prompt = view, self._codec.encode_prompt(view)
                draft.add_part(entrant, prompt)
                self._entrant_streams[entrant].count_prompt(view.id)
            elif isinstance(order, TellEvent):
                public, private = self._redact(order.event)
                if public is not None:
                    draft.add_public(self._codec.encode_game_fact(public))
                for seat, parts in private.items():
                    for part in parts:
                        draft.add_private(self._seats[seat], self._codec.encode_game_fact(part))
            else:
                self._add_rare_order(draft, order)
        self._send_draft(draft)

    def restore(self, orders: Sequence[Order], sequence: StreamSequence) -> None:
        """Take over a match that another node has played so far. Every viewer continues with a snapshot.

        `orders` are the match's orders that snapshots repeat. No viewer has been sent a message after `sequence`.
        """
        for order in orders:
            self._add_rare_order(_Draft(), order)
        for stream in (self._public_stream, *self._entrant_streams.values()):
            stream.restart_after(sequence)

    def _send_result(self, result: DecisionResult) -> None:
        """Send the result of a decision that has led to nothing else. An acceptance may wait for the next message."""
        stream, body = self._entrant_streams[result.entrant], self._codec.encode_answer(result)
        may_wait = result.status is DecisionStatus.ACCEPTED
        self._send_to(stream, body, body, WITHOUT_PUBLIC, may_wait=may_wait)

    def _add_announcement(self, draft: "_Draft", order: AnnounceFact) -> None:
        fact = order.fact
        if isinstance(fact, MatchStarted):
            started = self._codec.encode_match_started(self._terms)
            self._snapshot_facts.append((None, False, started))
            draft.add_public(started)
            for entrant, seed in zip(self._terms.entrant_indices, self._seeds, strict=False):
                self._add_entrant_fact(draft, entrant, self._codec.encode_entrant_seed(seed))
            self._seeds = ()
            return
        raw = self._codec.encode_announcement(fact)
        if isinstance(fact, GameStarted):
            self._seats = fact.entrants
        if isinstance(fact, GameStarted | GameEnded):
            self._snapshot_facts = [entry for entry in self._snapshot_facts if not entry[1]]
        self._snapshot_facts.append((None, isinstance(fact, GameStarted | IntermissionStarted), raw))
        draft.add_public(raw)
        if isinstance(fact, IntermissionStarted):
            for stream in self._entrant_streams.values():
                if stream.outbox is not None:
                    stream.outbox.prompt_count += 1

    def _add_entrant_fact(self, draft: "_Draft", entrant: EntrantIndex, raw: bytes) -> None:
        """Send one entrant a fact. The entrant's snapshots repeat this fact until the match ends."""
        self._snapshot_facts.append((entrant, False, raw))
        draft.add_private(entrant, raw)

    def _add_rare_order(self, draft: "_Draft", order: Order) -> None:
        """Add an order other than `Ask` and `TellEvent`."""
        match order:
            case DecisionResult():
                draft.add_part(order.entrant, self._codec.encode_answer(order))
            case Withdraw():
                draft.add_part(order.entrant, self._codec.encode_withdrawal(order.prompt_id))
            case TellStrike(struck):
                draft.add_private(struck.entrant, self._codec.encode_strike(struck))
            case AnnounceFact():
                self._add_announcement(draft, order)
            case GiveReceipt():
                self._add_entrant_fact(draft, order.entrant, self._codec.encode_receipt(order.receipt))
            case _:
                return  # drawn values are published as the events that they cause

    def _send_draft(self, draft: "_Draft") -> None:
        common, own, parts = draft.common, draft.own, draft.parts
        last, body = b"", common
        way = PUBLIC_FIRST if common else WITHOUT_PUBLIC
        for entrant, stream in self._entrant_streams.items():
            part = parts.get(entrant, b"")
            if entrant in own:
                self._send_private(stream, common, own[entrant] + part)
                continue
            if part is not last:
                last, body = part, common + part
            if body:
                self._send_to(stream, body, part, way)
        if common:
            public = self._public_stream
            sequence = public.append(common)
            if public.watchers:
                self._send_to_watchers(public, sequence, common)

    def _send_private(self, stream: ViewerStream, common: bytes, body: bytes) -> None:
        if not common:
            self._send_to(stream, body, body, WITHOUT_PUBLIC)
        elif body.startswith(common):
            self._send_to(stream, body, body[len(common) :], PUBLIC_FIRST)
        else:
            self._send_to(stream, body, body, PUBLIC_MIXED)

    def _send_to(self, stream: ViewerStream, body: bytes, own: bytes, way: int, *, may_wait: bool = False) -> None:
        """Send a body, and keep `own`: the part of the body that is not in the public stream.

        A body that may wait is joined to the next one, if the entrant's connection takes joined bodies. Joining changes
        neither the numbers nor what is kept, so another connection of the entrant may resume anywhere.
        """
        sequence = stream.append(own, way)
        outbox = stream.outbox
        if outbox is not None and not (may_wait and stream.hold_back(body)):
            whole = body
            if stream.held_back_count:
                whole = self._codec.encode_joined_count(stream.held_back_count) + stream.held_back + body
                stream.forget_held_back()
            if outbox.stage(self._codec.encode_message(stream.header, sequence, whole)):
                self._gate.release_after_flush(outbox)
        if stream.watchers:
            self._send_to_watchers(stream, sequence, body)

    def send_held_back(self) -> None:
        """Send the bodies that wait to be joined to a later one."""
        for stream in self._entrant_streams.values():
            if stream.held_back_count and stream.outbox is not None:
                joined_count, whole = stream.held_back_count - 1, stream.held_back
                stream.forget_held_back()
                if joined_count:
                    whole = self._codec.encode_joined_count(joined_count) + whole
                if stream.outbox.stage(self._codec.encode_message(stream.header, stream.sequence, whole)):
                    self._gate.release_after_flush(stream.outbox)

    def _send_to_watchers(self, stream: ViewerStream, sequence: StreamSequence, body: bytes) -> None:
        message = self._codec.encode_message(stream.header, sequence, body)
        for outbox in stream.watchers:
            if outbox.stage(message):
                self._gate.release_after_flush(outbox)

    # ---- connections

    def attach(self, referee: Referee, entrant: EntrantIndex, outbox: Outbox, after: StreamSequence | None) -> None:
        """Connect an entrant and send it the messages after sequence `after`, or a snapshot."""
        stream = self._entrant_streams[entrant]
        stream.outbox = outbox
        stream.forget_held_back()  # the new connection gets this with the missed messages, or in the snapshot
        self._send_missed(referee, stream, entrant, outbox, after)
        for prompt_id in sorted(view.id for view, _ in referee.prompts_of(entrant)):
            stream.count_prompt(prompt_id)

    def detach(self, entrant: EntrantIndex, outbox: Outbox) -> None:
        """Disconnect an entrant, unless a newer connection has taken over."""
        stream = self._entrant_streams[entrant]
        if stream.outbox is outbox:
            stream.outbox = None

    def sequence_of(self, entrant: EntrantIndex) -> StreamSequence:
        """Return the sequence of the last message to an entrant.

        This sequence equals the number of messages so far; joined messages and those held back count as well.
        """
        return self._entrant_streams[entrant].sequence

    def watch(self, referee: Referee, outbox: Outbox, after: StreamSequence | None) -> None:
        """Connect a spectator and send it the messages after sequence `after`, or a snapshot."""
        self._public_stream.watchers[outbox] = None
        self._send_missed(referee, self._public_stream, SPECTATOR, outbox, after)

    def watch_entrant(
        self, referee: Referee, entrant: EntrantIndex, outbox: Outbox, after: StreamSequence | None
    ) -> None:
        """Connect a watcher of an entrant, and send it the entrant's messages after sequence `after`, or a snapshot.

        From then on the watcher gets every message that the entrant gets. The entrant's own connection is not affected.
        """
        stream = self._entrant_streams[entrant]
        stream.watchers[outbox] = None
        self._send_missed(referee, stream, entrant, outbox, after)

    def unwatch(self, outbox: Outbox) -> None:
        """Disconnect a spectator, or a watcher of an entrant."""
        for stream in (self._public_stream, *self._entrant_streams.values()):
            stream.watchers.pop(outbox, None)

    def close(self) -> None:
        """End the streams of spectators and watchers after the match. Staged messages are still sent."""
        for stream in (self._public_stream, *self._entrant_streams.values()):
            for outbox in stream.watchers:
                outbox.close()
                self._gate.release_after_flush(outbox)

    def _send_missed(
        self, referee: Referee, stream: ViewerStream, viewer: EntrantIndex, outbox: Outbox, after: StreamSequence | None
    ) -> None:
        missed = None if after is None else stream.messages_after(after)
        if missed is not None:
            for sequence, body in missed:
                outbox.stage(self._codec.encode_message(stream.header, sequence, body))
        elif stream.sequence:
            body = self._codec.encode_snapshot(self._snapshot(referee, viewer))
            outbox.stage(self._codec.encode_message(stream.header, stream.sequence, body))
        self._gate.release_after_flush(outbox)

    def _snapshot(self, referee: Referee, viewer: EntrantIndex) -> ViewerSnapshot:
        facts = [raw for receiver, _, raw in self._snapshot_facts if receiver in (None, viewer)]
        playing = referee.current_game
        is_seated = viewer != SPECTATOR
        state = None
        if playing is not None:
            seat = Seat(self._seats.index(viewer)) if is_seated else None
            state = self._terms.game.snapshot(playing.state, seat)
        prompts = referee.prompts_of(viewer) if is_seated else []
        answers = referee.entrant_records[viewer].latest_answers(MAX_SNAPSHOT_ANSWERS) if is_seated else []
        return self._adjust_snapshot(viewer, ViewerSnapshot(facts, state, prompts, answers))


class _Draft:
    """Collects the content of each viewer's message for one input: the facts in order, then the other parts."""

    __slots__ = ("common", "own", "parts")

    def __init__(self) -> None:
        self.common = b""
        """Public facts."""
        self.own: dict[EntrantIndex, bytes] = {}
        """By viewer that gets private facts: all facts for that viewer, public and private."""
        self.parts: dict[EntrantIndex, bytes] = {}
        """By viewer: the prompts, withdrawals and results, which follow the facts."""

    def add_public(self, fact: bytes) -> None:
        self.common += fact
        for viewer in self.own:
            self.own[viewer] += fact

    def add_private(self, viewer: EntrantIndex, fact: bytes) -> None:
        self.own[viewer] = self.own.get(viewer, self.common) + fact

    def add_part(self, viewer: EntrantIndex, part: bytes) -> None:
        before = self.parts.get(viewer)
        self.parts[viewer] = part if before is None else before + part
