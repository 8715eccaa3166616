"""The environments of PettingZoo pass its own tests, and behave as the guide says."""

import copy
import multiprocessing
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from arena.envs import AecEnv, ParallelEnv
from arena.errors import IllegalActionError, OptionError, UnknownNameError
from arena.replays.watch.drawing import Drawing
from tests.support.env_rules import EVERY_PRESET, draw_rules, legal_actions

RULESETS = [
    *range(3),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 40)),
    *(pytest.param(seed, marks=(pytest.mark.slow, pytest.mark.long)) for seed in range(40, 200)),
]
"""Seeds of random rulesets: few in every run, and 200 before a release."""

DICT_OBSERVATIONS = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)
"""What PettingZoo says of every environment with a mask but its own."""


def play(env, random, most=10**9):
    """Play at random to the end, or up to a number of steps. Return the actions."""
    actions: list[int] = []
    while env.agents and len(actions) < most:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        actions.append(random.choice(legal_actions(observation["action_mask"])))
        env.step(actions[-1])
    return actions


def seen(env):
    """Return everything that an environment tells of itself."""
    observations = {agent: env.observe(agent) for agent in env.agents}
    arrays = {agent: [array.tobytes() for array in each.values()] for agent, each in observations.items()}
    return arrays, env.agent_selection, dict(env.rewards), dict(env.terminations), dict(env.truncations)


@DICT_OBSERVATIONS
@pytest.mark.parametrize("encoding", ["steps", "macro"])
@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_presets_pass_the_tests_of_pettingzoo(preset, encoding):
    encoding = "steps" if preset == "cheater" else encoding
    api_test(AecEnv(preset, encoding=encoding), num_cycles=50)
    seed_test(lambda: AecEnv(preset, encoding=encoding), num_cycles=20)
    parallel_api_test(ParallelEnv(preset, encoding=encoding), num_cycles=50)


@DICT_OBSERVATIONS
@pytest.mark.parametrize("seed", RULESETS)
def test_random_rulesets_pass_the_tests_of_pettingzoo(seed):
    rules = draw_rules(Random(seed), max_turns=20)
    api_test(AecEnv(*rules), num_cycles=20)
    seed_test(lambda: AecEnv(*rules), num_cycles=10)
    parallel_api_test(ParallelEnv(*rules), num_cycles=20)


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_interleaved_environments_never_touch(preset):
    """Each gives what it gives alone, whatever another one does in between."""
    alone, first, second = AecEnv(preset), AecEnv(preset), AecEnv(preset)
    alone.reset(seed=1)
    first.reset(seed=1)
    second.reset(seed=2)
    other = Random(2)
    for action in play(alone, Random(1), 100):
        play(second, other, 1)
        first.step(action)
    assert seen(first) == seen(alone)


def test_reset_without_a_seed_deals_the_next_game_of_the_seed():
    env, again = AecEnv("standard"), AecEnv("standard")
    for each in (env, again):
        each.reset(seed=7)
    first = seen(env)
    for each in (env, again):
        each.reset()
    assert seen(env) == seen(again) != first


def test_without_a_seed_the_cards_are_random():
    first, second = AecEnv("standard"), AecEnv("standard")
    first.reset()
    second.reset()
    assert seen(first) != seen(second)


def test_seats_asked_at_once_act_clockwise_and_see_nothing_of_the_answers():
    env = AecEnv("standard", encoding="macro")
    env.reset(seed=3)
    mover = env.agent_selection
    play(env, Random(1), 1)
    asked = [env.possible_agents[(env.possible_agents.index(mover) + step) % 4] for step in (1, 2, 3)]
    before = {agent: env.observe(agent)["observation"].tobytes() for agent in asked}
    for agent in asked[:2]:
        assert env.agent_selection == agent
        env.step(1)  # a call
        assert {each: env.observe(each)["observation"].tobytes() for each in asked} == before


def test_rewards_come_at_the_end_alone_and_sum_to_zero():
    env = AecEnv("rank_lock")
    env.reset(seed=1)
    random = Random(1)
    while not any(env.terminations.values()):
        assert not any(env.rewards.values())
        play(env, random, 1)
    assert sorted(env.rewards.values()) == pytest.approx([-1 / 3, -1 / 3, -1 / 3, 1])
    assert [env.last()[1] for _ in [0]] == [env.rewards[env.agent_selection]]


def test_limit_of_turns_is_a_truncation():
    env = AecEnv("standard", {"max_turns": 2})
    env.reset(seed=1)
    play(env, Random(1))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


@pytest.mark.parametrize("encoding", ["steps", "macro"])
def test_parallel_and_aec_play_the_same_game(encoding):
    """The agents that are asked answer in one step what they answer one by one."""
    aec, parallel, random = AecEnv("standard", encoding=encoding), ParallelEnv("standard", encoding=encoding), Random(1)
    aec.reset(seed=9)
    observations, _ = parallel.reset(seed=9)
    for _ in range(200):
        actions = {agent: random.choice(legal_actions(each["action_mask"])) for agent, each in observations.items()}
        asked = [agent for agent, action in actions.items() if action != parallel.wait]
        while asked:
            asked.remove(aec.agent_selection)
            aec.step(actions[aec.agent_selection])
        observations = parallel.step(actions)[0]
        for agent in aec.agents:
            assert np.array_equal(aec.observe(agent)["observation"], observations[agent]["observation"])


