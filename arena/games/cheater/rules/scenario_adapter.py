"""Lets scenario files use CHEATER: its positions, actions, chance values and facts (schema: docs/rules/cases.md)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.errors import NotationError
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
from arena.games.cheater.rules.cards import COLORS, card_texts, read_card, read_cards, sort_cards
from arena.games.cheater.rules.dealing import begin_first_turn, initial_state
from arena.games.cheater.rules.events import Event, HandShown, Rolled
from arena.games.cheater.rules.leaving import leave_between_draws
from arena.games.cheater.rules.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.games.cheater.rules.ruleset import PACE_OPTIONS, Ruleset, build_ruleset
from arena.games.cheater.rules.state import EarlierWin, Phase, State
from arena.match.game import GameSetup, Seat, Style, Transition

ORDERED_FACTS = ("discard", "draw")
"""Facts whose lists are compared in order. All other lists are compared without regard to order."""

_EXPECTED_STEPS = "roll, timeout, leave, draw, discard, power1, power2, power3, play, allow, hide, take, bust"


def position_from_case(case: Mapping[str, Any]) -> State:
    """Return the position of a case, without the options of the pace.

    Raises UnknownNameError for an unknown preset, and OptionsError for invalid options.
    """
    options = {field: value for field, value in case.get("options", {}).items() if field not in PACE_OPTIONS}
    setup = case.get("setup", {})
    hands = [read_cards(hand) for hand in case["hands"]]
    rules = build_ruleset(case["preset"], options)
    state = build_position(rules, hands, Seat(case["start"]), [tuple(game) for game in setup.get("history", ())])
    state.draw_pile, state.discards = read_cards(case["draw"]), read_cards(case["discard"])
    state.cheater = setup.get("cheater")
    return state


def action_from_step(step: Mapping[str, Any]) -> Action:
    match step["do"]:
        case "draw":
            return DRAW
        case "discard":
            return Discard(read_cards(step["cards"]))
        case "power1":
            return DRAW_TWO
        case "power2":
            return TAKE_TOP
        case "power3":
            return Demand(Seat(step["target"]))
        case "play":
            return Play(read_card(step["card"]), Seat(step["target"]), _WILD_AS.get(step.get("as", "")))
        case "allow":
            return ALLOW
        case "hide":
            return Hide(read_card(step["card"]))
        case "take":
            return Take(read_card(step["card"]), read_card(step["discard"]) if "discard" in step else None)
        case "bust":
            return Bust(read_cards(step["cards"]))
        case other:
            raise NotationError(str(other), _EXPECTED_STEPS)


def chance_values(case: Mapping[str, Any], step: Mapping[str, Any], state: State) -> Sequence[int] | None:
    """Return the values of the draw that the game needs next; None if the case gives none at this step."""
    if state.leaver is not None:
        return _find_permutation(state.draw_pile, _order_from_case(step.get("draw"), state.draw_pile))
    match state.phase:
        case Phase.ROLL if step["do"] == "roll" and step["seat"] == state.turn:
            return [value - 1 for value in step["dice"]]
        case Phase.DIE if "die" in step:
            return [step["die"] - 1]
        case Phase.DRAWS:
            below = state.discards[:-1]
            return _find_permutation(below, _order_from_case(case.get("setup", {}).get("reshuffle_order"), below))
        case _:
            return None


def leave_before_roll(state: State, seat: Seat) -> Transition | None:
    """Let a seat leave while a turn waits for its dice. If no turn waits for dice, return None.

    A case gives the dice of a turn in the step that rolls them. So a seat may leave before these dice are known.
    """
    is_before_roll = state.phase is Phase.ROLL and state.leaver is None and state.ended is None
    return leave_between_draws(state, seat) if is_before_roll else None


def answer_words(kind: str, options: Any) -> Iterable[str]:  # noqa: ARG001  the options tell the kind
    match options:
        case ActOptions(powers, playable):
            return ["draw", *[f"power{power}" for power in powers], *(["play"] if playable else [])]
        case ReactionOptions():
            return ["allow", "hide"]
        case PickOptions(attack):
            return ["bust"] if attack is Attack.BUST else ["take"]
        case DiscardOptions():
            return ["discard"]
        case _:
            raise NotationError(repr(options), "options of CHEATER")


def expectable_facts(state: State, events: Sequence[Event]) -> dict[str, Any]:
    """Return every fact that an `expect` may name. `events` has all events of the case so far."""
    return {
        "hands": {str(seat): card_texts(hand) for seat, hand in enumerate(state.hands)},
        "discard": card_texts(state.discards),
        "discard_top": card_texts(state.discards[-1:])[0] if state.discards else None,
        "draw": card_texts(state.draw_pile),
        "draw_size": len(state.draw_pile),
        "to_move": state.to_move,
        "cheater": state.cheater,
        "phase": None if state.ended is not None else state.phase.value,
        "winner": state.winner,
        "color": None if state.color is None else COLORS[state.color],
        "titles": [title.value for title in state.titles],
        "places": {str(seat): place for seat, place in enumerate(state.places) if place},
        "over": state.ended is not None,
        "reshuffled": state.reshuffles,
        "shown_hand": _shown_hand(state, events),
    }


def is_met(key: str, expected: Any, found: Any) -> bool:
    """Return whether a found fact is as expected. Of hands, only those of the expected seats count."""
    if key == "hands" and isinstance(expected, Mapping):
        found = {seat: found.get(seat) for seat in expected}
    return bool(_comparable(key, expected) == _comparable(key, found))


def _comparable(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _comparable(key, item) for name, item in value.items()}
    return sorted(value) if isinstance(value, list) and key not in ORDERED_FACTS else value


def _shown_hand(state: State, events: Sequence[Event]) -> dict[str, Any] | None:
    """Return the hand that was shown in this turn, if any. Every seat sees a shown hand (spec B6)."""
    for event in reversed(events):
        if isinstance(event, Rolled):
            return None
        if isinstance(event, HandShown):
            return {"seat": event.seat, "cards": card_texts(event.cards), "to": list(range(len(state.hands)))}
    return None


def _order_from_case(texts: Sequence[str] | None, cards: bytes) -> bytes:
    """Return the order that a case gives. If the case gives none, return the current order of the cards."""
    return cards if texts is None else read_cards(texts)


def _find_permutation(cards: bytes, wanted: bytes) -> list[int]:
    """Return the permutation that turns the canonical order of `cards` into the order `wanted`.

    Raises NotationError if `wanted` has other cards than `cards`.
    """
    if sort_cards(wanted) != sort_cards(cards):
        raise NotationError(" ".join(card_texts(wanted)), "an order of " + " ".join(card_texts(cards)))
    left = list(sort_cards(cards))
    order = []
    for code in wanted:
        index = left.index(code)
        left[index] = -1
        order.append(index)
    return order


_WILD_AS = {attack.name: attack for attack in (Attack.TAKE, Attack.SHOW, Attack.BUST)}
"""The attacks for which a WILD may stand, by their names in the cases. Other names give None, which is illegal."""


def position_from_text(
    *hands: str,
    draw: str = "",
    discard: str = "BT",
    start: int = 0,
    cheater: int | None = None,
    history: Sequence[tuple[int | None, object]] = (),
    **options: Any,
) -> State:
    """Build a position from text: `position_from_text("RC RH …", "YC YH …", draw="PE PA", cheater=1)`."""
    rules = build_ruleset("cheater", options)
    state = build_position(rules, [read_cards(hand.split()) for hand in hands], Seat(start), history)
    state.draw_pile, state.discards = read_cards(draw.split()), read_cards(discard.split())
    state.cheater = None if cheater is None else Seat(cheater)
    return state


def build_position(
    rules: Ruleset, hands: Sequence[bytes], start: Seat, history: Sequence[tuple[int | None, object]] = ()
) -> State:
    """Build a position just after the deal: seat `start` rolls, unless a hand has already won.

    `history` lists the winner and the colour of each earlier game of the match. If nobody won a game by spelling
    CHEATER, the game has no colour.
    """
    state = initial_state(rules, GameSetup(len(hands), 0, Style.LIVE))
    state.earlier = tuple(_earlier_win(seat, color) for seat, color in history[-2:])
    state.hands = tuple(map(sort_cards, hands))
    begin_first_turn(state, start, [])
    return state


def _earlier_win(seat: int | None, color: object) -> EarlierWin | None:
    """Return the winner and the colour of an earlier game; None if nobody won it by spelling CHEATER.

    Raises NotationError for an unknown colour.
    """
    if seat is None or color is None:
        return None
    if color not in tuple(COLORS):
        raise NotationError(str(color), f"one of {', '.join(COLORS)}, or null")
    return EarlierWin(Seat(seat), COLORS.index(color))
