"""The open question: at most one at a time, each with its own time limit (spec B6, A12.10)."""

from typing import TypeAlias

from arena.rules.cheater.actions import Attack
from arena.rules.cheater.legality import hiding_cards, playable_cards, surplus_count, usable_powers
from arena.rules.cheater.state import PendingAttack, Phase, State
from arena.rules.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit
from arena.rules.value_class import value_class


@value_class()
class ActOptions:
    """What the seat in turn may do instead of drawing a card."""

    powers: tuple[int, ...]
    """The CHEATER's usable powers, from 1, 2 and 3; empty for any other seat."""
    playable: bytes
    """Distinct action cards of its hand that it may play, ascending."""
    targets: tuple[Seat, ...]
    """Seats that it may attack, clockwise."""


@value_class()
class DiscardOptions:
    """The seat in turn must discard."""

    count: int
    """Exact number of cards to discard."""


@value_class()
class ReactionOptions:
    """An attacked seat allows the attack or hides its hand."""

    attacker: Seat
    attack: Attack
    hiding: bytes
    """Distinct cards of its hand that would hide it, ascending; may be empty."""


@value_class()
class PickOptions:
    """The attacker picks cards from the shown hand."""

    attack: Attack
    """TAKE: exactly one card. DEMAND: one card, and one to discard. BUST: none to `most`, discarded."""
    target: Seat
    hand: bytes
    """Ascending codes."""
    most: int


Options: TypeAlias = ActOptions | DiscardOptions | ReactionOptions | PickOptions


def open_groups(state: State) -> tuple[QuestionGroup, ...]:
    """Return the open question, if any. It stays open while the cards of a leaving bystander are shuffled in."""
    if state.ended is not None:
        return ()
    attacking = state.attacking
    match state.phase:
        case Phase.ACT:
            return (_turn_group(state, _act_options(state)),)
        case Phase.DISCARD:
            return (_turn_group(state, DiscardOptions(surplus_count(state))),)
        case Phase.REACTION if attacking is not None:
            return (_reaction_group(state, attacking),)
        case Phase.PICK if attacking is not None:
            return (_turn_group(state, _pick_options(state, attacking)),)
        case _:
            return ()


def _turn_group(state: State, options: Options) -> QuestionGroup:
    question = Question(state.turn, options)
    return QuestionGroup(state.phase.kind, state.asked, (question,), ClosingRule.FIRST, TimeLimit.TURN, state.clock)


def _reaction_group(state: State, attacking: PendingAttack) -> QuestionGroup:
    options = ReactionOptions(state.turn, attacking.attack, hiding_cards(state, attacking.target))
    question = Question(attacking.target, options)
    return QuestionGroup(state.phase.kind, state.asked, (question,), ClosingRule.ALL, TimeLimit.REACTION, state.clock)


def _act_options(state: State) -> ActOptions:
    seat = state.turn
    return ActOptions(usable_powers(state), playable_cards(state, seat), state.other_seats(seat))


def _pick_options(state: State, attacking: PendingAttack) -> PickOptions:
    most = state.die if attacking.attack is Attack.BUST else 1
    return PickOptions(attacking.attack, attacking.target, state.hands[attacking.target], most)
