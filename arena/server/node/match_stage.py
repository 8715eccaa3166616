"""The stages of a match on its node, and which stage may follow which.

    reserved ──▶ offered ──▶ entropy ──▶ shuffled ──▶ running ──▶ ended
                    └──────────────────────▲

A match that another node has begun goes from reserved to running. From every stage before `running`, a match may be
dropped. A match that is not over may be released: another node goes on with it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final


class MatchStage(Enum):
    """How far a match has come."""

    RESERVED = "reserved"
    """The deal is being committed, or the match waits to be taken up again. No seat is offered yet."""
    OFFERED = "offered"
    ENTROPY = "entropy"
    """Bots that promised entropy are asked for it."""
    SHUFFLED = "shuffled"
    """The deck is being shuffled; this takes long only for a long deck."""
    RUNNING = "running"
    ENDED = "ended"
    """It was played, to its end or until it was cancelled."""
    DROPPED = "dropped"
    """It was cancelled or withdrawn before it began."""
    RELEASED = "released"


_S: Final = MatchStage
_LEFT_OPEN: Final = frozenset({_S.DROPPED, _S.RELEASED})
OVER: Final = frozenset({_S.ENDED, *_LEFT_OPEN})
"""The stages in which a match takes no more input."""
_FOLLOWING: Final[Mapping[MatchStage, frozenset[MatchStage]]] = {
    _S.RESERVED: frozenset({_S.OFFERED, _S.RUNNING}) | _LEFT_OPEN,
    _S.OFFERED: frozenset({_S.ENTROPY, _S.SHUFFLED}) | _LEFT_OPEN,
    _S.ENTROPY: frozenset({_S.SHUFFLED}) | _LEFT_OPEN,
    _S.SHUFFLED: frozenset({_S.RUNNING}) | _LEFT_OPEN,
    _S.RUNNING: frozenset({_S.ENDED, _S.RELEASED}),
    **dict.fromkeys(OVER, frozenset()),
}


def may_follow(stage: MatchStage, following: MatchStage) -> bool:
    """Return whether a match may go from one stage to another.

    >>> may_follow(MatchStage.OFFERED, MatchStage.ENTROPY), may_follow(MatchStage.ENDED, MatchStage.RUNNING)
    (True, False)
    """
    return following in _FOLLOWING[stage]
