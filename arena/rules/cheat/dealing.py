"""Making a game and giving it its luck: the order of the deck, then the first mover (spec A3)."""

from collections.abc import Sequence

from arena.rules.cheat.cards import counted, pack_card, pack_size
from arena.rules.cheat.events import Dealt
from arena.rules.cheat.flow import begin_turn
from arena.rules.cheat.law import Law
from arena.rules.cheat.state import Phase, State, blank
from arena.rules.game import Chance, Seat, Step


def new(law: Law) -> State:
    """Make the state before the deal."""
    return blank(law, Phase.DECK)


def chance(state: State) -> Chance | None:
    """Name the draw that is wanted next."""
    if state.phase is Phase.DECK:
        rules = state.law.rules
        return Chance("deck", 0, 0, count=pack_size(rules.decks, rules.jokers_per_deck))
    if state.phase is Phase.FIRST_MOVER:
        return Chance("first_mover", 0, 0, count=1, faces=len(state.hands))
    return None


def draw(state: State, values: Sequence[int]) -> Step:
    """Apply the drawn values."""
    if state.phase is Phase.DECK:
        return _deal(state, values)
    if state.phase is Phase.FIRST_MOVER:
        return _begin(state, Seat(values[0]))
    raise ValueError("no chance is wanted")


def _deal(state: State, order: Sequence[int]) -> Step:
    """Deal one card at a time, clockwise from seat 0."""
    draft = state.draft()
    decks, seat_count = state.law.rules.decks, len(state.hands)
    cards = [pack_card(index, decks) for index in order]
    draft.hands = tuple(counted(cards[seat::seat_count]) for seat in range(seat_count))
    draft.sizes = tuple(map(sum, draft.hands))
    draft.phase = Phase.FIRST_MOVER
    return Step(draft, ())


def _begin(state: State, first: Seat) -> Step:
    draft = state.draft()
    draft.turn = first
    begin_turn(draft)
    return Step(draft, (Dealt(draft.hands, first),))
