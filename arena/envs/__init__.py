"""Learning environments over the arena's rules: the same games as arrays, for reinforcement learning.

    games ──▶ env_spec ──▶ table ──▶ aec_env, parallel_env                              PettingZoo: all seats learn
                             └─────▶ vector_tables ──▶ process_tables                  many tables: all seats learn
                                          └──────────▶ learner_tables ──▶ gymnasium_env  one seat against a pool
    facts and table of a bot ──▶ policy_bot                                               what has learned plays

Nothing is imported before it is asked for, since numpy, Gymnasium and PettingZoo come with the extra `envs`.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

from arena.errors import NotInstalledError

if TYPE_CHECKING:
    from arena.envs.aec_env import AecEnv
    from arena.envs.gymnasium_env import EndAtIllegalAction, GymnasiumEnv, GymnasiumVectorEnv
    from arena.envs.parallel_env import ParallelEnv
    from arena.envs.process_tables import ProcessTables
    from arena.envs.vector_tables import VectorTables

_MODULES: Final = {
    "AecEnv": "arena.envs.aec_env",
    "EndAtIllegalAction": "arena.envs.gymnasium_env",
    "GymnasiumEnv": "arena.envs.gymnasium_env",
    "GymnasiumVectorEnv": "arena.envs.gymnasium_env",
    "ParallelEnv": "arena.envs.parallel_env",
    "ProcessTables": "arena.envs.process_tables",
    "VectorTables": "arena.envs.vector_tables",
}


def __getattr__(name: str) -> Any:
    """Return a class of this package. Raises NotInstalledError if a package of the extra is missing."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("arena"):
            raise
        raise NotInstalledError(
            f"learning environments need the package {error.name}: install cheatarena-server[envs]"
        ) from error


__all__ = [
    "AecEnv",
    "EndAtIllegalAction",
    "GymnasiumEnv",
    "GymnasiumVectorEnv",
    "ParallelEnv",
    "ProcessTables",
    "VectorTables",
]
