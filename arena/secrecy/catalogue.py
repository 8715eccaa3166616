"""The games whose secrets can be tested. A further game adds an entry."""

from collections.abc import Mapping

from arena.secrecy.cheat import CHEAT_KNOWLEDGE
from arena.secrecy.cheater import CHEATER_KNOWLEDGE
from arena.secrecy.knowledge_model import KnowledgeModel

KNOWLEDGE_MODELS: Mapping[str, KnowledgeModel] = {"cheat": CHEAT_KNOWLEDGE, "cheater": CHEATER_KNOWLEDGE}
