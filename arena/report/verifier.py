"""The stand-alone programs of `arena/verify`, which a published site includes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import arena.verify
from arena.errors import EnvironmentFaultError

DEAL_VERIFIER: Final = "verify_deal.py"
"""The program that checks the cards of a game."""
LEAGUE_VERIFIER: Final = "verify_league.py"
"""The program that checks the seal of a league."""


def verifier_files() -> Sequence[Path]:
    """Return the verifier programs, sorted by name. Raises EnvironmentFaultError if the installation lacks one."""
    found = sorted(Path(arena.verify.__file__).parent.glob("verify_*.py"))
    if missing := sorted({DEAL_VERIFIER, LEAGUE_VERIFIER} - {path.name for path in found}):
        raise EnvironmentFaultError(f"this installation lacks {', '.join(missing)}: install cheatarena-server again")
    return found
