"""Writes the reference: commands, exit codes, environment variables and arrays for learners, as the code has them.

Usage::

    python -m tools.reference_pages [FOLDER]      FOLDER: docs/reference, unless given; its pages are replaced
"""

import argparse
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from arena.cli.exit_codes import ExitCode
from arena.cli.main import DEBUG_VARIABLE, GROUPS, load_command
from arena.cli.option_groups import field_texts
from arena.fleet.runner.host import TOKEN_VARIABLE
from arena.games.arrays import Layout
from arena.games.catalogue import PACKS
from arena.server.config.read_config import ENV_PREFIX
from arena.server.config.server_config import ServerConfig
from cheatarena.__main__ import build_parser
from cheatarena.commands.arguments import PROGRAM
from cheatarena.run import run

PAGES = Path(__file__).parents[1] / "docs" / "reference"
TABLES = ("limits", "boxes", "submissions", "retention", "site", "pools")
"""Settings that are tables of the file; docs/operations.md explains them."""
VALUES: Mapping[object, str] = {int: "N", float: "N", Path: "PATH"}
"""What stands for the value of an option of this type."""
EXAMPLE = "arena match --bot 'env CHEATARENA_RECEIPTS=receipts python mybot.py' --fill sample:honest --seats 4"
ORIGIN = "`make generate` writes this page from the code."


def build_pages() -> Mapping[str, str]:
    """Return the text of each page by its name."""
    parts = {
        "commands.md": write_commands(),
        "exit_codes.md": write_exit_codes(),
        "environment.md": write_variables(),
        "arrays.md": write_arrays(),
    }
    return {name: "\n\n".join(texts) + "\n" for name, texts in parts.items()}


def write_commands() -> Iterator[str]:
    """Yield the parts of the page of commands: all of them by who needs them, and then each with its options."""
    yield "# Commands"
    yield f"{ORIGIN} `arena COMMAND --help` says the same."
    loaded = {group: {name: load_command(name) for name in commands} for group, commands in GROUPS.items()}
    for group, commands in loaded.items():
        yield f"**{group}**"
        yield _table(("command", "does"), [_row_of(name, each) for name, each in commands.items()])
    for commands in loaded.values():
        for name, command in commands.items():
            yield from _write_command(f"arena {name}", command, "##")
    yield from write_sdk_commands()


def write_sdk_commands() -> Iterator[str]:
    """Yield the parts about the commands of the SDK, each with its options."""
    yield f"## {PROGRAM}"
    yield (
        "These commands need the SDK alone. `arena` has the same, some under longer names: `arena replay show "
        "--server`, `arena bots create`, `profile`, `rotate` and `revoke`, `arena submission log` and `roll-back`. Its "
        "`watch` is for spectators."
    )
    for name, parser in build_parser()[1].items():
        yield f"### {PROGRAM} {name}"
        yield f"{parser.description}\n\n{parser.epilog}"
        actions = [each for each in vars(parser)["_actions"] if each.dest != "help"]
        rows = [(_usage_of(each), f"{each.help[0].upper()}{each.help[1:]}.") for each in actions]
        yield _table(("argument or option", ""), rows)


def write_arrays() -> Iterator[str]:
    """Yield the parts of the page of arrays: fields of observations and actions, for each game that learners play."""
    yield "# Fields and actions of learning environments"
    yield f"{ORIGIN} [Learn to play](../learning.md) explains them. Seats are counted clockwise from the observer."
    for name, pack in PACKS.items():
        arrays = pack.load_arrays()
        if arrays is None:
            continue
        yield f"## {name}: an observation has {arrays.observation.size} values"
        yield _layout_table(arrays.observation)
        for encoding, layout in arrays.encodings.items():
            yield f"## {name}: {layout.size} actions in `{encoding}`"
            yield _layout_table(layout)


def _layout_table(layout: Layout) -> str:
    rows = [(str(layout.starts[row.name]), f"`{row.name}`", str(row.size), row.meaning) for row in layout.rows]
    return _table(("from", "name", "values", "meaning"), rows)


def _usage_of(action: argparse.Action) -> str:
    """Return how an argument or option of the SDK is typed."""
    value = action.metavar or "|".join(action.choices or [action.dest.upper()])
    if not action.option_strings:
        return f"`{value}{'…' if action.nargs == '+' else ''}`"
    return f"`{action.option_strings[0]}{'' if action.nargs == 0 else f' {value}'}`"


def _row_of(name: str, command: Any) -> tuple[str, str]:
    """Return the command with its own commands, and its sentence."""
    own = ", ".join(f"`{each}`" for each in getattr(command, "commands", {}))
    return f"[`arena {name}`](#arena-{name}) {own}".strip(), command.help.partition("\n\n")[0]


