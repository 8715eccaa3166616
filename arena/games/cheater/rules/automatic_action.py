"""The action of a seat that does not answer (spec B6). It depends only on the seat's own hand and public facts."""

from arena.games.cheater.rules.actions import ALLOW, IDLE, Action, Attack, Bust, Discard, Take
from arena.games.cheater.rules.state import Phase, State
from arena.match.game import Seat


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
