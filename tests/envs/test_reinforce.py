"""The learner to begin with: small, in numpy alone, and better than chance within a minute."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the environments are an extra")

from arena.envs.reinforce import Network, measure, train


def test_action_that_won_becomes_likelier_and_a_masked_one_stays_impossible():
    network = Network.draw(inputs=3, actions=4, source=np.random.default_rng(0))
    observations = np.tile(np.array([1, 0, 5], np.int8), (64, 1))
    masks = np.tile(np.array([True, True, False, True]), (64, 1))
    actions = np.arange(64) % 2
    rewards = np.where(actions == 1, 1, -1).astype("f")
    before = network.judge(observations, masks)[2][0]

    for _ in range(20):
        network.learn(observations, masks, actions, rewards)

    after = network.judge(observations, masks)[2][0]
    assert after[1] > before[1]
    assert after[0] < before[0]
    assert after[2] == 0


def test_only_legal_actions_are_drawn():
    source = np.random.default_rng(1)
    network = Network.draw(inputs=2, actions=50, source=source)
    masks = source.random((500, 50)) < 0.1
    masks[:, 7] = True
    observations = source.integers(-1, 127, (500, 2)).astype(np.int8)

    actions = network.choose(observations, masks, source)

    assert masks[np.arange(500), actions].all()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_network_learns_to_beat_players_that_play_at_random():
    """By chance alone, the mean of 300 games stays within 0.2."""
    untrained = train("rank_lock", seats=3, actions=0)
    trained = train("rank_lock", seats=3, actions=100_000)

    assert abs(measure(untrained, "rank_lock", 3, games=300, seed=1)) < 0.2
    assert measure(trained, "rank_lock", 3, games=300, seed=1) > 0.25
