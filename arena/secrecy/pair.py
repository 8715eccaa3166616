"""One pair of twins: a match up to some decision, its twin from there, and both until a lawful reveal parts them."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from arena.deal.stream import SeededChance
from arena.feed.match_feed import SPECTATOR
from arena.match.terms import Terms
from arena.rpc.codec import ProtoCodec
from arena.rules.game import Chance, Seat
from arena.secrecy.insight import Choice, Insight, Values
from arena.secrecy.paper import MATCH_ID, Input, PaperMatch

Change = Callable[[Chance, Values], Values]
"""Makes other values of those that were drawn."""

STEP_US = 20_000
"""What a decision takes at most."""
LOOKS = 0.1
"""How often the viewer comes back and wants a snapshot."""
WAITS = 0.05
"""How often nobody answers until something is due."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pair is about."""

    terms: Terms
    viewer: int
    """An entrant, or `SPECTATOR`."""
    split: int
    """After so many inputs the cards are dealt anew, the start of the match included, or a little later when an answer
    waits to be settled; 0: the twin has other cards from the first."""
    length: int
    """So many decisions are then made at most."""
    seed: int


@dataclass(frozen=True, slots=True)
class Course:
    """How it went."""

    plan: Plan
    turn: int
    """Decisions that had been made when the cards were dealt anew; fewer than planned where the game was over."""
    compared: int
    """Decisions after which the viewer's bytes were compared."""
    ending: str
    """`reveal`, `length`, `over`, or `parted`: hidden cards decided whether a move was legal."""
    leak: str = ""
    """What the viewer could tell the twins by; empty: nothing."""


class Pair:
    """Runs one plan."""

    def __init__(self, insight: Insight, codec: ProtoCodec, plan: Plan) -> None:
        self._insight = insight
        self._codec = codec
        self._plan = plan
        self._random = Random(plan.seed)  # noqa: S311  a test's own chance, repeatable
        self._chance = SeededChance(self._random.randbytes(32), MATCH_ID)
        self._inputs: list[Input] = []
        self._first = self._match()
        self._viewer = None if plan.viewer == SPECTATOR else Seat(plan.viewer)
        self._watchers = [insight.watcher(plan.terms.ruleset, len(plan.terms.entrants), self._viewer) for _ in range(2)]

    def run(self) -> Course:
        """Play both twins."""
        if self._plan.split == 0:
            return self._run_from_the_deal()
        first = self._first
        self._do(_begin)
        turn = 1
        while not self._is_over and (turn < self._plan.split or self._has_answers):
            self._do(self._next()[0])
            turn += 1
        if self._is_over:
            return Course(self._plan, turn, 0, "over")
        second = self._twin()
        first.take_bytes()
        return self._compare(first, second, turn)

    def _run_from_the_deal(self) -> Course:
        """The twin is dealt other cards from the first."""
        first, second = self._first, self._match(self._deal_otherwise)
        for index, match in enumerate((first, second)):
            _begin(match)
            self._follow(index, match.take_events())
        leak = _difference(first, second)
        return Course(self._plan, 0, 0, "leak", leak) if leak else self._compare(first, second, 0)

    def _compare(self, first: PaperMatch, second: PaperMatch, turn: int) -> Course:
        plan = self._plan
        for compared in range(plan.length):
            if self._is_over:
                return Course(plan, turn, compared, "over")
            act, may_part = self._next()
            act(first)
            act(second)
            told = [match.take_events() for match in (first, second)]
            lawful = [self._follow(index, events) for index, events in enumerate(told)]
            if lawful[0] != lawful[1]:
                parted = may_part and bool(told[0]) != bool(told[1])
                return Course(plan, turn, compared, "parted" if parted else "reveal")
            leak = _difference(first, second)
            if leak:
                return Course(plan, turn, compared + 1, "leak", leak)
        return Course(plan, turn, plan.length, "length")

    # ---- both matches

    def _match(self, change: Change = lambda _, values: values) -> PaperMatch:
        return PaperMatch(self._plan.terms, _Luck(self._chance, change), self._codec, self._plan.viewer)

    def _deal_otherwise(self, chance: Chance, values: Values) -> Values:
        terms = self._plan.terms
        return self._insight.twin_draw(terms.ruleset, len(terms.entrants), self._viewer, chance, values, self._random)

    def _do(self, act: Input) -> None:
        """Before the split: remember what is done, for the twin to be the same up to there."""
        self._inputs.append(act)
        act(self._first)
        self._follow(0, self._first.take_events())

    def _twin(self) -> PaperMatch:
        twin = self._match()
        for act in self._inputs:
            act(twin)
        self._follow(1, twin.take_events())
        twin.take_bytes()
        playing = twin.table.referee.playing
        if playing is not None:
            playing.state = self._watchers[1].deal_anew(playing.state, self._random)
        return twin

    def _follow(self, index: int, events: list[Any]) -> list[Any]:
        watcher = self._watchers[index]
        lawful = []
        for event in events:
            lawful.append(watcher.lawful(event))
            watcher.follow(event)
        return lawful

    @property
    def _is_over(self) -> bool:
        return self._first.table.referee.playing is None

    @property
    def _has_answers(self) -> bool:
        """Whether somebody has answered what is not settled yet: it has named cards, which must not be dealt anew."""
        playing = self._first.table.referee.playing
        return playing is not None and any(group.answers or group.held for group in playing.open.values())

    # ---- what is done

    def _next(self) -> tuple[Input, bool]:
        """Draw what happens next, looking at the first twin alone; and whether hidden cards may decide its legality."""
        random, playing = self._random, self._first.table.referee.playing
        assert playing is not None
        if random.random() < LOOKS:
            return lambda match: match.look(None), False
        waiting = [
            (group, question)
            for group in playing.open.values()
            for question in group.group.questions
            if question.seat not in group.answers
        ]
        if random.random() < WAITS or not waiting:
            return _wait, False
        group, question = random.choice(waiting)
        choice = self._insight.choose(playing.state, group.group.kind, question, random)
        later = random.randrange(1, STEP_US)
        may_part = self._insight.may_part(playing.state, group.group.kind, question)
        return _Decision(
            question.seat, group.id, len(self._inputs) + random.randrange(1 << 30), choice, later
        ), may_part


