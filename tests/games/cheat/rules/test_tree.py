"""The whole tree of a tiny game, counted by hand.

Seat 0 holds KS and 4D, seat 1 holds QS; only kings may be claimed, counts stay the same, the style is sealed. So a move
is a choice of cards, and after each move the other seat has two answers.

    1  seat 0 leads: KS, 4D or both                                                             3
    2  each is called or declined; both undoubted wins at once                                  6, of them 1 over
    3  seat 1 follows in the other five: after KS was called it holds two cards and lays
       either; otherwise its queen is all that it can lay                                       2+1+1+1+1 = 6
    4  each is called or declined. Four of these moves emptied seat 1's hand (all but the
       two from two cards), so that declining them ends the game                                12, of them 4 over
    5  seat 0 follows in the other eight, one card each. After KS was called it holds 4D,
       and KS too if it called the true KS: 2+1+1+1. After KS passed it holds 4D: 1. After
       4D was called it holds both: 2; after it passed KS: 1. After both were called: 2         11
"""

from collections.abc import Iterator
from itertools import combinations, product

from arena.games.cheat.rules.actions import CALL, DECLINE, Action, Play
from arena.games.cheat.rules.cards import cards_from_hand
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.rules.state import State
from arena.match.game import QuestionGroup, Seat
from tests.games.cheat.rules.game_driver import start_game


def test_tiny_game_tree_has_the_size_counted_by_hand() -> None:
    """It is five levels deep, with the finished games at each level."""
    root = start_game("KS 4D", "QS", count=["same"], rank_start=["K"], rank_next=["same"], sealed=True).state
    level, sizes = [root], []

    for _ in range(5):
        level = [state for before in level for state in successors(before)]
        sizes.append((len(level), sum(state.ended is not None for state in level)))

    assert sizes == [(3, 0), (6, 1), (6, 0), (12, 4), (11, 0)]


def successors(state: State) -> Iterator[State]:
    """Yield the state after each combination of legal answers to the open group."""
    for group in CHEAT.open_groups(state):
        for answers in product(*(legal(state, group, question.seat) for question in group.questions)):
            seats = [question.seat for question in group.questions]
            yield CHEAT.resolve(state, group.kind, dict(zip(seats, answers, strict=True))).state


def legal(state: State, group: QuestionGroup, seat: Seat) -> list[Action]:
    """Return every legal answer of a seat, found by trying all conceivable ones."""
    hand = cards_from_hand(state.hands[seat])
    sets = [bytes(cards) for size in range(len(hand) + 1) for cards in combinations(hand, size)]
    plays = [Play(cards, len(cards), rank) for cards in sets for rank in range(13)]
    tried: list[Action] = [CALL, DECLINE, *plays]
    return [action for action in tried if CHEAT.why_illegal(state, seat, action, group.kind) is None]
