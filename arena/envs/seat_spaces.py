"""Names, spaces and arrays that the environments of PettingZoo and Gymnasium have in common."""

from operator import index
from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from arena.envs.env_spec import EnvSpec
from arena.envs.rendering import RENDER_MODES
from arena.errors import IllegalActionError, OptionError, quote

OBSERVATION: Final = "observation"
ACTION_MASK: Final = "action_mask"
"""The keys of an observation, as PettingZoo names them."""
LOWEST: Final = -1
HIGHEST: Final = 127


def agent_names(seats: int) -> list[str]:
    """Return the name of each seat's agent.

    >>> agent_names(2)
    ['seat_0', 'seat_1']
    """
    return [f"seat_{seat}" for seat in range(seats)]


def observation_space(spec: EnvSpec, action_count: int) -> Any:
    """Return the space of a seat's observation and action mask."""
    size = spec.arrays.observation.size
    return Dict(
        {
            OBSERVATION: Box(LOWEST, HIGHEST, (size,), np.int8),
            ACTION_MASK: Box(0, 1, (action_count,), np.int8),
        }
    )


def action_space(action_count: int) -> Any:
    return Discrete(action_count)


def seat_observation(observation: bytes, mask: bytes) -> dict[str, Any]:
    """Return a seat's observation and action mask, as arrays of its own."""
    return {
        OBSERVATION: np.frombuffer(bytearray(observation), np.int8),
        ACTION_MASK: np.frombuffer(bytearray(mask), np.int8),
    }


def read_action(action: Any) -> int:
    """Return an action as a number. Raises IllegalActionError if it is none."""
    if not isinstance(action, bool):
        try:
            return index(action)
        except TypeError:
            pass
    raise IllegalActionError(f"action must be one whole number, got {quote(action)}")


def check_render_mode(mode: str | None) -> str | None:
    """Return the mode. Raises OptionError if it is not known."""
    if mode is not None and mode not in RENDER_MODES:
        raise OptionError("render_mode", mode, f"expected {', '.join(RENDER_MODES)} or None")
    return mode
