"""Opens the backend that the settings of a host name.

Bubblewrap needs no daemon and no images, bounds all boxes together, and tells whose fault a lack of memory was. A
container engine runs programs in the images of their languages, and where only the engine may make control groups.
"""

from pathlib import Path

from arena.bots.launch.box_port import BoxBackend
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.sandbox.bubblewrap import BubblewrapBackend
from arena.bots.sandbox.oci import OciBackend


def open_boxes(settings: BoxSettings, *, is_strict: bool = True) -> BoxBackend:
    """Return the backend of a host for untrusted programs. Raises IsolationError if this machine lacks what it needs.

    Unless `is_strict`, it makes boxes although a part of their isolation is missing here. Whether its boxes hold is for
    `require_isolation` to say, before the first program starts.
    """
    paths = tuple(map(Path, settings.paths))
    match settings.backend:
        case "bubblewrap":
            return BubblewrapBackend(paths, settings.most, is_strict, settings.totals)
        case "oci":
            return OciBackend(paths, settings.most, slice=settings.slice)
