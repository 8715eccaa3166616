"""The choice of gRPC's poller; must be imported before gRPC, so `cheatarena` imports it first.

The default poller of grpcio 1.76 to 1.82 in Python passes every read and write through two more threads. The older one,
which these versions still include, nearly halves the time of a round trip (0.27 ms and 0.15 ms on two cores over
loopback) and uses a third less of a core. Later versions only have the new one and would warn about the setting.
"""

import os
from importlib.metadata import PackageNotFoundError, version

EXPERIMENTS_VARIABLE = "GRPC_EXPERIMENTS"
OLD_POLLER = "-event_engine_poller_for_python"
FIRST_VERSION_WITHOUT_OLD_POLLER = (1, 83)


def choose_poller() -> None:
    """Select the old poller for this process, unless GRPC_EXPERIMENTS is already set."""
    try:
        major, minor, *_ = version("grpcio").split(".")
    except PackageNotFoundError:
        return
    if (int(major), int(minor)) < FIRST_VERSION_WITHOUT_OLD_POLLER:
        os.environ.setdefault(EXPERIMENTS_VARIABLE, OLD_POLLER)


choose_poller()
