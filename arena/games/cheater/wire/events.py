"""Encodes each public and private part of a CHEATER event as a message (cheater.proto)."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.actions import Attack
from arena.games.cheater.rules.state import Title
from cheatarena.v1 import cheater_pb2
from cheatarena.v1.event_pb2 import Event

ATTACK_NUMBERS = {attack: cheater_pb2.CheaterAttack.Value(f"CHEATER_ATTACK_{attack.name}") for attack in Attack}
TITLE_NUMBERS = {title: cheater_pb2.CheaterTitle.Value(f"CHEATER_TITLE_{title.name}") for title in Title}


def _dealt_event(part: views.DealtView) -> Event:
    dealt = cheater_pb2.CheaterDealt(seat_count=part.seat_count, top=part.top, draw_count=part.draw_count)
    return Event(cheater_dealt=dealt)


def _start_rolled_event(part: events.StartRolled) -> Event:
    rolls = [cheater_pb2.CheaterStartRoll(seat=seat, dice=bytes(dice)) for seat, dice in part.rolls]
    return Event(cheater_start_rolled=cheater_pb2.CheaterStartRolled(rolls=rolls, first=part.first))


def _rolled_event(part: events.Rolled) -> Event:
    return Event(
        cheater_rolled=cheater_pb2.CheaterRolled(
            seat=part.seat, dice=bytes(part.dice), cheater=part.cheater, is_lost=part.is_lost
        )
    )


def _attacked_event(part: events.Attacked) -> Event:
    return Event(
        cheater_attacked=cheater_pb2.CheaterAttacked(
            seat=part.seat, target=part.target, attack=ATTACK_NUMBERS[part.attack], card=part.card
        )
    )


def _taken_event(part: events.Taken) -> Event:
    return Event(cheater_taken=cheater_pb2.CheaterTaken(seat=part.seat, target=part.target, card=part.card))


def _busted_event(part: events.Busted) -> Event:
    return Event(cheater_busted=cheater_pb2.CheaterBusted(seat=part.seat, target=part.target, cards=part.cards))


def _seat_left_event(part: views.SeatLeftView) -> Event:
    return Event(
        cheater_left=cheater_pb2.CheaterLeft(
            seat=part.seat, card_count=part.card_count, place=part.place, cheater=part.cheater
        )
    )


def _won_event(part: events.Won) -> Event:
    titles = [TITLE_NUMBERS[title] for title in part.titles]
    return Event(cheater_won=cheater_pb2.CheaterWon(seat=part.seat, color=part.color, titles=titles))


def _hand_shown_event(part: events.HandShown) -> Event:
    return Event(cheater_hand_shown=cheater_pb2.CheaterHandShown(seat=part.seat, cards=part.cards))


def _discarded_event(part: events.Discarded) -> Event:
    return Event(cheater_discarded=cheater_pb2.CheaterDiscarded(seat=part.seat, cards=part.cards))


def _reshuffled_event(part: events.Reshuffled) -> Event:
    return Event(cheater_reshuffled=cheater_pb2.CheaterReshuffled(draw_count=part.draw_count))


FACT_ENCODERS: Mapping[type, Callable[[Any], Event]] = {
    views.DealtView: _dealt_event,
    views.DrewView: lambda part: Event(cheater_drew=cheater_pb2.CheaterDrew(seat=part.seat, count=part.count)),
    views.SeatLeftView: _seat_left_event,
    events.StartRolled: _start_rolled_event,
    events.Rolled: _rolled_event,
    events.TookTop: lambda part: Event(cheater_took_top=cheater_pb2.CheaterTookTop(seat=part.seat, card=part.card)),
    events.Discarded: _discarded_event,
    events.Attacked: _attacked_event,
    events.Hidden: lambda part: Event(cheater_hidden=cheater_pb2.CheaterHidden(seat=part.seat, card=part.card)),
    events.HandShown: _hand_shown_event,
    events.DieRolled: lambda part: Event(cheater_die_rolled=cheater_pb2.CheaterDieRolled(value=part.value)),
    events.Taken: _taken_event,
    events.Busted: _busted_event,
    events.Reshuffled: _reshuffled_event,
    events.Won: _won_event,
    events.Stopped: lambda _: Event(cheater_stopped=cheater_pb2.CheaterStopped()),
    views.HandDealt: lambda part: Event(cheater_hand=cheater_pb2.CheaterHand(cards=part.cards)),
    views.CardsDrawn: lambda part: Event(cheater_drawn=cheater_pb2.CheaterDrawn(cards=part.cards)),
}
"""Encodes each public and private part of an event as a message."""
