"""A table and its viewers without sockets: every message to every viewer, as the bytes that would be sent.

Only the test moves the time, so two runs of the same inputs can be compared to the byte.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from arena.games.catalogue import pack_of
from arena.games.cheat.rules.actions import CALL, DECLINE, Play
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import TurnOptions
from arena.match.deal.stream import SeededChance
from arena.match.feed.gate import Gate
from arena.match.feed.match_feed import SPECTATOR, MatchFeed
from arena.match.feed.outbox import Outbox
from arena.match.referee.inputs import Answer, Begin, Tick
from arena.match.referee.orders import PromptView
from arena.match.referee.pace import Pace
from arena.match.referee.ports import ChanceSource, MatchId
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId, StreamSequence
from arena.match.referee.table import Table
from arena.match.referee.terms import Terms, describe_terms
from arena.server.wire.proto_codec import ProtoCodec
from cheatarena.v1 import play_pb2

NAMES = ("ann", "bob", "cid", "dot")
SEED = bytes([9]) * 32
STEP_US = 1000
"""Microseconds that every answer takes."""


class FaultyJournal:
    """A journal in memory, whose `flush` raises `fault` if one is set."""

    def __init__(self) -> None:
        self.records: list[bytes] = []
        self.kept: list[bytes] = []
        self.fault: Exception | None = None

    def append(self, record: bytes) -> None:
        self.records.append(record)

    def flush(self) -> None:
        if self.fault is not None:
            raise self.fault
        self.kept = self.records.copy()


class FeedHarness:
    """A match with one outbox for each entrant and one for a spectator."""

    def __init__(self, terms: Terms, chance: ChanceSource, codec: "ProtoCodec | RecordingCodec | None" = None) -> None:
        self.terms = terms
        self.now = Instant(1_000_000)
        self.journal = FaultyJournal()
        self.scheduled: list[Callable[[], None]] = []
        self.gate = Gate(self.journal, self.scheduled.append)
        seeds = [bytes([entrant]) * 32 for entrant in range(len(terms.entrants))]
        self.codec = codec or ProtoCodec(pack_of(terms.game.name).load_codec())
        self.feed = MatchFeed(1, terms, seeds, self.codec, self.gate)
        self.table = Table(1, MatchId("0" * 26), terms, self.journal, chance, self.feed)
        self.raw: dict[int, list[bytes]] = {viewer: [] for viewer in (*range(len(terms.entrants)), SPECTATOR)}
        """The encoded messages sent to each viewer."""
        self.boxes = {viewer: self.make_outbox() for viewer in self.raw}
        for viewer, outbox in self.boxes.items():
            if viewer == SPECTATOR:
                self.feed.watch(self.table.referee, outbox, None)
            else:
                self.feed.attach(self.table.referee, EntrantIndex(viewer), outbox, StreamSequence(0))

    def make_outbox(self) -> Outbox:
        """Return an outbox without limits."""
        return Outbox(lambda: None, lambda: self.now, 1 << 30, 1 << 60)

    def open_gate(self) -> None:
        """End the pass of the loop: the journal is flushed, and the staged messages are sent."""
        while self.scheduled:
            self.scheduled.pop(0)()
        for viewer, outbox in self.boxes.items():
            self.raw[viewer] += outbox.take_frame()

    def read_messages(self, viewer: int) -> list[play_pb2.SeatMessage]:
        """Return all messages sent to a viewer, decoded."""
        return [*play_pb2.PlayResponse.FromString(b"".join(self.raw[viewer])).messages]

    def begin(self) -> None:
        """Start the match."""
        self.table.apply(Begin(self.now, self.now, self.table.match_id, describe_terms(self.terms)))
        self.open_gate()

    def open_prompts(self) -> Iterator[tuple[int, PromptView]]:
        """Yield the prompts without an answer, each with its entrant."""
        for entrant in range(len(self.terms.entrants)):
            for view, is_answered in self.table.referee.prompts_of(EntrantIndex(entrant)):
                if not is_answered:
                    yield entrant, view

    def answer(self, entrant: int, prompt_id: int, action_id: int, action: Any) -> None:
        """Apply a decision, `STEP_US` later."""
        self.now = Instant(self.now + STEP_US)
        text = self.terms.game.write_action(action)
        answer = Answer(self.now, self.now, EntrantIndex(entrant), PromptId(prompt_id), action_id, text, action=action)
        self.table.apply(answer)
        self.open_gate()

    def wait_until(self, instant: int) -> None:
        """Advance the time to an instant, and apply everything that is due before it."""
        while (due := self.table.due) is not None and due < instant:
            self.now = max(self.now, due)
            self.table.apply(Tick(due, self.now))
            self.open_gate()
        self.now = Instant(max(self.now, instant))


def terms(pace: Pace, **options: object) -> Terms:
    """Return the terms of a match of four games."""
    return Terms(CHEAT, "standard", CHEAT.build_ruleset("standard", options), pace, NAMES, game_count=4)


def make_harness(
    pace: Pace | None = None,
    chance: ChanceSource | None = None,
    codec: "ProtoCodec | RecordingCodec | None" = None,
    **options: object,
) -> FeedHarness:
    """Return a match that has begun, always with the same cards."""
    made = FeedHarness(terms(pace or Pace.sealed_defaults(), **options), chance or SeededChance(SEED, "deal"), codec)
    made.begin()
    return made


def hand_of(made: FeedHarness, entrant: int) -> list[int]:
    """Return the codes of the cards that an entrant holds."""
    playing = made.table.referee.current_game
    assert playing is not None
    hand = playing.state.hands[made.table.referee.seat_of(EntrantIndex(entrant))]
    return [code for code, count in enumerate(hand) for _ in range(count)]


def play(made: FeedHarness, turns: int, calls: bool = False) -> None:
    """Let every seat claim from public facts only, and decline every call unless `calls`."""
    action_id: int = made.now
    for _ in range(turns):
        playing = made.table.referee.current_game
        if playing is None:
            return
        for entrant, view in [*made.open_prompts()]:
            action_id += 1
            answer_prompt(made, entrant, view, action_id, calls=calls)


def answer_prompt(made: FeedHarness, entrant: int, view: PromptView, action_id: int, *, calls: bool = False) -> None:
    """Claim from public facts only, or decline the call unless `calls`."""
    if isinstance(view.options, TurnOptions):
        made.wait_until(view.lands or 0)
        count, hand = view.options.counts[0][0], hand_of(made, entrant)
        action: Any = Play(bytes(hand[:count]), count, view.options.ranks[0])
    else:
        made.wait_until(view.earliest or 0)
        action = CALL if calls else DECLINE
    made.answer(entrant, view.id, action_id, action)


class SwappedChance:
    """A chance source that returns the draws of another one, with two cards of the first deck swapped."""

    def __init__(self, source: ChanceSource, first: int, second: int) -> None:
        self._source = source
        self._places = first, second
        self._is_dealt = False

    def draw(self, game: int, chance: Any) -> Sequence[int]:
        values = [*self._source.draw(game, chance)]
        if not self._is_dealt and not chance.faces:
            first, second = self._places
            values[first], values[second] = values[second], values[first]
            self._is_dealt = True
        return values


class RecordingCodec:
    """A codec that records the game's facts that it encodes."""

    def __init__(self, codec: ProtoCodec) -> None:
        self.facts: list[Any] = []
        self._codec = codec

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)

    def encode_game_fact(self, part: Any) -> bytes:
        """Record and encode a fact."""
        self.facts.append(part)
        return self._codec.encode_game_fact(part)
