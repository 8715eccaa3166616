"""Chooses gRPC's poller. This module must be imported before gRPC, so `cheatarena` imports it first.

In grpcio 1.76 to 1.82, the default poller passes every read and write through two more threads. These versions still
include the older poller, which nearly halves the time of a round trip (0.15 ms instead of 0.27 ms, on two cores over
loopback) and needs a third less processor time. Later versions have only the new poller and would warn about the
setting.
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
