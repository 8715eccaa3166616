"""`arena`: finds and runs the command, and turns any error into one line and an exit code."""

import errno
import gc
import importlib
import itertools
import os
import shlex
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple, NoReturn, TextIO

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from arena.cli.console import discard_stdout, prepare_streams, print_status, settle_streams
from arena.cli.exit_codes import ExitCode, Interrupted, exit_code_for, translate_sdk_error
from arena.errors import ArenaError, EnvironmentFaultError, OptionError, OptionsError
from arena.typed_command import arena_command


class Command(NamedTuple):
    """A command. Its module is imported only when it runs, so that `--help` is fast."""

    module: str
    """Name of a module with a Typer application called `app`."""
    summary: str
    """The sentence with which `arena --help`, the command's own help and the reference describe it."""


GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Write a bot": {
        "demo": "Watch the sample bots play a small league on a real server.",
        "match": "Play a match between bots that you name.",
        "practice": "Play a bot against sample bots, and measure what trouble costs it.",
        "check": "Check whether a bot follows the protocol.",
        "build": "Run the build commands of bots, and start none.",
        "compare": "Test whether one bot is better than another, in as few games as possible.",
        "replay": "Read, rerun, explain and verify recorded games, even while a server runs.",
        "rules": "Show presets and their options; run scenario files.",
    },
    "Play on a server": {
        "join": "Join a server with an invitation, and keep the tokens in the credentials file.",
        "bots": "Manage your own bots on a server that you have joined.",
        "games": "List your own bot's matches, faults and figures on a server.",
        "watch": "Watch a running match, or those of a pool, as spectators see them.",
        "pool": "Show the pools of a server; check seatings and end seasons.",
        "challenge": "Let your bot play an unrated match against other bots.",
        "pack": "Make the package of a bot, and check it as a server does.",
        "submit": "Submit a bot to a server, which builds, checks, tries and runs it.",
        "submission": "Show, activate, roll back and withdraw submitted bots.",
        "login": "Get a code to log in to a server's web pages.",
    },
    "Learn from games": {
        "dataset": "Write the decisions of recorded games as a table to learn from.",
    },
    "Run a league": {
        "league": "Play a league described in one file and show its standings.",
        "course": "Run a course: enrol people, list what they submitted, fix what counts, write grades.",
        "explain": "Explain a match to the author of a bot in it: proof, seating, times and strikes.",
    },
    "Run a server": {
        "serve": "Run the server until it is stopped.",
        "web": "Show matches, replays and leagues as web pages, beside a server or without one.",
        "boxes": "Build, check and run a server's submitted bots in another process.",
        "cert": "Make certificates for a local network or a trial.",
        "invite": "Invite authors to a server.",
        "owner": "Manage the owners of bots.",
        "token": "Manage access tokens.",
        "health": "Ask a server whether it is serving.",
        "top": "Watch a server: matches, decisions, stalls, pools and the slowest bots.",
        "backup": "Copy a data folder, even while its server runs.",
        "restore": "Restore a backup to a data folder that is empty or not there yet.",
        "store": "Copy the database of a data folder to PostgreSQL, and back.",
        "journals": "List the journals of a data folder, and pack those of old matches.",
    },
    "Check the arena": {
        "audit": "Compute all stored results again from the journals, and find any edit or swap.",
        "secrecy": "Search for information leaks with twin matches.",
        "sandbox": "Check the boxes in which untrusted bots run.",
    },
}
"""All commands with their sentences, by who needs them, in the order of `arena --help` and of the reference."""

COMMANDS: Final[Mapping[str, Command]] = {
    name: Command(f"arena.cli.{name}", summary) for commands in GROUPS.values() for name, summary in commands.items()
}

_COMPLETION_OPTIONS: Final = ("install_completion", "show_completion")
"""Options that Typer adds to every command. They make sense only for the whole program, so they are removed."""

DEBUG_VARIABLE: Final = "ARENA_DEBUG"
_GC_THRESHOLDS: Final = (200_000, 20, 20)
"""Thresholds of the garbage collector by generation: the first is above the number of objects that imports create.

Those objects stay, and hardly any of them is garbage. To look for it takes a twentieth of the time of a start.
"""
_STDERR: Final = 2
_FLAG_NAMES: Final[Mapping[str, str]] = {"game_count": "games", "web_port": "web"}
"""The names of flags whose keys have another name."""
_NOTHING: Final = ("", "None", "0", "[]")
"""The texts of values that stand for a flag that was not given."""


class LazyCommandGroup(TyperGroup):
    """The group of all commands. It lists their summaries and imports a command's module only to run it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {
            name: TyperCommand(name, help=summary, rich_help_panel=group)
            for group, commands in GROUPS.items()
            for name, summary in commands.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if command is None or name is None:
            return name, command, rest
        return name, load_command(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command and flush stdout.

        If the reader closes the pipe, this returns INTERRUPTED. Typer itself would exit with 1. Raises
        EnvironmentFaultError if there is no space left for stdout or another file, or if compiled files belong to other
        sources.
        """
        from arena.compiled_build import check_compiled_builds

        check_compiled_builds()
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_stdout()
            return ExitCode.INTERRUPTED
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            name = error.filename or "a file"  # only a failed write to stdout names its file
            raise EnvironmentFaultError(f"{name} cannot be written: {error.strerror}") from error
        return code


def load_command(name: str) -> Any:
    """Import a command. Its help is its summary, and then the docstring of its function."""
    command = COMMANDS[name]
    loaded = typer.main.get_command(importlib.import_module(command.module).app)
    loaded.name, loaded.help = name, f"{command.summary}\n\n{loaded.help or ''}"
    loaded.params = [param for param in loaded.params if param.name not in _COMPLETION_OPTIONS]
    return loaded


