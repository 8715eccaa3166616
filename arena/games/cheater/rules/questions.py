"""Builds the open question of a state. At most one is open at a time, with its own time limit (spec B6, A12.10).

A seat that does not answer acts by its own hand and public facts alone (B6).
"""

from typing import TypeAlias

from arena.games.cheater.rules.actions import ALLOW, IDLE, Action, Attack, Bust, Discard, Take
from arena.games.cheater.rules.legality import hiding_cards, playable_cards, surplus_count, usable_powers
from arena.games.cheater.rules.state import Phase, State
from arena.match.game import ClosingRule, Question, QuestionGroup, Seat, TimeLimit
from arena.match.value_class import value_class


@value_class()
class ActOptions:
    """What the seat in turn may do instead of drawing a card."""

    powers: tuple[int, ...]
    """The powers, out of 1, 2 and 3, that the seat may use. Only the CHEATER has any."""
    playable: bytes
    """The action cards that the seat may play from its hand, ascending and without repeats."""
    targets: tuple[Seat, ...]
    """Seats that may be attacked, clockwise."""


@value_class()
class DiscardOptions:
    """The options of the seat in turn when it must discard."""

    count: int
    """Exact number of cards to discard."""


@value_class()
class ReactionOptions:
    """The options of an attacked seat: it allows the attack or hides its hand."""

    attacker: Seat
    attack: Attack
    hiding: bytes
    """The cards with which the attacked seat can hide its hand, ascending and without repeats; may be empty."""


@value_class()
class PickOptions:
    """The options of the attacker, who picks cards from the shown hand."""

    attack: Attack
    """TAKE: take exactly one card. DEMAND: take one card and discard one. BUST: discard from none to `most` cards."""
    target: Seat
    hand: bytes
    """The shown hand, as ascending codes."""
    most: int


Options: TypeAlias = ActOptions | DiscardOptions | ReactionOptions | PickOptions


def open_groups(state: State) -> tuple[QuestionGroup, ...]:
    """Return the open question, if there is one.

    While the cards of a seat that left are shuffled in, a question that does not concern this seat stays open.
    """
    if state.ended is not None:
        return ()
    seat, attacking = state.turn, state.attacking
    match state.phase:
        case Phase.ACT:
            powers, playable = usable_powers(state), playable_cards(state, seat)
            return (_turn_group(state, ActOptions(powers, playable, state.other_seats(seat))),)
        case Phase.DISCARD:
            return (_turn_group(state, DiscardOptions(surplus_count(state))),)
        case Phase.REACTION if attacking is not None:
            victim = attacking.target
            question = Question(victim, ReactionOptions(seat, attacking.attack, hiding_cards(state, victim)))
            kind, limit = state.phase._value_, TimeLimit.REACTION
            return (QuestionGroup(kind, state.asked, (question,), ClosingRule.ALL, limit, state.clock),)
        case Phase.PICK if attacking is not None:
            victim, most = attacking.target, state.die if attacking.attack is Attack.BUST else 1
            return (_turn_group(state, PickOptions(attacking.attack, victim, state.hands[victim], most)),)
        case _:
            return ()


def _turn_group(state: State, options: Options) -> QuestionGroup:
    question = Question(state.turn, options)
    return QuestionGroup(state.phase._value_, state.asked, (question,), ClosingRule.FIRST, TimeLimit.TURN, state.clock)


def automatic_action(state: State, seat: Seat, kind: str) -> Action:  # noqa: ARG001  one seat is asked at a time
    """Return the action of a seat that did not answer.

    * The seat in turn draws a card and discards it again. If it must only discard, it discards its new cards.
    * An attacked seat does not hide its hand.
    * With TAKE or power 3, the attacker takes the first card in canonical order. With power 3, it discards this card.
    * With BUST, the attacker discards nothing.
    """
    match Phase(kind):
        case Phase.DISCARD:
            return Discard(state.gained)
        case Phase.REACTION:
            return ALLOW
        case Phase.PICK:
            attacking = state.attacking
            assert attacking is not None
            if attacking.attack is Attack.BUST:
                return Bust(b"")
            first = state.hands[attacking.target][0]
            return Take(first, first if attacking.attack is Attack.DEMAND else None)
        case _:
            return IDLE
