"""What a program in a box sees of the host's files, and how its command and its variables change for that.

Places in a box:

    /bot                      the program's folder, or the files that its command names
    /usr, /bin, /lib …        the system's programs and libraries
    /etc                      a few files that programs need, and a user of its own
    /tmp, /dev/shm            scratch space, the only places that can be written
    /run/arena.sock           the server
    the same path as outside  the arena's Python with the SDK, and the toolchains that the host's settings name
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cheatarena
from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.box_port import BOT_FOLDER
from arena.bots.launch.programs import BotProgram
from arena.errors import BotStartError

SCRATCH_FOLDER: Final = "/tmp"  # noqa: S108  a tmpfs of the box

CORE_BYTES: Final = 1
"""The kernel writes no core file of one byte, and starts no helper for core files either. With 0 it would start it."""
_SHARED_PART: Final = 4
"""A quarter of the scratch space is /dev/shm, the rest is /tmp."""
_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC_PATTERNS: Final = (
    *("alternatives", "ld.so.cache", "ssl/certs", "localtime", "java-*", "mime.types"),
    *("maven/m2.conf", "maven/logging"),  # Maven does not start without them; settings beside them may hold passwords
)
_BOX_PATHS: Final = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True, slots=True)
class Shown:
    """A file or folder of the host, and its place in the box."""

    source: Path
    place: str


def shown_files(program: BotProgram, place: str = BOT_FOLDER) -> list[Shown]:
    """Return the program's own files: its folder at a place, or each of its files below this place.

    Raises BotStartError if two of its files have the same name.
    """
    if program.files is None:
        return [Shown(program.folder.resolve(), place)]
    shown: dict[str, Path] = {}
    for file in program.files:
        own = place + _place_of_file(file, program.folder).removeprefix(BOT_FOLDER)
        if shown.setdefault(own, file.resolve()) != file.resolve():
            raise BotStartError(f"two files of {program.name} have the name {file.name}: put them into a folder")
    return [Shown(source, own) for own, source in shown.items()]


def shown_toolchains(folders: Iterable[Path]) -> list[Shown]:
    """Return the arena's Python with the SDK, and these folders, each at its own path. /usr is shown anyway."""
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(cheatarena.__file__).parent.parent)
    shown: list[Path] = []
    for folder in sorted({*own, *(folder.absolute() for folder in folders)}, key=lambda each: len(each.parts)):
        if not any(folder.is_relative_to(other) for other in (Path("/usr"), *shown)):
            shown.append(folder)
    return [Shown(folder, str(folder)) for folder in shown]


def system_options() -> list[str]:
    """Return the options of bubblewrap that show the system's programs and libraries."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    for pattern in _ETC_PATTERNS:
        for path in sorted(Path("/etc").glob(pattern)):
            options += ["--ro-bind", str(path.resolve()), str(path)]
    return options


def split_scratch(limits: BoxLimits) -> tuple[int, int]:
    """Return the sizes of /tmp and of /dev/shm in bytes."""
    whole = limits.scratch_mb << 20
    return whole - whole // _SHARED_PART, whole // _SHARED_PART


def command_inside(program: BotProgram, command: Sequence[str]) -> list[str]:
    """Return a command with the places in the box instead of the program's own paths."""
    return [_word_inside(program, word) for word in command]


def environment_inside(
    program: BotProgram, environment: Mapping[str, str], toolchains: Sequence[Shown], limits: BoxLimits
) -> dict[str, str]:
    """Return the variables of a program in a box.

    They name no place of the host that the box does not show. The language runtimes learn the limits, because they
    cannot see them and would plan with the memory and the cores of the host.
    """
    inside = {
        name: os.pathsep.join(_word_inside(program, part) for part in text.split(os.pathsep))
        for name, text in environment.items()
    }
    visible = ("/usr", *(f"/{name}" for name in _SYSTEM_LINKS), BOT_FOLDER, *(shown.place for shown in toolchains))
    paths = [part for part in inside.get("PATH", "").split(os.pathsep) if any(_is_below(part, top) for top in visible)]
    fixed = {"HOME": SCRATCH_FOLDER, "TMPDIR": SCRATCH_FOLDER, "PATH": os.pathsep.join(paths or _BOX_PATHS)}
    own = {name: inside[name] for name in program.environment if name in inside and name != "PATH"}
    return {**describe_limits(limits), **inside, **fixed, **own}


def describe_limits(limits: BoxLimits) -> dict[str, str]:
    """Return the variables that tell runtimes how much memory and how many cores they have."""
    cores = max(1, int(limits.cpus))
    return {
        "GOMAXPROCS": str(cores),
        "GOMEMLIMIT": f"{limits.memory_mb * 9 // 10}MiB",
        "NODE_OPTIONS": f"--max-old-space-size={limits.memory_mb * 3 // 4}",
        "JDK_JAVA_OPTIONS": f"-XX:MaxRAM={limits.memory_mb}m -XX:MaxRAMPercentage=50 -XX:ActiveProcessorCount={cores}",
        "OMP_NUM_THREADS": str(cores),
        "OPENBLAS_NUM_THREADS": str(cores),
    }


def _word_inside(program: BotProgram, word: str) -> str:
    """Return a word of a command, or a part of a variable, as it is right in the box."""
    if program.files is not None:
        file = next((file for file in program.files if program.folder / word == file), None)
        return word if file is None else _place_of_file(file, program.folder)
    folder = str(program.folder)
    return BOT_FOLDER + word[len(folder) :] if _is_below(word, folder) else word


def _place_of_file(file: Path, folder: Path) -> str:
    """Return the place of one file of a program: its path from the program's folder, or else its name."""
    if file.is_relative_to(folder) and ".." not in file.parts:
        return f"{BOT_FOLDER}/{file.relative_to(folder)}"
    return f"{BOT_FOLDER}/{file.name}"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
