"""A game of CHEATER played at random, with an observer that counts the cards."""

from collections.abc import Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    IDLE,
    TAKE_TOP,
    Action,
    Attack,
    Bust,
    Demand,
    Discard,
    Hide,
    Play,
    Take,
)
from arena.games.cheater.rules.cards import WILD, cards_in_packs, sort_cards, spelled_color
from arena.games.cheater.rules.events import (
    Attacked,
    Busted,
    DieRolled,
    Discarded,
    Event,
    HandShown,
    Hidden,
    Reshuffled,
    Rolled,
    StartRolled,
    Stopped,
    Taken,
    TookTop,
    Won,
)
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.state import Phase, State
from arena.games.cheater.rules.views import CardsDrawn, DealtView, DrewView, HandDealt, SeatLeftView
from arena.match.game import GameSetup, Seat, Style, Transition

Input = tuple[str, Any]


class RandomGame:
    """Plays a game to its end, and records its inputs and its events."""

    def __init__(
        self,
        options: dict[str, Any],
        setup: GameSetup,
        random: Random,
        *,
        leave_chance: float = 0.0,
        skill: float = 0.5,
    ) -> None:
        self.options, self.setup, self.random = options, setup, random
        self.leave_chance, self.player = leave_chance, RandomPlayer(random, skill)
        self.inputs: list[Input] = []
        self.events: list[Event] = []
        self.observer = PublicObserver(setup.seat_count)
        self.pack = cards_in_packs(2 if setup.seat_count >= 5 else 1)
        self.state: State = CHEATER.initial_state(CHEATER.build_ruleset("cheater", options), setup)

    def play(self) -> "RandomGame":
        """Play to the end."""
        while CHEATER.outcome(self.state) is None:
            self.advance()
        self.check_end()
        return self

    def advance(self) -> None:
        """Make one input, and check everything that must hold after it."""
        chance = CHEATER.chance_request(self.state)
        if chance is not None:
            count, faces = chance.count, chance.faces
            values = self.random.choices(range(faces), k=count) if faces else self.random.sample(range(count), count)
            self.put("draw", values)
        elif self.random.random() < self.leave_chance:
            self.put("leave", self.random.choice(self.state.present_seats()))
        else:
            self.answer()
        self.check()

    def answer(self) -> None:
        """Let the prompted seat answer, or sometimes let its time run out."""
        (group,) = CHEATER.open_groups(self.state)
        (question,) = group.questions
        automatic = CHEATER.automatic_action(self.state, question.seat, group.kind)
        assert CHEATER.why_illegal(self.state, question.seat, automatic, group.kind) is None
        if self.random.random() < 0.05:
            self.put(group.kind, {} if group.kind == "reaction" else {question.seat: automatic})
            return
        action = self.player.choose(self.state.hands[question.seat], question.options)
        assert CHEATER.why_illegal(self.state, question.seat, action, group.kind) is None
        assert CHEATER.why_illegal(self.state, question.seat, action) is None
        assert CHEATER.read_action(CHEATER.write_action(action)) == action
        self.put(group.kind, {question.seat: action})

    def put(self, what: str, value: Any) -> None:
        """Make a transition, and check that it does not change the state before it."""
        before, mark = self.state, fingerprint(self.state)
        step = apply(before, what, value)
        assert fingerprint(before) == mark
        assert step.state.step == before.step + 1
        self.inputs.append((what, value))
        self.events += step.events
        self.state = step.state
        for event in step.events:
            self.observer.observe(event)
            assert CHEATER.describe_event(event)
            list(CHEATER.event_statistics(event))

    # ---- invariants

    def check(self) -> None:
        """Check that cards are conserved, hand sizes fit the phase, a seat can act, and views are right."""
        state = self.state
        assert sort_cards(b"".join(state.hands) + state.draw_pile + state.discards) in (self.pack, b"")
        if CHEATER.outcome(state) is None:
            assert bool(CHEATER.open_groups(state)) or CHEATER.chance_request(state) is not None
            self.check_sizes()
        self.check_views()

    def check_sizes(self) -> None:
        """Check that every hand has seven cards, and the hand of the seat in turn what the table of spec B3 says."""
        state = self.state
        if state.phase in (Phase.DECK, Phase.DRAWS):
            return
        odd = {Phase.DISCARD: {8, 9}, Phase.REACTION: {6, 7}, Phase.PICK: {6, 7}, Phase.DIE: {6}}
        for seat in state.present_seats():
            sizes = odd.get(state.phase, {7}) if seat == state.turn else {7}
            assert len(state.hands[seat]) in sizes

    def check_views(self) -> None:
        """Check that each seat can work out its hand, and that its view depends only on cards that it may know."""
        state = self.state
        for viewer in (*map(Seat, range(len(state.hands))), None):
            view = CHEATER.snapshot(state, viewer)
            assert view.known == self.observer.known
            assert view.hand == (None if viewer is None else self.observer.hands[viewer])
            twin = self.twin(viewer)
            assert CHEATER.snapshot(twin, viewer) == view
            for group in CHEATER.open_groups(state):
                if group.questions[0].seat == viewer:
                    assert CHEATER.open_groups(twin) == (group,)

    def twin(self, viewer: Seat | None) -> State:
        """Return the same state with all cards dealt again that the viewer cannot see."""
        state, hidden = self.state, []
        known = [hand if seat == viewer else self.observer.known[seat] for seat, hand in enumerate(state.hands)]
        for seat, hand in enumerate(state.hands):
            hidden += list(remove(hand, known[seat]))
        hidden += list(state.draw_pile)
        self.random.shuffle(hidden)
        hands = []
        for seat, hand in enumerate(state.hands):
            count = len(hand) - len(known[seat])
            hands.append(sort_cards(known[seat] + bytes(hidden[:count])))
            hidden = hidden[count:]
        return replace(state, hands=tuple(hands), draw_pile=bytes(hidden))

    def check_end(self) -> None:
        """Check the places, the winner's hand and the number of turns, and that the inputs replay to the same game."""
        state, outcome = self.state, CHEATER.outcome(self.state)
        assert outcome is not None
        assert CHEATER.open_groups(state) == ()
        assert CHEATER.chance_request(state) is None
        assert min(outcome.places) == 1
        won = [event for event in self.events if isinstance(event, Won)]
        assert len(won) == (0 if outcome.termination == "max_turns" else 1)
        if outcome.termination == "spelled":
            assert won[0].color == spelled_color(state.hands[won[0].seat])
            assert outcome.places.count(1) == 1
        assert state.turns <= state.rules.max_turns
        rolled = sum(isinstance(event, Rolled) for event in self.events)
        assert rolled == state.turns + (0 if outcome.termination == "max_turns" else rolled > state.turns)
        assert replay_events(self) == self.events


