"""The knowledge model of Cheat (spec A9): derives what a seat may know from the true state."""

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from arena.errors import OptionsError
from arena.rules.cheat import events
from arena.rules.cheat.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.rules.cheat.cards import CODE_COUNT, Hand, cards_from_hand, hand_from_cards
from arena.rules.cheat.cut_and_choose import ChooseOptions, CutOptions
from arena.rules.cheat.game import CHEAT
from arena.rules.cheat.legality import why_illegal
from arena.rules.cheat.pile import pile_layers
from arena.rules.cheat.presets import PRESETS
from arena.rules.cheat.questions import WindowOptions
from arena.rules.cheat.ruleset import CheckMode, DealMode, ExtraCards, Ruleset
from arena.rules.cheat.state import Layer, State, TurnOptions
from arena.rules.game import ChanceRequest, Game, Question, Seat, Style
from arena.secrecy.knowledge_model import DecisionRule, DrawnValues

Cards = Counter[int]

_VARIED_OPTIONS: Mapping[str, tuple[object, ...]] = {
    "check": ("arbiter", "caller", "public", "public+"),
    "passing": ("forced", "pass_turn", "pass_trick", "single_turn"),
    "believe": (True, False),
    "any_caller": (True, False),
    "decks": (1, 2),
    "deal": ("round_robin", "cut_and_choose"),
    "banish_on_new_trick": (True, False),
    "honest_win": (True, False),
    "count_lies": (True, False),
    "success_new_trick": (True, False),
    "objective": ("places", "first_out_wins", "last_in_loses"),
}
"""Options that affect what viewers receive, each with values to draw from."""
_MAX_CHANGED_OPTIONS = 3
"""Maximum number of options that differ from their preset."""
_ILLEGAL_RATE = 0.06
"""Share of answers that are deliberately illegal."""


class CheatKnowledgeModel:
    """Implements `arena.secrecy.knowledge_model.KnowledgeModel` for Cheat."""

    game: Game = CHEAT

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
        """Draw a preset, some changed options and a number of seats that are valid together."""
        while True:
            preset = random.choice(list(PRESETS))
            names = random.sample(list(_VARIED_OPTIONS), random.randrange(_MAX_CHANGED_OPTIONS + 1))
            options = {name: random.choice(_VARIED_OPTIONS[name]) for name in names}
            seat_count = 4 if preset == "ascending" else random.randrange(2, 7)
            try:
                rules = CHEAT.build_ruleset(preset, options)
                for style in Style:
                    CHEAT.check_seats(rules, seat_count, style)
            except OptionsError:
                continue
            return preset, options, seat_count

    def draw_for_twin(
        self,
        ruleset: Ruleset,
        seat_count: int,
        viewer: Seat | None,
        chance: ChanceRequest,
        values: DrawnValues,
        random: Random,
    ) -> DrawnValues:
        """Shuffle what others are dealt; a deck that is yet to be cut is unknown to all (spec A3, AMB-45)."""
        if chance.purpose != "deck":
            return values
        is_cut = ruleset.deal is DealMode.CUT_AND_CHOOSE
        own = -1 if viewer is None or is_cut else _place_in_round(ruleset, seat_count, viewer)
        places = [place for place in range(len(values)) if place % seat_count != own]
        mixed = list(values)
        for place, other in zip(places, random.sample(places, len(places)), strict=True):
            mixed[place] = values[other]
        return tuple(mixed)

    def build_tracker(self, ruleset: Ruleset, seat_count: int, viewer: Seat | None) -> "CheatKnowledgeTracker":
        """Return a tracker for a viewer."""
        return CheatKnowledgeTracker(ruleset, seat_count, viewer)

    def draw_decision(self, state: State, kind: str, question: Question, random: Random) -> DecisionRule:  # noqa: ARG002
        """Draw an answer, mostly a legal one."""
        seat, options, seed = question.seat, question.options, random.randrange(1 << 62)
        if random.random() < _ILLEGAL_RATE:
            wrong = random.choice(_ILLEGAL_CHOICES)
            return lambda state: wrong(state.hands[seat])
        if isinstance(options, WindowOptions):
            answer = random.choices([DECLINE, CALL, BELIEVE], [16, 2, 2 * options.can_believe])[0]
            return lambda _: answer
        if isinstance(options, CutOptions):
            cut = _draw_cut(options, random)
            return lambda _: cut
        if isinstance(options, ChooseOptions):
            packet = Choose(random.choice(options.free))
            return lambda _: packet
        return _draw_move(seat, options, random, seed)

    def may_diverge(self, state: State, kind: str, question: Question) -> bool:  # noqa: ARG002
        """Return whether hidden cards decide legality: a face-up opening must be true, hidden sizes limit plays."""
        options = question.options
        return not state.compiled_rules.rules.sizes_visible or (isinstance(options, TurnOptions) and options.face_up)


