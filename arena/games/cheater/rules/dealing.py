"""The start of a game, and all its chance draws: cards, dice and shuffles (spec B2, B3, B4, B7).

Every draw has its own name, so that a turn's dice do not depend on other draws. Cards are sorted before they are
shuffled. So the result depends only on which cards are in a pile, and not on their order before the shuffle.
"""

from collections.abc import Callable, Mapping, Sequence

from arena.games.cheater.rules.cards import HAND_SIZE, cards_in_packs, sort_cards
from arena.games.cheater.rules.events import Dealt, DieRolled, Event, Reshuffled, Rolled, StartRoll, StartRolled
from arena.games.cheater.rules.flow import advance, end_turn, open_question
from arena.games.cheater.rules.ruleset import Ruleset, pack_count
from arena.games.cheater.rules.state import Phase, State
from arena.games.cheater.rules.winning import earlier_win, win_if_spelled
from arena.match.game import ChanceRequest, GameSetup, Seat, Transition

DIE_FACES = 6


def initial_state(rules: Ruleset, setup: GameSetup) -> State:
    count = setup.seat_count
    return State(
        rules=rules,
        earlier=tuple(map(earlier_win, setup.history[-2:])),
        hands=(b"",) * count,
        known=(b"",) * count,
        places=(0,) * count,
        rollers=tuple(map(Seat, range(count))),
    )


def chance_request(state: State) -> ChanceRequest | None:
    if state.ended is not None:
        return None
    if state.leaver is not None:
        return ChanceRequest("leaver", state.turns, state.leaver, count=len(state.draw_pile))
    match state.phase:
        case Phase.DECK:
            return ChanceRequest("deck", 0, 0, count=len(cards_in_packs(pack_count(len(state.hands)))))
        case Phase.START:
            return ChanceRequest("start", 0, state.start_rolls, count=2 * len(state.rollers), faces=DIE_FACES)
        case Phase.ROLL:
            return ChanceRequest("dice", state.turns, 0, count=2, faces=DIE_FACES)
        case Phase.DIE:
            return ChanceRequest("die", state.turns, 0, count=1, faces=DIE_FACES)
        case Phase.DRAWS:
            return ChanceRequest("reshuffle", state.turns, state.reshuffles, count=len(state.discards) - 1)
        case _:
            return None


def apply_chance(state: State, values: Sequence[int]) -> Transition:
    if chance_request(state) is None:
        raise ValueError("the game needs no chance draw")
    draft = state.draft()
    events: list[Event] = []
    if draft.leaver is not None:
        _shuffle_in_leaver(draft, values, events)
    else:
        _CHANCE_HANDLERS[draft.phase](draft, values, events)
    return Transition(draft, tuple(events))


def _deal(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Deal seven cards to each seat, one at a time and clockwise from seat 0. Turn the next card up."""
    seat_count = len(draft.hands)
    cards = _permute(cards_in_packs(pack_count(seat_count)), order)
    dealt = HAND_SIZE * seat_count
    draft.hands = tuple(sort_cards(cards[seat:dealt:seat_count]) for seat in range(seat_count))
    draft.discards, draft.draw_pile = cards[dealt : dealt + 1], cards[dealt + 1 :]
    draft.phase = Phase.START
    events.append(Dealt(draft.hands, draft.discards[0], len(draft.draw_pile)))


def _roll_for_start(draft: State, values: Sequence[int], events: list[Event]) -> None:
    """Let the seat with the highest sum begin. Seats that tie for the highest sum roll again."""
    dice = [value + 1 for value in values]
    rolls = tuple(StartRoll(seat, (dice[2 * at], dice[2 * at + 1])) for at, seat in enumerate(draft.rollers))
    highest = max(sum(roll.dice) for roll in rolls)
    draft.rollers = tuple(roll.seat for roll in rolls if sum(roll.dice) == highest)
    draft.start_rolls += 1
    first = draft.rollers[0] if len(draft.rollers) == 1 else None
    events.append(StartRolled(rolls, first))
    if first is not None:
        begin_first_turn(draft, first, events)


def begin_first_turn(draft: State, first: Seat, events: list[Event]) -> None:
    """Begin the first turn, unless a dealt hand already spells CHEATER."""
    draft.turn = first
    draft.rollers = ()
    if not win_if_spelled(draft, draft.clockwise_from(first), events):
        draft.phase = Phase.ROLL


def _roll(draft: State, values: Sequence[int], events: list[Event]) -> None:
    """Begin a turn with its dice.

    A double gives the seat the marker. If the seat has the marker already, it loses the marker and the turn.
    """
    seat, dice = draft.turn, (values[0] + 1, values[1] + 1)
    is_double = dice[0] == dice[1]
    is_lost = is_double and draft.cheater == seat
    if is_double:
        draft.cheater = None if is_lost else seat
    draft.dice = dice
    events.append(Rolled(seat, dice, draft.cheater, is_lost))
    if is_lost:
        end_turn(draft, events)
    else:
        open_question(draft, Phase.ACT)


def _roll_die(draft: State, values: Sequence[int], events: list[Event]) -> None:
    draft.die = values[0] + 1
    events.append(DieRolled(draft.die))
    open_question(draft, Phase.PICK)


def _reshuffle(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Turn all discards but the top one into the draw pile, and continue to draw."""
    if not order:
        raise ValueError("no card left to draw: the game has too few cards")
    draft.draw_pile = _permute(sort_cards(draft.discards[:-1]), order)
    draft.discards = draft.discards[-1:]
    draft.reshuffles += 1
    events.append(Reshuffled(len(draft.draw_pile)))
    advance(draft, events)


def _shuffle_in_leaver(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Shuffle a leaver's cards into the draw pile. If the leave broke off a turn, make the owed draws."""
    draft.draw_pile = _permute(sort_cards(draft.draw_pile), order)
    draft.leaver = None
    if draft.phase is Phase.DRAWS:
        advance(draft, events)


def _permute(cards: bytes, order: Sequence[int]) -> bytes:
    return bytes([cards[index] for index in order])


_CHANCE_HANDLERS: Mapping[Phase, Callable[[State, Sequence[int], list[Event]], None]] = {
    Phase.DECK: _deal,
    Phase.START: _roll_for_start,
    Phase.ROLL: _roll,
    Phase.DIE: _roll_die,
    Phase.DRAWS: _reshuffle,
}
