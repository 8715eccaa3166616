"""The question that is open: there is never more than one, and each has its own length (spec B6, A12.10)."""

from typing import TypeAlias

from arena.rules.cheater.actions import Attack
from arena.rules.cheater.legality import hiding, playable, powers, surplus
from arena.rules.cheater.state import Attacking, Phase, State
from arena.rules.game import Closing, Group, Length, Question, Seat
from arena.rules.value import value


@value()
class ActOptions:
    """What the seat in turn may do besides drawing a card."""

    powers: tuple[int, ...]
    """Powers of the CHEATER that it may use, of 1, 2 and 3; none for any other seat."""
    playable: bytes
    """Different action cards of its hand that it may play, ascending."""
    targets: tuple[Seat, ...]
    """Whom it may attack, clockwise."""


@value()
class DiscardOptions:
    """The seat in turn discards."""

    count: int
    """Exactly so many."""


@value()
class ReactionOptions:
    """A seat is attacked: it allows, or hides its hand."""

    attacker: Seat
    attack: Attack
    hiding: bytes
    """Different cards of its hand that would hide it, ascending; perhaps none."""


@value()
class PickOptions:
    """The attacker picks cards of the hand that is shown."""

    attack: Attack
    """TAKE: exactly one card. DEMAND: one card, and one to discard. BUST: none to `most`, discarded."""
    target: Seat
    hand: bytes
    """Ascending codes."""
    most: int


Options: TypeAlias = ActOptions | DiscardOptions | ReactionOptions | PickOptions


def groups(state: State) -> tuple[Group, ...]:
    """List the open question. One that outlasts a bystander's leaving stays open while its cards are shuffled in."""
    if state.ended is not None:
        return ()
    attacking = state.attacking
    match state.phase:
        case Phase.ACT:
            return (_turn(state, _act(state)),)
        case Phase.DISCARD:
            return (_turn(state, DiscardOptions(surplus(state))),)
        case Phase.REACTION if attacking is not None:
            return (_reaction(state, attacking),)
        case Phase.PICK if attacking is not None:
            return (_turn(state, _pick(state, attacking)),)
        case _:
            return ()


def _turn(state: State, options: Options) -> Group:
    question = Question(state.turn, options)
    return Group(state.phase.kind, state.asked, (question,), Closing.FIRST, Length.TURN, state.clock)


def _reaction(state: State, attacking: Attacking) -> Group:
    options = ReactionOptions(state.turn, attacking.attack, hiding(state, attacking.target))
    question = Question(attacking.target, options)
    return Group(state.phase.kind, state.asked, (question,), Closing.ALL, Length.REACTION, state.clock)


def _act(state: State) -> ActOptions:
    seat = state.turn
    return ActOptions(powers(state), playable(state, seat), state.others(seat))


def _pick(state: State, attacking: Attacking) -> PickOptions:
    most = state.die if attacking.attack is Attack.BUST else 1
    return PickOptions(attacking.attack, attacking.target, state.hands[attacking.target], most)
