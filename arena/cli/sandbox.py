"""`arena sandbox`: says whether this machine can hold the programs of others in boxes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.bots.sandbox.probes.isolation_findings import IsolationFinding, IsolationState
from arena.cli.console import print_status
from arena.cli.exit_codes import ExitCode
from arena.cli.options import JsonOption
from arena.cli.present import present
from arena.plain_data import to_plain

app = typer.Typer(rich_markup_mode="markdown", no_args_is_help=True)


@app.callback()
def sandbox() -> None:
    pass  # with a callback, `check` stays a subcommand though it is the only one


@app.command()
def check(
    config: Annotated[Path | None, typer.Option(help="TOML file with the settings of the server.")] = None,
    backend: Annotated[
        str, typer.Option(metavar="NAME", help="What makes the boxes: bubblewrap or oci. Default: as in the settings.")
    ] = "",
    json: JsonOption = False,
) -> int:
    """Try to get out of real boxes on this machine, and say what holds.

    Exits with 0 if everything holds, with 1 if anything does not hold, and with 2 if something could not be tested. The
    arena runs untrusted code only if everything holds. It makes boxes as a server with these settings does.
    [docs/boxes.md](../docs/boxes.md) says what boxes need.
    """
    from arena.bots.sandbox.probes.isolation_check import check_isolation
    from arena.server.config.read_config import read_config

    boxes = read_config(config, {"boxes": {"backend": backend} if backend else None}).boxes
    print_status(f"trying to get out of boxes of {boxes.backend}, which takes a few seconds")
    findings = check_isolation(boxes)
    details = (f" ({each.detail})" if each.detail else "" for each in findings)
    lines = (f"{each.state.value:14}  {each.promise}{detail}" for each, detail in zip(findings, details, strict=True))
    present(to_plain(findings), json, lines)
    return _exit_code_of(findings)


def _exit_code_of(findings: Sequence[IsolationFinding]) -> ExitCode:
    states = {each.state for each in findings}
    if IsolationState.BROKEN in states:
        return ExitCode.NO
    return ExitCode.UNDECIDED if IsolationState.NOT_TESTED in states else ExitCode.YES
