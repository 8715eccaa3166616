"""The player that sits in every seat of a playout of Cheat, and what a seat could have done instead of its move.

It moves as the sample `honest` does, and calls as the sample `gambler` does. Half of the time it also calls a move that
empties a hand; otherwise a lie with all cards would nearly always look best. A seat decides by its own hand, the last
claim and the numbers of cards. So no seat of a playout uses the cards that the playout has dealt to the others.

The player works on the rules directly. Measured on one core, at a table of four under `standard`, a game of these
players takes 3 ms. With the samples themselves, through the SDK and its messages, a game of `honest` takes 17 ms and
one of `gambler` 370 ms. With them, a report would have time for a few hundred playouts instead of some thousands.

Written as a bot, the player is of middle strength. In 60 games its mean place was 2.38 against `honest`, `gambler` and
`counter` (whose mean places were 1.87, 3.68 and 2.07), and 1.75 against `honest`, `gambler` and `random_legal` (1.60,
2.70 and 3.95).
"""

from collections.abc import Sequence

from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.cards import JOKER, Hand, cards_of_rank, pack_size
from arena.games.cheat.rules.legality import turn_options, why_illegal
from arena.games.cheat.rules.questions import WINDOW_KIND
from arena.games.cheat.rules.state import State, TurnOptions
from arena.match.game import Seat

_CARDS_THAT_CALM = 20
"""With this many cards on the pile, the player calls half as often as with none, like `gambler`."""

_LAST_CARDS_CALL_RATE = 0.5
"""A seat calls a move that empties a hand with at least this probability.

At a table of four, three seats may call, so such a move is called in 7 of 8 cases. `counter` expects 9 of 10."""


def choose_move(state: State, seat: Seat, noise: float) -> Action:
    """Return the move of the seat in turn.

    It is the true play with the most cards, or else a pass, or else the lie with the fewest cards. `noise`, from 0
    to 1, decides whether the seat calls instead, if calls are moves.
    """
    options, hand = turn_options(state), state.hands[seat]
    if options.can_call and would_call(state, seat, noise):
        return CALL
    return largest_true_play(options, hand) or (PASS if options.can_pass else smallest_lie(options, hand))


def choose_answer(state: State, seat: Seat, noise: float) -> Action:
    """Return the answer of a seat in a window. `noise`, from 0 to 1, decides what is left to chance."""
    return CALL if would_call(state, seat, noise) else DECLINE


def would_call(state: State, seat: Seat, noise: float) -> bool:
    """Return whether a seat calls the last move.

    It calls a claim that its own hand makes impossible, any move in a final window, and half of the moves that empty a
    hand. Otherwise, the fewer cards could make the claim true, the more often it calls; the larger the pile, the less
    often.
    """
    if state.last is None or not state.last.claim.count:
        return False
    claim, hand, compiled = state.last.claim, state.hands[seat], state.compiled_rules
    jokers = compiled.rules.jokers_per_deck
    own = sum(hand[4 * claim.rank : 4 * claim.rank + 4]) + hand[JOKER]
    fitting = (4 + jokers) * compiled.decks - own
    if claim.count > fitting or state.closing:
        return True
    if not state.sizes[claim.seat] and noise < _LAST_CARDS_CALL_RATE:
        return True
    pile = pile_size(state)
    return noise < (claim.count / (fitting + 1)) ** 2 / (1 + pile / _CARDS_THAT_CALM)


def pile_size(state: State) -> int:
    """Return the number of cards in no hand. Most of them are on the pile."""
    compiled = state.compiled_rules
    return pack_size(compiled.decks, compiled.rules.jokers_per_deck) - sum(state.sizes)


def true_play(options: TurnOptions, hand: Hand, rank: int) -> Play | None:
    """Return the true play of this rank with the most cards, natural cards before jokers; None if there is none."""
    natural = cards_of_rank(hand, rank)
    fitting = natural + bytes((JOKER,)) * hand[JOKER]
    if not fitting or (options.face_up and not natural and any(hand[:JOKER])):
        return None
    count = max((min(last, len(fitting)) for first, last in options.counts if first <= len(fitting)), default=0)
    return Play(fitting[:count], count, rank) if count else None


def largest_true_play(options: TurnOptions, hand: Hand) -> Play | None:
    """Return the true play with the most cards, and among those the one with the fewest jokers, or None."""
    best, best_key = None, (0, 0)
    jokers = hand[JOKER]
    for rank in options.ranks:
        natural = sum(hand[4 * rank : 4 * rank + 4])
        most = natural + jokers
        if most < best_key[0] or not most:
            continue
        count = max([min(last, most) for first, last in options.counts if first <= most], default=0)
        key = count, min(0, natural - count)
        if count and key > (best_key if best is not None else (0, -count)):
            play = true_play(options, hand, rank)
            best, best_key = (best, best_key) if play is None else (play, key)
    return best


def smallest_lie(options: TurnOptions, hand: Hand) -> Action:
    """Return a lie with as few cards as possible, which claims the most frequent rank of the hand."""
    rank = max(options.ranks, key=lambda each: (sum(hand[4 * each : 4 * each + 4]), -each))
    return lie(options, hand, rank, options.counts[0][0])


def lie(options: TurnOptions, hand: Hand, rank: int, count: int) -> Play:
    """Return a play of this rank and number that lays the least useful cards.

    Single cards are the least useful. Cards of larger sets, the claimed rank, and jokers follow.
    """
    sizes = [sum(hand[first : first + 4]) for first in range(0, JOKER, 4)]
    keys = [
        (code == JOKER, code >> 2 == rank, 0 if code == JOKER else sizes[code >> 2], code)
        for code, number in enumerate(hand)
        for _ in range(number)
    ]
    laid = count if options.laid is None else min(max(count, options.laid[0]), options.laid[1])
    return Play(bytes(sorted(key[-1] for key in sorted(keys)[:laid])), count, rank)


def seat_noise(noise: Sequence[float], state: State, seat: Seat) -> float:
    """Return the random number of a seat at this point of the game.

    It depends on the number of the turn and not on what was drawn before, so two playouts with the same numbers differ
    only by what was decided.
    """
    return noise[(state.landed * len(state.sizes) + seat) % len(noise)]


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
    """Return the lies that claim the fewest cards, of the rank that this seat has most of.

    It is the rank of which the other seats can have the fewest.
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
