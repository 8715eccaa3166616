"""The knowledge model of Cheat, which draws rulesets, twins and decisions. `knowledge_tracker` follows a viewer."""

from collections.abc import Mapping
from itertools import pairwise
from random import Random

from arena.errors import OptionsError
from arena.games.cheat.knowledge_tracker import CheatKnowledgeTracker
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Choose, Cut, Play
from arena.games.cheat.rules.cards import CODE_COUNT, Hand, cards_from_hand
from arena.games.cheat.rules.cut_and_choose import ChooseOptions, CutOptions
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.legality import why_illegal
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheat.rules.questions import WindowOptions
from arena.games.cheat.rules.ruleset import DealMode, ExtraCards, Ruleset
from arena.games.cheat.rules.state import State, TurnOptions
from arena.games.secrecy.knowledge_model import DecisionRule, DrawnValues
from arena.match.game import ChanceRequest, Game, Question, Seat, Style

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
"""Options that affect what viewers receive, each with the values to draw from."""
_MAX_CHANGED_OPTIONS = 3
"""Maximum number of options that differ from their preset."""
_ILLEGAL_RATE = 0.06
"""Share of answers that are deliberately illegal."""


class CheatKnowledgeModel:
    """Implements `arena.games.secrecy.knowledge_model.KnowledgeModel` for Cheat."""

    game: Game = CHEAT

    def draw_ruleset(self, random: Random) -> tuple[str, Mapping[str, object], int]:
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
        """Shuffle the cards dealt to other seats, or the whole deck if it will be cut (spec A3, AMB-45)."""
        if chance.purpose != "deck":
            return values
        is_cut = ruleset.deal is DealMode.CUT_AND_CHOOSE
        own = -1 if viewer is None or is_cut else _place_in_round(ruleset, seat_count, viewer)
        places = [place for place in range(len(values)) if place % seat_count != own]
        mixed = list(values)
        for place, other in zip(places, random.sample(places, len(places)), strict=True):
            mixed[place] = values[other]
        return tuple(mixed)

    def build_tracker(self, ruleset: Ruleset, seat_count: int, viewer: Seat | None) -> CheatKnowledgeTracker:
        return CheatKnowledgeTracker(ruleset, seat_count, viewer)

    def draw_decision(self, state: State, kind: str, question: Question, random: Random) -> DecisionRule:
        seat, options, seed = question.seat, question.options, random.randrange(1 << 62)
        if random.random() < _ILLEGAL_RATE:
            wrong = random.choice(_ILLEGAL_CHOICES)
            return lambda state: wrong(state.hands[seat])
        if isinstance(options, WindowOptions):
            answer = random.choices([DECLINE, CALL, BELIEVE], [16, 2, 2 * options.can_believe])[0]
            return lambda _: answer
        if isinstance(options, CutOptions):
            marks = sorted(random.sample(range(1, options.card_count), options.packet_count - 1))
            cut = Cut(tuple(end - start for start, end in pairwise([0, *marks, options.card_count])))
            return lambda _: cut
        if isinstance(options, ChooseOptions):
            packet = Choose(random.choice(options.free))
            return lambda _: packet
        return _draw_move(seat, options, random, seed)

    def may_diverge(self, state: State, kind: str, question: Question) -> bool:
        """Return whether an answer may be legal or illegal depending on hidden cards.

        This is so in a face-up opening, and in all games in which the numbers of cards are hidden.
        """
        options = question.options
        return not state.compiled_rules.rules.sizes_visible or (isinstance(options, TurnOptions) and options.face_up)


def _place_in_round(rules: Ruleset, seat_count: int, seat: Seat) -> int:
    """Return which card of each dealing round a seat gets, counted from 0, if the last seat is the dealer (spec A3)."""
    return seat if rules.extra_cards_to is ExtraCards.FIRST_DEALT else (seat_count - 1 - seat) % seat_count


def _draw_move(seat: Seat, options: TurnOptions, random: Random, seed: int) -> DecisionRule:
    """Draw a pass, a call, a belief or a play, as far as the options allow it."""
    offered: dict[Action, bool] = {PASS: options.can_pass, CALL: options.can_call, BELIEVE: options.can_believe}
    others = [action for action, is_offered in offered.items() if is_offered]
    if others and random.random() < 0.3:
        other = random.choice(others)
        return lambda _: other
    if options.face_up:
        return lambda state: _draw_opening(state, seat, Random(seed))
    rank = random.choice(options.ranks)
    first, last = random.choice(options.counts)
    count = 0 if options.zero and random.random() < 0.2 else random.randint(first, min(last, first + 5))

    def play(state: State) -> Play:
        """Return a play whose claim is the same in both twins, while its cards depend on the hand."""
        held = cards_from_hand(state.hands[seat])
        own = Random(f"{seed}/{held.hex()}")
        bounds = options.laid if count and options.laid else (count, count)
        number = min(len(held), own.randint(bounds[0], min(bounds[1], bounds[0] + 3)))
        return Play(bytes(sorted(own.sample(held, number))), count, rank)

    return play


def _draw_opening(state: State, seat: Seat, random: Random) -> Play:
    held = cards_from_hand(state.hands[seat])
    sets = [
        bytes(code for code in held if code >> 2 in (rank, 13))[:size] for rank in range(13) for size in range(1, 5)
    ]
    plays = [Play(cards, len(cards), rank) for cards in sets for rank in {code >> 2 for code in cards} if rank < 13]
    legal = [play for play in plays if why_illegal(state, seat, play) is None]
    return random.choice(legal) if legal else Play(held[:1], 1, 0)


def _play_of_card_not_held(hand: Hand) -> Play:
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


CHEAT_KNOWLEDGE = CheatKnowledgeModel()
