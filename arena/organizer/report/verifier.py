"""Finds the stand-alone programs of `arena/verify`, which every published site includes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import arena.verify
from arena.errors import EnvironmentFaultError

DEAL_VERIFIER: Final = "verify_deal.py"
"""The program that checks the replay file of a game."""
LEAGUE_VERIFIER: Final = "verify_league.py"
"""The program that checks the seal of a league."""


def verifier_files() -> Sequence[Path]:
    """Return the paths of the verifiers, sorted by name. Raises EnvironmentFaultError if one is not installed."""
    paths = sorted(Path(arena.verify.__file__).parent.glob("verify_*.py"))
    if missing := sorted({DEAL_VERIFIER, LEAGUE_VERIFIER} - {path.name for path in paths}):
        raise EnvironmentFaultError(f"this installation lacks {', '.join(missing)}: install cheatarena-server again")
    return paths
