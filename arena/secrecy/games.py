"""The games whose secrets can be tested. A further game adds an entry."""

from collections.abc import Mapping

from arena.secrecy.cheat import CHEAT_INSIGHT
from arena.secrecy.cheater import CHEATER_INSIGHT
from arena.secrecy.insight import Insight

INSIGHTS: Mapping[str, Insight] = {"cheat": CHEAT_INSIGHT, "cheater": CHEATER_INSIGHT}
