"""Attacks: announced, answered by the victim, carried out.

The draws that make every hand seven again are those of the table in spec B3.
"""

from collections.abc import Mapping

from arena.rules.cheater.actions import Action, Attack, Bust, Hide, Take
from arena.rules.cheater.cards import BUST, SHOW, TAKE
from arena.rules.cheater.events import Attacked, Busted, Event, HandShown, Hidden, Taken
from arena.rules.cheater.flow import ask, discard, go_on, owe
from arena.rules.cheater.state import Attacking, Owed, Phase, State
from arena.rules.cheater.winning import look_at

ATTACKS: Mapping[int, Attack] = {TAKE: Attack.TAKE, SHOW: Attack.SHOW, BUST: Attack.BUST}
"""What a card does that is played as itself."""


def announce(draft: State, attacking: Attacking, events: list[Event]) -> None:
    """Lay the card, if there is one, and ask the victim, whatever it holds."""
    seat = draft.turn
    if attacking.card is not None:
        card = bytes((attacking.card,))
        draft.lose(seat, card)
        draft.discards += card
    draft.attacking = attacking
    events.append(Attacked(seat, attacking.target, attacking.attack, attacking.card))
    ask(draft, Phase.REACTION)


def react(draft: State, attacking: Attacking, answer: Action, events: list[Event]) -> None:
    """Hide the hand or show it; whoever does not answer shows it."""
    if isinstance(answer, Hide):
        _hide(draft, attacking, answer.card, events)
    else:
        _show(draft, attacking, events)


def pick(draft: State, attacking: Attacking, action: Action, events: list[Event]) -> None:
    """Take or discard cards of the hand that is shown."""
    match action:
        case Take():
            _take(draft, attacking, action, events)
        case Bust(cards):
            _bust(draft, attacking, cards, events)
        case _:
            raise ValueError(f"{action!r} picks nothing")


def _hide(draft: State, attacking: Attacking, card: int, events: list[Event]) -> None:
    """End the attack: the victim draws, then the attacker if a card was laid."""
    laid, victim = bytes((card,)), attacking.target
    draft.lose(victim, laid)
    draft.discards += laid
    events.append(Hidden(victim, card))
    owe(draft, Owed(victim, 1), Owed(draft.turn, 0 if attacking.card is None else 1))
    go_on(draft, events)


def _show(draft: State, attacking: Attacking, events: list[Event]) -> None:
    victim = attacking.target
    draft.show(victim)
    events.append(HandShown(victim, draft.hands[victim]))
    match attacking.attack:
        case Attack.SHOW:
            owe(draft, Owed(draft.turn, 1))
            go_on(draft, events)
        case Attack.BUST:
            draft.phase = Phase.DIE
        case Attack.TAKE | Attack.DEMAND:
            ask(draft, Phase.PICK)


def _take(draft: State, attacking: Attacking, action: Take, events: list[Event]) -> None:
    """Take a card; power 3 discards one for it. The attacker's hand is complete before the victim draws."""
    seat, victim, card = draft.turn, attacking.target, bytes((action.card,))
    draft.lose(victim, card)
    draft.gain(seat, card, openly=True)
    events.append(Taken(seat, victim, action.card))
    if action.discard is not None:
        discard(draft, seat, bytes((action.discard,)), events)
    if not look_at(draft, (seat,), events):
        owe(draft, Owed(victim, 1))
        go_on(draft, events)


def _bust(draft: State, attacking: Attacking, cards: bytes, events: list[Event]) -> None:
    """Discard cards of the victim; the attacker draws first."""
    victim = attacking.target
    draft.lose(victim, cards)
    draft.discards += cards
    events.append(Busted(draft.turn, victim, cards))
    owe(draft, Owed(draft.turn, 1), Owed(victim, len(cards)))
    go_on(draft, events)
