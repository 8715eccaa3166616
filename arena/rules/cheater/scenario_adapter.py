"""Scenario files in the schema of docs/rules/cases.md: positions, actions, luck and the facts to compare."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from arena.errors import NotationError
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
from arena.rules.cheater.cards import COLORS, card_texts, read_card, read_cards, sort_cards
from arena.rules.cheater.events import Event, HandShown, Rolled
from arena.rules.cheater.leaving import leave_between_draws
from arena.rules.cheater.position import build_position
from arena.rules.cheater.questions import ActOptions, DiscardOptions, PickOptions, ReactionOptions
from arena.rules.cheater.ruleset_options import PACE_OPTIONS, build_ruleset
from arena.rules.cheater.state import Phase, State
from arena.rules.game import Seat, Transition

ORDERED_FACTS = ("discard", "draw")
"""Facts whose lists have an order; all others are compared as sets."""


def position_from_case(case: Mapping[str, Any]) -> State:
    """Set up a case. Raises UnknownNameError for its preset, OptionsError for its options; times are the runner's."""
    options = {field: value for field, value in case.get("options", {}).items() if field not in PACE_OPTIONS}
    setup = case.get("setup", {})
    hands = [read_cards(hand) for hand in case["hands"]]
    rules = build_ruleset(case["preset"], options)
    state = build_position(rules, hands, Seat(case["start"]), setup.get("history", ()))
    state.draw_pile, state.discards = read_cards(case["draw"]), read_cards(case["discard"])
    state.cheater = setup.get("cheater")
    return state


def action_from_step(step: Mapping[str, Any]) -> Action:
    """Read what a seat does in a step. Raises NotationError for what no seat can do."""
    reader = _ACTIONS.get(step["do"])
    if reader is None:
        raise NotationError(str(step["do"]), "roll, timeout, leave, " + ", ".join(_ACTIONS))
    return reader(step)


def chance_values(case: Mapping[str, Any], step: Mapping[str, Any], state: State) -> Sequence[int] | None:
    """Give the values that the game wants next, where the case tells them by now; else None."""
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
    """Let a seat leave before the dice of a turn, which a case tells later; None: the case does not stand there."""
    is_before_roll = state.phase is Phase.ROLL and state.leaver is None and state.ended is None
    return leave_between_draws(state, seat) if is_before_roll else None


def answer_words(kind: str, options: Any) -> Iterable[str]:  # noqa: ARG001  the options tell the kind
    """What may be answered to a question, as the cases call it."""
    match options:
        case ActOptions(powers, playable):
            return ["draw", *(f"power{power}" for power in powers), *(["play"] if playable else [])]
        case ReactionOptions():
            return ["allow", "hide"]
        case PickOptions(attack):
            return ["bust"] if attack is Attack.BUST else ["take"]
        case DiscardOptions():
            return ["discard"]
        case _:
            raise NotationError(repr(options), "options of CHEATER")


def expectable_facts(state: State, events: Sequence[Event]) -> dict[str, Any]:
    """Tell all that an `expect` may name; `events` are those of the whole case so far."""
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


def differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Compare the keys that are expected; one line for each that differs or is not known."""
    return [
        f"{key}: expected {value!r}, found {found.get(key)!r}"
        for key, value in expected.items()
        if key not in found or not _is_met(key, value, found[key])
    ]


def _is_met(key: str, expected: Any, found: Any) -> bool:
    if key == "hands" and isinstance(expected, Mapping):
        found = {seat: found.get(seat) for seat in expected}
    return bool(_comparable(key, expected) == _comparable(key, found))


def _comparable(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _comparable(key, item) for name, item in value.items()}
    return sorted(value) if isinstance(value, list) and key not in ORDERED_FACTS else value


def _shown_hand(state: State, events: Sequence[Event]) -> dict[str, Any] | None:
    """The hand opened since the last dice of a turn; a shown hand is shown to all (spec B6)."""
    for event in reversed(events):
        if isinstance(event, Rolled):
            return None
        if isinstance(event, HandShown):
            return {"seat": event.seat, "cards": card_texts(event.cards), "to": list(range(len(state.hands)))}
    return None


def _order_from_case(texts: Sequence[str] | None, cards: bytes) -> bytes:
    """The order that a case tells; the one that the cards are in where it tells none."""
    return cards if texts is None else read_cards(texts)


def _find_permutation(cards: bytes, wanted: bytes) -> list[int]:
    """Give the drawn order that brings these cards, from their canonical order, into the wanted one."""
    if sort_cards(wanted) != sort_cards(cards):
        raise NotationError(" ".join(card_texts(wanted)), "an order of " + " ".join(card_texts(cards)))
    left = list(sort_cards(cards))
    order = []
    for code in wanted:
        index = left.index(code)
        left[index] = -1
        order.append(index)
    return order


def _read_play(step: Mapping[str, Any]) -> Action:
    return Play(read_card(step["card"]), Seat(step["target"]), _WILD_AS.get(step.get("as", "")))


def _read_take(step: Mapping[str, Any]) -> Action:
    return Take(read_card(step["card"]), read_card(step["discard"]) if "discard" in step else None)


_WILD_AS = {attack.name: attack for attack in (Attack.TAKE, Attack.SHOW, Attack.BUST)}
"""What a WILD is played as; anything else is nothing that it may be."""

_ACTIONS: Mapping[str, Callable[[Mapping[str, Any]], Action]] = {
    "draw": lambda _: DRAW,
    "discard": lambda step: Discard(read_cards(step["cards"])),
    "power1": lambda _: DRAW_TWO,
    "power2": lambda _: TAKE_TOP,
    "power3": lambda step: Demand(Seat(step["target"])),
    "play": _read_play,
    "allow": lambda _: ALLOW,
    "hide": lambda step: Hide(read_card(step["card"])),
    "take": _read_take,
    "bust": lambda step: Bust(read_cards(step["cards"])),
}
