"""Finds the program that a `BOT` argument of the command line names.

    remote:NAME           a bot that connects by itself
    submitted:NAME        a submitted bot in its active version; submitted:NAME@VERSION for another one
    built:FOLDER          a folder that the build of a submitted bot has left; it is not built again
    sample:NAME           a bundled sample; sample:LANGUAGE/NAME if several languages have a sample of that name
    a folder              its bot.toml, or else its bot.py
    a .toml file          that manifest
    a .py file            run by the Python that runs the arena
    another file          an executable program
    anything else         a command, split into words as in a shell, but run without a shell

If there is no such program, the error says so in one sentence. This module starts nothing.
"""

import contextlib
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from arena.bots.launch.box_limits import BoxLimits
from arena.bots.launch.manifest import DEFAULT_START_TIME_S, MANIFEST_NAME, Manifest, read_manifest
from arena.bots.launch.naming import NAME_RULE, is_valid_name, normalize_program_name, safe_name
from arena.errors import BotStartError, OptionError, UnknownNameError, find_similar

SCRIPT_NAME: Final = "bot.py"
IMAGE_PREFIX: Final = "cheatarena-bot-"
"""The image of a language is this prefix and the name of the language."""
REMOTE_PREFIX: Final = "remote:"
SAMPLE_PREFIX: Final = "sample:"
SUBMITTED_PREFIX: Final = "submitted:"
BUILT_PREFIX: Final = "built:"


