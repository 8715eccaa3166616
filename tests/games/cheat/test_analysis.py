"""Insight into games of Cheat: short games, worked out by hand."""

from random import Random
from typing import Any

import pytest

from arena.games.cheat.analysis.analyzer import TRUE_CALLED
from arena.games.cheat.analysis.figures import CheatFigures, cheat_figures
from arena.games.cheat.rules.actions import CALL, DECLINE, PASS, Call
from arena.games.cheat.rules.events import Called, Dealt, Played
from arena.games.cheat.rules.game import CHEAT
from arena.match.game import Seat, Style
from arena.replays.analytics.bot_figures import Ratio
from arena.replays.analytics.counts import SeatAnalytics
from tests.games.cheat.rules.game_driver import GameDriver, start_game
from tests.games.cheat.rules.random_game import RandomGame
from tests.replays.analytics.reading import read, terms_of


def table(*hands: str, **options: Any) -> GameDriver:
    """Sit down, the deal among the events."""
    sitting = start_game(*hands, **options)
    sitting.events.append(Dealt(sitting.state.hands, Seat(0), Seat(len(hands) - 1), sizes_visible=True))
    return sitting


def insight(sitting: GameDriver, style: str = "sealed", **options: Any) -> tuple[SeatAnalytics, ...]:
    return read(CHEAT, sitting.events, terms_of(CHEAT, len(sitting.state.hands), style, **options))


def figures(sitting: GameDriver, seat: int, **options: Any) -> CheatFigures:
    return cheat_figures(insight(sitting, **options)[seat].counts)


@pytest.fixture
def evening() -> GameDriver:
    """Two true moves of seat 0 and a lie each of the others; two seats call the first lie, one the second truth."""
    game = table("KS KD 4D", "QS 9D 2C", "JK 5H 7C", sealed=True)
    game.play(0, "KS", "K")
    game.act(1, DECLINE)
    game.act(2, DECLINE)
    game.play(1, "9D 2C", "K")
    game.act(0, CALL)
    game.act(2, CALL)  # the nearest: seat 1 takes three cards
    game.play(2, "5H 7C", "Q")
    game.act(0, DECLINE)
    game.act(1, DECLINE)
    game.play(0, "KD", "K")
    game.act(2, DECLINE)
    game.act(1, CALL)  # wrong, and three cards lie there
    return game


def test_lies_are_counted_by_rank_count_and_pile(evening: GameDriver):
    one = figures(evening, 1)

    assert one.lies == Ratio(1, 1)
    assert {rank: ratio for rank, ratio in one.lies_by_rank.items() if ratio.of} == {"K": Ratio(1, 1)}
    assert {count: ratio for count, ratio in one.lies_by_count.items() if ratio.of} == {"2": Ratio(1, 1)}
    assert {pile: ratio for pile, ratio in one.lies_by_pile.items() if ratio.of} == {"1-4": Ratio(1, 1)}


def test_true_moves_are_claims_too(evening: GameDriver):
    none = figures(evening, 0)

    assert none.lies == Ratio(0, 2)
    assert none.lies_by_rank["K"] == Ratio(0, 2)
    assert [none.lies_by_pile[band] for band in ("0", "1-4")] == [Ratio(0, 1), Ratio(0, 1)]


def test_lies_are_called_or_not(evening: GameDriver):
    assert [figures(evening, seat).lies_called for seat in range(3)] == [Ratio(0, 0), Ratio(1, 1), Ratio(0, 1)]
    assert figures(evening, 0).truths_called == Ratio(1, 2)


def test_overruled_call_counts_as_a_call(evening: GameDriver):
    """Seat 0 called one of two lies that it could call, and no true move."""
    zero = figures(evening, 0)

    assert zero.precision == Ratio(1, 1)
    assert zero.recall == Ratio(1, 2)
    assert zero.cards_a_right_call == Ratio(0, 0), "the verdict was on the nearer one's"


def test_calls_win_and_lose_cards(evening: GameDriver):
    one, two = figures(evening, 1), figures(evening, 2)

    assert (one.precision, one.recall, one.cards_a_wrong_call) == (Ratio(0, 1), Ratio(0, 1), Ratio(3, 1))
    assert (two.precision, two.recall, two.cards_a_right_call) == (Ratio(1, 1), Ratio(1, 1), Ratio(3, 1))


def test_luck_is_the_number_of_moves_saved(evening: GameDriver):
    """The hands need 2, 3 and 2 moves if each rank is played at once: the joker is added to one of them."""
    luck = [figures(evening, seat).play.luck.mean for seat in range(3)]

    assert luck == pytest.approx([1 / 3, -2 / 3, 1 / 3], abs=0.001)


def test_move_that_cannot_be_a_lie_is_no_claim():
    """The rules make a face-up opening true; a move of no cards is true as well, though it may be called."""
    game = table("KS KD 4D", "QS 9D 2C", "3H 5H 7C", opening_face_up=True)
    game.play(0, "KS", "K")
    game.play(1, "", "K", 0)
    game.call(2)

    assert figures(game, 0, opening_face_up=True).lies == Ratio(0, 0)
    assert figures(game, 0, opening_face_up=True).truths_called == Ratio(0, 0)
    assert figures(game, 1, opening_face_up=True).lies == Ratio(0, 0)
    assert figures(game, 2, opening_face_up=True).precision == Ratio(0, 1)


def test_live_call_ends_the_chances_of_others():
    game = table("KS KD 4D", "QS 9D 2C", "3H 5H 7C")
    game.play(0, "4D", "K")
    game.call(1)

    assert figures(game, 1, style="live").recall == Ratio(1, 1)
    assert figures(game, 2, style="live").recall == Ratio(0, 0)


