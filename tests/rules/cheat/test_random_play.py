"""Whatever the options, random games keep the promises of the rules."""

from collections.abc import Sequence
from dataclasses import fields
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rules.cheat.actions import CALL, DECLINE, PASS, Action, Play
from arena.rules.cheat.cards import EMPTY_HAND, Hand, joined, listed, without_cards
from arena.rules.cheat.events import Called, Dealt, Event, Overruled, Played
from arena.rules.cheat.game import CHEAT
from arena.rules.cheat.ruleset import CheckMode
from arena.rules.cheat.state import State, TurnOptions, pile_hand
from arena.rules.cheat.views import CardsLaid, CardsShown, CardsTaken, HandDealt, SeatLeftView
from arena.rules.game import Closing, GameSetup, Group, Seat, Step, Style
from tests.rules.cheat.strategies import standard_options

GAMES = {
    "options": standard_options(),
    "style": st.sampled_from(list(Style)),
    "seat_count": st.integers(2, 10),
    "seed": st.integers(0, 2**32 - 1),
    "leave_chance": st.sampled_from([0.0, 0.0, 0.02, 0.3]),
}

Input = tuple[str, Any]


@settings(max_examples=300, deadline=None)
@given(**GAMES)
def test_a_random_game_keeps_the_rules(
    options: dict[str, Any], style: Style, seat_count: int, seed: int, leave_chance: float
) -> None:
    """Cards are conserved, somebody can always do something, the game ends, nobody learns too much or too little.

    Played again from its recorded inputs it is the same game.
    """
    game = RandomGame(options, style, seat_count, Random(seed), leave_chance)

    while CHEAT.outcome(game.state) is None:
        game.check()
        game.advance()

    places = game.state.places
    assert set(places) <= set(range(1, seat_count + 1))
    assert min(places) == 1
    assert CHEAT.groups(game.state) == ()
    assert game.state.landed <= game.state.law.max_turns
    for seat in range(seat_count):
        assert hand_as_told(game.events, Seat(seat)) == game.state.hands[seat]
    for event in game.events:
        check_secrecy(event)
        assert CHEAT.tell(event)
    assert played_again(game, options, style, seat_count) == game.events


def played_again(game: "RandomGame", options: dict[str, Any], style: Style, seat_count: int) -> list[Event]:
    """The events that the recorded inputs of a game give."""
    state = CHEAT.new(CHEAT.ruleset("standard", options), GameSetup(seat_count, 0, style))
    events: list[Event] = []
    for what, value in game.inputs:
        step = apply(state, what, value)
        state = step.state
        events += step.events
    assert CHEAT.outcome(state) == CHEAT.outcome(game.state)
    return events


