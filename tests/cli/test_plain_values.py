"""Values that Typer need not give to pydantic."""

import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperArgument, TyperOption
from typer.exceptions import TyperException

from arena.cli import plain_values


class Colour(StrEnum):
    RED = "red"


def parse(words: list[str]) -> Any:
    """Return what a command gets from a command line, or the text of its refusal."""
    app, got = typer.Typer(add_completion=False), {}

    @app.command()
    def command(
        *,
        first: str = "a",
        size: Annotated[int, typer.Option(min=1, max=9)] = 4,
        clamped: Annotated[int, typer.Option(max=9, clamp=True)] = 4,
        share: float = 2.5,
        place: Path | None = None,
        there: Annotated[Path | None, typer.Option(exists=True)] = None,
        name: Annotated[list[str] | None, typer.Option()] = None,
        number: Annotated[list[int] | None, typer.Option()] = None,
        pair: tuple[int, int] = (1, 2),
        colour: Colour = Colour.RED,
        is_loud: bool = False,
        named: Annotated[str, typer.Option(parser=str.upper)] = "x",
    ) -> None:
        got.update(locals())
        del got["got"]

    try:
        typer.main.get_command(app).main(words, standalone_mode=False)
    except TyperException as error:
        return type(error), error.format_message()
    return got


WORDS = (
    "", "--first ä", "--size 7", "--size 07", "--size 0", "--size 10", "--size x", "--size 1_0", "--size 7.0",
    "--size 99999999999999999999", "--clamped 30", "--share 3", "--share x", "--place /nowhere", "--place /",
    "--there /", "--there /nowhere", "--name a --name b", "--number 1 --number x", "--number 1", "--pair 3 4",
    "--pair 3 x", "--colour red", "--colour blue", "--is-loud", "--named y",
)  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_command_gets_what_typer_would_give_it(monkeypatch, words):
    for kind in (TyperArgument, TyperOption):
        monkeypatch.setattr(kind, "get_runtime_param", plain_values._GET_CONVERTER)
    by_pydantic = parse(words.split())

    plain_values.load_pydantic_late()

    assert parse(words.split()) == by_pydantic


def test_pydantic_is_not_loaded_for_plain_values():
    program = (
        "import sys; from arena.cli.main import run; assert run(['rules', 'show', 'standard', '--json']) == 0; "
        "assert 'pydantic' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
