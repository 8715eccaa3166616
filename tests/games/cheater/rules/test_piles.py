"""All randomness: the deal, the roll for the start, and the draw pile with its reshuffles (spec B1, B2, B4)."""

from collections import Counter

import pytest

from arena.games.cheater.rules.cards import card_texts, cards_in_packs
from arena.games.cheater.rules.events import Dealt, Drew, Reshuffled, StartRoll, StartRolled
from arena.games.cheater.rules.game import CHEATER
from arena.match.game import ChanceRequest, GameSetup, Seat, Style
from tests.games.cheater.rules.game_driver import RED, YELLOW, GameDriver, cards, start_game


def new(seat_count: int) -> GameDriver:
    """Return a game before its deal."""
    return GameDriver(
        CHEATER.initial_state(CHEATER.build_ruleset("cheater", {}), GameSetup(seat_count, 0, Style.SEALED))
    )


# ---- the cards


def test_pack_has_the_cards_of_the_rules() -> None:
    """Fourteen of each colour and fifteen others, of which the marker is not dealt: 70."""
    counted = Counter(card_texts(cards_in_packs(1)))

    for color in "RYPB":
        assert [counted[color + letter] for letter in "CHEATR"] == [2, 2, 4, 2, 2, 2]
    assert [counted[name] for name in ("TAKE", "SHOW", "HIDE", "BUST", "WILD")] == [4, 4, 4, 1, 1]
    assert counted.total() == 70
    assert Counter(card_texts(cards_in_packs(2))) == Counter({name: 2 * count for name, count in counted.items()})


@pytest.mark.parametrize(("seats", "dealt_from"), [(2, 70), (4, 70), (5, 140), (10, 140)])
def test_party_has_two_packs_from_five_seats_on(seats: int, dealt_from: int) -> None:
    game = new(seats)
    assert CHEATER.chance_request(game.state) == ChanceRequest("deck", 0, 0, count=dealt_from)

    game.draw()

    assert game.sizes == [7] * seats
    assert len(game.state.discards) == 1
    assert len(game.state.draw_pile) == dealt_from - 7 * seats - 1


def test_cards_are_dealt_one_by_one_and_the_next_is_turned_up() -> None:
    """In canonical order red C goes to seats 0 and 1, red H to seats 2 and 0, and so on."""
    game = new(3)
    game.draw()

    dealt = game.last(Dealt)
    assert dealt.hands == tuple(cards(" ".join(card_texts(sorted(cards_in_packs(1)[seat:21:3])))) for seat in range(3))
    assert dealt.top == cards_in_packs(1)[21]
    assert dealt.draw_count == 48
    assert game.state.draw_pile == cards_in_packs(1)[22:]


def test_highest_sum_starts() -> None:
    game = new(3)
    game.draw()
    assert CHEATER.chance_request(game.state) == ChanceRequest("start", 0, 0, count=6, faces=6)

    game.draw([0, 1, 5, 3, 4, 4])

    rolls = (StartRoll(Seat(0), (1, 2)), StartRoll(Seat(1), (6, 4)), StartRoll(Seat(2), (5, 5)))
    assert game.last(StartRolled) == StartRolled(rolls, None)
    assert CHEATER.chance_request(game.state) == ChanceRequest("start", 0, 1, count=4, faces=6), (
        "only seats 1 and 2 are tied"
    )

    game.draw([0, 0, 0, 0])
    assert CHEATER.chance_request(game.state) == ChanceRequest("start", 0, 2, count=4, faces=6), "tied again"

    game.draw([0, 0, 0, 1])
    again = (StartRoll(Seat(1), (1, 1)), StartRoll(Seat(2), (1, 2)))
    assert game.last(StartRolled) == StartRolled(again, Seat(2))
    assert game.facts["to_move"] == 2


def test_double_in_the_roll_for_the_start_has_no_effect() -> None:
    game = new(3)
    game.draw()
    game.draw([5, 5, 0, 0, 0, 0])

    assert game.facts["cheater"] is None
    assert CHEATER.chance_request(game.state) == ChanceRequest("dice", 0, 0, count=2, faces=6)