def _place_in_round(rules: Ruleset, seat_count: int, seat: Seat) -> int:
    """Return the seat's position in each dealing round of the first game, whose dealer sits last (spec A3)."""
    return seat if rules.extra_cards_to is ExtraCards.FIRST_DEALT else (seat_count - 1 - seat) % seat_count


def _draw_move(seat: Seat, options: TurnOptions, random: Random, seed: int) -> DecisionRule:
    offered: dict[Action, bool] = {PASS: options.can_pass, CALL: options.can_call, BELIEVE: options.can_believe}
    others = [action for action, is_offered in offered.items() if is_offered]
    if others and random.random() < 0.3:
        other = random.choice(others)
        return lambda _: other
    if options.face_up:
        return lambda state: _draw_opening(state, seat, Random(seed))  # noqa: S311  repeatable
    rank = random.choice(options.ranks)
    first, last = random.choice(options.counts)
    count = 0 if options.zero and random.random() < 0.2 else random.randint(first, min(last, first + 5))

    def play(state: State) -> Play:
        """Return a play whose cards depend on the hand, while its claim does not."""
        held = cards_from_hand(state.hands[seat])
        own = Random(f"{seed}/{held.hex()}")  # noqa: S311  repeatable
        bounds = options.laid if count and options.laid else (count, count)
        number = min(len(held), own.randint(bounds[0], min(bounds[1], bounds[0] + 3)))
        return Play(bytes(sorted(own.sample(held, number))), count, rank)

    return play


def _draw_opening(state: State, seat: Seat, random: Random) -> Play:
    """Draw a legal face-up opening."""
    held = cards_from_hand(state.hands[seat])
    sets = [
        bytes(code for code in held if code >> 2 in (rank, 13))[:size] for rank in range(13) for size in range(1, 5)
    ]
    plays = [Play(cards, len(cards), rank) for cards in sets for rank in {code >> 2 for code in cards} if rank < 13]
    legal = [play for play in plays if why_illegal(state, seat, play) is None]
    return random.choice(legal) if legal else Play(held[:1], 1, 0)


def _draw_cut(options: CutOptions, random: Random) -> Cut:
    marks = sorted(random.sample(range(1, options.card_count), options.packet_count - 1))
    ends = [*marks, options.card_count]
    return Cut(tuple(end - start for start, end in zip([0, *marks], ends, strict=True)))


def _play_of_card_not_held(hand: Hand) -> Play:
    """Return a play of a card that is not in the hand."""
    return Play(bytes([next((code for code in range(CODE_COUNT) if not hand[code]), 0)]), 1, 3)


_ILLEGAL_CHOICES = (
    _play_of_card_not_held,
    lambda _: PASS,
    lambda _: BELIEVE,
    lambda _: Choose(99),
    lambda hand: Play(cards_from_hand(hand)[:1], 1, 13),
    lambda hand: Play(cards_from_hand(hand)[:2], 1, 5),
    lambda hand: Play(cards_from_hand(hand)[:1], 0, 5),
)


