"""Carries out attacks. The seat in turn announces an attack, the victim answers, and the attack takes its effect.

The draws that refill each hand to seven follow the table in spec B3.
"""

from collections.abc import Mapping

from arena.games.cheater.rules.actions import Action, Attack, Bust, Hide, Take
from arena.games.cheater.rules.cards import BUST, SHOW, TAKE
from arena.games.cheater.rules.events import Attacked, Busted, Event, HandShown, Hidden, Taken
from arena.games.cheater.rules.flow import advance, discard, open_question, schedule_draws
from arena.games.cheater.rules.state import OwedDraw, PendingAttack, Phase, State
from arena.games.cheater.rules.winning import win_if_spelled

ATTACK_BY_CARD: Mapping[int, Attack] = {TAKE: Attack.TAKE, SHOW: Attack.SHOW, BUST: Attack.BUST}
"""The attack that each card makes when it is played as itself."""


def announce_attack(draft: State, attacking: PendingAttack, events: list[Event]) -> None:
    """Lay the card of the attack, if it has one, and ask the victim.

    A victim without a card to hide with is asked too.
    """
    seat = draft.turn
    if attacking.card is not None:
        card = bytes((attacking.card,))
        draft.lose(seat, card)
        draft.discards += card
    draft.attacking = attacking
    events.append(Attacked(seat, attacking.target, attacking.attack, attacking.card))
    open_question(draft, Phase.REACTION)


def react_to_attack(draft: State, attacking: PendingAttack, answer: Action, events: list[Event]) -> None:
    """If the victim hides its hand, end the attack. Otherwise show the hand to everybody."""
    victim = attacking.target
    if isinstance(answer, Hide):
        hiding_card = bytes((answer.card,))
        draft.lose(victim, hiding_card)
        draft.discards += hiding_card
        events.append(Hidden(victim, answer.card))
        schedule_draws(draft, OwedDraw(victim, 1), OwedDraw(draft.turn, 0 if attacking.card is None else 1))
        advance(draft, events)
        return
    draft.show(victim)
    events.append(HandShown(victim, draft.hands[victim]))
    match attacking.attack:
        case Attack.SHOW:
            schedule_draws(draft, OwedDraw(draft.turn, 1))
            advance(draft, events)
        case Attack.BUST:
            draft.phase = Phase.DIE
        case Attack.TAKE | Attack.DEMAND:
            open_question(draft, Phase.PICK)


def pick_cards(draft: State, attacking: PendingAttack, action: Action, events: list[Event]) -> None:
    """Carry out the attacker's choice: take a card from the shown hand, or discard cards of that hand."""
    match action:
        case Take():
            _take(draft, attacking, action, events)
        case Bust(cards):
            _bust(draft, attacking, cards, events)
        case _:
            raise ValueError(f"{action!r} does not pick cards")


def _take(draft: State, attacking: PendingAttack, action: Take, events: list[Event]) -> None:
    """Take a card from the victim. With power 3, the attacker also discards a card.

    The attacker has seven cards after this, so it may win before the victim draws.
    """
    seat, victim, card = draft.turn, attacking.target, bytes((action.card,))
    draft.lose(victim, card)
    draft.gain(seat, card, openly=True)
    events.append(Taken(seat, victim, action.card))
    if action.discard is not None:
        discard(draft, seat, bytes((action.discard,)), events)
    if not win_if_spelled(draft, (seat,), events):
        schedule_draws(draft, OwedDraw(victim, 1))
        advance(draft, events)


def _bust(draft: State, attacking: PendingAttack, cards: bytes, events: list[Event]) -> None:
    """Discard cards of the victim. Then the attacker draws, and then the victim."""
    victim = attacking.target
    draft.lose(victim, cards)
    draft.discards += cards
    events.append(Busted(draft.turn, victim, cards))
    schedule_draws(draft, OwedDraw(draft.turn, 1), OwedDraw(victim, len(cards)))
    advance(draft, events)
