"""Making a game and giving it its luck: the order of the deck, then the first mover (spec A3)."""

from collections.abc import Sequence

from arena.rules.cheat.cards import Hand, counted, pack_card, pack_size
from arena.rules.cheat.events import Dealt, Event
from arena.rules.cheat.flow import begin_turn
from arena.rules.cheat.law import Law
from arena.rules.cheat.ruleset import DealMode, ExtraCards, FirstMover
from arena.rules.cheat.state import Packets, Phase, State, blank
from arena.rules.game import Chance, Seat, Step


def new(law: Law, deal_moves: int) -> State:
    """Make the state before the deal."""
    state = blank(law, Phase.DECK, deal_moves)
    if law.rules.first_mover is FirstMover.LEFT_OF_DEALER:
        state.turn = law.ring[state.dealer][0]
    return state


def chance(state: State) -> Chance | None:
    """Name the draw that is wanted next."""
    if state.phase is Phase.DECK:
        law = state.law
        return Chance("deck", 0, 0, count=pack_size(law.decks, law.rules.jokers_per_deck))
    if state.phase is Phase.FIRST_MOVER:
        return Chance("first_mover", 0, 0, count=1, faces=len(state.hands))
    return None


def draw(state: State, values: Sequence[int]) -> Step:
    """Apply the drawn values; the cards are given out, or cut, as soon as nothing else is to be drawn."""
    draft = state.draft()
    if state.phase is Phase.DECK:
        _shuffle(draft, values)
        if state.law.rules.first_mover is FirstMover.RANDOM:
            draft.phase = Phase.FIRST_MOVER
            return Step(draft, ())
    elif state.phase is Phase.FIRST_MOVER:
        draft.turn = Seat(values[0])
    else:
        raise ValueError("no chance is wanted")
    if state.law.rules.deal is DealMode.CUT_AND_CHOOSE:
        return _ask_for_cut(draft)
    return Step(draft, deal(draft, _dealt_round(draft)))


def deal(draft: State, hands: Sequence[Hand]) -> list[Event]:
    """Give every seat its hand and begin the first turn."""
    draft.hands = tuple(hands)
    draft.sizes = tuple(map(sum, draft.hands))
    draft.packets = None
    begin_turn(draft)
    return [Dealt(draft.hands, draft.turn, draft.dealer, draft.law.rules.sizes_visible)]


def _shuffle(draft: State, order: Sequence[int]) -> None:
    decks = draft.law.decks
    draft.packets = Packets(bytes([pack_card(index, decks) for index in order]))


def _dealt_round(draft: State) -> list[Hand]:
    """Deal one card at a time; whoever is dealt to first has one more if they do not come out even."""
    deck, seat_count = draft.packets.deck if draft.packets else b"", len(draft.hands)
    if draft.law.rules.extra_cards_to is ExtraCards.FIRST_DEALT:
        return [counted(deck[seat::seat_count]) for seat in range(seat_count)]
    return [counted(deck[(draft.dealer - seat) % seat_count :: seat_count]) for seat in range(seat_count)]


def _ask_for_cut(draft: State) -> Step:
    draft.phase = Phase.CUT
    draft.turn_serial += 1
    draft.turn_clock = draft.step
    return Step(draft, ())
