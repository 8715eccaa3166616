"""Builds the public messages of a match from its records, or from the referee of a running match in this process."""

from collections.abc import Iterator, Sequence
from typing import Any

from arena.match.feed.public_message import PublicMessage
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded, MatchStarted
from arena.match.referee.orders import AnnounceFact, Order, TellEvent
from arena.match.referee.referee import Referee
from arena.match.referee.replay import Replay
from arena.match.referee.terms import Terms

_TOLD_FACTS = (GameStarted, GameEnded, IntermissionStarted, MatchEnded)


def recorded_messages(replay: Replay) -> Iterator[PublicMessage]:
    """Yield the public messages of a match, as its spectators were sent them, up to the end of the records."""
    sequence = 0
    for moment in replay.moments():
        facts = public_facts(replay.terms, moment.orders)
        if facts:
            sequence += 1
            yield PublicMessage(sequence, facts)


def public_facts(terms: Terms, orders: Sequence[Order]) -> tuple[Any, ...]:
    """Return the public facts of these orders, in order."""
    facts: list[Any] = []
    for order in orders:
        match order:
            case TellEvent(event):
                public = terms.game.redact(event).public
                if public is not None:
                    facts.append(public)
            case AnnounceFact(MatchStarted()):
                facts.append(terms)
            case AnnounceFact(fact) if isinstance(fact, _TOLD_FACTS):
                facts.append(fact)
            case _:
                pass
    return tuple(facts)


def snapshot_message(referee: Referee) -> PublicMessage | None:
    """Return what a spectator who comes now is sent; None before the match has begun.

    Only the process that runs the match has its referee. Such a message is for one drawing: its sequence means nothing.
    """
    terms, playing = referee.terms, referee.current_game
    facts: list[Any] = [terms, *referee.results]
    if playing is not None:
        facts.append(GameStarted(len(referee.results), terms.seating_of(len(referee.results))))
    elif referee.ended is not None:
        facts.append(referee.ended)
    elif not referee.results:
        return None
    state = None if playing is None else terms.game.snapshot(playing.state, None)
    return PublicMessage(1, tuple(facts), is_snapshot=True, state=state)
