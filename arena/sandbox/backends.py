"""Opens the backend that a setting names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.errors import UnknownNameError
from arena.launch.box_limits import BoxLimits
from arena.launch.box_port import UNBOXED, BoxBackend
from arena.sandbox.bubblewrap import BubblewrapBackend
from arena.sandbox.oci import DEFAULT_IMAGE, OciBackend

BACKEND_NAMES: Final = ("none", "bubblewrap", "oci")


def open_backend(
    name: str,
    *,
    socket: Path | None = None,
    box_paths: Sequence[Path] = (),
    most: BoxLimits | None = None,
    image: str = DEFAULT_IMAGE,
    is_strict: bool = True,
) -> BoxBackend:
    """Return a backend by its name.

    `socket` is the server's Unix socket, at which programs in boxes reach it. `box_paths` are folders with toolchains
    that programs may read. `most` is the highest limits that a program may ask for. `image` is the image of containers.
    Unless `is_strict`, the backend makes boxes although a part of their isolation is missing here.

    Raises UnknownNameError, and IsolationError if this machine lacks what the backend needs.
    """
    match name:
        case "none":
            return UNBOXED
        case "bubblewrap":
            return BubblewrapBackend(socket, tuple(box_paths), most, is_strict)
        case "oci":
            return OciBackend(socket, tuple(box_paths), most, image)
        case _:
            raise UnknownNameError("box backend", name, BACKEND_NAMES)
