"""Opens the backend that a setting names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.errors import UnknownNameError
from arena.launch.box_limits import DEFAULT_TOTALS, BoxLimits, BoxTotals
from arena.launch.box_port import UNBOXED, BoxBackend
from arena.launch.box_settings import BoxSettings
from arena.sandbox.bubblewrap import BubblewrapBackend
from arena.sandbox.oci import DEFAULT_IMAGE, OciBackend

BACKEND_NAMES: Final = ("none", "bubblewrap", "oci")


def open_boxes(settings: BoxSettings) -> BoxBackend:
    """Return the backend of a host for untrusted programs. Raises IsolationError if this machine lacks what it needs.

    Whether its boxes hold is for `require_isolation` to say, before the first program starts.
    """
    return open_backend(
        settings.backend,
        box_paths=list(map(Path, settings.paths)),
        most=settings.most,
        totals=settings.totals,
        slice_name=settings.slice,
    )


def open_backend(
    name: str,
    *,
    box_paths: Sequence[Path] = (),
    most: BoxLimits | None = None,
    totals: BoxTotals = DEFAULT_TOTALS,
    slice_name: str = "",
    image: str = DEFAULT_IMAGE,
    is_strict: bool = True,
    is_apart: bool = False,
) -> BoxBackend:
    """Return a backend by its name.

    `box_paths` are folders with toolchains that programs may read. `most` is the most that a bot may ask for. `image`
    is the image of containers whose program names none.
    `totals` and `is_apart` are those of `BubblewrapBackend`, and `slice_name` is the slice of `OciBackend`.
    Unless `is_strict`, the backend makes boxes although a part of their isolation is missing here.

    Raises UnknownNameError, and IsolationError if this machine lacks what the backend needs.
    """
    match name:
        case "none":
            return UNBOXED
        case "bubblewrap":
            return BubblewrapBackend(tuple(box_paths), most, is_strict, totals, is_apart)
        case "oci":
            return OciBackend(tuple(box_paths), most, image, slice_name)
        case _:
            raise UnknownNameError("box backend", name, BACKEND_NAMES)
