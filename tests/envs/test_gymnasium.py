"""The environments of Gymnasium pass its own checks, and play one seat against a pool."""

from random import Random

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from arena.envs import EndAtIllegalAction, GymnasiumEnv, GymnasiumVectorEnv
from arena.envs.learner_tables import random_opponent
from arena.envs.vector_tables import sample_actions
from arena.errors import BotFailureError, IllegalActionError, OptionError, RequestError
from tests.support.env_rules import EVERY_PRESET, draw_rules

RULESETS = [
    *range(3),
    *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 40)),
    *(pytest.param(seed, marks=(pytest.mark.slow, pytest.mark.long)) for seed in range(40, 200)),
]
"""Seeds of random rulesets: few in every run, and 200 before a release."""

SHORT = {"max_turns": 20}
CHECKED = pytest.mark.filterwarnings("ignore:.*(alternative render modes|different from the unwrapped version)")
"""What Gymnasium says of environments that are wrapped, or not made from its registry."""


def sample(observations, generator):
    return sample_actions(observations["action_mask"].astype(np.bool_), generator)


@CHECKED
@pytest.mark.parametrize("encoding", ["steps", "macro"])
@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_presets_pass_the_check_of_gymnasium(preset, encoding):
    """It takes actions without looking at the mask, so illegal ones end the game."""
    encoding = "steps" if preset == "cheater" else encoding
    check_env(EndAtIllegalAction(GymnasiumEnv(preset, encoding=encoding)))


@CHECKED
@pytest.mark.parametrize("seed", RULESETS)
def test_random_rulesets_pass_the_check_of_gymnasium(seed):
    check_env(EndAtIllegalAction(GymnasiumEnv(*draw_rules(Random(seed), max_turns=20))))


@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_learners_are_asked_alone_and_games_follow_each_other(preset):
    env = GymnasiumVectorEnv(5, preset, SHORT)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, infos = env.reset(seed=1)
    generator, over, seats = np.random.default_rng(1), 0, set()
    while over < 40:
        assert env.observation_space.contains(observations)
        assert observations["action_mask"].any(axis=1).all()
        assert (env.learners.tables.seats == infos["seat"]).all()
        seats |= set(infos["seat"].tolist())
        observations, rewards, terminated, truncated, infos = env.step(sample(observations, generator))
        ended = terminated | truncated
        assert not rewards[~ended].any()
        assert (np.abs(rewards) <= 1).all()
        assert ended.any() == ("final_obs" in infos)
        for index in np.flatnonzero(ended):
            assert env.single_observation_space.contains(infos["final_obs"][index])
        over += ended.sum()
    assert seats == {0, 1, 2, 3}


def test_same_seed_gives_the_same_games():
    envs = [GymnasiumVectorEnv(3, "standard", SHORT) for _ in range(2)]
    generator = np.random.default_rng(1)
    seen, same = (env.reset(seed=4)[0] for env in envs)
    for _ in range(200):
        assert all(np.array_equal(seen[name], same[name]) for name in seen)
        actions = sample(seen, generator)
        (seen, rewards, *_), (same, same_rewards, *_) = (env.step(actions) for env in envs)
        assert np.array_equal(rewards, same_rewards)


def test_single_environment_waits_for_a_reset_after_the_end():
    env = GymnasiumEnv("standard", SHORT, seat=2)
    with pytest.raises(IllegalActionError, match="there is no game"):
        env.step(0)
    observation, infos = env.reset(seed=1)
    assert infos == {"seat": 2}
    is_over, generator = False, np.random.default_rng(1)
    while not is_over:
        action = sample({"action_mask": observation["action_mask"][None]}, generator)[0]
        observation, _, terminated, truncated, _ = env.step(action)
        is_over = terminated or truncated
    assert not observation["action_mask"].any()
    with pytest.raises(IllegalActionError, match="there is no game"):
        env.step(0)
    env.reset()


def test_illegal_action_raises_or_ends_the_game_by_wrapper():
    env = GymnasiumEnv("standard", seat=0)
    env.reset(seed=1)
    for action in (187, 10**6, 1.0):
        with pytest.raises(IllegalActionError):
            env.step(action)
    ending = EndAtIllegalAction(env)
    with pytest.raises(IllegalActionError, match="reset"):
        ending.step(0)
    ending.reset(seed=1)
    _, reward, terminated, _, infos = ending.step(187)
    assert (reward, terminated) == (-1, True)
    assert "is illegal" in infos["illegal"]
    with pytest.raises(IllegalActionError, match="reset"):
        ending.step(0)


def test_each_opponent_of_the_pool_plays():
    asked = [0, 0]

    def counting(number):
        def opponent(observations, masks, generator):
            asked[number] += len(observations)
            return random_opponent(observations, masks, generator)

        return opponent

    env = GymnasiumVectorEnv(8, "standard", pool=[counting(0), counting(1)])
    env.reset(seed=1)
    assert min(asked) > 0


def raising(observations, masks, generator):
    raise KeyError("weights")


@pytest.mark.parametrize(
    ("opponent", "sentence"),
    [
        (raising, "opponent 0 of the pool has raised KeyError('weights')"),
        (lambda observations, masks, generator: None, "opponent 0 of the pool has given no answer"),
        (
            lambda observations, masks, generator: [0],
            "opponent 0 of the pool has given no answer: actions must be whole",
        ),
        (lambda observations, masks, generator: [186] * len(masks), "has chosen 186, which its mask forbids"),
        (lambda observations, masks, generator: [-1] * len(masks), "has chosen -1, which its mask forbids"),
    ],
)
def test_opponent_that_fails_is_named(opponent, sentence):
    with pytest.raises(BotFailureError) as failed:
        GymnasiumVectorEnv(32, "standard", pool=[opponent]).reset(seed=1)
    assert sentence in str(failed.value)


def test_empty_pool_wrong_seat_and_a_learner_that_is_never_asked_are_refused():
    with pytest.raises(OptionError, match="pool must be at least one opponent"):
        GymnasiumVectorEnv(1, pool=[])
    with pytest.raises(OptionError, match="seat must be 0 to 3, or None, got 4"):
        GymnasiumVectorEnv(1, seat=4)
    never = {"max_turns": 1, "first_mover": "first_seat", "any_caller": False, "call_mode": "turn_action"}
    with pytest.raises(RequestError, match="the learner is never asked"):
        GymnasiumEnv("standard", never, seat=2).reset(seed=1)