@dataclass(frozen=True, slots=True)
class _Decision:
    """A seat decides, a little later."""

    seat: Seat
    prompt_id: int
    action_id: int
    choice: Choice
    later_us: int

    def __call__(self, match: PaperMatch) -> None:
        table, playing = match.table, match.table.referee.playing
        match.now += self.later_us
        if playing is not None:
            action = self.choice(playing.state)
            table.answer(match.now, match.now, self.seat, self.prompt_id, self.action_id, action)


def _wait(match: PaperMatch) -> None:
    """Nobody does anything until something is due."""
    due = match.table.due
    if due is not None:
        match.now = max(match.now, due)
        match.table.tick(due, match.now)


def _begin(match: PaperMatch) -> None:
    match.table.begin(0, 0)


class _Luck:
    """Chance as it is drawn for one of the twins."""

    def __init__(self, source: SeededChance, change: Change) -> None:
        self._source = source
        self._change = change

    def draw(self, game: int, chance: Chance) -> Values:
        """The values."""
        return self._change(chance, self._source.draw(game, chance))


def _difference(first: PaperMatch, second: PaperMatch) -> str:
    """What the viewer could tell the two by."""
    if first.table.due != second.table.due:
        return f"something is due at {first.table.due} in one twin, at {second.table.due} in the other"
    one, other = first.take_bytes(), second.take_bytes()
    if one == other:
        return ""
    if len(one) != len(other):
        return f"{len(one)} bytes in one twin, {len(other)} in the other: {one.hex()} and {other.hex()}"
    at = next(index for index, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    return f"byte {at} of {len(one)} differs: {one.hex()} and {other.hex()}"
