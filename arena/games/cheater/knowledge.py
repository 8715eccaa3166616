"""The knowledge model of CHEATER (spec B6), which derives what a seat may know from the true state."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from arena.games.cheater.rules import events
from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
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
from arena.games.cheater.rules.cards import HAND_SIZE, WILD
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import State
from arena.games.secrecy.knowledge_model import DecisionRule, DrawnValues
from arena.match.game import ChanceRequest, Game, Question, Seat

Cards = Counter[int]

_ILLEGAL_RATE = 0.06
"""Share of answers that are deliberately illegal."""
_ILLEGAL_ACTIONS: tuple[Action, ...] = (
    DRAW,
    DRAW_TWO,
    ALLOW,
    Discard(b""),
    Demand(Seat(0)),
    Hide(WILD),
    Take(0),
    Bust(bytes(3)),
    Play(WILD, Seat(0), Attack.SHOW),
)
_SWAP_COUNTS = (2, 2, 3, 4, 8, 200)
"""How many cards change places: one of these numbers. The fewer cards, the later a reveal tells twins apart."""


class CheaterKnowledgeModel:
    """Implements `arena.games.secrecy.knowledge_model.KnowledgeModel` for CHEATER."""

    game: Game = CHEATER

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
        """Draw a number of seats. No option is changed, because none affects secrets."""
        return "cheater", {}, random.randrange(2, 8)

    def draw_for_twin(
        self,
        ruleset: Ruleset,
        seat_count: int,
        viewer: Seat | None,
        chance: ChanceRequest,
        values: DrawnValues,
        random: Random,
    ) -> DrawnValues:
        """Shuffle some cards of the other seats and of the draw pile. The card turned up stays in place (spec B2)."""
        if chance.purpose != "deck":
            return values
        dealt = HAND_SIZE * seat_count
        places = [at for at in range(len(values)) if at > dealt or (at < dealt and at % seat_count != viewer)]
        return _mix_some(values, places, random)

    def build_tracker(self, ruleset: Ruleset, seat_count: int, viewer: Seat | None) -> "CheaterKnowledgeTracker":
        return CheaterKnowledgeTracker(seat_count, viewer)

    def draw_decision(self, state: State, kind: str, question: Question, random: Random) -> DecisionRule:
        """Draw an answer, mostly a legal one. Discards from the seat's own hand are drawn as positions in it."""
        seat, options, seed = question.seat, question.options, random.randrange(1 << 62)
        if random.random() < _ILLEGAL_RATE:
            wrong = random.choice(_ILLEGAL_ACTIONS)
            return lambda _: wrong
        if isinstance(options, DiscardOptions):
            return lambda state: Discard(_sample(state.hands[seat], options.count, seed))
        if isinstance(options, ActOptions):
            return _constant(_draw_action(options, random))
        if isinstance(options, PickOptions):
            return _draw_pick(seat, options, random.randrange(options.most + 1), seed)
        answers: list[Action] = [ALLOW, *map(Hide, options.hiding)]
        return _constant(random.choice(answers))

    def may_diverge(self, state: State, kind: str, question: Question) -> bool:
        """Return True. A seat can play only action cards that it holds, so a play may be legal in only one twin."""
        return True


def _constant(action: Action) -> DecisionRule:
    return lambda _: action


def _draw_action(options: ActOptions, random: Random) -> Action:
    actions: list[Action] = [DRAW]
    powers: Mapping[int, Action] = {1: DRAW_TWO, 2: TAKE_TOP, 3: Demand(random.choice(options.targets))}
    actions += [powers[power] for power in options.powers]
    for card in options.playable:
        wild_as = random.choice([Attack.TAKE, Attack.SHOW, Attack.BUST]) if card == WILD else None
        actions.append(Play(card, random.choice(options.targets), wild_as))
    return random.choice(actions)


def _draw_pick(seat: Seat, options: PickOptions, count: int, seed: int) -> DecisionRule:
    """Draw a pick from the shown hand. Power 3 also discards a card, given by its position in the seat's own hand."""
    if options.attack is Attack.BUST:
        return _constant(Bust(_sample(options.hand, min(count, len(options.hand)), seed)))
    card = _sample(options.hand, 1, seed)[0]
    if options.attack is Attack.TAKE:
        return _constant(Take(card))
    return lambda state: Take(card, _sample(state.hands[seat], 1, seed)[0])


def _sample(hand: bytes, count: int, seed: int) -> bytes:
    """Return cards at positions that depend only on the seed and the size of the hand."""
    return bytes(hand[at] for at in Random(seed).sample(range(len(hand)), min(count, len(hand))))


