"""Games played at random, with checks after every step."""

from dataclasses import fields
from random import Random
from typing import Any

from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.games.cheat.rules.cards import (
    JOKER,
    RANK_COUNT,
    Hand,
    cards_from_hand,
    cards_of_rank,
    hand_from_cards,
    merge_hands,
)
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.events import Event
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import State, TurnOptions
from arena.games.cheat.rules.tricks import count_pile
from arena.match.game import ClosingRule, GameSetup, QuestionGroup, Seat, Style, Transition
from tests.games.cheat.rules.secrecy import check_views

Input = tuple[str, Any]
MAX_STEPS = 5000
"""Far more than a game of 150 turns takes, however many windows, calls and leaves it has."""


def new_game(preset: str, options: dict[str, Any], style: Style, seat_count: int, number: int) -> State:
    """Return a game before its first draw."""
    ruleset = CHEAT.build_ruleset(preset, options)
    CHEAT.check_seats(ruleset, seat_count, style)
    return CHEAT.initial_state(ruleset, GameSetup(seat_count, number, style, deal_moves=number))


class RandomGame:
    """A game played at random, with its inputs and its events."""

    def __init__(
        self, preset: str, options: dict[str, Any], style: Style, seat_count: int, random: Random, leave_chance: float
    ) -> None:
        self.random, self.leave_chance = random, leave_chance
        self.inputs: list[Input] = []
        self.events: list[Event] = []
        self.state = new_game(preset, options, style, seat_count, random.randrange(4))
        self.number = (self.state.dealer + 1) % seat_count
        self.player = RandomPlayer(random)
        while (chance := CHEAT.chance_request(self.state)) is not None:
            assert CHEAT.open_groups(self.state) == ()
            count, faces = chance.count, chance.faces
            self.put("draw", random.choices(range(faces), k=count) if faces else random.sample(range(count), count))
        self.pack = self.cards()

    def play(self) -> "RandomGame":
        """Play to the end, and check every state on the way."""
        while CHEAT.outcome(self.state) is None:
            self.check()
            self.advance()
            assert len(self.inputs) < MAX_STEPS
        assert self.cards() == self.pack
        return self

    def put(self, what: str, value: Any) -> None:
        """Make a transition, and check that it does not change the state before it."""
        before, mark = self.state, fingerprint(self.state)
        step = apply(before, what, value)
        assert fingerprint(before) == mark
        assert step.state.step == before.step + 1
        self.inputs.append((what, value))
        self.events += step.events
        self.state = step.state

    def advance(self) -> None:
        """Make one input: a leave, a cut, a choice, a move, calls, or the end of a window."""
        state, random = self.state, self.random
        if random.random() < self.leave_chance:
            gone = state.packets.leavers if state.packets else ()
            seats = [Seat(s) for s, place in enumerate(state.places) if not place and s not in gone]
            if seats:
                self.put("leave", random.choice(seats))
                return
        group = random.choice(CHEAT.open_groups(state))
        answers = {q.seat: self.answer(group, q.options, q.seat) for q in group.questions if random.random() < 0.9}
        if group.length is None and not any(map(CHEAT.is_settling, answers.values())):
            return
        self.put(group.kind, answers)

    def answer(self, group: QuestionGroup, options: Any, seat: Seat) -> Action:
        """Return a legal answer. Check that the rules allow what their options offer."""
        action = self.player.choose(self.state.hands[seat], options)
        assert CHEAT.why_illegal(self.state, seat, action, group.kind) is None, action
        assert CHEAT.why_illegal(self.state, seat, action) is None
        assert CHEAT.read_action(CHEAT.write_action(action)) == action
        return action

    def cards(self) -> Hand:
        """Return all cards of the game, wherever they are."""
        state = self.state
        cards = merge_hands(count_pile(state), state.banished)
        if state.packets is not None:
            cards = merge_hands(cards, hand_from_cards(state.packets.deck))
        for hand in state.hands:
            cards = merge_hands(cards, hand)
        return cards

    def check(self) -> None:
        """Check what must hold in every state but the last."""
        state = self.state
        assert self.cards() == self.pack
        assert state.sizes == tuple(map(sum, state.hands))
        assert min(map(min, state.hands)) >= 0
        groups = CHEAT.open_groups(state)
        assert groups
        for group in groups:
            self.check_group(group)
        if state.packets is None:
            assert (state.to_move is None) == state.closing
        if self.random.random() < 0.2:
            check_views(state, self.random)

    def check_group(self, group: QuestionGroup) -> None:
        """Check that a seat is prompted, every prompted seat can answer, and the clocks are in the past."""
        assert group.questions
        assert group.clock <= self.state.step
        assert (group.closing is ClosingRule.ALL) == (self.state.compiled_rules.sealed and group.kind == "window")
        for question in group.questions:
            automatic = CHEAT.automatic_action(self.state, question.seat, group.kind)
            assert CHEAT.why_illegal(self.state, question.seat, automatic, group.kind) is None, automatic
            for action in group.free:
                assert CHEAT.why_illegal(self.state, question.seat, action, group.kind) is None, action
        if group.kind == "turn" and not group.questions[0].options.face_up:
            self.check_counts(group.questions[0].options)

    def check_counts(self, options: TurnOptions) -> None:
        """Check that the rules refuse exactly those counts that the options do not offer."""
        state = self.state
        hand = cards_from_hand(state.hands[state.turn])
        offered = {count for first, last in options.counts for count in range(first, last + 1)}
        assert offered
        assert options.ranks
        for count in {0, 1, 2, 7, len(hand)} & set(range(len(hand) + 1)):
            cards = hand if count and options.laid else hand[:count]
            code = CHEAT.why_illegal(state, state.turn, Play(cards, count, options.ranks[0]), "turn")
            legal = options.zero if count == 0 else count in offered
            assert code == (None if legal else "illegal_count")


