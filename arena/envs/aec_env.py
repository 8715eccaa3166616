"""The environment of PettingZoo in which one agent acts after the other."""

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv

from arena.envs.seat_spaces import read_action, seat_observation
from arena.envs.seated_env import SeatedEnv
from arena.envs.table import NOBODY
from arena.errors import IllegalActionError


class AecEnv(SeatedEnv, AECEnv):
    """One table. `agent_selection` is the agent of the seat that is asked.

    Seats that are asked at the same time follow each other clockwise, and see nothing of each other's answer. In the
    encoding `steps`, a seat that has claimed is asked for card after card before the next seat.
    """

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Deal a game: with a seed, the first one of this seed, otherwise the next one. `options` are not used."""
        self.deal(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._select_agent()

    def step(self, action: Any) -> None:
        """Take an action of the selected agent. Raises IllegalActionError, and nothing has changed then."""
        if not self.agents:
            raise IllegalActionError("there is no game: reset the environment before the next action")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalActionError(f"the game is over: {agent} has no action but None, until the next reset")
            self._was_dead_step(None)
        else:
            self._table.choose(read_action(action))
            self._cumulative_rewards[agent] = 0.0
            self._select_agent()
        self._steps.append(action)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may know. Its mask is 0 throughout unless the agent is selected."""
        seat, table = self.possible_agents.index(agent), self._table
        mask = table.mask() if seat == table.seat else bytes(self.spec.actions.size)
        return seat_observation(table.observe(seat), mask)

    def _select_agent(self) -> None:
        """Select the agent that is asked, or end the game."""
        seat = self._table.seat
        if seat != NOBODY:
            self.agent_selection = self.possible_agents[seat]
            return
        rewards, is_truncated = self._table.outcome()
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, not is_truncated)
        self.truncations = dict.fromkeys(self.agents, is_truncated)
        self._accumulate_rewards()
        self._deads_step_first()
