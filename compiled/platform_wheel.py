"""Names the platform in the wheel, and puts the compiled files into it. hatchling runs this in the compiled copy."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheel(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is a part of hatchling
    """The hook of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  hatchling gives it
        """Add the compiled files to the wheel, and let its name say for which Python and platform they are."""
        build_data.update(pure_python=False, infer_tag=True)
        for pattern in ("*.so", "*.pyd"):
            for library in Path(self.root).rglob(pattern):
                name = str(library.relative_to(self.root))
                build_data["force_include"][str(library)] = name
