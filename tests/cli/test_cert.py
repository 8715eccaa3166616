"""`arena cert`: what it prints fits the server for which it makes a certificate."""

import pytest

from arena.cli.exit_codes import ExitCode
from tests.support.commands import run_arena


@pytest.mark.parametrize(
    ("words", "variables", "port"),
    [((), {}, 7777), (("--port", 9000), {}, 9000), ((), {"ARENA_PORT": "9001"}, 9001)],
)
def test_command_has_the_port_of_the_server(capsys, tmp_path, monkeypatch, words, variables, port):
    for name, text in variables.items():
        monkeypatch.setenv(name, text)

    ended = run_arena(capsys, "cert", "arena.lan", *words, "--out", tmp_path)

    assert ended.code == ExitCode.YES
    assert f" serve --listen 0.0.0.0:{port} " in ended.out


def test_port_is_no_part_of_a_host(capsys, tmp_path):
    ended = run_arena(capsys, "cert", "arena.lan:9000", "--out", tmp_path)

    assert (ended.code, "without a port" in ended.last_line) == (ExitCode.USAGE, True)