app = typer.Typer(cls=LazyCommandGroup, add_completion=False, no_args_is_help=True, rich_markup_mode="markdown")


def _show_version(is_requested: bool) -> None:
    if is_requested:
        from arena import __version__
        from arena.compiled_build import describe_build

        print(f"arena {__version__}, {describe_build()}")
        raise typer.Exit


@app.callback(epilog=f"Exit codes: {'; '.join(f'{code.value} {code.meaning}' for code in ExitCode)}.")
def arena(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Programs play bluffing card games against each other."""


def main() -> NoReturn:
    """Run the command line of this process. The null device replaces a missing stdin, stdout or stderr."""
    gc.set_threshold(*_GC_THRESHOLDS)
    _open_standard_files()
    sys.stdout, sys.stderr = sys.stdout or _open_devnull(), sys.stderr or _open_devnull()
    prepare_streams()
    code = run(sys.argv[1:])
    settle_streams()
    gc.freeze()  # or Python would look for garbage in all that was imported, before it ends
    sys.exit(code)


def _open_standard_files() -> None:
    """Open descriptors 0 to 2 if they are closed. Otherwise other files would get these numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        os.set_inheritable(number, True)
    os.close(number)


def _open_devnull() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  it stays open until the process ends


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code. Never raise an exception."""
    try:
        code = typer.main.get_command(app).main(list(arguments), prog_name="arena", standalone_mode=False)
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        discard_stdout()  # the reader of a help or of the version has closed the pipe: Typer and rich exit with 1
        return ExitCode.YES
    except Exception as error:  # noqa: BLE001  the outermost edge
        return report_error(error, arguments)
    return int(code or ExitCode.YES)


def report_error(error: Exception, arguments: Sequence[str]) -> int:
    """Print why a command failed, in one line followed by the error's notes. Return the exit code."""
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, TyperException):
        _print_error(_usage_line(error))
        return ExitCode.USAGE
    error = translate_sdk_error(error)
    code = exit_code_for(error)
    if isinstance(error, OptionError | OptionsError):
        _print_refusal(error.faults if isinstance(error, OptionsError) else (error,), arguments)
    elif isinstance(error, ArenaError | Interrupted):
        _print_error(f"arena: {error}")
    else:
        _print_error(f"arena: internal error: {type(error).__name__}: {error} ({DEBUG_VARIABLE}=1 shows where)")
    for note in getattr(error, "__notes__", ()):
        _print_error(note)
    return code


def _print_refusal(faults: Sequence[OptionError], arguments: Sequence[str]) -> None:
    """Print which options are refused: flags as they were typed, keys of files by their names."""
    flags = _flags_of(arguments)
    texts = [refusal_text(fault, arguments, flags) for fault in faults]
    _print_error(f"arena: {texts[0]}" if len(texts) == 1 else "\n  ".join([f"arena: {len(texts)} faults", *texts]))


def _flags_of(arguments: Sequence[str]) -> set[str]:
    """Return all flags of the command that a command line calls; empty if there is no such command."""
    name, *words = arguments or [""]
    if name not in COMMANDS:
        return set()
    command = load_command(name)
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return {flag for param in command.params for flag in param.opts}


def refusal_text(fault: OptionError, words: Sequence[str], flags: Collection[str]) -> str:
    """Return a sentence that says which part of the command line is refused, and why.

    `words` is the command line, and `flags` has all flags of its command. If the refused value comes from elsewhere,
    such as a file or the environment, return the error's own text, which names the key.
    """
    where = None if type(fault) is not OptionError else _find_typed(fault, words, flags)
    return str(fault) if where is None else f"{where}: {fault.allowed}"


def _find_typed(fault: OptionError, words: Sequence[str], flags: Collection[str]) -> str | None:
    """Return the part of the command line that a fault is about; None if there is none."""
    setting = next((text for text in _values_of("--set", words) if text.partition("=")[0] == fault.field), None)
    if setting is not None:
        return f"--set {_quote(setting)}"
    prefixed = f"{fault.field}:{fault.value}"  # as in remote:NAME
    if prefixed in words:
        return _quote(prefixed)
    flag = f"--{_FLAG_NAMES.get(fault.field, fault.field).replace('_', '-')}"
    if flag not in flags:
        return None
    if fault.value is True or fault.value == flag:
        return flag if flag in words else None
    value, typed = str(fault.value), _values_of(flag, words)
    if not typed:
        return f"{flag} is missing" if value in _NOTHING else None
    if value in typed or any(value.startswith(f"{text}: ") for text in typed):  # FILE, or a key in FILE
        return f"{flag} {_quote(value) if value in typed else value}"
    return f"{flag} {_quote(typed[0])}" if len(typed) == 1 else None


def _quote(text: str) -> str:
    """Return a value as it is typed in a shell, on one line."""
    return shlex.quote(text) if text.isprintable() else repr(text)


def _values_of(flag: str, words: Sequence[str]) -> list[str]:
    after = [following for word, following in itertools.pairwise(words) if word == flag]
    return [*after, *(word.removeprefix(f"{flag}=") for word in words if word.startswith(f"{flag}="))]


def _usage_line(error: TyperException) -> str:
    """Return one line that explains a usage error; empty if the error only means that help was shown."""
    text = " ".join(error.format_message().split())
    context: Any = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "arena"
    return f"{path}: {text} (see {arena_command(*path.split()[1:], '--help')})" if text else ""


def _print_error(line: str) -> None:
    if line:
        print_status(line)
