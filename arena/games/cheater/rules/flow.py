"""Continues the game after an action (spec B3, B4, B5).

First makes the draws that are owed, one by one. Then asks for a discard, discards the drawn cards, or starts the next
turn.
"""

from arena.games.cheater.rules.cards import HAND_SIZE
from arena.games.cheater.rules.events import Discarded, Drew, Event
from arena.games.cheater.rules.state import AfterDraws, OwedDraw, Phase, State
from arena.games.cheater.rules.winning import stop_at_max_turns, win_if_spelled
from arena.match.game import Seat


def open_question(draft: State, phase: Phase) -> None:
    draft.phase = phase
    draft.asked = draft.clock = draft.step


def schedule_draws(draft: State, *owed: OwedDraw, then: AfterDraws = AfterDraws.END_TURN) -> None:
    """Set which draws are owed, in their order, and which step follows them."""
    draft.owed = tuple(owed_draw for owed_draw in owed if owed_draw.count > 0)
    draft.then = then


def advance(draft: State, events: list[Event]) -> None:
    """Make the owed draws, then take the step that follows them. Stop at a win, or when the draw pile is empty."""
    while draft.owed:
        if not draft.draw_pile:
            draft.phase = Phase.DRAWS
            return
        if _make_next_draw(draft, events):
            return
    match draft.then:
        case AfterDraws.ASK_DISCARD:
            open_question(draft, Phase.DISCARD)
        case AfterDraws.DISCARD_GAINED:
            discard(draft, draft.turn, draft.gained, events)
            end_turn(draft, events)
        case AfterDraws.END_TURN:
            end_turn(draft, events)


def discard(draft: State, seat: Seat, cards: bytes, events: list[Event]) -> None:
    """Move cards from a seat's hand to the discard pile in the order given."""
    draft.lose(seat, cards)
    draft.discards += cards
    events.append(Discarded(seat, cards))


def end_turn(draft: State, events: list[Event]) -> None:
    """End the turn. The next seat rolls, unless `max_turns` is reached."""
    draft.turns += 1
    draft.dice, draft.attacking, draft.die, draft.gained = (), None, 0, b""
    if draft.turns >= draft.rules.max_turns:
        stop_at_max_turns(draft, events)
        return
    draft.turn = draft.other_seats(draft.turn)[0]
    draft.phase = Phase.ROLL


def _make_next_draw(draft: State, events: list[Event]) -> bool:
    """Make the first owed draw, or as much of it as the draw pile allows. Return whether the seat has won."""
    owed_draw, *later = draft.owed
    seat = owed_draw.seat
    cards, draft.draw_pile = draft.draw_pile[: owed_draw.count], draft.draw_pile[owed_draw.count :]
    draft.gain(seat, cards, openly=False)
    if draft.then is not AfterDraws.END_TURN:
        draft.gained += cards
    events.append(Drew(seat, cards))
    missing = owed_draw.count - len(cards)
    draft.owed = (OwedDraw(seat, missing), *later) if missing else tuple(later)
    return len(draft.hands[seat]) == HAND_SIZE and win_if_spelled(draft, (seat,), events)
