"""Making a game and giving it its luck: cards, dice, shuffles. Nothing else is random (spec B2, B3, B4, B7).

Every draw has a name of its own, so that a turn's dice are the same whatever else was drawn. Cards that are shuffled
are first put in canonical order, so that a pile depends on which cards lie in it and not on how they came there.
"""

from collections.abc import Callable, Mapping, Sequence

from arena.rules.cheater.cards import HAND_SIZE, pack, sorted_cards
from arena.rules.cheater.events import Dealt, DieRolled, Event, Reshuffled, Rolled, StartRoll, StartRolled
from arena.rules.cheater.flow import ask, end_turn, go_on
from arena.rules.cheater.ruleset import Ruleset, packs_for
from arena.rules.cheater.state import Phase, State
from arena.rules.cheater.winning import earlier_game, look_at
from arena.rules.game import Chance, GameSetup, Seat, Step

FACES = 6


def new(rules: Ruleset, setup: GameSetup) -> State:
    """Make the state before the deal."""
    count = setup.seat_count
    return State(
        rules=rules,
        earlier=tuple(map(earlier_game, setup.history[-2:])),
        hands=(b"",) * count,
        known=(b"",) * count,
        places=(0,) * count,
        rollers=tuple(map(Seat, range(count))),
    )


def chance(state: State) -> Chance | None:
    """Name the draw that is wanted next."""
    if state.ended is not None:
        return None
    if state.leaver is not None:
        return Chance("leaver", state.turns, state.leaver, count=len(state.draw_pile))
    match state.phase:
        case Phase.DECK:
            return Chance("deck", 0, 0, count=len(pack(packs_for(len(state.hands)))))
        case Phase.START:
            return Chance("start", 0, state.start_rolls, count=2 * len(state.rollers), faces=FACES)
        case Phase.ROLL:
            return Chance("dice", state.turns, 0, count=2, faces=FACES)
        case Phase.DIE:
            return Chance("die", state.turns, 0, count=1, faces=FACES)
        case Phase.DRAWS:
            return Chance("reshuffle", state.turns, state.reshuffles, count=len(state.discards) - 1)
        case _:
            return None


def draw(state: State, values: Sequence[int]) -> Step:
    """Apply the drawn values."""
    if chance(state) is None:
        raise ValueError("no chance is wanted")
    draft = state.draft()
    events: list[Event] = []
    if draft.leaver is not None:
        _shuffle_in(draft, values, events)
    else:
        _DRAWS[draft.phase](draft, values, events)
    return Step(draft, tuple(events))


def _deal(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Deal seven cards each, one at a time, clockwise from seat 0, and turn the next one up."""
    seat_count = len(draft.hands)
    cards = _in_order(pack(packs_for(seat_count)), order)
    dealt = HAND_SIZE * seat_count
    draft.hands = tuple(sorted_cards(cards[seat:dealt:seat_count]) for seat in range(seat_count))
    draft.discards, draft.draw_pile = cards[dealt : dealt + 1], cards[dealt + 1 :]
    draft.phase = Phase.START
    events.append(Dealt(draft.hands, draft.discards[0], len(draft.draw_pile)))


def _roll_for_start(draft: State, values: Sequence[int], events: list[Event]) -> None:
    """Let the highest sum begin; who is tied for it rolls again."""
    dice = [value + 1 for value in values]
    rolls = tuple(StartRoll(seat, (dice[2 * at], dice[2 * at + 1])) for at, seat in enumerate(draft.rollers))
    most = max(sum(roll.dice) for roll in rolls)
    draft.rollers = tuple(roll.seat for roll in rolls if sum(roll.dice) == most)
    draft.start_rolls += 1
    first = draft.rollers[0] if len(draft.rollers) == 1 else None
    events.append(StartRolled(rolls, first))
    if first is not None:
        begin(draft, first, events)


def begin(draft: State, first: Seat, events: list[Event]) -> None:
    """Begin the first turn, unless a hand spells CHEATER as it was dealt."""
    draft.turn = first
    draft.rollers = ()
    if not look_at(draft, draft.clockwise_from(first), events):
        draft.phase = Phase.ROLL


def _roll(draft: State, values: Sequence[int], events: list[Event]) -> None:
    """Begin a turn with its dice; a double takes the marker, or costs the CHEATER marker and turn."""
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
        ask(draft, Phase.ACT)


def _roll_die(draft: State, values: Sequence[int], events: list[Event]) -> None:
    draft.die = values[0] + 1
    events.append(DieRolled(draft.die))
    ask(draft, Phase.PICK)


def _reshuffle(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Make the discards a draw pile, all but the top one, and go on drawing."""
    if not order:
        raise ValueError("no card is left to draw: too few are in the game")
    draft.draw_pile = _in_order(sorted_cards(draft.discards[:-1]), order)
    draft.discards = draft.discards[-1:]
    draft.reshuffles += 1
    events.append(Reshuffled(len(draft.draw_pile)))
    go_on(draft, events)


def _shuffle_in(draft: State, order: Sequence[int], events: list[Event]) -> None:
    """Shuffle a leaver's cards into the draw pile; what it broke off is ended, what goes on goes on."""
    draft.draw_pile = _in_order(sorted_cards(draft.draw_pile), order)
    draft.leaver = None
    if draft.phase is Phase.DRAWS:
        go_on(draft, events)


def _in_order(cards: bytes, order: Sequence[int]) -> bytes:
    return bytes([cards[index] for index in order])


_DRAWS: Mapping[Phase, Callable[[State, Sequence[int], list[Event]], None]] = {
    Phase.DECK: _deal,
    Phase.START: _roll_for_start,
    Phase.ROLL: _roll,
    Phase.DIE: _roll_die,
    Phase.DRAWS: _reshuffle,
}