class RandomGame:
    """A game in which everything is done at random, with what was put in and what came out."""

    def __init__(
        self, options: dict[str, Any], style: Style, seat_count: int, random: Random, leave_chance: float
    ) -> None:
        self.random, self.leave_chance = random, leave_chance
        self.inputs: list[Input] = []
        self.events: list[Event] = []
        self.state: State = CHEAT.new(CHEAT.ruleset("standard", options), GameSetup(seat_count, 0, style))
        while (chance := CHEAT.chance(self.state)) is not None:
            count, faces = chance.count, chance.faces
            self.put("draw", random.choices(range(faces), k=count) if faces else random.sample(range(count), count))
        self.pack = self.cards()

    def put(self, what: str, value: Any) -> None:
        """Make a transition, and see that the state before it stays as it was."""
        before, mark = self.state, fingerprint(self.state)
        step = apply(before, what, value)
        assert fingerprint(before) == mark
        assert step.state.step == before.step + 1
        self.inputs.append((what, value))
        self.events += step.events
        self.state = step.state

    def advance(self) -> None:
        """A leave, a move, calls, or the end of a window."""
        state, random = self.state, self.random
        if random.random() < self.leave_chance:
            seats = [Seat(seat) for seat, place in enumerate(state.places) if not place]
            self.put("leave", random.choice(seats))
            return
        group = random.choice(CHEAT.groups(state))
        answers = {q.seat: self.answer(group, q.options, q.seat) for q in group.questions if random.random() < 0.9}
        if group.length is None and not any(map(CHEAT.settles, answers.values())):
            return
        self.put(group.kind, answers)

    def answer(self, group: Group, options: Any, seat: Seat) -> Action:
        """A legal answer; the rules agree with the options that they offer."""
        action = self.move(options, seat) if group.kind == "turn" else self.reaction()
        assert CHEAT.why_illegal(self.state, seat, action, group.kind) is None
        assert CHEAT.why_illegal(self.state, seat, action) is None
        assert CHEAT.read_action(CHEAT.write_action(action)) == action
        return action

    def reaction(self) -> Action:
        """Seldom a call."""
        return CALL if self.random.random() < 0.15 else DECLINE

    def move(self, options: TurnOptions, seat: Seat) -> Action:
        """A pass, nothing, or cards: mostly many, so that games come to an end."""
        if options.can_pass and self.random.random() < 0.3:
            return PASS
        rank = self.random.choice(options.ranks)
        if options.zero and self.random.random() < 0.2:
            return Play(b"", 0, rank)
        first, last = self.random.choice(options.counts)
        count = self.random.randint(first, last)
        return Play(bytes(sorted(self.random.sample(listed(self.state.hands[seat]), count))), count, rank)

    def cards(self) -> Hand:
        """All cards of the game, wherever they are."""
        cards = pile_hand(self.state)
        for hand in self.state.hands:
            cards = joined(cards, hand)
        return cards

    def check(self) -> None:
        """What holds in every state that is not the end."""
        state = self.state
        assert self.cards() == self.pack
        assert state.sizes == tuple(map(sum, state.hands))
        assert min(map(min, state.hands)) >= 0
        groups = CHEAT.groups(state)
        assert groups
        for group in groups:
            self.check_group(group)
        assert (state.to_move is None) == state.closing

    def check_group(self, group: Group) -> None:
        """Somebody is asked, everybody asked can answer, and the clocks lie in the past."""
        assert group.questions
        assert group.clock <= self.state.step
        assert (group.closing is Closing.ALL) == (self.state.law.sealed and group.kind == "window")
        for question in group.questions:
            automatic = CHEAT.automatic(self.state, question.seat, group.kind)
            assert CHEAT.why_illegal(self.state, question.seat, automatic, group.kind) is None
        if group.kind == "turn":
            self.check_counts(group.questions[0].options)

    def check_counts(self, options: TurnOptions) -> None:
        """Counts are refused exactly where the options do not offer them."""
        state = self.state
        hand = listed(state.hands[state.turn])
        offered = {count for first, last in options.counts for count in range(first, last + 1)}
        assert offered
        assert options.ranks
        for count in {0, 1, 2, 7, len(hand)} & set(range(len(hand) + 1)):
            code = CHEAT.why_illegal(state, state.turn, Play(hand[:count], count, options.ranks[0]), "turn")
            legal = options.zero if count == 0 else count in offered
            assert code == (None if legal else "illegal_count")


def apply(state: State, what: str, value: Any) -> Step:
    """Make the transition that a recorded input names."""
    if what == "draw":
        return CHEAT.draw(state, value)
    if what == "leave":
        return CHEAT.leave(state, value)
    return CHEAT.resolve(state, what, value)


def fingerprint(state: State) -> list[object]:
    """All fields but those that are worked out when first wanted."""
    known = [getattr(state, field.name) for field in fields(state) if field.name not in ("groups", "options")]
    return [*known, pile_hand(state)]


def hand_as_told(events: Sequence[Event], seat: Seat) -> Hand:
    """The hand that a seat can work out from what it was told."""
    hand: Hand = ()
    for event in events:
        public, private = CHEAT.redact(event)
        for part in private.get(seat, ()):
            if isinstance(part, HandDealt):
                hand = part.hand
            elif isinstance(part, CardsLaid):
                hand = without_cards(hand, part.cards)
            elif isinstance(part, CardsTaken):
                hand = joined(hand, part.cards)
        if isinstance(public, SeatLeftView) and public.seat == seat:
            hand = EMPTY_HAND
    return hand


def check_secrecy(event: Event) -> None:
    """Private parts go to the seats that table A9 names, and to nobody else."""
    for seat, parts in CHEAT.redact(event).private.items():
        for part in parts:
            if isinstance(part, CardsLaid):
                assert isinstance(event, Played)
                assert seat == event.seat
            elif isinstance(part, CardsTaken):
                assert isinstance(event, Called)
                assert seat == event.taker
            elif isinstance(part, CardsShown):
                assert isinstance(event, Called)
                assert (seat, event.check) == (event.caller, CheckMode.CALLER)
            elif isinstance(part, HandDealt):
                assert isinstance(event, Dealt)
                assert part.hand == event.hands[seat]
            else:
                assert part == Overruled(seat)