class RandomPlayer:
    """Answers at random.

    `skill` is the probability that it plays for the letters of one colour. Without that, hardly any game is won.
    """

    def __init__(self, random: Random, skill: float) -> None:
        self.random, self.skill = random, skill

    def choose(self, hand: bytes, options: Any) -> Action:
        """Return a legal answer. It depends only on the options and the seat's own hand."""
        random = self.random
        match options:
            case ActOptions():
                return random.choice(self.moves(options))
            case DiscardOptions(count):
                return Discard(bytes(self.spare(hand, count)))
            case ReactionOptions(_, _, hiding):
                return Hide(random.choice(hiding)) if hiding and random.random() < 0.6 else ALLOW
            case PickOptions(Attack.BUST, _, shown, most):
                return Bust(bytes(random.sample(shown, random.randint(0, most))))
            case PickOptions(attack, _, shown):
                card = self.choose_card(hand, shown)
                spare = self.spare(sort_cards(hand + bytes((card,))), 1)[0]
                return Take(card, spare if attack is Attack.DEMAND else None)
            case _:
                raise AssertionError(options)

    def moves(self, options: ActOptions) -> list[Action]:
        """Return one action of each kind that is offered."""
        moves: list[Action] = [DRAW, IDLE]
        target = self.random.choice(options.targets)
        powers: dict[int, Action] = {1: DRAW_TWO, 2: TAKE_TOP, 3: Demand(target)}
        moves += [powers[power] for power in options.powers]
        for card in options.playable:
            wild_as = self.random.choice([Attack.TAKE, Attack.SHOW, Attack.BUST]) if card == WILD else None
            moves.append(Play(card, target, wild_as))
        return moves

    def spare(self, hand: bytes, count: int) -> list[int]:
        """Choose cards to give away: at random, or those that help least to spell the best colour."""
        if self.random.random() >= self.skill:
            return self.random.sample(hand, count)
        missing = list(best_word(hand))
        spare = []
        for card in hand:
            if card in missing:
                missing.remove(card)
            else:
                spare.append(card)
        return spare[:count] if len(spare) >= count else self.random.sample(hand, count)

    def choose_card(self, hand: bytes, shown: bytes) -> int:
        """Choose a card to take: at random, or one that the best colour lacks."""
        useful = [card for card in shown if best_word(hand).count(card) > hand.count(card)]
        return self.random.choice(useful if useful and self.random.random() < self.skill else list(shown))