# ---- bad input


@pytest.mark.parametrize("action", [1.5, "call", None, True, np.array([1, 2]), np.float32(1), [3]])
def test_action_of_wrong_kind_is_refused(action):
    env = AecEnv("standard")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="action must be one whole number"):
        env.step(action)


def test_masked_action_is_refused_and_changes_nothing():
    env = AecEnv("standard")
    env.reset(seed=1)
    before = seen(env)
    with pytest.raises(IllegalActionError, match="is illegal for seat"):
        env.step(1)
    assert seen(env) == before


def test_steps_before_a_game_and_after_it_are_refused():
    env = AecEnv("standard", {"max_turns": 1})
    with pytest.raises(IllegalActionError, match="reset the environment"):
        env.step(0)
    env.reset(seed=1)
    play(env, Random(1))
    with pytest.raises(IllegalActionError, match="has no action but None"):
        env.step(0)
    while env.agents:
        env.step(None)
    with pytest.raises(IllegalActionError, match="reset the environment"):
        env.step(None)


def test_parallel_step_needs_a_legal_action_of_every_agent():
    env = ParallelEnv("standard")
    with pytest.raises(IllegalActionError, match="reset the environment"):
        env.step({})
    env.reset(seed=1)
    waiting = dict.fromkeys(env.agents, env.wait)
    wrong: list[Any] = [waiting, {**waiting, "seat_9": 0}, {"seat_0": env.wait}, [0, 0, 0, 0]]
    for actions in wrong:
        with pytest.raises(IllegalActionError):
            env.step(actions)


def test_action_out_of_turn_is_refused():
    env = ParallelEnv("standard", encoding="macro")
    observations, _ = env.reset(seed=1)
    actions = {agent: legal_actions(each["action_mask"])[0] for agent, each in observations.items()}
    waiting = next(agent for agent, action in actions.items() if action == env.wait)
    with pytest.raises(IllegalActionError, match=rf"action 5 is illegal for seat {waiting[-1]} now"):
        env.step({**actions, waiting: 5})


def test_wrapper_ends_the_game_at_an_illegal_action():
    env = TerminateIllegalWrapper(AecEnv("standard"), illegal_reward=-1)
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(1)
    assert env.terminations[loser]
    assert env.rewards[loser] == -1


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"options": {"decks": 3}}, "decks must be at most 2, got 3: the arrays count cards up to 127"),
        ({"options": {"deal": "cut_and_choose"}}, "the arrays have no action for a cut"),
        ({"options": {"decks": 2}, "encoding": "macro"}, "max_count must be at most 8 in the encoding macro, got 12"),
        ({"options": {"players_max": 11, "decks": 2}, "seats": 11}, "seats must be at most 10, got 11"),
        ({"encoding": "letters"}, "encoding must be steps or macro, got 'letters'"),
        ({"preset": "cheater", "encoding": "macro"}, "encoding must be steps, got 'macro'"),
        ({"seats": 2.0}, "seats must be a whole number, got 2.0"),
        ({"render_mode": "rgb_array"}, "render_mode must be ansi, human, drawing or None, got 'rgb_array'"),
    ],
)
def test_what_the_arrays_cannot_hold_is_refused_with_the_reason(rules, sentence):
    with pytest.raises(OptionError) as refused:
        AecEnv(**{"preset": "standard", **rules})
    assert sentence in str(refused.value)


def test_unknown_preset_and_bad_seed_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean standard"):
        AecEnv("standart")
    with pytest.raises(OptionError, match="seed must be a whole number"):
        AecEnv("standard").reset(seed="one")  # type: ignore[arg-type]  # what a user may do


# ---- copies and other processes


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("steps", [0, 7, 10**9])
def test_copy_of_an_environment_goes_on_from_the_same_step(copied, steps):
    env = AecEnv("rank_lock", {"max_turns": 30})
    env.reset(seed=4)
    play(env, Random(1), steps)
    other = copied(env)
    assert seen(other) == seen(env)
    assert play(other, Random(2)) == play(env, Random(2))
    env.reset()
    other.reset()
    assert seen(other) == seen(env)


def test_environment_that_was_never_reset_can_be_pickled():
    env = pickle.loads(pickle.dumps(ParallelEnv("folk")))
    assert env.agents == []
    env.reset(seed=1)


def finish(env, connection):
    """Play on in another process, and tell what it saw."""
    play(env, Random(3))
    connection.send(seen(env))


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_environment_plays_on_in_another_process(method):
    env = AecEnv("standard", {"max_turns": 10})
    env.reset(seed=4)
    play(env, Random(1), 5)
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=finish, args=(env, there))
    process.start()
    found = here.recv()
    process.join()
    play(env, Random(3))
    assert found == seen(env)


# ---- pictures


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_table_is_rendered_as_text_and_as_drawing(preset, capsys):
    shown = {}
    for mode in ("ansi", "drawing", "human"):
        env = AecEnv(preset, render_mode=mode)
        env.reset(seed=1)
        play(env, Random(1), 40)
        shown[mode] = env.render()
    assert isinstance(shown["drawing"], Drawing)
    assert len(shown["drawing"].seats) == 4
    assert "\nseat 3: " in shown["ansi"]
    assert capsys.readouterr().out == shown["ansi"] + "\n"
    env = AecEnv(preset)
    env.reset()
    assert env.render() is None
