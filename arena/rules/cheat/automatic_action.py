"""The action taken for a seat that does not answer (spec A11). Uses only the seat's own hand and public facts."""

from arena.rules.cheat import cut_and_choose
from arena.rules.cheat.actions import DECLINE, PASS, Action, Play
from arena.rules.cheat.cards import JOKER, RANK_COUNT, Hand, cards_of_rank, lowest_cards
from arena.rules.cheat.legality import turn_options
from arena.rules.cheat.state import State, TurnOptions
from arena.rules.game import Seat


def automatic_action(state: State, seat: Seat, kind: str) -> Action:
    """Decline in a window; in a turn pass if allowed, else claim zero, else lay the fewest and lowest cards."""
    if kind == "window":
        return DECLINE
    if state.phase in cut_and_choose.CUTTING_PHASES:
        return cut_and_choose.automatic_action(state)
    options, hand = turn_options(state), state.hands[seat]
    if options.can_pass:
        return PASS
    count = 0 if options.zero else options.counts[0][0]
    if options.face_up:
        return _lowest_true_set(hand, count)
    return Play(lowest_cards(hand, _laid_count(options, count)), count, _claimed_rank(state, options))


def _laid_count(options: TurnOptions, count: int) -> int:
    """Return the number of cards to lay: the claimed count, clamped to what may be laid (spec A11)."""
    if options.laid is None or count == 0:
        return count
    first, last = options.laid
    return min(max(count, first), last)


def _claimed_rank(state: State, options: TurnOptions) -> int:
    """Return the previous rank if it is legal, else the lowest legal one."""
    if state.prev is not None and state.prev.rank in options.ranks:
        return state.prev.rank
    return options.ranks[0]


def _lowest_true_set(hand: Hand, count: int) -> Play:
    """Return the lowest true set of this size; jokers fill it only if no rank has enough cards of its own."""
    sets = [cards_of_rank(hand, rank) for rank in range(RANK_COUNT)]
    jokers = bytes((JOKER,)) * hand[JOKER]
    if not any(sets):
        return Play(jokers[:count], count, 0)
    enough = [rank for rank, cards in enumerate(sets) if len(cards) >= count]
    filled = [rank for rank, cards in enumerate(sets) if cards and len(cards) + len(jokers) >= count]
    rank = (enough or filled)[0]
    return Play((sets[rank] + jokers)[:count], count, rank)
