"""structlog, with which all modules of the arena log, imported in a way that does not load rich.

structlog loads rich, if it is installed, to print tracebacks on a terminal. We do not use that, and a server would take
a tenth longer to start.
"""

import sys
from typing import Any

_modules: dict[str, Any] = dict(sys.modules)
sys.modules["rich"] = None  # type: ignore[assignment]  # Python then refuses to import it
try:
    import structlog
finally:
    del sys.modules["rich"]
    sys.modules.update((name, module) for name, module in _modules.items() if name == "rich")

__all__ = ["get_logger", "structlog"]

get_logger = structlog.get_logger
