"""Builds programs in boxes, and keeps what was built by the content hash of the sources.

A build cannot write into the program's folder: it works on a copy in the scratch space of its box, so it can fill no
disk of the host. What it has built leaves the box as a tar stream, and is unpacked under the rules for packages. The
box shows a build the .proto files of the contract.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import arena
from arena.bots.launch.box_port import BOX_SOCKET, SOURCE_FOLDER
from arena.bots.launch.box_settings import BoxSettings
from arena.bots.launch.launcher import Launcher
from arena.bots.launch.manifest import MANIFEST_NAME
from arena.bots.launch.programs import BUILT_PREFIX, IMAGE_PREFIX, BotProgram, find_bot
from arena.bots.packages.rules import Rule
from arena.bots.packages.unpacking import unpack_built
from arena.bots.sandbox.network import forwarder
from arena.errors import BotStartError, PackageRefusedError
from arena.ids import new_id

_PART_PREFIX: Final = "."

CONTRACT_VARIABLE: Final = "CHEATARENA_PROTO"
CONTRACT_FOLDER: Final = "/proto"
"""Where a build finds the contract. The variable says so too."""
_WITHOUT_NETWORK: Final[Mapping[str, str]] = {"npm_config_fetch_retries": "0"}
"""Variables of a build that has no network, unless the bot's manifest sets them. By default, npm asks again for many
minutes, and its build would end at the time limit, before it could say what it misses."""
LANGUAGE_TOOLS: Final[Mapping[str, tuple[str, ...]]] = {
    "python": ("python3",),
    "typescript": ("node", "npm"),
    "go": ("go",),
    "rust": ("cargo",),
    "java": ("javac", "mvn"),
    "cpp": ("g++", "cmake"),
}
"""The programs that builds in each language usually need."""

_SCRIPT: Final = """\
set -e
cp -R {source}/. .
"$@" >&2 || {{
    code=$?
    for tool in {tools}; do
        command -v "$tool" > /dev/null || echo "this server has no \\`$tool\\`, which builds in {language} need" >&2
    done
    exit $code
}}
for path in {kept}; do
    [ -e "$path" ] || {{ echo "the build has made no \\`$path\\`, which \\`kept\\` in {manifest} names" >&2; exit 1; }}
done
exec tar --format=gnu -czf - --hard-dereference -- {kept}
"""
"""Copies the sources, builds, and writes what is kept of the result to stdout. Its paths are those of a running bot."""


class BoxedBuilds:
    """Built programs, each in a subfolder named by the content hash of its sources."""

    def __init__(self, folder: Path, launcher: Launcher, settings: BoxSettings, socket: Path | None = None) -> None:
        """`launcher` has to start boxed programs in boxes. `socket` leads a build to the package indexes."""
        self._socket = socket
        self._folder = folder
        self._launcher = launcher
        self._limits = settings.build_limits
        self._time_s = settings.build_time_s

    def build(self, program: BotProgram, content: str) -> Path:
        """Build a program, unless that was done before, and return the folder of the result.

        Raises BotStartError if the build fails, takes too long, or has a result that is refused. Raises
        CrowdedHostError if it had to make room for other boxes.
        """
        place = self._folder / content
        if place.is_dir():
            return place
        if not program.build:
            return self._keep(content, lambda part: shutil.copytree(program.folder, part, symlinks=True))
        return self._keep(content, lambda part: self._build(program, part))

    def _keep(self, content: str, make: Callable[[Path], object]) -> Path:
        """Make a folder under another name, and rename it when it is complete."""
        self._folder.mkdir(parents=True, exist_ok=True)
        part, place = self._folder / f"{_PART_PREFIX}{content}.{new_id()}", self._folder / content
        try:
            make(part)
            part.rename(place)
        except OSError as error:
            if not place.is_dir():  # another process may have made it meanwhile
                raise BotStartError(f"the built program cannot be written to {place}: {error.strerror}") from error
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return place

    def _build(self, program: BotProgram, part: Path) -> None:
        words = ("/bin/sh", "-c", _write_script(program), "build", *program.build)
        environment = {**program.environment, CONTRACT_VARIABLE: CONTRACT_FOLDER}
        if self._socket is None:
            environment = {**_WITHOUT_NETWORK, **environment}
        else:
            text = Path(forwarder.__file__).read_text(encoding="utf-8")  # the box does not show the file itself
            words = (sys.executable, "-I", "-S", "-c", text, BOX_SOCKET, *words)
        boxed = replace(program, build=words, environment=environment, limits=self._limits, is_boxed=True)
        shown = {CONTRACT_FOLDER: _find_contract()}
        reading, writing = os.pipe()
        with ThreadPoolExecutor(1) as unpacker:
            unpacking = unpacker.submit(_unpack, reading, part)
            try:
                try:
                    self._launcher.build(boxed, self._time_s, result=writing, socket=self._socket, shown=shown)
                finally:
                    os.close(writing)  # so that the unpacker ends
            except BotStartError as error:
                if (refusal := _find_refusal(unpacking)) is not None:
                    raise BotStartError(f"what the build of {program.name} made is refused: {refusal}") from error
                raise
            try:
                unpacking.result()
            except (PackageRefusedError, OSError) as error:
                raise BotStartError(f"what the build of {program.name} made is refused: {error}") from error


def is_part(place: Path) -> bool:
    """Whether a folder among built programs is not complete."""
    return place.name.startswith(_PART_PREFIX)


def _write_script(program: BotProgram) -> str:
    language = program.image.removeprefix(IMAGE_PREFIX)
    kept = dict.fromkeys((MANIFEST_NAME, *program.kept)) if program.kept else (".",)
    return _SCRIPT.format(
        source=SOURCE_FOLDER,
        tools=shlex.join(LANGUAGE_TOOLS.get(language, ())),
        language=language,
        kept=shlex.join(kept),
        manifest=MANIFEST_NAME,
    )


def _find_contract() -> Path:
    """The contract is a part of the installed arena, or of the checkout."""
    package = Path(arena.__file__).parent
    installed = package / "proto"
    return installed if installed.is_dir() else package.parent / "proto"


def read_built_program(folder: Path, content: str) -> BotProgram:
    """Raises BotStartError if it is not there, and what `find_bot` raises."""
    program = find_bot(f"{BUILT_PREFIX}{folder}")
    assert isinstance(program, BotProgram), "a folder is no remote bot"
    return replace(program, is_boxed=True, content=content)


def _unpack(reading: int, folder: Path) -> None:
    with os.fdopen(reading, "rb") as stream:
        unpack_built(stream, folder)


def _find_refusal(unpacking: "Future[None]") -> PackageRefusedError | None:
    """Return why a result was refused. A build that failed leaves no result at all, or a damaged one."""
    error = unpacking.exception()
    return error if isinstance(error, PackageRefusedError) and error.rule is not Rule.DAMAGED else None
