"""Runs one pair of twins: one match up to the split, then both twins until a lawful reveal tells them apart."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.games.secrecy.in_memory_match import MATCH_ID, InMemoryMatch, MatchInput
from arena.games.secrecy.knowledge_model import DecisionRule, DrawnValues, KnowledgeModel
from arena.match.deal.stream import SeededChance
from arena.match.feed.match_feed import SPECTATOR
from arena.match.game import ChanceRequest, Seat
from arena.match.referee.inputs import Answer, Begin, Tick
from arena.match.referee.scalars import EntrantIndex, Instant, PromptId
from arena.match.referee.terms import Terms, describe_terms
from arena.plurals import format_count
from arena.server.wire.proto_codec import ProtoCodec

ValueChange = Callable[[ChanceRequest, DrawnValues], DrawnValues]
"""Replaces the values of a draw."""

MAX_THINK_US = 20_000
"""Maximum duration of a decision in microseconds."""
RECONNECT_RATE = 0.1
"""Share of inputs that reconnect the viewer, which then receives a snapshot."""
WAIT_RATE = 0.05
"""Share of inputs that let time pass without an answer until something is due."""


@dataclass(frozen=True, slots=True)
class TwinPlan:
    """The parameters of a pair of twins."""

    terms: Terms
    viewer: int
    """An entrant, or `SPECTATOR`."""
    split: int
    """Number of inputs, including the start of the match, after which the cards are redealt.

    The redeal waits until every answer is settled. 0 means that the twin is dealt other cards from the start.
    """
    length: int
    """Maximum number of inputs after the split."""
    seed: int


@dataclass(frozen=True, slots=True)
class TwinResult:
    plan: TwinPlan
    turn: int
    """Number of inputs before the cards were redealt; less than planned if the game ended first."""
    compared: int
    """Number of inputs after which the viewer's bytes were compared."""
    ending: str
    """Why the pair ended: `reveal`, `length`, `over`, `leak`, or `parted` if hidden cards decided what was legal."""
    leak: str = ""
    """The difference between the twins that the viewer could see; empty if there was none."""


class TwinRun:
    def __init__(self, knowledge: KnowledgeModel, codec: ProtoCodec, plan: TwinPlan) -> None:
        self._knowledge = knowledge
        self._codec = codec
        self._plan = plan
        self._random = Random(plan.seed)
        self._chance = SeededChance(self._random.randbytes(32), MATCH_ID)
        self._inputs: list[MatchInput] = []
        self._first = self._new_match()
        self._viewer = None if plan.viewer == SPECTATOR else Seat(plan.viewer)
        self._trackers = [
            knowledge.build_tracker(plan.terms.ruleset, len(plan.terms.entrants), self._viewer) for _ in range(2)
        ]

    def run(self) -> TwinResult:
        if self._plan.split == 0:
            return self._run_from_deal()
        first = self._first
        self._apply_to_first(_begin_input)
        turn = 1
        while not self._is_over and (turn < self._plan.split or self._has_answers):
            self._apply_to_first(self._draw_input()[0])
            turn += 1
        if self._is_over:
            return TwinResult(self._plan, turn, 0, "over")
        second = self._build_twin()
        first.take_bytes()
        return self._compare(first, second, turn)

    def _run_from_deal(self) -> TwinResult:
        """Play two twins that were dealt different cards from the start."""
        first, second = self._first, self._new_match(self._draw_for_twin)
        for index, match in enumerate((first, second)):
            _begin_input(match)
            self._follow(index, match.take_events())
        leak = _find_difference(first, second)
        return TwinResult(self._plan, 0, 0, "leak", leak) if leak else self._compare(first, second, 0)

    def _compare(self, first: InMemoryMatch, second: InMemoryMatch, turn: int) -> TwinResult:
        """Give both twins the same inputs, and compare the viewer's bytes after each input, until the pair ends."""
        plan = self._plan
        for compared in range(plan.length):
            if self._is_over:
                return TwinResult(plan, turn, compared, "over")
            act, may_part = self._draw_input()
            act(first)
            act(second)
            new_events = [match.take_events() for match in (first, second)]
            lawful = [self._follow(index, events) for index, events in enumerate(new_events)]
            if lawful[0] != lawful[1]:
                parted = may_part and bool(new_events[0]) != bool(new_events[1])
                return TwinResult(plan, turn, compared, "parted" if parted else "reveal")
            leak = _find_difference(first, second)
            if leak:
                return TwinResult(plan, turn, compared + 1, "leak", leak)
        return TwinResult(plan, turn, plan.length, "length")

    # ---- both matches

    def _new_match(self, change: ValueChange = lambda _, values: values) -> InMemoryMatch:
        return InMemoryMatch(
            self._plan.terms, _ChangedChance(self._chance, change), self._codec, EntrantIndex(self._plan.viewer)
        )

    def _draw_for_twin(self, chance: ChanceRequest, values: DrawnValues) -> DrawnValues:
        terms = self._plan.terms
        return self._knowledge.draw_for_twin(
            terms.ruleset, len(terms.entrants), self._viewer, chance, values, self._random
        )

    def _apply_to_first(self, act: MatchInput) -> None:
        """Apply an input before the split and record it, so that the twin can repeat it."""
        self._inputs.append(act)
        act(self._first)
        self._follow(0, self._first.take_events())

    def _build_twin(self) -> InMemoryMatch:
        """Return a match that has repeated all inputs of the first match. Cards unknown to the viewer are redealt."""
        twin = self._new_match()
        for act in self._inputs:
            act(twin)
        self._follow(1, twin.take_events())
        twin.take_bytes()
        playing = twin.table.referee.current_game
        if playing is not None:
            playing.state = self._trackers[1].redeal_unknown(playing.state, self._random)
        return twin

    def _follow(self, index: int, events: list[Any]) -> list[Any]:
        """Update the tracker of a twin, and return the parts of the events that the viewer may learn."""
        tracker = self._trackers[index]
        lawful = []
        for event in events:
            lawful.append(tracker.visible_part(event))
            tracker.follow(event)
        return lawful

    @property
    def _is_over(self) -> bool:
        return self._first.table.referee.current_game is None

    @property
    def _has_answers(self) -> bool:
        """Whether an answer waits to be settled. Such an answer may name cards, so the redeal must wait for it."""
        playing = self._first.table.referee.current_game
        return playing is not None and any(group.answers or group.held for group in playing.prompts.groups.values())

    # ---- inputs

    def _draw_input(self) -> tuple[MatchInput, bool]:
        """Draw the next input, given the state of the first twin.

        Also return whether that input may be legal or illegal depending on hidden cards.
        """
        random, playing = self._random, self._first.table.referee.current_game
        assert playing is not None
        if random.random() < RECONNECT_RATE:
            return lambda match: match.reconnect_viewer(None), False
        waiting = [
            (group, question)
            for group in playing.prompts.groups.values()
            for question in group.group.questions
            if question.seat not in group.answers
        ]
        if random.random() < WAIT_RATE or not waiting:
            return _wait_input, False
        group, question = random.choice(waiting)
        choice = self._knowledge.draw_decision(playing.state, group.group.kind, question, random)
        later = random.randrange(1, MAX_THINK_US)
        may_part = self._knowledge.may_diverge(playing.state, group.group.kind, question)
        return _DecisionInput(
            question.seat, group.id, len(self._inputs) + random.randrange(1 << 30), choice, later
        ), may_part


