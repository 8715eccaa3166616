"""The poller, if gRPC offers the choice, and what gRPC logs are chosen before gRPC is loaded."""

import os
import subprocess
import sys
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from cheatarena import polling


@pytest.mark.parametrize(
    ("installed", "chosen"), [("1.76.0", True), ("1.82.2", True), ("1.83.0", False), ("2.0.0", False)]
)
def test_old_poller_is_requested_where_available(installed, chosen, monkeypatch):
    monkeypatch.setattr(polling, "find_grpc_version", lambda: installed)
    monkeypatch.delenv(polling.EXPERIMENTS_VARIABLE, raising=False)

    polling.choose_poller()

    assert os.environ.get(polling.EXPERIMENTS_VARIABLE) == (polling.OLD_POLLER if chosen else None)


@pytest.mark.parametrize("has_folder", [True, False])
def test_version_is_that_of_the_installed_distribution(has_folder, monkeypatch, tmp_path):
    """Also where no metadata lies beside the package."""
    if not has_folder:
        monkeypatch.setattr(polling, "find_spec", lambda _: SimpleNamespace(origin=str(tmp_path / "grpc/__init__.py")))

    assert polling.find_grpc_version() == version("grpcio")


def test_package_loads_no_reader_of_metadata():
    """That would take a tenth of the time in which a bot starts."""
    code = "import cheatarena, sys; print('importlib.metadata' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"


def test_existing_setting_is_kept(monkeypatch):
    monkeypatch.setenv(polling.EXPERIMENTS_VARIABLE, "mine")

    polling.choose_poller()

    assert os.environ[polling.EXPERIMENTS_VARIABLE] == "mine"


def test_wish_to_see_the_lines_of_grpc_is_kept(monkeypatch):
    monkeypatch.setenv(polling.VERBOSITY_VARIABLE, "DEBUG")

    polling.quieten_grpc()

    assert os.environ[polling.VERBOSITY_VARIABLE] == "DEBUG"


@pytest.mark.parametrize(
    ("variable", "value"),
    [(polling.EXPERIMENTS_VARIABLE, polling.OLD_POLLER), (polling.VERBOSITY_VARIABLE, "ERROR")],
)
@pytest.mark.parametrize(
    "package", ["cheatarena", "arena.server.rpc.server", "arena.server.rpc.health_service", "arena.server.rpc.client"]
)
def test_variable_is_set_before_grpc_is_loaded(package, variable, value):
    code = (
        "import builtins, os, sys\n"
        "load = builtins.__import__\n"
        "def look(name, *rest):\n"
        "    if name.split('.')[0] == 'grpc' and 'grpc' not in sys.modules:\n"
        f"        print(os.environ.get({variable!r}))\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = look\n"
        f"import {package}\n"
    )
    env = {name: os.environ[name] for name in os.environ if name != variable}

    seen = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)

    assert seen.stdout.split()[0] == value
