"""Converts CHEATER's rules values to messages and back (cheater.proto)."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.actions import (
    ALLOW,
    DRAW,
    DRAW_TWO,
    TAKE_TOP,
    Action,
    Attack,
    Bust,
    Demand,
    Discard,
    Hide,
    Play,
    Take,
)
from arena.games.cheater.rules.cards import MAX_CARDS, NO_CARD
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import Phase, Title
from arena.match.game import Seat
from cheatarena.v1 import cheater_pb2, decision_pb2, ruleset_pb2, snapshot_pb2
from cheatarena.v1.event_pb2 import Event

ATTACK_NUMBERS = {attack: cheater_pb2.CheaterAttack.Value(f"CHEATER_ATTACK_{attack.name}") for attack in Attack}


TITLE_NUMBERS = {title: cheater_pb2.CheaterTitle.Value(f"CHEATER_TITLE_{title.name}") for title in Title}


_PHASE_NUMBERS = {phase: cheater_pb2.CheaterPhase.Value(f"CHEATER_PHASE_{phase.name}") for phase in Phase}
_ATTACK_BY_NUMBER: Mapping[int, Attack] = {number: attack for attack, number in ATTACK_NUMBERS.items()}


def put_options(message: decision_pb2.Prompt, options: Any) -> None:
    """Set the options that a prompt offers. Raises TypeError for options of another game."""
    match options:
        case ActOptions(powers, playable, targets):
            act = cheater_pb2.CheaterAct(powers=bytes(powers), playable=playable, targets=bytes(targets))
            message.cheater_act.CopyFrom(act)
        case DiscardOptions(count):
            message.cheater_discard.CopyFrom(cheater_pb2.CheaterDiscard(count=count))
        case ReactionOptions(attacker, attack, hiding):
            reaction = cheater_pb2.CheaterReaction(attacker=attacker, attack=ATTACK_NUMBERS[attack], hiding=hiding)
            message.cheater_reaction.CopyFrom(reaction)
        case PickOptions(attack, target, hand, most):
            pick = cheater_pb2.CheaterPick(attack=ATTACK_NUMBERS[attack], target=target, hand=hand, most=most)
            message.cheater_pick.CopyFrom(pick)
        case _:
            raise TypeError(f"no message for {type(options).__name__}")


def put_ruleset(message: ruleset_pb2.Ruleset, rules: Ruleset) -> None:
    message.cheater.CopyFrom(
        cheater_pb2.CheaterRuleset(
            players_min=rules.players_min,
            players_max=rules.players_max,
            titles=rules.titles,
            max_turns=rules.max_turns,
        )
    )


def put_snapshot(message: snapshot_pb2.SeatSnapshot, view: views.CheaterSnapshot) -> None:
    attacking = None
    if (pending := view.attacking) is not None:
        attacking = cheater_pb2.CheaterAttacking(
            attack=ATTACK_NUMBERS[pending.attack], target=pending.target, card=pending.card
        )
    message.cheater.CopyFrom(
        cheater_pb2.CheaterSnapshot(
            hand=view.hand,
            hand_sizes=bytes(view.hand_sizes),
            known=view.known,
            draw_count=view.draw_count,
            discards=view.discards,
            to_move=view.to_move,
            cheater=view.cheater,
            phase=_PHASE_NUMBERS[view.phase],
            dice=bytes(view.dice),
            attacking=attacking,
            die=view.die,
            places=bytes(view.places),
            turn_count=view.turns,
        )
    )


def read_action(decision: decision_pb2.Decision) -> Action | None:
    """Return the action of a decision; None if it belongs to another game, is of an unknown kind or lacks a field."""
    if decision.WhichOneof("action") != "cheater":
        return None
    action = decision.cheater
    has_card, has_target = action.HasField("card"), action.HasField("target")
    match action.kind:
        case cheater_pb2.CHEATER_ACTION_KIND_DEMAND if has_target:
            return Demand(Seat(action.target))
        case cheater_pb2.CHEATER_ACTION_KIND_PLAY if has_card and has_target:
            if action.wild_as and action.wild_as not in _ATTACK_BY_NUMBER:
                return None
            return Play(_clamp_card(action.card), Seat(action.target), _ATTACK_BY_NUMBER.get(action.wild_as))
        case cheater_pb2.CHEATER_ACTION_KIND_DISCARD:
            return Discard(_clamp_cards(action.cards))
        case cheater_pb2.CHEATER_ACTION_KIND_HIDE if has_card:
            return Hide(_clamp_card(action.card))
        case cheater_pb2.CHEATER_ACTION_KIND_TAKE if has_card:
            discard = _clamp_card(action.discard) if action.HasField("discard") else None
            return Take(_clamp_card(action.card), discard)
        case cheater_pb2.CHEATER_ACTION_KIND_BUST:
            return Bust(_clamp_cards(action.cards))
        case kind:
            return _PARAMETERLESS_ACTIONS.get(kind)


_PARAMETERLESS_ACTIONS: Mapping[int, Action] = {
    cheater_pb2.CHEATER_ACTION_KIND_DRAW: DRAW,
    cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO: DRAW_TWO,
    cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP: TAKE_TOP,
    cheater_pb2.CHEATER_ACTION_KIND_ALLOW: ALLOW,
}


def _clamp_card(code: int) -> int:
    """Return a card code; an invalid one is clamped to a value that the rules refuse with a reason."""
    return min(code, NO_CARD)


def _clamp_cards(codes: bytes) -> bytes:
    return bytes(map(_clamp_card, codes[:MAX_CARDS]))


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