def test_where_calls_are_turns_a_move_or_pass_declines_the_call():
    """Seat 1 passes and seat 2 calls: each had its chance, seat 0 had none."""
    options: dict[str, Any] = {"call_mode": "turn_action", "any_caller": False, "passing": "pass_turn"}
    game = table("KS KD 4D", "QS 9D 2C", "3H 5H 7C", sealed=True, **options)
    game.play(0, "4D", "K")
    game.act(1, PASS)
    game.act(2, CALL)

    assert [figures(game, seat, **options).recall for seat in range(3)] == [Ratio(0, 0), Ratio(0, 1), Ratio(1, 1)]


def test_with_two_seats_left_sparing_is_not_counted():
    game = table("KS KD 4D", "QS 9D 2C", sealed=True)
    game.play(0, "4D", "K")
    game.act(1, DECLINE)

    assert figures(game, 1).recall == Ratio(0, 1)
    assert insight(game)[1].dealings[0].chances == 0


def test_calls_are_expected_evenly_over_equal_claims():
    """Seat 2 calls one of two lies that look alike, one from each other seat: each expects half a call."""
    game = table("KS KD 4D 5C 6H 8C", "QS 9D 2C 3C 6D 8D", "3H 5H 7C 9H TH JH", sealed=True)
    game.play(0, "4D", "K")
    game.act(1, DECLINE)
    game.act(2, CALL)
    game.play(1, "9D", "K")
    game.act(0, DECLINE)
    game.act(2, DECLINE)

    zero, one, own = insight(game)[2].dealings
    assert (zero.chances, zero.taken, zero.expected, zero.variance) == (1, 1, 0.5, 0.25)
    assert (one.chances, one.taken, one.expected, one.variance) == (1, 0, 0.5, 0.25)
    assert own.chances == 0


def test_claim_a_seat_knows_to_be_a_lie_differs_from_one_it_does_not():
    """Seat 2 holds all kings and no queen: any bot would call a king of seat 0 and not a queen of seat 1."""
    game = table("4D 5D 6D QC QS TC", "9D 2C 3C 6S QH QD", "KS KC KH KD JK JK", sealed=True)
    game.play(0, "4D", "K")
    game.act(1, DECLINE)
    game.act(2, CALL)
    game.play(1, "9D", "Q")
    game.act(0, DECLINE)
    game.act(2, DECLINE)

    zero, one, _ = insight(game)[2].dealings
    assert (zero.taken, zero.expected, one.expected) == (1, 1, 0)


def test_seat_that_leaves_before_its_answer_had_no_chance():
    game = table("KS KD 4D", "QS 9D 2C", "3H 5H 7C", sealed=True)
    game.play(0, "4D", "K")
    game.leave(2)
    game.act(1, DECLINE)

    assert [figures(game, seat).recall for seat in (1, 2)] == [Ratio(0, 1), Ratio(0, 0)]


class WatchedGame(RandomGame):
    """A random game that notes, from the questions alone, which seats could call and which did."""

    def __init__(self, *args: Any) -> None:
        self.chances: list[int] = []
        self.calls: list[int] = []
        super().__init__(*args)

    def put(self, what: str, value: Any) -> None:
        if what in ("window", "turn"):
            for group in CHEAT.open_groups(self.state):
                self.chances += [q.seat for q in group.questions if what == "window" or q.options.can_call]
            self.calls += [seat for seat, action in value.items() if isinstance(action, Call)]
        super().put(what, value)


OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"any_caller": False},
    {"any_caller": False, "passing": "pass_turn"},
    {"any_caller": False, "passing": "pass_trick", "objective": "first_out_wins"},
    {"any_caller": False, "call_mode": "turn_action", "passing": "pass_turn", "honest_win": False},
    {"count_lies": True, "passing": "single_turn", "win_resets_trick": True},
    {"honest_win": True, "banish_on_new_trick": True},
)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("preset", CHEAT.presets)
def test_every_chance_to_call_is_found(preset, options):
    """The chances read from events equal the prompts of the rules, in games in which no seat leaves."""
    plain = {"max_turns": 120, "believe": False, **options}
    if preset == "rank_lock":
        plain = {"any_caller": False, **plain}
    for seed in range(3):
        game = WatchedGame(preset, plain, Style.SEALED, 4, Random(seed), 0.0)
        game.play()

        found = read(CHEAT, game.events, terms_of(CHEAT, 4, preset=preset, **plain))
        for seat, seen in enumerate(found):
            faced = seen.counts.get("faced", [])
            assert sum(faced) == game.chances.count(seat), (seed, seat)
            assert sum(faced[TRUE_CALLED::2]) == game.calls.count(seat), (seed, seat)


@pytest.mark.parametrize("style", list(Style))
def test_games_of_every_kind_can_be_read(style):
    """Seats leave, moves are believed, decks are cut: at the end every called claim had been made."""
    options: dict[str, Any] = {"max_turns": 150, "believe": True, "deal": "cut_and_choose"}
    for seed in range(6):
        game = RandomGame(CHEAT.presets[seed % 2], options, style, 5, Random(seed), 0.02)
        game.play()

        found = read(CHEAT, game.events, terms_of(CHEAT, 5, style.value, CHEAT.presets[seed % 2], **options))
        played = [event for event in game.events if isinstance(event, Played) and event.count and not event.face_up]
        right = [event for event in game.events if isinstance(event, Called) and event.right]
        assert sum(sum(seat.counts.get("claims_by_rank", [])) for seat in found) == len(played)
        assert sum(cheat_figures(seat.counts).lies_called.amount for seat in found) == len(right)