class PublicObserver:
    """Follows the hands of a game through what the views show: the public parts, and each seat's private parts."""

    def __init__(self, seat_count: int) -> None:
        self.hands: list[bytes] = [b""] * seat_count
        """Each hand as its own seat can work it out."""
        self._known: list[bytes] = [b""] * seat_count

    @property
    def known(self) -> tuple[bytes, ...]:
        """Return the publicly known cards of each hand, by seat."""
        return tuple(self._known)

    def observe(self, event: Event) -> None:
        """Take in one event."""
        public, private = CHEATER.redact(event)
        self._observe_public(public)
        for seat, parts in private.items():
            for part in parts:
                match part:
                    case HandDealt(cards):
                        self.hands[seat] = cards
                    case CardsDrawn(cards):
                        assert isinstance(public, DrewView)
                        assert (public.seat, public.count) == (seat, len(cards))
                        self.hands[seat] = sort_cards(self.hands[seat] + cards)
                    case _:
                        raise AssertionError(part)

    def _observe_public(self, public: Any) -> None:
        match public:
            case TookTop(seat, card):
                self._gain(seat, bytes((card,)))
            case Discarded(seat, cards):
                self._lose(seat, cards)
            case Attacked(seat, _, _, int(card)) | Hidden(seat, card):
                self._lose(seat, bytes((card,)))
            case HandShown(seat, cards):
                assert cards == self.hands[seat]
                self._known[seat] = cards
            case Taken(seat, target, card):
                self._lose(target, bytes((card,)))
                self._gain(seat, bytes((card,)))
            case Busted(_, target, cards):
                self._lose(target, cards)
            case SeatLeftView(seat):
                self.hands[seat] = self._known[seat] = b""
            case _:
                assert isinstance(public, HARMLESS), public

    def _gain(self, seat: Seat, cards: bytes) -> None:
        self.hands[seat] = sort_cards(self.hands[seat] + cards)
        self._known[seat] = sort_cards(self._known[seat] + cards)

    def _lose(self, seat: Seat, cards: bytes) -> None:
        self.hands[seat] = remove(self.hands[seat], cards)
        self._known[seat] = remove(self._known[seat], cards)


HARMLESS = (DealtView, DrewView, Attacked, DieRolled, Reshuffled, Rolled, StartRolled, Stopped, Won)
"""Public parts that move no card openly into or out of a hand."""


def remove(hand: bytes, cards: Sequence[int]) -> bytes:
    """Return a hand without these cards. Cards that it does not hold are ignored."""
    left = list(hand)
    for card in cards:
        if card in left:
            left.remove(card)
    return bytes(left)


def best_word(hand: bytes) -> bytes:
    """Return the word CHEATER in the colour of which the hand holds the most letters."""
    words = [sort_cards([color * 6 + letter for letter in (0, 1, 2, 2, 3, 4, 5)]) for color in range(4)]
    return max(words, key=lambda word: len(word) - len(remove(word, hand)))


def apply(state: State, what: str, value: Any) -> Transition:
    """Return the transition that a recorded input makes."""
    if what == "draw":
        return CHEATER.apply_chance(state, value)
    if what == "leave":
        return CHEATER.leave(state, value)
    return CHEATER.resolve(state, what, value)


def fingerprint(state: State) -> list[object]:
    """Return the values of all fields."""
    return [getattr(state, field.name) for field in fields(state)]


def replay_events(game: RandomGame) -> list[Event]:
    """Return the events that the recorded inputs of a game produce."""
    state = CHEATER.initial_state(CHEATER.build_ruleset("cheater", game.options), game.setup)
    events: list[Event] = []
    for what, value in game.inputs:
        step = apply(state, what, value)
        state = step.state
        events += step.events
    assert fingerprint(state) == fingerprint(game.state)
    return events


def random_game(seed: int, longest: int = 2000) -> RandomGame:
    """Play a game of any kind to its end."""
    random = Random(seed)
    options = {"max_turns": random.choice([1, 7, 40, 150, longest]), "titles": random.random() < 0.8}
    setup = GameSetup(random.randint(2, 10), 0, random.choice(list(Style)))
    leave_chance = random.choice([0.0, 0.0, 0.005, 0.05, 0.3])
    return RandomGame(options, setup, random, leave_chance=leave_chance, skill=random.choice([0.0, 0.9, 0.9])).play()
