"""The environment of PettingZoo in which all agents act at once."""

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv as BaseParallelEnv

from arena.envs.seat_spaces import read_action, seat_observation
from arena.envs.seated_env import SeatedEnv
from arena.envs.table import NOBODY
from arena.errors import IllegalActionError, quote

ByAgent = dict[str, Any]
"""Something for each agent, by its name."""


class ParallelEnv(SeatedEnv, BaseParallelEnv):
    """One table. Each step takes an action of every agent.

    Agents whose seats are not asked wait: their only legal action is the last one, which the other environments do not
    have.
    """

    extra_actions = 1

    @property
    def wait(self) -> int:
        """The action of an agent whose seat is not asked."""
        return self.spec.actions.size

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> tuple[ByAgent, ByAgent]:
        """Deal a game: with a seed, the first one of this seed, otherwise the next one. `options` are not used."""
        self.deal(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Take an action of every agent. Raises IllegalActionError, and nothing has changed then."""
        if not self.agents:
            raise IllegalActionError("there is no game: reset the environment before the next step")
        for action in self._read_actions(actions):
            self._table.choose(action)
        self._steps.append(dict(actions))
        agents, rewards, is_truncated = self.agents, (0.0,) * len(self.agents), False
        is_over = self._table.seat == NOBODY
        if is_over:
            rewards, is_truncated = self._table.outcome()
            self.agents = []
        return (
            self._observations(),
            dict(zip(agents, rewards, strict=True)),
            dict.fromkeys(agents, is_over and not is_truncated),
            dict.fromkeys(agents, is_truncated),
            {agent: {} for agent in agents},
        )

    def _read_actions(self, actions: Any) -> list[int]:
        """Return the actions of the seats that are asked, in the order in which they are. All are checked first."""
        if not isinstance(actions, Mapping) or actions.keys() != set(self.agents):
            raise IllegalActionError(
                f"actions must have one for each of {', '.join(self.agents)}, got {quote(actions)}"
            )
        chosen = [read_action(actions[agent]) for agent in self.agents]
        for seat, action in enumerate(chosen):
            mask = self._mask(seat)
            if not 0 <= action < len(mask) or not mask[action]:
                raise IllegalActionError(f"action {action} is illegal for seat {seat} now: its mask is 0")
        return [chosen[seat] for seat in self._table.asked_seats()]

    def _mask(self, seat: int) -> bytes:
        """Return the mask of a seat. If the seat is not asked, it may wait and do nothing else."""
        is_asked = seat in self._table.asked_seats()
        return self._table.mask_of(seat) + bytes((not is_asked,))

    def _observations(self) -> ByAgent:
        return {
            agent: seat_observation(self._table.observe(seat), self._mask(seat))
            for seat, agent in enumerate(self.possible_agents)
        }
