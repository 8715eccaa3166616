"""Many tables at once play the same games as one table each, and write them into the same arrays."""

import numpy as np
import pytest

from arena.envs import AecEnv, ProcessTables, VectorTables
from arena.envs.vector_tables import sample_actions
from arena.errors import EnvironmentFaultError, IllegalActionError, OptionError
from tests.support.env_rules import EVERY_PRESET

SHORT = {"max_turns": 20}


def arrays_of(tables):
    return {
        name: getattr(tables, name).copy()
        for name in ("observations", "masks", "seats", "rewards", "terminated", "truncated", "last_observations")
    }


def are_equal(first, second):
    return all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("encoding", ["steps", "macro"])
@pytest.mark.parametrize("preset", EVERY_PRESET)
def test_tables_play_what_single_environments_play(preset, encoding):
    encoding = "steps" if preset == "cheater" else encoding
    tables = VectorTables(3, preset, SHORT, encoding=encoding)
    tables.reset(seed=5)
    single = [AecEnv(preset, SHORT, encoding=encoding) for _ in range(3)]
    for index, env in enumerate(single):
        env.reset(seed=5 + index)
    generator, ended = np.random.default_rng(1), 0
    while ended < 6:
        for index, env in enumerate(single):
            observation = env.observe(env.agent_selection)
            assert env.agent_selection == f"seat_{tables.seats[index]}"
            assert np.array_equal(tables.observations[index], observation["observation"])
            assert np.array_equal(tables.masks[index], observation["action_mask"])
        actions = sample_actions(tables.masks, generator)
        tables.step(actions)
        for index, env in enumerate(single):
            env.step(actions[index])
            assert tables.terminated[index] == all(env.terminations.values())
            assert tables.truncated[index] == all(env.truncations.values())
            assert tables.rewards[index].tolist() == pytest.approx(list(env.rewards.values()))
            if tables.terminated[index] or tables.truncated[index]:
                ended += 1
                last = [env.observe(agent)["observation"] for agent in env.possible_agents]
                assert np.array_equal(tables.last_observations[index], last)
                env.reset()
    assert tables.games == ended


def test_same_seed_gives_the_same_arrays_whatever_happens_elsewhere():
    first, second, other = (VectorTables(4, "standard", SHORT) for _ in range(3))
    first.reset(seed=1)
    second.reset(seed=1)
    other.reset(seed=2)
    generator = np.random.default_rng(3)
    for _ in range(300):
        other.step(sample_actions(other.masks, generator))
        actions = sample_actions(first.masks, generator)
        first.step(actions)
        second.step(actions)
        assert are_equal(arrays_of(first), arrays_of(second))


def test_every_step_writes_into_the_same_arrays():
    tables = VectorTables(2, "standard")
    before = tables.observations
    tables.reset(seed=1)
    tables.step(sample_actions(tables.masks, np.random.default_rng(1)))
    assert tables.observations is before
    assert tables.observations.dtype == np.int8
    assert tables.masks.dtype == np.bool_


def test_random_actions_are_legal_and_all_are_drawn():
    masks = np.zeros((1000, 7), np.bool_)
    masks[:, [1, 4]] = True
    masks[0, :] = False
    masks[0, 6] = True
    drawn = sample_actions(masks, np.random.default_rng(1))
    assert drawn[0] == 6
    assert set(drawn[1:].tolist()) == {1, 4}
    assert 400 < (drawn == 4).sum() < 600


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([0, 0, 0], "actions must be whole numbers of shape (2,), got int64 of shape (3,)"),
        ([[0, 0]], "got int64 of shape (1, 2)"),
        ([0.0, 0.0], "got float64 of shape (2,)"),
        ([None, 1], "got [None, 1]"),
        ([[1], [1, 2]], "got [[1], [1, 2]]"),
        ([999, 999], "action 999 is illegal at table 0 for seat"),
        ([-1, -1], "action -1 is illegal at table 0"),
        ([1, 1], "action 1 is illegal at table 0 for seat"),
    ],
)
def test_wrong_actions_are_refused_and_change_nothing(actions, sentence):
    tables = VectorTables(2, "standard")
    tables.reset(seed=1)
    before = arrays_of(tables)
    with pytest.raises(IllegalActionError) as refused:
        tables.step(actions)
    assert sentence in str(refused.value)
    assert are_equal(before, arrays_of(tables))


def test_one_illegal_action_among_many_changes_no_table():
    tables = VectorTables(3, "standard", encoding="macro")
    tables.reset(seed=1)
    before = arrays_of(tables)
    actions = sample_actions(tables.masks, np.random.default_rng(1))
    actions[2] = 1
    with pytest.raises(IllegalActionError, match="action 1 is illegal at table 2"):
        tables.step(actions)
    assert np.array_equal(before["observations"], tables.observations)


def test_tables_need_a_reset_and_a_number():
    with pytest.raises(IllegalActionError, match="reset the tables before the first step"):
        VectorTables(1, "standard").step([0])
    with pytest.raises(OptionError, match="tables must be a whole number from 1, got 0"):
        VectorTables(0)


def test_processes_play_the_games_of_one_process():
    with ProcessTables(2, 3, "standard", SHORT) as shared:
        alone = VectorTables(6, "standard", SHORT)
        alone.reset(seed=9)
        shared.reset(seed=9)
        generator = np.random.default_rng(1)
        for _ in range(200):
            actions = sample_actions(alone.masks, generator)
            for part in range(2):
                shared.begin_step(part, actions[3 * part : 3 * part + 3])
            alone.step(actions)
            for part in range(2):
                shared.end_step(part)
            parts = [arrays_of(part) for part in shared.parts]
            for name, array in arrays_of(alone).items():
                assert np.array_equal(np.concatenate([part[name] for part in parts]), array), name
        assert sum(shared.games) == alone.games > 0
        with pytest.raises(IllegalActionError, match="is illegal at table 0"):
            shared.begin_step(0, np.full(3, 999))
        shared._processes[1].terminate()
        shared._processes[1].join()
        shared.begin_step(1, sample_actions(shared.parts[1].masks, generator))
        with pytest.raises(EnvironmentFaultError, match="process 1 of the tables has ended"):
            shared.end_step(1)
    with pytest.raises(EnvironmentFaultError, match="the tables are closed"):
        shared.reset()
