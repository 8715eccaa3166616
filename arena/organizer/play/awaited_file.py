"""The file in which a running league says which bots it waits for, so that other commands can show them.

The file lies beside the league's secret. It is valid only while the league runs, because a killed league leaves it
behind.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from arena.log_lines import get_logger
from arena.server.store.data_folder import write_private_file

log = get_logger(__name__)

_decoder = msgspec.json.Decoder(dict[str, int])


def awaited_path(folder: Path, league_id: str) -> Path:
    """Return the path of a league's file in a data folder."""
    return folder / "leagues" / f"{league_id}.awaited"


def write_awaited(path: Path, awaited: Mapping[str, int]) -> None:
    """Write how many tables wait for each bot. If that fails, other commands show older numbers."""
    try:
        write_private_file(path, msgspec.json.encode(dict(awaited)))
    except OSError as error:
        log.warning("the awaited bots cannot be written", path=str(path), fault=str(error))


def read_awaited(path: Path) -> Mapping[str, int]:
    """Return how many tables wait for each bot; empty if there is no readable file."""
    try:
        return _decoder.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}
