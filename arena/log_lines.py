"""Imports structlog, with which all modules of the arena log, without rich.

structlog imports rich, if it is installed, to print tracebacks on a terminal. The arena does not use that, and with it
a server would take a tenth longer to start.
"""

import sys

_rich = sys.modules.get("rich")
sys.modules["rich"] = None  # type: ignore[assignment]  # Python then refuses to import it
try:
    import structlog
finally:
    del sys.modules["rich"]
    if _rich is not None:
        sys.modules["rich"] = _rich

__all__ = ["get_logger", "structlog"]

get_logger = structlog.get_logger