class RandomPlayer:
    """Answers at random, with its own rates of calling and believing."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.call_rate = random.choice([0.05, 0.15, 0.4])

    def choose(self, hand: Hand, options: Any) -> Action:
        """Return a legal answer. It depends only on the options and the seat's own hand."""
        match options:
            case CutOptions():
                return self.cut(options)
            case ChooseOptions():
                return Choose(self.random.choice(options.free))
            case TurnOptions():
                return self.move(hand, options)
            case _:
                return self.word(options.can_believe) or DECLINE

    def cut(self, options: CutOptions) -> Cut:
        """Return a cut of any sizes, mostly uneven."""
        ends = sorted(self.random.sample(range(1, options.card_count), options.packet_count - 1))
        return Cut(tuple(b - a for a, b in zip([0, *ends], [*ends, options.card_count], strict=True)))

    def word(self, can_believe: bool) -> Action | None:
        """Return a call or a belief, or None more often than not."""
        if self.random.random() >= self.call_rate:
            return None
        return BELIEVE if can_believe and self.random.random() < 0.5 else CALL

    def move(self, hand: Hand, options: TurnOptions) -> Action:
        """Choose a call, a pass, or a play of any number of cards. Most plays are large, so that games end."""
        said = self.word(options.can_believe) if options.can_call else None
        if said is not None:
            return said
        if options.can_pass and self.random.random() < 0.3:
            return PASS
        rank = self.random.choice(options.ranks)
        if options.zero and self.random.random() < 0.2:
            return Play(b"", 0, rank)
        first, last = self.random.choice(options.counts)
        count = self.random.randint(first, last)
        if options.face_up:
            return self.opening(hand, count)
        laid = count if options.laid is None else self.random.randint(*options.laid)
        return Play(bytes(sorted(self.random.sample(cards_from_hand(hand), laid))), count, rank)

    def opening(self, hand: Hand, count: int) -> Play:
        """Choose a true set of about this size."""
        jokers = bytes((JOKER,)) * hand[JOKER]
        sets = [(rank, cards_of_rank(hand, rank)) for rank in range(RANK_COUNT) if cards_of_rank(hand, rank)]
        whole = [(rank, cards + jokers) for rank, cards in sets if len(cards + jokers) >= count]
        rank, cards = self.random.choice(whole or [(self.random.randrange(RANK_COUNT), jokers)])
        return Play(cards[:count], count, rank)


def apply(state: State, what: str, value: Any) -> Transition:
    """Return the transition that a recorded input makes."""
    if what == "draw":
        return CHEAT.apply_chance(state, value)
    if what == "leave":
        return CHEAT.leave(state, value)
    return CHEAT.resolve(state, what, value)


def fingerprint(state: State) -> list[object]:
    """Return all fields but those that are computed on first use."""
    known = [getattr(state, field.name) for field in fields(state) if field.name not in ("groups", "options")]
    return [*known, count_pile(state)]