class CheatKnowledgeTracker:
    """Tracks the cards that its viewer was shown. Implements `arena.secrecy.knowledge_model.KnowledgeTracker`."""

    def __init__(self, rules: Ruleset, seat_count: int, viewer: Seat | None) -> None:
        self._rules = rules
        self._viewer = viewer
        self._hands = [Cards() for _ in range(seat_count)]
        """Cards of others that the viewer was shown; its own hand is not listed."""
        self._layers: list[Cards] = []
        """Cards that the viewer was shown of each move on the pile, lowest first."""
        self._bottom: list[Cards] = []
        """Cards that the viewer was shown of what leavers left in the pile, lowest first."""
        self._banished = Cards()

    # ---- tracking shown cards

    def follow(self, event: Any) -> None:
        """Update what the viewer knows after an event."""
        match event:
            case events.Played():
                self._track_play(event)
            case events.Called():
                self._track_check(event.check, event.caller, event.cards, event.taken)
                self._hands[event.taker] += self._take_pile()
            case events.Believed():
                self._track_check(event.check, event.believer, event.cards, event.pile)
                if event.right:
                    self._banished += self._take_pile()
                else:
                    self._hands[event.believer] += self._take_pile()
            case events.HandChecked(is_true=False):
                self._hands[event.seat] += self._take_pile()
            case events.PileBanished():
                self._banished += self._take_pile()
            case events.SeatLeft():
                left = Cards(cards_from_hand(event.cards))
                if left:
                    self._bottom.insert(0, left if event.seat == self._viewer else left & self._hands[event.seat])
                self._hands[event.seat] = Cards()
            case _:
                pass

    def _track_play(self, event: events.Played) -> None:
        cards = Cards(event.cards)
        is_seen = event.face_up or event.seat == self._viewer
        self._layers.append(cards if is_seen else cards & self._hands[event.seat])
        self._hands[event.seat] -= cards

    def _track_check(self, check: CheckMode, caller: Seat, cards: bytes, pile: Hand) -> None:
        if check is CheckMode.PUBLIC_PLUS:
            self._layers, self._bottom = [Cards(cards_from_hand(pile))], []
        elif check is CheckMode.PUBLIC or (check is CheckMode.CALLER and caller == self._viewer):
            self._layers[-1] = Cards(cards)

    def _take_pile(self) -> Cards:
        """Clear the pile and return its known cards."""
        known = sum([*self._bottom, *self._layers], Cards())
        self._layers, self._bottom = [], []
        return known

    # ---- redealing

    def redeal_unknown(self, state: State, random: Random) -> State:
        """Shuffle all cards that the viewer was not shown, wherever they are; every place keeps its number of cards."""
        draft = state.draft()
        draft.step = state.step
        if state.packets is not None:
            draft.packets = state.packets._replace(
                deck=bytes(random.sample(state.packets.deck, len(state.packets.deck)))
            )
            return draft
        moves = list(pile_layers(state))[::-1]
        places = [
            *(Cards(cards_from_hand(hand)) for hand in state.hands),
            *(Cards(bottom.cards) for bottom in state.bottom),
            *(Cards(layer.cards) for layer in moves),
            Cards(cards_from_hand(state.banished)),
        ]
        self._put_back(draft, moves, _mix_unknown(places, self._known_cards(state), random))
        return draft

    def _known_cards(self, state: State) -> list[Cards]:
        """Return the cards the viewer knows in each place: hands, cards of leavers, moves, banished cards."""
        hands = [
            Cards(cards_from_hand(hand)) if seat == self._viewer else self._hands[seat]
            for seat, hand in enumerate(state.hands)
        ]
        return [*hands, *self._bottom, *self._layers, self._banished]

    def _put_back(self, draft: State, moves: list[Layer], mixed: list[Cards]) -> None:
        seat_count, bottom_count = len(draft.hands), len(draft.bottom)
        draft.hands = tuple(hand_from_cards(cards.elements()) for cards in mixed[:seat_count])
        bottoms = mixed[seat_count : seat_count + bottom_count]
        draft.bottom = tuple(
            bottom._replace(cards=_to_sorted_bytes(cards)) for bottom, cards in zip(draft.bottom, bottoms, strict=True)
        )
        top: Layer | None = None
        last = draft.last
        for move, cards in zip(moves, mixed[seat_count + bottom_count : -1], strict=True):
            top = Layer(move.claim, _to_sorted_bytes(cards), top, move.face_up)
            if last is move:
                draft.last = top
        draft.pile = top
        draft.banished = hand_from_cards(mixed[-1].elements())

    # ---- lawful knowledge

    def visible_part(self, event: Any) -> Any:
        """Return everything that the viewer may learn from an event."""
        is_sized = self._rules.sizes_visible
        match event:
            case events.Dealt():
                sizes = tuple(map(sum, event.hands)) if is_sized else None
                return "dealt", sizes, event.first, event.dealer, self._own_hand(enumerate(event.hands))
            case events.Played():
                cards = event.cards if event.face_up or event.seat == self._viewer else None
                laid = len(event.cards) if is_sized or cards is not None else None
                return "played", event.seat, event.rank, event.count, event.emptied, event.to_move, laid, cards
            case events.Called():
                shown = self._visible_check(event.check, event.caller, event.cards, event.taken)
                taken = self._visible_pile(event.taken, event.taker)
                return "called", event.caller, event.accused, event.right, event.taker, event.to_move, shown, taken
            case events.Believed():
                shown = self._visible_check(event.check, event.believer, event.cards, event.pile)
                taken = self._visible_pile(event.pile, None if event.right else event.believer)
                return "believed", event.believer, event.mover, event.right, event.to_move, shown, taken
            case events.HandChecked():
                taken = () if event.is_true else self._visible_pile(event.pile, event.seat)
                return "checked", event.seat, event.is_true, taken
            case events.PileBanished():
                return "banished", self._visible_pile(event.cards, None)
            case events.SeatLeft():
                taken = self._visible_pile(event.cards, None)
                return "left", event.seat, event.place, event.to_move, taken
            case events.Overruled():
                return "overruled", event.seat == self._viewer
            case _:
                return event  # passes, tricks, places, windows, cuts and choices have no secret

    def _own_hand(self, hands: Iterable[tuple[int, Hand]]) -> Hand | None:
        return next((hand for seat, hand in hands if seat == self._viewer), None)

    def _visible_check(self, check: CheckMode, caller: Seat, cards: bytes, pile: Hand) -> Any:
        if check is CheckMode.PUBLIC_PLUS:
            return cards, pile
        is_seen = check is CheckMode.PUBLIC or (check is CheckMode.CALLER and caller == self._viewer)
        return cards if is_seen else None

    def _visible_pile(self, pile: Hand, taker: Seat | None) -> Any:
        if taker is not None and taker == self._viewer:
            return pile
        return sum(pile) if self._rules.sizes_visible else None


def _mix_unknown(places: list[Cards], known: list[Cards], random: Random) -> list[Cards]:
    """Refill each place with its known cards and as many shuffled unknown cards as it had."""
    unknown = [list((held - seen).elements()) for held, seen in zip(places, known, strict=True)]
    pool = [code for cards in unknown for code in cards]
    random.shuffle(pool)
    mixed = []
    for seen, cards in zip(known, unknown, strict=True):
        dealt, pool = pool[: len(cards)], pool[len(cards) :]
        mixed.append(seen + Cards(dealt))
    return mixed


def _to_sorted_bytes(cards: Cards) -> bytes:
    return bytes(sorted(cards.elements()))


CHEAT_KNOWLEDGE = CheatKnowledgeModel()
