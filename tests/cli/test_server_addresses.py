"""Every command that takes the address of a server refuses one that cannot be dialled, in one sentence."""

import pytest

from arena.cli.exit_codes import ExitCode
from tests.support.commands import run_arena

COMMANDS = [
    ("health", "{}"),
    ("join", "{}", "CODE"),
    ("games", "--server", "{}"),
    ("bots", "list", "--server", "{}"),
    ("bots", "create", "mine", "--server", "{}"),
    ("bots", "rotate", "mine", "--server", "{}"),
    ("bots", "revoke", "mine", "--server", "{}"),
    ("replay", "list", "--server", "{}"),
    ("replay", "show", "ID", "--server", "{}"),
    ("match", "--bot", "sample:honest", "--bot", "sample:honest", "--server", "{}"),
    ("serve", "--public-address", "{}"),
    ("serve", "--listen", "{}"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("arena.example", "it names no port: expected HOST:PORT"),
        ("http://arena.example:443", "leave out http://: expected HOST:PORT"),
        ("https://arena.example", "leave out https://, and name the port: expected HOST:PORT"),
    ],
)
def test_address_that_cannot_be_dialled_is_refused(capsys, monkeypatch, tmp_path, command, address, words):
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(tmp_path / "credentials.json"))
    monkeypatch.setenv("CHEATARENA_TOKEN", "secret")

    ended = run_arena(capsys, *(word.format(address) for word in command))

    assert ended.code == ExitCode.USAGE
    assert words in ended.err
    assert address in ended.err
    assert len(ended.err.splitlines()) == 1