def test_winning_dealt_hand_wins_after_the_roll_for_the_start() -> None:
    """Hands are checked from the first player, and the roll decides the first player."""
    word = list(cards("RC RH RE RE RA RT RR"))
    rest = list(cards_in_packs(1))
    for code in word:
        rest.remove(code)
    order = []
    left = list(cards_in_packs(1))
    for code in [code for pair in zip(word, rest[-7:], strict=True) for code in pair] + rest[:-7]:
        order.append(left.index(code))
        left[order[-1]] = -1
    game = new(2)

    game.draw(order)
    assert not game.facts["over"]
    game.draw([0, 0, 0, 1])

    assert (game.facts["winner"], game.facts["color"]) == (0, "R")


# ---- names of draws


def test_every_draw_of_a_game_has_its_own_name() -> None:
    """Dice are named by the turn, so that they do not depend on other draws."""
    game = start_game(YELLOW, RED, roll=None)
    seen = [CHEATER.chance_request(game.state)]
    game.acts("roll 1 2", "0 play BUST 1", "1 allow")
    seen.append(CHEATER.chance_request(game.state))
    game.acts("die 1", "0 bust")
    seen.append(CHEATER.chance_request(game.state))

    assert seen == [
        ChanceRequest("dice", 0, 0, count=2, faces=6),
        ChanceRequest("die", 0, 0, count=1, faces=6),
        ChanceRequest("dice", 1, 0, count=2, faces=6),
    ]


def test_unneeded_draws_are_not_requested() -> None:
    with pytest.raises(ValueError, match="the game needs no chance draw"):
        CHEATER.apply_chance(start_game().state, [0])


# ---- reshuffles


def test_empty_pile_stays_empty_until_a_draw_is_needed() -> None:
    game = start_game(draw="PE", discard="YR BT").acts("0 draw", "0 discard YT")

    assert game.facts["draw_size"] == 0
    assert game.facts["reshuffled"] == 0

    game.acts("roll 1 2", "1 draw")
    assert CHEATER.chance_request(game.state) == ChanceRequest("reshuffle", 1, 0, count=2)
    assert CHEATER.open_groups(game.state) == ()


def test_reshuffle_keeps_the_top_discard_and_uses_the_drawn_order() -> None:
    """The order applies to the cards in canonical order, however they were discarded: YR, then BT."""
    game = start_game(draw="", discard="BT YR PC").acts("0 draw")

    game.draw([1, 0])

    assert game.events[-2:] == [Reshuffled(2), Drew(Seat(0), cards("BT"))]
    assert game.facts["draw"] == ["YR"]
    assert game.facts["discard"] == ["PC"]
    assert game.kind == "discard"


def test_draw_of_two_continues_after_a_reshuffle() -> None:
    game = start_game(draw="PE", discard="BT YR PC", cheater=0).acts("0 draw2")

    game.draw([0, 1])

    assert game.draws == [(0, "PE"), (0, "YR")]
    assert game.options.count == 2
    assert game.sizes[0] == 9


def test_draws_of_two_seats_continue_after_a_reshuffle() -> None:
    game = start_game(draw="PE PA", discard="BT YR PC", start=1).acts(
        "1 play BUST 0", "0 allow", "die 3", "1 bust RC RH RE"
    )
    assert game.draws == [(1, "PE"), (0, "PA")]

    game.draw()

    assert game.draws == [(1, "PE"), (0, "PA"), (0, "RC RH")], "the top card of the bust, RE, stays where it is"
    assert game.facts["discard"] == ["RE"]
    assert game.sizes == [7, 7, 7]


def test_idle_seat_discards_what_it_drew_after_a_reshuffle() -> None:
    game = start_game(draw="", discard="YR BT")
    game.expire_deadline()

    game.draw()

    assert game.facts["discard"] == ["BT", "YR"]
    assert game.facts["to_move"] == 1


def test_table_with_too_few_cards_to_draw_is_refused() -> None:
    """No deal leads there; only a table set up by hand can have so few cards."""
    game = start_game(draw="", discard="BT").acts("0 draw")

    with pytest.raises(ValueError, match="no card left to draw"):
        game.draw()
