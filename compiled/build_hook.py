"""Puts compiled files into a wheel. hatchling runs this if HATCH_BUILD_HOOK_ENABLE_CUSTOM is set."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # hatchling runs this file alone

from compiled.build import compile_package
from compiled.modules import find_arena, find_sdk


class CompiledWheel(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is a part of hatchling
    """Compiles the hot modules of the project whose wheel is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the compiled files to the wheel, and let its name say for which Python and platform they are."""
        if version == "editable":
            return  # its sources change
        package = next(each for each in (find_arena(), find_sdk()) if each.parent == Path(self.root).resolve())
        self._workshop = TemporaryDirectory()
        files = compile_package(package, Path(self._workshop.name))
        build_data.update(pure_python=False, infer_tag=True)
        build_data["force_include"].update({str(path): place for place, path in files.items()})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  hatchling gives them
        """Remove the folder in which the modules were compiled."""
        if version != "editable":
            self._workshop.cleanup()
