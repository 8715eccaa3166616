"""Lets scenario files use Cheat: its positions, actions and facts (schema: docs/rules/cases.md)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.errors import NotationError
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Action, Play
from arena.games.cheat.rules.call_rights import callers, is_final_window_due
from arena.games.cheat.rules.cards import RANK_CODES, RANKS, card_texts, cards_from_hand, hand_from_cards, read_cards
from arena.games.cheat.rules.compiled_rules import compile_rules
from arena.games.cheat.rules.events import Believed, Called, Event, HandChecked
from arena.games.cheat.rules.flow import begin_turn
from arena.games.cheat.rules.legality import turn_options
from arena.games.cheat.rules.ruleset import Ruleset
from arena.games.cheat.rules.ruleset_options import PACE_OPTIONS, build_ruleset
from arena.games.cheat.rules.state import Bottom, Claim, Phase, State, empty_state
from arena.games.cheat.rules.tricks import pile_layers
from arena.games.cheat.rules.view_types import BelievedView, CalledView, CardsShown
from arena.games.cheat.rules.views import redact, snapshot
from arena.match.game import Seat, Style

UNCLAIMABLE_RANK = len(RANKS)
"""A rank that no seat may claim. It stands for every text that names no rank, such as `JK`."""

UNORDERED_FACTS = ("hands", "pile", "banished", "callers", "shown")
"""Facts whose lists are compared without regard to order."""


def position_from_case(case: Mapping[str, Any]) -> State:
    """Return the position of a case, without the options of the pace.

    Raises UnknownNameError for an unknown preset, and OptionsError for invalid options.
    """
    options = {field: value for field, value in case.get("options", {}).items() if field not in PACE_OPTIONS}
    return build_position(
        build_ruleset(case["preset"], options),
        Style(case.get("pace", "live")),
        [read_cards(hand) for hand in case["hands"]],
        Seat(case["start"]),
        read_cards(case.get("pile", ())),
        RANK_CODES[case.get("setup", {}).get("required_rank", "A")],
    )


def action_from_step(step: Mapping[str, Any]) -> Action:
    match step["do"]:
        case "play":
            cards = bytes(sorted(read_cards(step["cards"])))
            return Play(cards, step.get("count", len(cards)), RANK_CODES.get(step["rank"], UNCLAIMABLE_RANK))
        case "pass":
            return PASS
        case "call" | "calls":
            return CALL
        case "decline":
            return DECLINE
        case "believe":
            return BELIEVE
        case other:
            raise NotationError(str(other), "play, pass, call, calls, decline or believe")


def expectable_facts(state: State, events: Sequence[Event]) -> dict[str, Any]:
    """Return every fact that an `expect` may name, except `held` and `asked`.

    `events` has all events of the case so far.
    """
    seats = range(len(state.hands))
    bottom_up = [*[bottom.cards for bottom in state.bottom], *reversed([layer.cards for layer in pile_layers(state)])]
    pile = card_texts(b"".join(bottom_up))
    return {
        "hands": {str(seat): card_texts(cards_from_hand(state.hands[seat])) for seat in seats},
        "pile": pile,
        "pile_bottom_to_top": pile,
        "banished": card_texts(cards_from_hand(state.banished)),
        "to_move": state.to_move,
        "trick_start": state.prev is None,
        "prev": _claim_facts(state.prev),
        "callers": list(callers(state)),
        "legal": _legal_facts(state),
        "places": {str(seat): place for seat, place in enumerate(state.places) if place},
        "final_window": state.closing and is_final_window_due(state),
        "over": state.ended is not None,
        "required_rank": RANKS[state.required_rank] if state.compiled_rules.rotates else None,
        "result": _result_facts(events),
        "shown": {str(seat): _shown_cards(events, Seat(seat)) for seat in seats},
        "views": {str(seat): _view_facts(state, Seat(seat)) for seat in seats},
    }


def is_met(key: str, expected: Any, found: Any) -> bool:
    """Return whether a found fact is as expected. Of hands, shown cards and views, only what is expected counts."""
    if key in ("hands", "shown", "views") and isinstance(expected, Mapping):
        found = {seat: found.get(seat) for seat in expected}
    if key == "views":
        found = {seat: {field: found[seat].get(field) for field in expected[seat]} for seat in expected}
    return bool(_comparable(key, expected) == _comparable(key, found))


def _comparable(key: str, value: Any) -> Any:
    if key not in UNORDERED_FACTS:
        return value
    if isinstance(value, Mapping):
        return {seat: sorted(cards) for seat, cards in value.items()}
    return sorted(value)


def _claim_facts(claim: Claim | None) -> dict[str, Any] | None:
    return None if claim is None else {"rank": RANKS[claim.rank], "count": claim.count, "seat": claim.seat}


def _legal_facts(state: State) -> dict[str, Any] | None:
    """Return the options of the seat to move; None if no seat is to move."""
    if state.to_move is None:
        return None
    options = turn_options(state)
    counts = [count for first, last in options.counts for count in range(first, last + 1)]
    ranks = [RANKS[rank] for rank in options.ranks]
    return {"ranks": ranks, "counts": counts, "zero": options.zero, "pass": options.can_pass}


def _last_verdict(events: Sequence[Event]) -> Called | Believed | HandChecked | None:
    verdicts = [event for event in events if isinstance(event, Called | Believed | HandChecked)]
    return verdicts[-1] if verdicts else None


def _result_facts(events: Sequence[Event]) -> dict[str, Any] | None:
    """Return the last verdict on a call, a belief or a checked hand, and the seat that took the pile."""
    match _last_verdict(events):
        case Called(right=right, taker=taker):
            return {"kind": "call", "success": right, "taker": taker}
        case Believed(right=right, believer=believer):
            return {"kind": "believe", "success": right, "taker": None if right else believer}
        case HandChecked(is_true=is_true, seat=seat):
            return {"kind": "final_check", "success": is_true, "taker": None if is_true else seat}
        case None:
            return None


def _shown_cards(events: Sequence[Event], seat: Seat) -> list[str]:
    """Return the cards that the last verdict showed to a seat or to all seats, without cards that a seat took."""
    event = _last_verdict(events)
    if event is None:
        return []
    public, private = redact(event)
    parts = [part.cards for part in private.get(seat, ()) if isinstance(part, CardsShown)]
    if isinstance(public, CalledView | BelievedView):
        parts += [public.cards or b"", cards_from_hand(public.rest or ())]
    return card_texts(b"".join(parts))


def _view_facts(state: State, seat: Seat) -> dict[str, Any]:
    view = snapshot(state, seat)
    assert view.hand is not None
    pile_size = sum(layer.laid or 0 for layer in view.pile)
    return {
        "hand": card_texts(cards_from_hand(view.hand)),
        "hand_sizes": list(view.hand_sizes),
        "pile_size": pile_size if state.compiled_rules.rules.sizes_visible else None,
        "last": _claim_facts(view.last),
    }


def answer_words(kind: str, options: Any) -> Iterable[str]:
    if kind == "window":
        return ("call", "decline", "believe") if options.can_believe else ("call", "decline")
    if kind != "turn":
        return (kind,)
    offers = {"play": True, "pass": options.can_pass, "call": options.can_call, "believe": options.can_believe}
    return [word for word, is_offered in offers.items() if is_offered]


def position_from_text(
    *hands: str, start: int = 0, pile: str = "", style: Style = Style.LIVE, preset: str = "standard", **options: Any
) -> State:
    """Build a position from text: `position_from_text("KS 4D", "QS 9D", start=1, passing="pass_turn")`."""
    rules = build_ruleset(preset, options)
    return build_position(
        rules, style, [read_cards(hand.split()) for hand in hands], Seat(start), read_cards(pile.split())
    )


def build_position(
    rules: Ruleset, style: Style, hands: Sequence[bytes], start: Seat, pile: bytes = b"", required_rank: int = 0
) -> State:
    """Build a position in which seat `start` leads a trick.

    `pile` has the cards of earlier moves, the lowest first. Nobody can call these moves any more.
    """
    state = empty_state(compile_rules(rules, style, len(hands)), Phase.TURN)
    state.hands = tuple(map(hand_from_cards, hands))
    state.sizes = tuple(map(len, hands))
    state.bottom = (Bottom(None, pile),) if pile else ()
    state.turn = start
    state.required_rank = required_rank
    begin_turn(state)
    return state
