"""Deals the cards that a seat does not see, at random among all ways that fit what the seat knew.

Every assignment of the hidden cards to their places that fits has the same probability, with one exception. If the seat
may call the last move, half of the deals make that move a lie and half make it true, as far as both fit what the seat
knew. Without this exception, nearly every claim would be a lie, because players choose claims that they can make true:
in a trial, the 15 claims for which uniform deals most recommended a call were lies in 94 % of the deals, but only 5 of
the 15 were lies in the real games.

A deal uses what is certain: own cards, sizes, cards shown and where they may have gone. It uses nothing that is only
likely. So older claims do not tell which ranks a seat has, the style of an opponent does not tell how often it lies,
and a missing call does not tell that a seat cannot disprove a claim.
"""

import random
from collections.abc import Sequence
from contextlib import suppress

from arena.games.cheat.lessons.knowledge import HiddenCards
from arena.games.cheat.rules.call_judging import is_truthful
from arena.games.cheat.rules.call_rights import is_caller
from arena.games.cheat.rules.cards import EMPTY_HAND, Hand, are_of_rank, hand_from_cards
from arena.games.cheat.rules.state import Bottom, Claim, Layer, State
from arena.games.cheat.rules.tricks import pile_layers
from arena.match.game import Seat

_MAX_TRIES = 200
_MAX_VERDICT_TRIES = 20
_SWAPS_PER_CARD = 12
"""Swaps tried for each card that may be at several places, but not at every place."""


class NoDealError(Exception):
    """No deal that fits was found: what the seat knows allows hardly any deal, or none."""


def hide_cards(state: State, seat: Seat) -> State:
    """Return the state without the cards that the seat does not see. Their numbers stay."""
    hands = tuple([hand if other == seat else EMPTY_HAND for other, hand in enumerate(state.hands)])
    layers = [layer.cards if _is_known(layer, seat) else b"" for layer in pile_layers(state)]
    bottoms = tuple([Bottom(bottom.seat, b"") for bottom in state.bottom])
    return _replace_cards(state, hands, layers[::-1], bottoms, EMPTY_HAND)


def deal_hidden_cards(state: State, seat: Seat, hidden: HiddenCards, rng: random.Random, is_lie: bool) -> State:
    """Return the state with the hidden cards dealt at random. Raises NoDealError.

    If the seat may call the last move, `is_lie` says whether that move is to be a lie. If no such deal is found,
    the move is the opposite.
    """
    places = _draw_with_verdict(state, seat, hidden, rng, is_lie)
    seat_count = len(state.hands)
    hands = tuple([hand if other == seat else hand_from_cards(places[other]) for other, hand in enumerate(state.hands)])
    layers = list(pile_layers(state))[::-1]
    laid = places[seat_count + 1 :]
    cards = [
        layer.cards if _is_known(layer, seat) else bytes(sorted(dealt))
        for layer, dealt in zip(layers, laid, strict=False)
    ]
    under = laid[len(layers) :][::-1]  # the last seat to leave put its cards lowest
    bottoms = tuple(
        [Bottom(bottom.seat, bytes(sorted(dealt))) for bottom, dealt in zip(state.bottom, under, strict=True)]
    )
    return _replace_cards(state, hands, cards, bottoms, hand_from_cards(places[seat_count]))


def doubtful_claim(state: State, seat: Seat) -> Claim | None:
    """Return the last claim if the seat may call it and does not see its cards; otherwise None."""
    if state.last is None or not state.last.claim.count or not is_caller(state, seat):
        return None
    return state.last.claim


def _draw_with_verdict(
    state: State, seat: Seat, hidden: HiddenCards, rng: random.Random, is_lie: bool
) -> list[list[int]]:
    """Return the cards of each place. If such a deal is found, the last move is a lie or true as `is_lie` says."""
    claim = doubtful_claim(state, seat)
    if claim is None:
        return _draw_places(hidden, rng)
    top = len(state.hands) + len(list(pile_layers(state)))
    if not is_lie:
        for _ in range(_MAX_VERDICT_TRIES):
            with suppress(NoDealError):
                return _draw_true_claim(hidden, claim, top, rng)
    for _ in range(_MAX_VERDICT_TRIES):
        places = _draw_places(hidden, rng)
        if not is_lie or not is_truthful(bytes(places[top]), claim.count, claim.rank):
            break
    return places


