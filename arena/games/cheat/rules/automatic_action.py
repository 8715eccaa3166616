"""The action of a seat that does not answer (spec A11). It depends only on the seat's own hand and public facts."""

from arena.games.cheat.rules import cut_and_choose
from arena.games.cheat.rules.actions import DECLINE, PASS, Action, Play
from arena.games.cheat.rules.cards import JOKER, RANK_COUNT, Hand, cards_of_rank, lowest_cards
from arena.games.cheat.rules.legality import turn_options
from arena.games.cheat.rules.state import State
from arena.match.game import Seat


def automatic_action(state: State, seat: Seat, kind: str) -> Action:
    """Return the action of a seat that did not answer.

    In a window the seat declines. In a turn it passes if a pass is legal. Otherwise it claims the smallest legal
    number of cards, which may be zero, and lays its lowest cards. A face-up opening must be true, so there the seat
    lays cards of one rank: the lowest rank that it holds often enough.
    """
    if kind == "window":
        return DECLINE
    if state.phase in cut_and_choose.CUTTING_PHASES:
        return cut_and_choose.automatic_action(state)
    options, hand, prev = turn_options(state), state.hands[seat], state.prev
    if options.can_pass:
        return PASS
    count = 0 if options.zero else options.counts[0][0]
    if options.face_up:
        return _lowest_true_set(hand, count)
    laid = count
    if options.laid is not None and count > 0:
        fewest, most = options.laid
        laid = min(max(count, fewest), most)
    rank = prev.rank if prev is not None and prev.rank in options.ranks else options.ranks[0]
    return Play(lowest_cards(hand, laid), count, rank)


def _lowest_true_set(hand: Hand, count: int) -> Play:
    """Return a true play of `count` cards of the lowest possible rank.

    Jokers are added only if no rank has `count` cards of its own.
    """
    sets = [cards_of_rank(hand, rank) for rank in range(RANK_COUNT)]
    jokers = bytes((JOKER,)) * hand[JOKER]
    if not any(sets):
        return Play(jokers[:count], count, 0)
    enough = [rank for rank, cards in enumerate(sets) if len(cards) >= count]
    filled = [rank for rank, cards in enumerate(sets) if cards and len(cards) + len(jokers) >= count]
    rank = (enough or filled)[0]
    return Play((sets[rank] + jokers)[:count], count, rank)
