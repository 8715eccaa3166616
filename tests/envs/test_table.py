"""Tables of environments play the games of the rules, and ask one seat at a time."""

from random import Random
from typing import Any

import pytest

from arena.author.practice.play import play
from arena.envs.env_spec import resolve_spec
from arena.envs.table import NOBODY, place_rewards
from arena.errors import IllegalActionError
from arena.games.catalogue import games
from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Play
from arena.games.cheat.rules.events import Played
from arena.match.game import Seat
from arena.match.referee.inputs import Answer
from arena.match.referee.orders import TellEvent
from arena.match.referee.replay import Replay
from cheatarena import Bot, Call, Decline
from cheatarena import Play as BotPlay
from tests.support.env_rules import EVERY_PRESET, begin_table, draw_rules, legal_actions, play_on


def rules_in(random, count):
    """Yield the specifications of random rulesets."""
    for _ in range(count):
        yield resolve_spec(*draw_rules(random))


@pytest.mark.parametrize("seed", range(4))
def test_random_rulesets_play_to_their_end_with_arrays_of_the_promised_sizes(seed):
    random = Random(seed)
    for spec in rules_in(random, 4):
        table = begin_table(spec, seed)
        for _ in play_on(table, random):
            assert len(table.observe(table.seat)) == spec.arrays.observation.size
            assert len(table.mask()) == spec.actions.size
        rewards, _ = table.outcome()
        assert sum(rewards) == pytest.approx(0)
        assert max(map(abs, rewards)) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_every_action_of_a_mask_is_legal(seed, monkeypatch):
    """What a choice becomes is judged by the rules themselves before it is resolved."""
    random = Random(seed)
    for spec in rules_in(random, 4):
        table = begin_table(spec, seed)
        resolve = spec.game.resolve

        def judged(state, kind, answers, game=spec.game, resolve=resolve):
            for seat, action in answers.items():
                assert game.why_illegal(state, seat, action, kind) is None, action
            return resolve(state, kind, answers)

        table._game = type("Judged", (), {"__getattr__": lambda _, name, game=spec.game: getattr(game, name)})()
        table._game.resolve = judged
        for _ in play_on(table, random):
            pass


def find_paths(table, seat):
    """Yield every play that the steps of a turn lead to, each by its only path."""
    arrays, options, state = table._arrays, table._questions[0], table.state

    def walk(path):
        arrays.ask(state, options)
        answer = None
        for action in path:
            answer = arrays.choose(action)
        if answer is not None:
            yield answer
            return
        for action in legal_actions(arrays.mask()):
            yield from walk((*path, action))

    yield from walk(())


def all_plays(table, spec, seat):
    """Yield every legal play of a hand, by its ranks: each set of cards, with each claim."""
    hand = table.state.hands[seat]
    codes = [code for code, count in enumerate(hand) for _ in range(count)]
    for subset in range(1 << len(codes)):
        cards = bytes(code for at, code in enumerate(codes) if subset >> at & 1)
        for rank in range(13):
            for count in range(13):
                if spec.game.why_illegal(table.state, Seat(seat), Play(cards, count, rank)) is None:
                    yield count, rank, tuple(code >> 2 for code in cards)


@pytest.mark.parametrize("seed", range(2))
def test_steps_lead_to_every_legal_play_but_for_suits_and_to_each_once(seed):
    """With small hands, every set of cards can be tried against the rules."""
    random = Random(seed)
    for preset in ("standard", "folk", "rank_lock"):
        spec = resolve_spec(preset, {}, 10, "steps")
        table, tried = begin_table(spec, seed), 0
        for _ in play_on(table, random):
            if table.state.turn == table.seat and table.state.sizes[table.seat] <= 5 and tried < 3:
                if table._answers or len(table._questions) > 1 or table._arrays._steps.laying():
                    continue
                tried += 1
                found = list(find_paths(table, table.seat))
                plays = [
                    (each.count, each.rank, tuple(code >> 2 for code in each.cards))
                    for each in found
                    if isinstance(each, Play)
                ]
                assert len(plays) == len(set(plays))
                assert set(plays) == set(all_plays(table, spec, table.seat))
                table._arrays.ask(table.state, table._questions[0])
        assert tried


class FirstCards(Bot):
    """Lays its first cards, and so the first suits of each rank, and makes every other choice at random."""

    def turn(self, table, options):
        move = options.random_play(table.random)
        return BotPlay(tuple(table.hand)[: len(move.cards)], move.rank, move.count)

    def call_window(self, table, claim):
        return Call() if table.random.random() < 0.3 else Decline()


def steps_of(action):
    """Return the steps of a recorded action, by the table of the guide."""
    if isinstance(action, Play):
        return [4 + 13 * action.rank + action.count, *(4 + 169 + (code >> 2) for code in action.cards)]
    return [[PASS, CALL, BELIEVE, DECLINE].index(action)]


@pytest.mark.parametrize("preset", ["standard", "ascending"])
def test_same_seed_and_actions_give_the_events_and_places_of_practice(preset):
    result = play([FirstCards] * 4, preset, seed=5)
    replay = Replay(result.records, games())
    events: list[Any] = []
    actions: dict[int, list[int]] = {seat: [] for seat in range(4)}
    for moment in replay.moments():
        events += [order.event for order in moment.orders if isinstance(order, TellEvent)]
        if isinstance(moment.entry, Answer):
            actions[moment.entry.entrant] += steps_of(moment.entry.action)

    table = begin_table(resolve_spec(preset, {}, 4, "steps"), seed=5)
    while table.seat != NOBODY:
        table.choose(actions[table.seat].pop(0))

    assert table.events == events
    assert any(isinstance(event, Played) for event in events)
    assert table.outcome()[0] == place_rewards(result.places[0])


def test_places_become_rewards_that_sum_to_zero():
    assert place_rewards((1, 2, 3, 4)) == pytest.approx((1, 1 / 3, -1 / 3, -1))
    assert place_rewards((2, 1, 2)) == (-0.5, 1, -0.5)
    assert place_rewards((1, 1)) == (0, 0)


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_limit_of_turns_truncates(preset):
    table = begin_table(resolve_spec(preset, {"max_turns": 1}, 4))

    for _ in play_on(table, Random(1)):
        pass

    assert table.outcome()[1]


def test_illegal_action_is_refused_and_changes_nothing():
    table = begin_table(resolve_spec("standard"))
    seat, state, mask = table.seat, table.state, table.mask()

    for action in (1, 999, -1):
        with pytest.raises(IllegalActionError):
            table.choose(action)

    assert (table.seat, table.state, table.mask()) == (seat, state, mask)


def test_no_action_is_taken_before_a_game_or_after_it():
    spec = resolve_spec("standard", {"max_turns": 1})
    with pytest.raises(IllegalActionError, match="reset the environment before the first action"):
        spec.new_table().choose(0)
    table = begin_table(spec)
    for _ in play_on(table, Random(1)):
        pass
    with pytest.raises(IllegalActionError, match="the game is over"):
        table.choose(0)
