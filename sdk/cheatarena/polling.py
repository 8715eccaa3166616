"""Chooses gRPC's poller, which waits for network events, and how much gRPC logs.

`cheatarena` imports this module first, before gRPC.

In grpcio 1.76 to 1.82, the default poller passes every read and write through two extra threads. These versions still
include the old poller, which needs a third less processor time. On two cores over loopback, a round trip takes 0.15 ms
with the old poller and 0.27 ms with the default one. Later versions do not have the old poller. They would log a
warning if this module asked for it.

The experiment `event_engine_client` stays on. Without it, a bot's reads would pass through no further threads. But the
round trip and the processor time would be the same, as far as we can measure, and gRPC would start just as many
threads.
"""

import os
from importlib.util import find_spec
from pathlib import Path

VERBOSITY_VARIABLE = "GRPC_VERBOSITY"
EXPERIMENTS_VARIABLE = "GRPC_EXPERIMENTS"
OLD_POLLER = "-event_engine_poller_for_python"
FIRST_VERSION_WITHOUT_OLD_POLLER = (1, 83)


def quieten_grpc() -> None:
    """Let gRPC log only errors, unless GRPC_VERBOSITY is already set.

    Otherwise gRPC prints a raw line about each failed handshake. This package already explains the failure in a
    sentence.
    """
    os.environ.setdefault(VERBOSITY_VARIABLE, "ERROR")


def find_grpc_version() -> str:
    """Return the version of the installed grpcio, such as "1.81.1"; empty if grpcio is not installed.

    The name of a folder beside the package has the version. Importing `importlib.metadata` takes a tenth of the time in
    which a bot starts, so it is asked only if there is no such folder.
    """
    found = find_spec("grpc")
    if found is not None and found.origin is not None:
        for folder in Path(found.origin).parents[1].glob("grpcio-*.dist-info"):
            return folder.name.removeprefix("grpcio-").removesuffix(".dist-info")
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  slow to load, seldom needed

    try:
        return version("grpcio")
    except PackageNotFoundError:
        return ""


def choose_poller() -> None:
    """Select the old poller for this process, unless GRPC_EXPERIMENTS is already set."""
    if EXPERIMENTS_VARIABLE in os.environ or not (installed := find_grpc_version()):
        return
    major, minor, *_ = installed.split(".")
    if (int(major), int(minor)) < FIRST_VERSION_WITHOUT_OLD_POLLER:
        os.environ[EXPERIMENTS_VARIABLE] = OLD_POLLER


quieten_grpc()
choose_poller()
