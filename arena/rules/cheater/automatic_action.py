"""The action taken for a seat that does not answer (spec B6). Uses only its own hand and public facts."""

from arena.rules.cheater.actions import ALLOW, IDLE, Action, Attack, Bust, Discard, Take
from arena.rules.cheater.state import Phase, State
from arena.rules.game import Seat


def automatic_action(state: State, seat: Seat, kind: str) -> Action:  # noqa: ARG001  one seat is asked at a time
    """Draw and discard the drawn card, do not hide, take the first card, bust no cards."""
    match Phase(kind):
        case Phase.DISCARD:
            return Discard(state.gained)
        case Phase.REACTION:
            return ALLOW
        case Phase.PICK:
            return _automatic_pick(state)
        case _:
            return IDLE


def _automatic_pick(state: State) -> Action:
    """Take the first card in canonical order, which power 3 discards again; bust nothing."""
    attacking = state.attacking
    assert attacking is not None
    if attacking.attack is Attack.BUST:
        return Bust(b"")
    first = state.hands[attacking.target][0]
    return Take(first, first if attacking.attack is Attack.DEMAND else None)
