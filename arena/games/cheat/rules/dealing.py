"""The start of a game and its chance draws: the order of the deck, then the first mover (spec A3)."""

from collections.abc import Sequence

from arena.games.cheat.rules.cards import Hand, hand_from_cards, pack_size, sorted_deck
from arena.games.cheat.rules.compiled_rules import CompiledRules
from arena.games.cheat.rules.events import Dealt, Event
from arena.games.cheat.rules.flow import begin_turn
from arena.games.cheat.rules.ruleset import DealMode, ExtraCards, FirstMover
from arena.games.cheat.rules.state import Packets, Phase, State, empty_state
from arena.match.game import ChanceRequest, Seat, Transition


def initial_state(compiled: CompiledRules, deal_moves: int) -> State:
    state = empty_state(compiled, Phase.DECK, deal_moves)
    if compiled.rules.first_mover is FirstMover.LEFT_OF_DEALER:
        state.turn = compiled.ring[state.dealer][0]
    return state


def chance_request(state: State) -> ChanceRequest | None:
    if state.phase is Phase.DECK:
        compiled = state.compiled_rules
        return ChanceRequest("deck", 0, 0, count=pack_size(compiled.decks, compiled.rules.jokers_per_deck))
    if state.phase is Phase.FIRST_MOVER:
        return ChanceRequest("first_mover", 0, 0, count=1, faces=len(state.hands))
    return None


def apply_chance(state: State, values: Sequence[int]) -> Transition:
    """Apply the drawn values. After the last draw, deal the cards or ask for the cut."""
    draft = state.draft()
    if state.phase is Phase.DECK:
        deck = sorted_deck(state.compiled_rules.decks, state.compiled_rules.rules.jokers_per_deck)
        draft.packets = Packets(bytes([deck[index] for index in values]))
        if state.compiled_rules.rules.first_mover is FirstMover.RANDOM:
            draft.phase = Phase.FIRST_MOVER
            return Transition(draft, ())
    elif state.phase is Phase.FIRST_MOVER:
        draft.turn = Seat(values[0])
    else:
        raise ValueError("the game needs no chance draw")
    if state.compiled_rules.rules.deal is DealMode.CUT_AND_CHOOSE:
        draft.phase = Phase.CUT
        draft.turn_serial += 1
        draft.turn_clock = draft.step
        return Transition(draft, ())
    return Transition(draft, deal(draft, _deal_round_robin(draft)))


def deal(draft: State, hands: Sequence[Hand]) -> list[Event]:
    """Give every seat its hand and begin the first turn."""
    draft.hands = tuple(hands)
    draft.sizes = tuple(map(sum, draft.hands))
    draft.packets = None
    begin_turn(draft)
    return [Dealt(draft.hands, draft.turn, draft.dealer, draft.compiled_rules.rules.sizes_visible)]


def _deal_round_robin(draft: State) -> list[Hand]:
    """Return the hands after dealing one card at a time.

    If the cards do not divide evenly, `extra_cards_to` says whether the first or the last seats get one card more.
    """
    deck, seat_count = draft.packets.deck if draft.packets else b"", len(draft.hands)
    if draft.compiled_rules.rules.extra_cards_to is ExtraCards.FIRST_DEALT:
        return [hand_from_cards(deck[seat::seat_count]) for seat in range(seat_count)]
    return [hand_from_cards(deck[(draft.dealer - seat) % seat_count :: seat_count]) for seat in range(seat_count)]
