"""What a seat of Cheat could have done instead: a few moves that differ in kind, or the other answers of a window."""

from arena.games.cheat.lessons.policy import lie, true_play
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import Hand, cards_of_rank
from arena.games.cheat.rules.legality import turn_options, why_illegal
from arena.games.cheat.rules.questions import WINDOW_KIND
from arena.games.cheat.rules.state import State, TurnOptions
from arena.match.game import Seat

_MAX_TRUE_PLAYS = 24
"""All true plays of most turns. An opening with any rank may have more."""
_MAX_SIZES = 6
"""Sizes of the true plays of one rank: all of them with one pack, which has four cards of a rank and two jokers."""
_MAX_LIES = 3


def find_alternatives(state: State, seat: Seat, kind: str, action: Action) -> list[Action]:
    """Return legal actions that differ from `action` in more than the choice of suits or of useless cards.

    For a turn these are a pass, no cards, a call, up to three lies, and the true plays: of every rank, all true cards
    and each smaller number. Natural cards are laid before jokers. There may be too many true plays, for example at an
    opening or with many packs. Then all true cards of every rank come first, and few numbers are left out.
    """
    found = _answers(state) if kind == WINDOW_KIND else _moves(state, seat)
    legal = [each for each in found if why_illegal(state, seat, each, kind) is None]
    return [each for each in dict.fromkeys(legal) if _meaning(each) != _meaning(action)]


def _answers(state: State) -> list[Action]:
    return [CALL, DECLINE, BELIEVE] if state.compiled_rules.believes else [CALL, DECLINE]


def _moves(state: State, seat: Seat) -> list[Action]:
    options, hand = turn_options(state), state.hands[seat]
    found: list[Action] = [*_true_plays(options, hand), PASS, CALL, BELIEVE]
    if options.zero:
        found.append(Play(b"", 0, options.ranks[0]))
    if not options.face_up:
        found += _lies(state, seat, options)
    return found


def _true_plays(options: TurnOptions, hand: Hand) -> list[Play]:
    """Return true plays: first the largest of each rank, then the smaller ones, of the ranks with most cards first."""
    largest = [play for rank in options.ranks if (play := true_play(options, hand, rank)) is not None]
    largest.sort(key=lambda play: -play.count)
    smaller = [Play(play.cards[:count], count, play.rank) for play in largest for count in _sizes(options, hand, play)]
    return [*largest, *smaller][:_MAX_TRUE_PLAYS]


def _sizes(options: TurnOptions, hand: Hand, play: Play) -> list[int]:
    """Return the allowed numbers of cards below those of a true play, the larger first.

    Of many numbers, the one without jokers, the largest and the smallest are kept.
    """
    allowed = [count for first, last in options.counts for count in range(first, min(last, play.count - 1) + 1)]
    allowed.sort(reverse=True)
    natural = len(cards_of_rank(hand, play.rank))
    if len(allowed) < _MAX_SIZES:
        return allowed
    half = _MAX_SIZES // 2
    kept = {*allowed[:half], *allowed[-half + 1 :], natural}
    return [count for count in allowed if count in kept]


def _lies(state: State, seat: Seat, options: TurnOptions) -> list[Action]:
    """Return lies that claim the smallest numbers, all of the rank of which this seat has the most cards.

    Of that rank, the other seats can have the fewest cards.
    """
    hand = state.hands[seat]
    rank = max(options.ranks, key=lambda each: (sum(hand[4 * each : 4 * each + 4]), -each))
    counts = [count for first, last in options.counts for count in range(first, min(last, first + _MAX_LIES) + 1)]
    return [lie(options, hand, rank, count) for count in counts[:_MAX_LIES]]


def _meaning(action: Action) -> object:
    """Return a value that is equal for two actions that do not count as alternatives to each other."""
    if isinstance(action, Play):
        is_true = is_truthful(action.cards, action.count, action.rank)
        return action.count, action.rank, is_true, len(action.cards)
    return action
