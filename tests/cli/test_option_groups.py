"""Options are declared once, as fields of a dataclass, and commands take the dataclass."""

from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar

import pytest
import typer

from arena.cli.option_groups import with_option_groups
from arena.cli.serve import ServerFlags
from arena.server.config.server_config import ServerConfig


@dataclass(frozen=True)
class Inner:
    PANEL: ClassVar = "Inner things"

    depth: Annotated[int, typer.Option(help="How deep.")] = 3


@dataclass(frozen=True)
class Outer:
    name: Annotated[str, typer.Option(help="Who.")]
    inner: Inner = field(default_factory=Inner)


@pytest.fixture
def app():
    app = typer.Typer()

    @app.command()
    @with_option_groups
    def act(outer: Outer, loud: Annotated[bool, typer.Option("--loud")] = False) -> int:
        """Do it."""
        print(outer, loud)
        return 0

    return app


def run(app, *arguments):
    return typer.main.get_command(app).main(list(arguments), standalone_mode=False)


def test_command_gets_each_group_as_one_value(app, capsys):
    assert run(app, "--name", "ann", "--depth", "5", "--loud") == 0
    assert capsys.readouterr().out == f"{Outer('ann', Inner(5))} True\n"


def test_defaults_are_those_of_the_fields(app, capsys):
    run(app, "--name", "ann")

    assert capsys.readouterr().out == f"{Outer('ann')} False\n"


def test_field_without_default_is_required(app):
    with pytest.raises(typer.exceptions.TyperException, match="name"):
        run(app)


def test_help_lists_a_group_in_its_panel(app, capsys):
    run(app, "--help")

    told = capsys.readouterr().out
    assert told.index("--name") < told.index("--loud") < told.index("Inner things") < told.index("--depth")


def test_every_server_flag_is_a_setting():
    tables_in_a_file = {"boxes", "limits", "pools", "retention", "site", "submissions"}
    settings = {each.name for each in fields(ServerConfig)}
    assert {each.name for each in fields(ServerFlags)} == settings - tables_in_a_file
