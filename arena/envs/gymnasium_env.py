"""The environments of Gymnasium: one learning seat against a pool of opponents, at one table or at many."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import Env, Wrapper
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from arena.envs.env_spec import SEATS
from arena.envs.learner_tables import LearnerTables, Opponent, random_opponent
from arena.envs.seat_spaces import ACTION_MASK, OBSERVATION, action_space, observation_space, read_action
from arena.envs.vector_tables import VectorTables
from arena.errors import IllegalActionError

RANDOM_POOL: Sequence[Opponent] = (random_opponent,)


class GymnasiumVectorEnv(VectorEnv):
    """Many tables with a learning seat each. The next game begins in the step that ends one (autoreset `SAME_STEP`).

    `infos` then has `final_obs`, what the learner saw at the end, and `_final_obs`, at which tables; and always `seat`,
    the learner's seat.
    """

    def __init__(
        self,
        num_envs: int,
        preset: str = "",
        options: Mapping[str, object] | None = None,
        seats: int = SEATS,
        encoding: str = "",
        *,
        pool: Sequence[Opponent] = RANDOM_POOL,
        seat: int | None = None,
    ) -> None:
        """`seat` is the learner's; None draws it for every game. Raises what `resolve_spec` raises, and OptionError."""
        super().__init__()
        tables = VectorTables(num_envs, preset, options, seats, encoding)
        self.spec_of_game = tables.spec
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.num_envs = num_envs
        self.single_observation_space = observation_space(tables.spec, tables.spec.actions.size)
        self.single_action_space = action_space(tables.spec.actions.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.learners = LearnerTables(tables, pool, seat)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game at each table. `options` are not used."""
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(1 << 62))
        self.learners.reset(seed, self.np_random)
        return self._observations(), {"seat": self.learners.seats.copy()}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        """Take an action of every learner. Raises IllegalActionError; BotFailureError for an opponent that fails."""
        learners = self.learners
        learners.step(actions)
        infos: dict[str, Any] = {"seat": learners.seats.copy()}
        is_over = learners.terminated | learners.truncated
        if is_over.any():
            final = np.full(self.num_envs, None, object)
            for index in np.flatnonzero(is_over).tolist():
                final[index] = self._last_observation(index)
            infos |= {"final_obs": final, "_final_obs": is_over}
        rewards, terminated, truncated = learners.rewards, learners.terminated, learners.truncated
        return self._observations(), rewards.astype(np.float64), terminated.copy(), truncated.copy(), infos

    def _last_observation(self, index: int) -> dict[str, Any]:
        """Return what a learner saw at the end of its last game, in which it may do nothing more."""
        mask = np.zeros(self.spec_of_game.actions.size, np.int8)
        return {OBSERVATION: self.learners.last_observations[index].copy(), ACTION_MASK: mask}

    def _observations(self) -> dict[str, Any]:
        tables = self.learners.tables
        return {OBSERVATION: tables.observations.copy(), ACTION_MASK: tables.masks.astype(np.int8)}


class GymnasiumEnv(Env):
    """One table with one learning seat."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        preset: str = "",
        options: Mapping[str, object] | None = None,
        seats: int = SEATS,
        encoding: str = "",
        *,
        pool: Sequence[Opponent] = RANDOM_POOL,
        seat: int | None = None,
    ) -> None:
        """`seat` is the learner's; None draws it for every game. Raises what `resolve_spec` raises, and OptionError."""
        self._vector = GymnasiumVectorEnv(1, preset, options, seats, encoding, pool=pool, seat=seat)
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self._is_playing = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin the next game, or the first one of a seed. `options` are not used."""
        super().reset(seed=seed)
        observations, infos = self._vector.reset(seed=int(self.np_random.integers(1 << 62)))
        self._is_playing = True
        return self._first(observations), {"seat": int(infos["seat"][0])}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action of the learner. Raises IllegalActionError, and BotFailureError for an opponent that fails."""
        if not self._is_playing:
            raise IllegalActionError("there is no game: reset the environment before the next action")
        observations, rewards, terminated, truncated, infos = self._vector.step(np.array([read_action(action)]))
        is_over = bool(terminated[0] or truncated[0])
        self._is_playing = not is_over
        observation = infos["final_obs"][0] if is_over else self._first(observations)
        return observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    @staticmethod
    def _first(observations: Mapping[str, Any]) -> dict[str, Any]:
        return {name: array[0] for name, array in observations.items()}


class EndAtIllegalAction(Wrapper):
    """Ends the game at an illegal action, with the lowest reward, instead of raising."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._observation: Any = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self._observation, infos = self.env.reset(seed=seed, options=options)
        return self._observation, infos

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._observation is None:
            raise IllegalActionError("there is no game: reset the environment before the next action")
        try:
            found: tuple[Any, float, bool, bool, dict[str, Any]] = self.env.step(action)
        except IllegalActionError as error:
            last = {name: array.copy() for name, array in self._observation.items()}
            self._observation = None
            return last, -1.0, True, False, {"illegal": str(error)}
        self._observation = found[0]
        return found
