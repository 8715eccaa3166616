"""Converts CHEATER's rules values to messages and back (cheater.proto)."""

from collections.abc import Mapping
from typing import Any

from arena.games.cheater.rules import views
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
from arena.games.cheater.rules.cards import NO_CARD
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.ruleset import Ruleset
from arena.games.cheater.rules.state import Phase
from arena.games.cheater.wire.events import ATTACK_NUMBERS
from arena.match.game import Seat
from cheatarena.v1 import cheater_pb2, decision_pb2, ruleset_pb2, snapshot_pb2

MAX_CARDS = 140
"""The most cards that a game can have. Further cards of an action are dropped: the rules refuse the action anyway."""

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
    """Set all options of a ruleset."""
    message.cheater.CopyFrom(
        cheater_pb2.CheaterRuleset(
            players_min=rules.players_min,
            players_max=rules.players_max,
            titles=rules.titles,
            max_turns=rules.max_turns,
        )
    )


def put_snapshot(message: snapshot_pb2.SeatSnapshot, view: views.CheaterSnapshot) -> None:
    """Set everything that a viewer may know about the game."""
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