class CheaterKnowledgeTracker:
    """Tracks the cards that one viewer was shown. Implements `arena.games.secrecy.knowledge_model.KnowledgeTracker`."""

    def __init__(self, seat_count: int, viewer: Seat | None) -> None:
        self._viewer = viewer
        self._hands = [Cards() for _ in range(seat_count)]
        """By seat, the cards in hand that the viewer was shown. The entry of the viewer itself is not used."""
        self._pile = Cards()
        """The cards that the viewer knows to be in the draw pile, whose order nobody knows."""
        self._discards: list[int] = []

    # ---- tracking shown cards

    def follow(self, event: Any) -> None:
        match event:
            case events.Dealt():
                self._discards = [event.top]
            case events.Drew():
                drawn = Cards(event.cards) & self._pile
                self._pile -= drawn
                self._hands[event.seat] += drawn
            case events.TookTop():
                self._hands[event.seat][self._discards.pop()] += 1
            case events.Discarded():
                self._track_discard(event.seat, event.cards)
            case events.Attacked() if event.card is not None:
                self._track_discard(event.seat, bytes((event.card,)))
            case events.Hidden():
                self._track_discard(event.seat, bytes((event.card,)))
            case events.HandShown():
                self._hands[event.seat] = Cards(event.cards)
            case events.Taken():
                self._hands[event.target] -= Cards((event.card,))
                self._hands[event.seat][event.card] += 1
            case events.Busted():
                self._track_discard(event.target, event.cards)
            case events.Reshuffled():
                self._pile += Cards(self._discards[:-1])
                self._discards = self._discards[-1:]
            case events.SeatLeft():
                left = Cards(event.cards)
                self._pile += left if event.seat == self._viewer else left & self._hands[event.seat]
                self._hands[event.seat] = Cards()
            case _:
                pass

    def _track_discard(self, seat: Seat, cards: bytes) -> None:
        self._hands[seat] -= Cards(cards)
        self._discards += cards

    # ---- redealing

    def redeal_unknown(self, state: State, random: Random) -> State:
        """Return the state after shuffling the draw pile and moving some of the cards that the viewer was not shown."""
        draft = state.draft()
        draft.step = state.step
        held = [Cards(hand) for hand in state.hands] + [Cards(state.draw_pile)]
        known = [self._known_cards(Seat(seat), state) for seat in range(len(state.hands))] + [self._pile]
        unknown = [sorted((all_ - seen).elements()) for all_, seen in zip(held, known, strict=True)]
        pool = [code for cards in unknown for code in cards]
        mixed = iter(_mix_some(pool, list(range(len(pool))), random))
        dealt = [seen + Cards(next(mixed) for _ in cards) for seen, cards in zip(known, unknown, strict=True)]
        draft.hands = tuple(bytes(sorted(cards.elements())) for cards in dealt[:-1])
        pile = sorted(dealt[-1].elements())
        draft.draw_pile = bytes(random.sample(pile, len(pile)))
        return draft

    def _known_cards(self, seat: Seat, state: State) -> Cards:
        """Return the cards that must stay in a seat's hand.

        For the viewer's own seat, these are all cards. For another seat, these are the cards that the viewer was shown
        and the cards that the seat gained in this turn.
        """
        hand = Cards(state.hands[seat])
        if seat == self._viewer:
            return hand
        gained = Cards(state.gained) if seat == state.turn else Cards()
        return (self._hands[seat] | gained) & hand

    # ---- lawful knowledge

    def visible_part(self, event: Any) -> Any:
        match event:
            case events.Dealt():
                own = None if self._viewer is None else event.hands[self._viewer]
                return "dealt", len(event.hands), event.top, event.draw_count, own
            case events.Drew():
                return "drew", event.seat, event.cards if event.seat == self._viewer else len(event.cards)
            case events.SeatLeft():
                return "left", event.seat, len(event.cards), event.place, event.cheater
            case _:
                return event  # dice, discards, attacks, shown hands, wins: all public


def _mix_some(values: DrawnValues, places: list[int], random: Random) -> tuple[int, ...]:
    chosen = random.sample(places, min(len(places), random.choice(_SWAP_COUNTS)))
    mixed = list(values)
    for place, other in zip(chosen, random.sample(chosen, len(chosen)), strict=True):
        mixed[place] = values[other]
    return tuple(mixed)


CHEATER_KNOWLEDGE = CheaterKnowledgeModel()
