"""Builds the wheels of both distributions of this tree."""

import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_WHEELS: Final = {"cheatarena-server": "cheatarena_server-*.whl", "cheatarena": "cheatarena-[0-9]*.whl"}


def build_wheels(folder: Path) -> Mapping[str, Path]:
    """Build both wheels in a folder, without a network, and return them by the names of their distributions."""
    for project in (ROOT / "sdk", ROOT):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(build, cwd=project, check=True, stdout=subprocess.DEVNULL)
    return {name: next(folder.glob(pattern)) for name, pattern in _WHEELS.items()}


def install_sdk_alone(folder: Path) -> Path:
    """Return the Python of a new environment in a folder, in which a wheel of the SDK is installed, and no server."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / "sdk", check=True, stdout=subprocess.DEVNULL)
    uv, python = Path(sys.executable).with_name("uv"), folder / "venv" / "bin" / "python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    wheel = next(folder.glob(_WHEELS["cheatarena"]))
    lock = ROOT / "requirements.lock"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, "--constraints", lock, wheel], check=True)
    return python


def pin_by_hash(wheels: Mapping[str, Path]) -> str:
    """Return the lines of a requirements file that name wheels by their paths, each with its hash."""
    return "".join(
        f"{name} @ {wheel.as_uri()} --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}\n"
        for name, wheel in wheels.items()
    )