def _draw_true_claim(hidden: HiddenCards, claim: Claim, top: int, rng: random.Random) -> list[list[int]]:
    """Return the cards of each place, with a true claim at the place `top`. Raises NoDealError."""
    candidates = [
        (index, card)
        for index, (allowed, cards) in enumerate([*hidden.groups, ((top,), hidden.unseen)])
        if top in allowed
        for card in cards
        if are_of_rank(bytes((card,)), claim.rank)
    ]
    if hidden.sizes[top] != claim.count or len(candidates) < claim.count:
        raise NoDealError
    chosen = rng.sample(candidates, claim.count)
    rest = [list(cards) for _, cards in hidden.groups] + [list(hidden.unseen)]
    for index, card in chosen:
        rest[index].remove(card)
    sizes = tuple([0 if place == top else size for place, size in enumerate(hidden.sizes)])
    groups = [
        (tuple([place for place in allowed if place != top]), bytes(cards))
        for (allowed, _), cards in zip(hidden.groups, rest, strict=False)
        if cards
    ]
    places = _draw_places(HiddenCards(sizes, tuple(groups), bytes(rest[-1])), rng)
    places[top] = [card for _, card in chosen]
    return places


def _is_known(layer: Layer, seat: Seat) -> bool:
    return layer.face_up or layer.claim.seat == seat


def _replace_cards(
    state: State, hands: tuple[Hand, ...], layers: Sequence[bytes], bottoms: tuple[Bottom, ...], banished: Hand
) -> State:
    """Return the state with other cards. `layers` has the cards of the moves on the pile, from the bottom up."""
    draft = state.draft()
    draft.hands, draft.bottom, draft.banished = hands, bottoms, banished
    pile: Layer | None = None
    for layer, cards in zip(list(pile_layers(state))[::-1], layers, strict=True):
        pile = Layer(layer.claim, cards, pile, layer.face_up)
    draft.pile = pile
    draft.last = None if state.last is None else pile
    return draft


def _draw_places(hidden: HiddenCards, rng: random.Random) -> list[list[int]]:
    """Return the cards of each place. All assignments that fit are equally likely."""
    constrained = [(card, allowed) for allowed, cards in hidden.groups for card in cards]
    for _ in range(_MAX_TRIES):
        held = _place_constrained_cards(hidden.sizes, constrained, rng)
        if held is not None:
            break
    else:
        raise NoDealError
    free = [place for place, size in enumerate(hidden.sizes) for _ in range(size)]
    for place in held:
        free.remove(place)
    rng.shuffle(free)
    cards = [card for card, _ in constrained] + list(hidden.unseen)
    where = held + free
    _swap_cards(where, [frozenset(allowed) for _, allowed in constrained], rng)
    places: list[list[int]] = [[] for _ in hidden.sizes]
    for card, place in zip(cards, where, strict=True):
        places[place].append(card)
    return places


def _place_constrained_cards(
    sizes: Sequence[int], constrained: Sequence[tuple[int, tuple[int, ...]]], rng: random.Random
) -> list[int] | None:
    """Return a place for each constrained card, in the order of `constrained`; None if a card finds no room.

    The cards are placed one by one, cards with few allowed places first, so not all results are equally likely.
    """
    room = list(sizes)
    held = [0] * len(constrained)
    order = list(range(len(constrained)))
    rng.shuffle(order)
    for index in sorted(order, key=lambda each: len(constrained[each][1])):
        allowed = constrained[index][1]
        weights = [room[place] for place in allowed]
        if not allowed or not any(weights):
            return None
        place = allowed[0] if len(allowed) == 1 else rng.choices(allowed, weights)[0]
        room[place] -= 1
        held[index] = place
    return held


def _swap_cards(where: list[int], allowed: Sequence[frozenset[int]], rng: random.Random) -> None:
    """Swap the places of random cards so often that all assignments that fit become about equally likely.

    `where` has the place of each card. The first cards may be only at the places that `allowed` lists for them, in the
    same order. All other cards may be anywhere. A swap is as likely as its reverse. So a Markov chain of such swaps has
    the uniform distribution (Metropolis et al., Journal of Chemical Physics 21, 1953).
    """
    movable = [index for index, places in enumerate(allowed) if len(places) > 1]
    last = len(where)
    for _ in range(_SWAPS_PER_CARD * len(movable)):
        index = movable[int(rng.random() * len(movable))]
        other = int(rng.random() * last)
        here, there = where[index], where[other]
        if there in allowed[index] and (other >= len(allowed) or here in allowed[other]):
            where[index], where[other] = there, here