def _write_command(title: str, command: Any, mark: str) -> Iterator[str]:
    """Yield the section of a command; those of its own commands follow."""
    yield f"{mark} {title}"
    yield (command.help or "").strip().replace("](../docs/", "](../")
    visible = [each for each in command.params if not getattr(each, "hidden", False)]
    rows = [(_usage(each), _explain(each)) for each in visible]
    if rows:
        yield _table(("argument or option", ""), rows)
    for name, each in getattr(command, "commands", {}).items():
        yield from _write_command(f"{title} {name}", each, f"{mark}#")


def _usage(param: Any) -> str:
    """Return how a parameter is typed."""
    if param.param_type_name == "argument":
        name = param.metavar or param.name.upper()
        return f"`{name}{'…' if param.nargs == -1 else ''}`"
    value = "" if param.is_flag else " " + (param.metavar or VALUES.get(param.type_descriptor.annotation, "TEXT"))
    return ", ".join(f"`{flag}{value}`" for flag in (*param.opts, *param.secondary_opts))


def _explain(param: Any) -> str:
    """Return what a parameter means, and its default if the help does not say it."""
    text = " ".join((param.help or "").split())
    if param.required and param.param_type_name == "option":
        return f"{text} Required."
    is_told = param.default in (None, False, "", 0) or isinstance(param.default, tuple) or "Default:" in text
    return text if is_told or callable(param.default) or param.required else f"{text} Default: {param.default}."


def write_exit_codes() -> Iterator[str]:
    """Yield the parts of the page of exit codes: of `arena`, and of programs of the SDK."""
    yield "# Exit codes"
    yield ORIGIN
    yield "## `arena`"
    yield _table(("code", "meaning"), [(str(code.value), code.meaning) for code in ExitCode])
    yield "A command's own section says which of them it has, and for what."
    yield f"The commands of `{PROGRAM}` have the same, but for `join`."
    yield f"## Bots of the SDK, and `{PROGRAM} join`"
    yield _table(("code", "meaning"), _bullets(r"\d+"))
    yield "A script that defines a bot and ends without calling `run` says so on stderr, and keeps its own exit code."


def write_variables() -> Iterator[str]:
    """Yield the parts of the page of environment variables: of bots, of `arena`, and of servers."""
    yield "# Environment variables"
    yield ORIGIN
    yield "## Bots of the SDK"
    yield " ".join((inspect.getdoc(run) or "").split("\n\n")[1].split())
    yield _table(("variable", "meaning"), [(_quote(name), text) for name, text in _bullets("CHEATARENA_[^:]*")])
    yield (
        "Samples in other languages read the same variables. A bot that `arena` starts inherits none of yours: set "
        "them in its command, as in"
    )
    yield f"```sh\n{EXAMPLE}\n```"
    yield "## `arena`"
    yield _table(("variable", "meaning"), [
        (f"`{TOKEN_VARIABLE}`", "token with which a command calls a server: of an organizer, an owner or a bot"),
        (f"`{DEBUG_VARIABLE}`", "`1` shows the traceback of an error"),
    ])  # fmt: skip
    yield "## Servers"
    yield (
        "Every command that starts a server reads these settings. An option overrides its variable, and the variable "
        "the file of `--config`. The tables of the file have variables such as `ARENA_LIMITS__SESSIONS`, except pools: "
        "[operations.md](../operations.md#limits)."
    )
    yield _table(("variable", "default", "meaning"), list(_settings()))


def _settings() -> Iterator[tuple[str, str, str]]:
    """Yield variable, default and meaning of each setting of a server that has a variable of its own."""
    texts = field_texts(ServerConfig)
    for each in fields(ServerConfig):
        if each.name not in TABLES:
            default = "" if each.default in (None, "", ()) else f"`{each.default}`"
            yield f"`{ENV_PREFIX}{each.name.upper()}`", default, texts[each.name]


def _bullets(name: str) -> list[tuple[str, str]]:
    """Return name and text of each bullet of the text of `run` whose name has this form."""
    found = re.findall(rf"^\* ({name}): (.*(?:\n  .*)*)", inspect.getdoc(run) or "", re.MULTILINE)
    return [(bullet, " ".join(text.split())) for bullet, text in found]


def _quote(names: str) -> str:
    """Return the names of variables as code."""
    return re.sub(r"[A-Z_]{2,}", r"`\g<0>`", names)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [f"| {' | '.join(row)} |".replace("  |", " |") for row in [heads, *escaped]]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def main(folder: Path) -> None:
    """Replace the pages of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    for name, text in build_pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