@dataclass(frozen=True, slots=True)
class _DecisionInput:
    """The input of a seat that answers a prompt after a short delay."""

    seat: Seat
    prompt_id: PromptId
    action_id: int
    choice: DecisionRule
    later_us: int

    def __call__(self, match: InMemoryMatch) -> None:
        table, playing = match.table, match.table.referee.current_game
        match.now += self.later_us
        if playing is not None:
            action = self.choice(playing.state)
            now, text = Instant(match.now), table.terms.game.write_action(action)
            entrant = EntrantIndex(self.seat)  # seats do not change here
            table.apply(Answer(now, now, entrant, self.prompt_id, self.action_id, text, action=action))


def _wait_input(match: InMemoryMatch) -> None:
    """Let time pass, without an answer, until the match has something to do. Do nothing if it waits for nothing."""
    due = match.table.due
    if due is not None:
        match.now = max(match.now, due)
        match.table.apply(Tick(due, Instant(match.now)))


def _begin_input(match: InMemoryMatch) -> None:
    match.table.apply(Begin(Instant(0), Instant(0), MATCH_ID, describe_terms(match.table.terms)))


class _ChangedChance:
    """A chance source that changes the draws of another one."""

    def __init__(self, source: SeededChance, change: ValueChange) -> None:
        self._source = source
        self._change = change

    def draw(self, game: int, chance: ChanceRequest) -> DrawnValues:
        return self._change(chance, self._source.draw(game, chance))


def _find_difference(first: InMemoryMatch, second: InMemoryMatch) -> str:
    """Return the difference between the twins that the viewer could see; empty if there is none."""
    if first.table.due != second.table.due:
        return f"something is due at {first.table.due} in one twin, at {second.table.due} in the other"
    one, other = first.take_bytes(), second.take_bytes()
    if one == other:
        return ""
    if len(one) != len(other):
        return f"{format_count(len(one), 'byte')} in one twin, {len(other)} in the other: {one.hex()} and {other.hex()}"
    at = next(index for index, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"byte {at} of {len(one)} differs: {one.hex()} and {other.hex()}"
