"""The common part of both PettingZoo environments: a table with an agent for each seat."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.envs.card_stream import CardStream
from arena.envs.env_spec import SEATS, resolve_spec
from arena.envs.rendering import RENDER_MODES, render_table
from arena.envs.seat_spaces import action_space, agent_names, check_render_mode, observation_space


class SeatedEnv:
    """A table whose seats are agents. Nothing of it is shared with other environments."""

    extra_actions = 0
    """Number of actions after those of the encoding."""

    def __init__(
        self,
        preset: str = "",
        options: Mapping[str, object] | None = None,
        seats: int = SEATS,
        encoding: str = "",
        render_mode: str | None = None,
    ) -> None:
        """Raises what `resolve_spec` raises, and OptionError for an unknown render mode."""
        super().__init__()
        self.spec = spec = resolve_spec(preset, options, seats, encoding)
        self.render_mode = check_render_mode(render_mode)
        self.metadata: dict[str, Any] = {
            "name": f"{spec.game.name}_{spec.preset}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": True,
            "render_fps": 2,
        }
        self.possible_agents = agent_names(seats)
        self.agents: list[str] = []
        count = spec.actions.size + self.extra_actions
        self.observation_spaces = {agent: observation_space(spec, count) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(count) for agent in self.possible_agents}
        self._table = spec.new_table(keeps_events=render_mode is not None)
        self._cards = CardStream()
        self._steps: list[Any] = []
        """What `step` was given since the last reset."""

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def render(self) -> Any:
        """Show the table as spectators see it. Return text, a `Drawing`, or nothing, as `render_mode` says."""
        return render_table(self.spec, self._table, self.render_mode)

    def close(self) -> None:
        """There is nothing to close."""

    def deal(self, seed: int | None) -> None:
        """Deal a game: with a seed, the first one of this seed, otherwise the next one."""
        if seed is not None:
            self._cards = CardStream(seed)
        self._table.begin_game(self._cards.chance, self._cards.next_number())
        self._steps = []
        self.agents = self.possible_agents[:]

    def __reduce__(self) -> Any:
        """Pickle the arguments, the seed and the steps since the reset, which give the same environment again."""
        number = None if self._table.state is None else self._table.number
        arguments = (*self.spec.arguments, self.render_mode)
        return _restore_env, (type(self), arguments, self._cards.seed, number, tuple(self._steps))


def _restore_env(
    kind: type[Any], arguments: Sequence[Any], seed: bytes, number: int | None, steps: Sequence[Any]
) -> SeatedEnv:
    """Return an environment as it was pickled. `number` is that of its game; None if none had begun."""
    env = kind(*arguments)
    env._cards = CardStream(seed, number or 0)  # noqa: SLF001  as `__reduce__` read it
    if number is not None:
        env.reset()
    for given in steps:
        env.step(given)
    restored: SeatedEnv = env
    return restored
