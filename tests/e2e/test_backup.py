"""`arena backup` beside a server that plays, and `arena restore`: nothing is missing, and the next server goes on."""

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from arena.cli.exit_codes import ExitCode
from tests.e2e.test_join_and_play import running_bot
from tests.e2e.test_pools import SETTINGS, Authors, ended_matches, wait_until
from tests.support.commands import run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")


def has_ended_matches(data: Path, count: int) -> bool:
    return len(ended_matches(data)) >= count


@pytest.mark.slow
@pytest.mark.long
def test_backups_of_a_server_that_plays_are_whole_and_the_next_server_goes_on(tmp_path, capsys):
    data, settings = tmp_path / "data", tmp_path / "arena.toml"
    settings.write_text(SETTINGS)
    with start_command("serve", "--config", settings, "--data", data) as server, ExitStack() as bots:
        address = server.wait_for_line("READY", 60).split()[1]
        authors = Authors(tmp_path, data, address, capsys)
        bots.enter_context(running_bot(authors.program, authors.join("ann")))
        for number in range(3):
            wait_until(partial(has_ended_matches, data, len(ended_matches(data)) + 1))
            made = run_arena(capsys, "backup", tmp_path / f"backup-{number}", "--data", data)
            assert made.code == ExitCode.YES, made.err
        server.kill()

    for number in range(3):
        restored = tmp_path / f"restored-{number}"
        assert run_arena(capsys, "restore", tmp_path / f"backup-{number}", "--data", restored).code == ExitCode.YES
        audit = run_arena(capsys, "audit", "--data", restored)
        assert audit.code == ExitCode.YES, audit.out
    assert len(ended_matches(restored)) > 2
    with start_command("serve", "--config", settings, "--data", restored) as server:
        server.wait_for_line("READY", 60)
    assert run_arena(capsys, "audit", "--data", restored).code == ExitCode.YES
