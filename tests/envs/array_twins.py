"""Pairs of tables that differ only in what one seat cannot know, whose arrays must be the same for this seat.

The pairs are drawn as `arena secrecy` draws them: the games' own knowledge models say what a seat may know, from the
text of the rules alone. Seats that are asked before the observer, in the same window, may even answer differently.
"""

from random import Random
from typing import Any

from arena.envs.card_stream import CardStream
from arena.envs.env_spec import EnvSpec, resolve_spec
from arena.envs.table import NOBODY, EnvTable
from arena.errors import OptionError
from arena.games.catalogue import pack_of
from arena.games.cheat.arrays.card_counts import bytes_to_count, count_hand
from arena.games.cheat.arrays.seat_arrays import CheatSeatArrays
from arena.games.cheat.rules.tricks import count_pile
from arena.match.game import Seat
from tests.support.env_rules import legal_actions

SPLIT_LIMIT = 60
LENGTH = 60


class ArrayTwins:
    """One pair, drawn from a seed."""

    def __init__(self, game: str, seed: int) -> None:
        self.random = Random(f"{game}/{seed}")
        self.knowledge = pack_of(game).load_knowledge_model()
        self.spec = self.draw_spec()
        self.seed = self.random.getrandbits(60)
        self.viewer = Seat(self.random.randrange(self.spec.seats))
        self.compared = 0

    def draw_spec(self) -> EnvSpec:
        """Return a ruleset that the arrays hold, in one of its encodings."""
        while True:
            preset, options, seats = self.knowledge.draw_ruleset(self.random)
            try:
                spec = resolve_spec(preset, options, seats)
                return resolve_spec(preset, options, seats, self.random.choice(list(spec.arrays.encodings)))
            except OptionError:
                continue

    def run(self) -> str:
        """Return how the pair ended: `over`, `reveal`, `parted`, `length`, or else what the observer could see."""
        done: list[Any] = []
        table = self.begin()
        split = self.random.randrange(1, SPLIT_LIMIT)
        while table.seat != NOBODY and (len(done) < split or table._position):
            done.append(self.draw_answer(table))
            table._take(done[-1])
        if table.seat == NOBODY:
            return "over"
        twin = self.begin()
        for answer in done:
            twin._take(answer)
        return self.compare(table, self.redeal(twin))

    def begin(self) -> EnvTable:
        table = self.spec.new_table(keeps_events=True)
        table.begin_game(CardStream(self.seed).chance, 0)
        return table

    def draw_answer(self, table: EnvTable) -> Any:
        """Draw a legal answer of the seat that is asked, as the rules read it."""
        question = table._questions[table._position]
        while True:
            answer = self.knowledge.draw_decision(table.state, table._kind, question, self.random)(table.state)
            if self.is_legal(table, answer):
                return answer

    def is_legal(self, table: EnvTable, answer: Any) -> bool:
        return self.spec.game.why_illegal(table.state, Seat(table.seat), answer, table._kind) is None

    def redeal(self, twin: EnvTable) -> EnvTable:
        """Redeal all that the observer cannot know. What the arrays remember of it becomes that of the new cards."""
        tracker = self.knowledge.build_tracker(self.spec.ruleset, self.spec.seats, self.viewer)
        for event in twin.events:
            tracker.follow(event)
        twin.state = tracker.redeal_unknown(twin.state, self.random)
        arrays = twin._arrays
        if isinstance(arrays, CheatSeatArrays):
            memory = arrays.memory
            memory.hands = [count_hand(hand) for hand in twin.state.hands]
            memory.pile = count_hand(count_pile(twin.state))
            for seat in range(self.spec.seats):
                if seat != self.viewer:  # what others know is theirs, and may be anything
                    memory.pile_known[seat] = bytes_to_count(self.draw_counts())
                    memory.banished_known[seat] = bytes_to_count(self.draw_counts())
                    memory.known[seat] = [self.draw_counts() for _ in memory.known[seat]]
        twin._ask_next()
        return twin

    def draw_counts(self) -> bytes:
        """Return any numbers of cards of each rank."""
        return bytes(self.random.choices(range(9), k=14))

    def compare(self, table: EnvTable, twin: EnvTable) -> str:
        trackers = [self.knowledge.build_tracker(self.spec.ruleset, self.spec.seats, self.viewer) for _ in range(2)]
        told = [0, 0]
        lawful: list[list[Any]] = [[], []]
        while self.compared < LENGTH:
            for index, each in enumerate((table, twin)):
                lawful[index] = [trackers[index].visible_part(event) for event in each.events[told[index] :]]
                told[index] = len(each.events)
            if self.compared and lawful[0] != lawful[1]:
                return "reveal"
            if difference := self.find_difference(table, twin):
                return difference
            if table.seat == NOBODY:
                return "over"
            self.compared += 1
            if not self.answer_both(table, twin):
                return "parted"
        return "length"

    def find_difference(self, table: EnvTable, twin: EnvTable) -> str:
        """Return what differs in the arrays of the observer; empty if nothing does."""
        one, other = table.observe(self.viewer), twin.observe(self.viewer)
        for at, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return f"{self.spec.arrays.observation.locate(at)} is {a} or {b}"
        if table.seat != twin.seat:
            return f"seat {table.seat} or {twin.seat} is asked"
        if table.seat == self.viewer and table.mask() != twin.mask():
            return "the masks differ"
        if table.seat == NOBODY and table.outcome() != twin.outcome():
            return "the rewards differ"
        return ""

    def answer_both(self, table: EnvTable, twin: EnvTable) -> bool:
        """Give both tables the same answer, by position. Return whether it was legal in both."""
        if table.seat == self.viewer:
            action = self.random.choice(legal_actions(table.mask()))
            table.choose(action)
            twin.choose(action)
            return True
        question = table._questions[table._position]
        rule = self.knowledge.draw_decision(table.state, table._kind, question, self.random)
        answers = [rule(table.state), rule(twin.state)]
        is_asked_at_once = len(table._questions) > 1
        if is_asked_at_once and self.random.random() < 0.5:
            actions = [self.random.choice(legal_actions(each.mask())) for each in (table, twin)]
            table.choose(actions[0])
            twin.choose(actions[1])
            return True
        if not self.is_legal(table, answers[0]):
            answers = [self.draw_answer(table)] * 2
        if not self.is_legal(twin, answers[1]):
            return False
        table._take(answers[0])
        twin._take(answers[1])
        return True
