"""Converts CHEATER's rules values to messages and back (cheater.proto)."""

from collections.abc import Callable, Mapping
from typing import Any

from arena.rules.cheater import views
from arena.rules.cheater.actions import (
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
from arena.rules.cheater.cards import NO_CARD
from arena.rules.cheater.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.rules.cheater.ruleset import Ruleset
from arena.rules.cheater.state import PendingAttack, Phase
from arena.rules.game import Seat
from arena.wire.cheater_events import ATTACK_NUMBERS
from cheatarena.v1 import cheater_pb2, decision_pb2, ruleset_pb2, snapshot_pb2

MAX_CARDS = 140
"""The number of cards in the game. Further cards of an action are dropped: the rules refuse it in any case."""

_PHASE_NUMBERS = {phase: cheater_pb2.CheaterPhase.Value(f"CHEATER_PHASE_{phase.name}") for phase in Phase}
_ATTACK_BY_NUMBER: Mapping[int, Attack] = {number: attack for attack, number in ATTACK_NUMBERS.items()}


def put_options(message: decision_pb2.Prompt, options: Any) -> None:
    """Set what a prompt offers."""
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
    """Set all options of a ruleset."""
    message.cheater.CopyFrom(
        cheater_pb2.CheaterRuleset(
            players_min=rules.players_min,
            players_max=rules.players_max,
            titles=rules.titles,
            max_turns=rules.max_turns,
        )
    )


def put_snapshot(message: snapshot_pb2.SeatSnapshot, seen: views.CheaterSnapshot) -> None:
    """Set everything that a viewer may know about the game."""
    message.cheater.CopyFrom(
        cheater_pb2.CheaterSnapshot(
            hand=seen.hand,
            hand_sizes=bytes(seen.hand_sizes),
            known=seen.known,
            draw_count=seen.draw_count,
            discards=seen.discards,
            to_move=seen.to_move,
            cheater=seen.cheater,
            phase=_PHASE_NUMBERS[seen.phase],
            dice=bytes(seen.dice),
            attacking=None if seen.attacking is None else _attacking_message(seen.attacking),
            die=seen.die,
            places=bytes(seen.places),
            turn_count=seen.turns,
        )
    )


def _attacking_message(attacking: PendingAttack) -> cheater_pb2.CheaterAttacking:
    return cheater_pb2.CheaterAttacking(
        attack=ATTACK_NUMBERS[attacking.attack], target=attacking.target, card=attacking.card
    )


def read_action(decision: decision_pb2.Decision) -> Action | None:
    """Return the action of a decision as it was sent; None if it is not a valid action."""
    if decision.WhichOneof("action") != "cheater":
        return None
    action = decision.cheater
    reader = _ACTION_READERS.get(action.kind)
    return _PARAMETERLESS_ACTIONS.get(action.kind) if reader is None else reader(action)


def _clamp_card(code: int) -> int:
    """Return a card code; an invalid code is clamped to a value that the rules refuse by code."""
    return min(code, NO_CARD)


def _clamp_cards(message: cheater_pb2.CheaterAction) -> bytes:
    return bytes(map(_clamp_card, message.cards[:MAX_CARDS]))


def _read_demand(message: cheater_pb2.CheaterAction) -> Action | None:
    return Demand(Seat(message.target)) if message.HasField("target") else None


def _read_play(message: cheater_pb2.CheaterAction) -> Action | None:
    wild = message.wild_as
    if not (message.HasField("card") and message.HasField("target")) or (wild and wild not in _ATTACK_BY_NUMBER):
        return None
    return Play(_clamp_card(message.card), Seat(message.target), _ATTACK_BY_NUMBER.get(wild))


def _read_hide(message: cheater_pb2.CheaterAction) -> Action | None:
    return Hide(_clamp_card(message.card)) if message.HasField("card") else None


def _read_take(message: cheater_pb2.CheaterAction) -> Action | None:
    if not message.HasField("card"):
        return None
    return Take(_clamp_card(message.card), _clamp_card(message.discard) if message.HasField("discard") else None)


_PARAMETERLESS_ACTIONS: Mapping[int, Action] = {
    cheater_pb2.CHEATER_ACTION_KIND_DRAW: DRAW,
    cheater_pb2.CHEATER_ACTION_KIND_DRAW_TWO: DRAW_TWO,
    cheater_pb2.CHEATER_ACTION_KIND_TAKE_TOP: TAKE_TOP,
    cheater_pb2.CHEATER_ACTION_KIND_ALLOW: ALLOW,
}

_ACTION_READERS: Mapping[int, Callable[[cheater_pb2.CheaterAction], Action | None]] = {
    cheater_pb2.CHEATER_ACTION_KIND_DEMAND: _read_demand,
    cheater_pb2.CHEATER_ACTION_KIND_PLAY: _read_play,
    cheater_pb2.CHEATER_ACTION_KIND_DISCARD: lambda message: Discard(_clamp_cards(message)),
    cheater_pb2.CHEATER_ACTION_KIND_HIDE: _read_hide,
    cheater_pb2.CHEATER_ACTION_KIND_TAKE: _read_take,
    cheater_pb2.CHEATER_ACTION_KIND_BUST: lambda message: Bust(_clamp_cards(message)),
}
