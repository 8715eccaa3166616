"""What a seat is said not to see: it always fits the cards that were really hidden."""

import pytest

from arena.games.catalogue import games
from arena.games.cheat.lessons.knowledge import HiddenCards
from arena.games.cheat.lessons.model import CHEAT_LESSONS
from arena.games.cheat.rules.cards import cards_from_hand
from arena.games.cheat.rules.state import State
from arena.games.cheat.rules.tricks import pile_layers
from arena.match.game import Seat
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex
from arena.practice import play
from arena.replays.lessons.positions import read_game
from tests.replays.lessons.recorded_bots import Honest, Waiter


def true_places(state: State, seat: Seat) -> list[bytes]:
    """Return the cards that a seat does not see, by place in the order of `HiddenCards`."""
    hands = [b"" if other == seat else cards_from_hand(hand) for other, hand in enumerate(state.hands)]
    layers = [
        b"" if layer.face_up or layer.claim.seat == seat else layer.cards for layer in list(pile_layers(state))[::-1]
    ]
    return [*hands, cards_from_hand(state.banished), *layers, *[bottom.cards for bottom in state.bottom[::-1]]]


def can_be(hidden: HiddenCards, places: list[bytes]) -> bool:
    """Return whether the real places are among those that fit: sizes, seen cards, and all cards."""
    everywhere = sorted(b"".join(places))
    dealt = sorted([*hidden.unseen, *[card for _, cards in hidden.groups for card in cards]])
    at_their_places = all(
        any(card in places[place] for place in allowed) for allowed, cards in hidden.groups for card in cards
    )
    return tuple(map(len, places)) == hidden.sizes and everywhere == dealt and at_their_places


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("standard", {}),
        ("standard", {"check": "public+", "jokers_per_deck": 0}),
        ("standard", {"check": "caller", "believe": True, "passing": "pass_trick"}),
        ("standard", {"check": "arbiter", "banish_on_new_trick": True, "passing": "pass_turn"}),
        ("rank_lock", {}),
        ("ascending", {}),
    ],
)
def test_real_deal_is_among_those_that_fit(preset, options):
    played = play([Honest, Waiter, Honest, Waiter], preset, options, seed=5)
    game = read_game(played.records, games(), EntrantIndex(1), 0, CHEAT_LESSONS)
    positions = {position.prompt.id: position for position in game.positions}

    checked = 0
    replay = Replay(played.records, games())
    for _ in replay.moments():
        playing = replay.referee.current_game
        for prompt, is_answered in replay.referee.prompts_of(EntrantIndex(1)):
            position = positions.get(prompt.id)
            if playing is not None and position is not None and not is_answered:
                assert position.hidden is not None, prompt
                assert can_be(position.hidden, true_places(playing.state, game.seat)), prompt
                checked += 1

    assert checked >= len(positions) > 5