@dataclass(frozen=True, slots=True)
class BotProgram:
    name: str
    command: tuple[str, ...]
    """Path of the program, and its arguments."""
    folder: Path
    """Working directory."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables in addition to those that every bot gets."""
    start_time_s: float = DEFAULT_START_TIME_S
    version: str = ""
    build: tuple[str, ...] = ()
    """Command to run before the first start; empty if there is none."""
    words: tuple[str | None, ...] = ()
    """The start command as its author wrote it; None stands for the next of `files`."""
    files: tuple[Path, ...] | None = None
    """The program's own file, or the files that its command names; None means everything in `folder`."""
    games: tuple[str, ...] = ()
    """Names of all games that the bot plays, as its manifest says; empty if unknown."""
    image: str = ""
    """The container image that a box of containers uses for it; empty for the host's default."""
    is_boxed: bool = False
    """Whether the program runs in a box that it cannot leave."""
    is_sample: bool = False
    """Whether it comes with the arena."""
    is_submitted: bool = False
    """Whether an owner handed the bot in. Its name is the owner's, and it always runs in a box."""
    content: str = ""
    """The hash of the sources from which a program was built in a box; empty for any other program."""
    limits: BoxLimits = field(default_factory=BoxLimits)
    """What it may use if it runs in a box."""
    kept: tuple[str, ...] = ()
    """What is kept of a build in a box, as paths in the folder; empty means everything."""
    own_place: Path | None = None
    """The folder with the private files of this process, which `make_private_copy` makes; None if it has none."""

    @property
    def private_variables(self) -> dict[str, str]:
        """The variables that lead to its private files, apart from the copy of its folder; empty if it has none."""
        place = self.own_place
        return {} if place is None else {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp")}

    @property
    def start_advice(self) -> str:
        """What its author can do if it does not connect in time; empty for a program that comes with the arena."""
        if self.is_sample:
            return ""
        has_manifest = self.files is None and (self.folder / MANIFEST_NAME).is_file()
        where = "in its bot.toml" if has_manifest else "in a bot.toml, in a folder with the bot"
        return f"If it loads for longer, set start_time_s {where}"


@dataclass(frozen=True, slots=True)
class RemoteBot:
    """A bot started elsewhere that connects with a token of this name."""

    name: str


class SubmittedBots(Protocol):
    """Finds the programs of submitted bots."""

    def find(self, name: str, version: str) -> BotProgram:
        """Return a version of a bot; its active one if `version` is empty.

        Raises BotStartError if there is no such version, or if it was not built or may not play.
        """

    def find_content(self, name: str, content: str) -> BotProgram | None:
        """Return the version of a bot with this content hash; None if it is gone."""


def find_bot(
    text: str, samples: Sequence[Path] | None = None, submitted: SubmittedBots | None = None
) -> BotProgram | RemoteBot:
    """Resolve a `BOT`. `samples` are folders with one folder per language; None means the installed samples.

    Raises BotStartError for a program that is missing or not executable, UnknownNameError for an unknown sample,
    OptionError for an invalid remote name, and what `read_manifest` raises. Without `submitted`, raises BotStartError
    for a submitted bot.
    """
    if text.startswith(SUBMITTED_PREFIX):
        if submitted is None:
            raise BotStartError(f"{text}: this command does not know submitted bots; leagues and matches do")
        name, _, version = text.removeprefix(SUBMITTED_PREFIX).partition("@")
        return submitted.find(normalize_program_name(name), version)
    if text.startswith(REMOTE_PREFIX):
        name = normalize_program_name(text.removeprefix(REMOTE_PREFIX))
        if not is_valid_name(name):
            raise OptionError("remote", name, NAME_RULE)
        return RemoteBot(name)
    if text.startswith(SAMPLE_PREFIX):
        return _find_sample(text.removeprefix(SAMPLE_PREFIX), _installed_sample_roots() if samples is None else samples)
    if text.startswith(BUILT_PREFIX):
        return replace(_program_from_folder(Path(text.removeprefix(BUILT_PREFIX)).resolve()), build=())
    path = resolve_path(Path(), text)
    if text and false_on_os_error(path.is_dir):
        return _program_from_folder(path.resolve())
    if text and false_on_os_error(path.is_file):
        return _program_from_file(path.absolute())
    return _program_from_command(text)


def resolve_path(folder: Path, text: str) -> Path:
    """Return a path relative to a folder; `~` and `~user` are expanded if the user exists."""
    with contextlib.suppress(ValueError):  # raised for a NUL
        text = os.path.expanduser(text)  # noqa: PTH111  `Path.expanduser` raises for `~nobody`
    return folder / text


def false_on_os_error(question: Callable[[], bool]) -> bool:
    """Return the answer, or False on OSError. Text that cannot be a path, such as a long command, causes this error."""
    with contextlib.suppress(OSError):
        return question()
    return False


def sample_names(samples: Sequence[Path] | None = None) -> list[str]:
    """Return the distinct names of the samples, sorted."""
    return sorted({folder.name for folder in sample_folders(samples)})


def sample_folders(samples: Sequence[Path] | None = None) -> list[Path]:
    """Return the folder of each sample; `samples` is that of `find_bot`."""
    return list(_iter_samples(_installed_sample_roots() if samples is None else samples))


def _find_sample(name: str, roots: Sequence[Path]) -> BotProgram:
    """Return a sample by its name, or by language and name."""
    found = [folder for folder in _iter_samples(roots) if name in (folder.name, f"{folder.parent.name}/{folder.name}")]
    if not found:
        raise UnknownNameError("sample bot", name, sample_names(roots), SAMPLE_PREFIX)
    if len(found) > 1:
        choices = " or ".join(f"{SAMPLE_PREFIX}{folder.parent.name}/{folder.name}" for folder in found)
        raise BotStartError(f"several sample bots are called {name!r}: use {choices}")
    return replace(_program_from_folder(found[0]), is_sample=True)


def _installed_sample_roots() -> list[Path]:
    spec = importlib.util.find_spec("sample_bots")
    return [Path(place) for place in (spec and spec.submodule_search_locations) or ()]


def _iter_samples(roots: Sequence[Path]) -> Iterator[Path]:
    for root in roots:
        for file in sorted([*root.glob(f"*/*/{MANIFEST_NAME}"), *root.glob(f"*/*/{SCRIPT_NAME}")]):
            if file.name == MANIFEST_NAME or not file.with_name(MANIFEST_NAME).exists():
                yield file.parent.resolve()


def _program_from_folder(folder: Path) -> BotProgram:
    if (folder / MANIFEST_NAME).is_file():
        return _program_from_file(folder / MANIFEST_NAME)
    if (folder / SCRIPT_NAME).is_file():
        return _program_from_script(folder / SCRIPT_NAME)
    raise BotStartError(f"the folder {folder} holds no bot: expected {MANIFEST_NAME} or {SCRIPT_NAME} in it")


def _program_from_file(path: Path) -> BotProgram:
    if path.suffix == ".toml":
        return _program_from_manifest(read_manifest(path), path.parent)
    if path.suffix == ".py":
        return _program_from_script(path)
    if not os.access(path, os.X_OK):
        raise BotStartError(f"the file {path} is not executable: expected a script, a manifest or a program (chmod +x)")
    return BotProgram(safe_name(path.stem), (str(path),), path.parent, words=(None,), files=(path,))


def _program_from_script(path: Path) -> BotProgram:
    """Return the program of a script. The script runs under the arena's Python, which has the SDK.

    The option -u makes Python write immediately, so that the last output of a killed script is not lost.
    """
    is_folder = path.name == SCRIPT_NAME
    name = path.parent.name if is_folder else path.stem
    if not os.access(path, os.R_OK):
        raise BotStartError(f"the script {path} cannot be read")
    _refuse_hidden_sdk(path.parent)
    command = (sys.executable, "-u", str(path))
    words, files = ((SCRIPT_NAME,), None) if is_folder else ((None,), (path,))
    return BotProgram(safe_name(name), command, path.parent, words=words, files=files)


def _refuse_hidden_sdk(folder: Path) -> None:
    """Raise BotStartError if a file beside a script has the name of the SDK: the script would import it instead.

    The SDK itself reports other files that hide a module.
    """
    hiding = folder / "cheatarena.py"
    if hiding.exists():
        raise BotStartError(f"{hiding} hides the package cheatarena, which the bot needs: rename it")


def _program_from_manifest(manifest: Manifest, folder: Path) -> BotProgram:
    """Return the program of a manifest. The bot's own Python environment is searched before the rest of the PATH.

    A manifest without a command runs the folder's script, with the bot's own Python or else with the arena's.
    If there is a build command, the program may still be missing. In that case it is looked up when it is started.
    """
    folder = folder.resolve()
    venv = _venv_environment(folder)
    environment = {**venv, **manifest.environment}
    path = environment.get("PATH")
    if not manifest.command:
        _refuse_hidden_sdk(folder)
    words = manifest.command or ("python" if venv else sys.executable, "-u", SCRIPT_NAME)
    return BotProgram(
        name=manifest.name,
        command=words if manifest.build else resolve_command(words, folder, path),
        folder=folder,
        environment=environment,
        start_time_s=manifest.start_time_s,
        version=manifest.version,
        build=manifest.build,
        words=manifest.command or (SCRIPT_NAME,),
        games=manifest.games,
        kept=manifest.kept,
        image=manifest.image or (f"{IMAGE_PREFIX}{manifest.language}" if manifest.language else ""),
        limits=manifest.limits,
    )


def _venv_environment(folder: Path) -> dict[str, str]:
    """Return the variables that activating a folder's `.venv` would set; empty if it has none."""
    home = folder / ".venv"
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    if not programs.is_dir():
        return {}
    return {"VIRTUAL_ENV": str(home), "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])}


def _program_from_command(text: str) -> BotProgram:
    """Return the program of a command. The command runs in the arena's working directory."""
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise BotStartError(f"cannot read the command {text!r}: {error}") from error
    if "\0" in text:
        raise BotStartError(f"cannot read the command {text!r}: an argument cannot contain NUL")
    if not words:
        raise BotStartError(
            "the bot is empty: expected a script, folder, manifest, command, sample:, submitted: or remote:"
        )
    if len(words) == 1 and shutil.which(words[0]) is None:
        expected = "expected a script, folder, manifest, command, sample:NAME or remote:NAME"
        similar = _find_similar_bot(text)
        question = f"; did you mean {similar}?" if similar else ""
        raise BotStartError(f"there is no bot {text!r}: {expected}{question}")
    folder = Path.cwd()
    files = [_file_for_word(word, index, folder) for index, word in enumerate(words)]
    # the first argument that is a file names the bot, as in `node bot.js`
    arguments = (word for word in words[1:] if not word.startswith("-") and false_on_os_error(Path(word).is_file))
    return BotProgram(
        name=safe_name(Path(next(arguments, words[0])).stem),
        command=resolve_command(words, folder),
        folder=folder,
        words=tuple(None if file else word for word, file in zip(words, files, strict=True)),
        files=tuple(file for file in files if file),
    )


def _find_similar_bot(text: str) -> str:
    """Return the bot that a text probably means: a sample, or a script, manifest or folder beside the missing file.

    Empty if there is none.
    """
    place = resolve_path(Path(), text)
    beside = list[Path]()
    with contextlib.suppress(OSError, ValueError):
        beside = [
            each for each in place.parent.iterdir() if each.suffix in (".py", ".toml") or (each / SCRIPT_NAME).is_file()
        ]
    files = {each.name: text.removesuffix(place.name) + each.name for each in beside}
    samples = {name: f"{SAMPLE_PREFIX}{name}" for name in sample_names()}
    choices = samples | {typed: typed for typed in samples.values()} | files
    return choices.get(find_similar(place.name, choices), "")


def _file_for_word(word: str, index: int, folder: Path) -> Path | None:
    """Return the file that a word of a command names; None if it names no file, or a program on the PATH."""
    is_own = index > 0 or _has_slash(word)
    return folder / word if is_own and false_on_os_error((folder / word).is_file) else None


def resolve_command(words: Sequence[str], folder: Path, path: str | None = None) -> tuple[str, ...]:
    """Return a command with the path of its program.

    A program written with a slash is looked up in the folder; any other program is looked up on the PATH. Raises
    BotStartError if the program is missing or not executable. Outside the folder, the error is the same for both: the
    author of a submitted bot reads it, and must not learn which files the server has.
    """
    program = words[0]
    if not _has_slash(program):
        place = shutil.which(program, path=path)
        if place is None:
            raise BotStartError(f"the program {program!r} is not installed, or not on the PATH")
        return (str(Path(place).absolute()), *words[1:])
    full = (folder / program).absolute()
    is_own = Path(os.path.normpath(full)).is_relative_to(os.path.normpath(folder.absolute()))
    is_executable = os.access(full, os.X_OK)
    if not false_on_os_error(full.is_file) or not (is_own or is_executable):
        raise BotStartError(f"there is no program {full}")
    if not is_executable:
        raise BotStartError(f"the program {full} is not executable (chmod +x)")
    return (str(full), *words[1:])


def _has_slash(program: str) -> bool:
    """Return whether a program is written as a path, with a slash."""
    return Path(program).name != program
