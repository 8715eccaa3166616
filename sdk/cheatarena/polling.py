"""How gRPC waits for its sockets: to be imported before gRPC is, as `cheatarena` does first of all.

The poller that grpcio 1.76 to 1.82 use in Python hands every read and write through two more threads. The older one,
which these versions still have, halves the time of a round trip (0.27 ms and 0.15 ms on two cores over loopback) and
takes a third less of a core. Later versions have the new one alone and would complain of the setting.
"""

import os
from importlib.metadata import PackageNotFoundError, version

EXPERIMENTS_VARIABLE = "GRPC_EXPERIMENTS"
OLD_POLLER = "-event_engine_poller_for_python"
FIRST_VERSION_WITHOUT_OLD_POLLER = (1, 83)


def choose_poller() -> None:
    """Set it for this process, unless somebody has set something already."""
    try:
        major, minor, *_ = version("grpcio").split(".")
    except PackageNotFoundError:
        return
    if (int(major), int(minor)) < FIRST_VERSION_WITHOUT_OLD_POLLER:
        os.environ.setdefault(EXPERIMENTS_VARIABLE, OLD_POLLER)


choose_poller()
