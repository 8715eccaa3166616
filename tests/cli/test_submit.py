"""`arena submit` and `arena submission`, against a server in another process; the test does what the worker does."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.bots.submissions.submission import RunNote
from arena.cli.exit_codes import ExitCode
from arena.server.store.open_store import Store
from tests.support import worker_steps
from tests.support.archives import FILES, write_folder
from tests.support.commands import run_arena, start_command
from tests.support.worker_steps import with_store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="servers take submissions on POSIX alone")

SETTINGS = """
[submissions]
enabled = true
runs_boxes = false
queued = 100
versions_a_day = 1000

[[pools]]
name = "quick"
house_bots = []
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The address of a server that takes submissions, and its data folder."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "arena.toml").write_text(SETTINGS)
    with start_command("serve", "--data", folder / "data", "--config", folder / "arena.toml") as running:
        yield running.wait_for_line("READY").split()[1], folder / "data"


@pytest.fixture
def owner(server, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An owner of the test's own, who has joined the server."""
    address, data = server
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(tmp_path / "credentials.json"))
    for name in ("CHEATARENA_ADDRESS", "CHEATARENA_TOKEN", "CHEATARENA_BOT", "CHEATARENA_CA", "ARENA_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    name = f"owner {abs(hash(str(tmp_path))) % 10**9}"
    code = run_arena(capsys, "invite", "create", "--bots", 9, "--data", data).out.strip()
    joined = run_arena(capsys, "join", address, code, "--owner", name, "--bot", name.replace("owner", "first"))
    assert joined.code == ExitCode.YES, joined.err
    return name


@pytest.fixture
def bot(owner: str) -> str:
    """The name of a bot that the owner does not have yet."""
    return owner.replace("owner", "bot")


def write_bot(folder: Path, bot: str, version: str = "1.0", more: str = 'pools = ["quick"]\n') -> Path:
    """Write the folder of a bot."""
    manifest = f'name = "{bot}"\nversion = "{version}"\n{more}'.encode()
    return write_folder(folder / f"bot-{version}", {**FILES, "bot.toml": manifest})


LOG = "\x1b[2Jcc bot.c\nno rule to make bot\n"


async def try_version(store: Store, bot: str) -> None:
    await worker_steps.try_version(store, bot.replace("bot", "owner"), bot)


async def refuse_build(store: Store, bot: str, log: str = LOG) -> None:
    await worker_steps.refuse_build(store, bot.replace("bot", "owner"), bot, log)


def test_submitted_bot_is_followed_until_it_plays(server, owner, bot, tmp_path):
    address, data = server
    with start_command("submit", write_bot(tmp_path, bot), "--to", address) as command:
        command.wait_for_line("queued")
        with_store(data, lambda store: try_version(store, bot))
        assert command.wait_for_exit() == ExitCode.YES, command.err

    assert command.out == [f"{bot}@1.0 is active, in quick\n"]
    assert command.err[0] == f"submitting {bot}@1.0 to {address}\n"


def test_bot_without_pools_is_told_so(server, owner, bot, capsys, tmp_path):
    _, data = server
    run_arena(capsys, "submit", write_bot(tmp_path, bot, more=""), "--no-wait")
    with_store(data, lambda store: try_version(store, bot))

    assert "names no `pools`" in run_arena(capsys, "submission", "show", bot).out


def test_bot_without_pools_is_told_so_before_it_is_checked(server, owner, bot, capsys, tmp_path):
    told = run_arena(capsys, "submit", write_bot(tmp_path, bot, more=""), "--no-wait").err

    assert "its bot.toml names no `pools`, so it will play only in leagues\n" in told


def test_unknown_pool_is_refused_with_those_of_the_server(server, owner, bot, capsys, tmp_path):
    refused = run_arena(capsys, "submit", write_bot(tmp_path, bot, more='pools = ["quik"]\n'))

    assert refused.code == ExitCode.USAGE
    assert refused.last_line == "arena: unknown pool 'quik'; known: quick; did you mean quick?"


def test_package_that_was_submitted_before_changes_nothing(server, owner, bot, capsys, tmp_path):
    _, data = server
    folder = write_bot(tmp_path, bot)
    run_arena(capsys, "submit", folder, "--no-wait")
    with_store(data, lambda store: try_version(store, bot))

    again = run_arena(capsys, "submit", folder)

    assert (again.code, again.out) == (ExitCode.YES, f"{bot}@1.0 is active, in quick\n")
    assert again.last_line == f"{bot}@1.0 was submitted before, with the same files: nothing changes"
    (listed,) = run_arena(capsys, "submission", "list", bot, "--json").json
    assert listed["state"] == "active"
    assert "steps" not in listed, "a list does not know them; `show` does"


def test_refused_bot_exits_with_no_and_shows_the_log(server, owner, bot, tmp_path):
    _, data = server
    with start_command("submit", write_bot(tmp_path, bot)) as command:
        command.wait_for_line("queued")
        with_store(data, lambda store: refuse_build(store, bot))
        assert command.wait_for_exit() == ExitCode.NO

    assert command.out == [f"{bot}@1.0 is refused (building): the build ended with 2\n"]
    assert command.err[-2:] == ["  cc bot.c\n", "  no rule to make bot\n"]


def test_middle_of_a_long_log_is_left_out(server, owner, bot, tmp_path):
    """The verdicts of a check are at the begin of its log."""
    _, data = server
    with start_command("submit", write_bot(tmp_path, bot)) as command:
        command.wait_for_line("queued")
        with_store(data, lambda store: refuse_build(store, bot, "".join(f"line {n}\n" for n in range(100))))
        assert command.wait_for_exit() == ExitCode.NO

    shown = [line.strip() for line in command.err if "line" in line]
    assert (shown[0], shown[24], shown[26], shown[-1]) == ("line 0", "line 24", "line 65", "line 99")
    assert shown[25].startswith("[40 lines are left out here; `")
    assert shown[25].endswith(f"arena submission log '{bot}@1.0'` prints all]")


def test_versions_are_listed_activated_rolled_back_and_withdrawn(server, owner, bot, capsys, tmp_path):
    _, data = server
    for version in ("1", "2"):
        submitted = run_arena(capsys, "submit", write_bot(tmp_path, bot, version), "--no-wait", "--json")
        assert (submitted.code, submitted.json["state"]) == (ExitCode.YES, "queued")
        with_store(data, lambda store: try_version(store, bot))

    def states() -> dict[str, str]:
        return {each["version"]: each["state"] for each in run_arena(capsys, "submission", "list", "--json").json}

    assert states() == {"1": "inactive", "2": "active"}
    assert run_arena(capsys, "submission", "roll-back", bot).out == f"{bot}@1 is active, in quick\n"
    assert states() == {"1": "active", "2": "inactive"}
    assert run_arena(capsys, "submission", "activate", f"{bot}@2").out == f"{bot}@2 is active, in quick\n"
    assert run_arena(capsys, "submission", "withdraw", f"{bot}@2").out == f"{bot}@2 is withdrawn\n"
    assert states() == {"1": "inactive", "2": "withdrawn"}
    assert "withdrawn" in run_arena(capsys, "submission", "list", bot).out
    refused = run_arena(capsys, "submission", "activate", f"{bot}@2")
    assert (refused.code, refused.last_line.endswith("a submission that is withdrawn cannot become active")) == (
        ExitCode.USAGE,
        True,
    )


def test_organizer_refuses_the_version_that_plays(server, owner, bot, capsys, tmp_path):
    """The owner is told why, and the log is that of the last step."""
    _, data = server
    run_arena(capsys, "submit", write_bot(tmp_path, bot, "1"), "--no-wait")
    with_store(data, lambda store: try_version(store, bot))

    told = run_arena(capsys, "submission", "refuse", bot, "--because", "it insults others", "--data", data)

    assert (told.code, told.out) == (ExitCode.YES, f"{bot}@1 is refused\n")
    assert run_arena(capsys, "submission", "show", bot).out.startswith(
        f"{bot}@1 is refused (active): it insults others"
    )
    again = run_arena(capsys, "submission", "activate", f"{bot}@1")
    assert again.last_line.endswith("a submission that is refused cannot become active")


def test_submission_is_shown_with_its_steps_and_log(server, owner, bot, capsys, tmp_path):
    _, data = server
    run_arena(capsys, "submit", write_bot(tmp_path, bot), "--no-wait")
    assert "no step" in run_arena(capsys, "submission", "log", bot).err
    with_store(data, lambda store: refuse_build(store, bot))

    shown = run_arena(capsys, "submission", "show", bot)
    assert shown.out.splitlines()[0] == f"{bot}@1.0 is refused (building): the build ended with 2"
    assert shown.out.splitlines()[2] == "building  failed  the build ended with 2"
    as_json = run_arena(capsys, "submission", "show", f"{bot}@1.0", "--json").json
    assert run_arena(capsys, "submission", "show", as_json["submission_id"], "--json").json == as_json
    assert run_arena(capsys, "submission", "log", bot).out == "cc bot.c\nno rule to make bot\n"
    missing = run_arena(capsys, "submission", "log", bot, "--step", "trying")
    assert missing.code == ExitCode.USAGE
    assert f"{bot}@1.0 has not reached the step trying, only building." in missing.last_line
    unknown = run_arena(capsys, "submission", "log", bot, "--step", "run")
    assert unknown.last_line.endswith("step run: expected one of building, checking, trying, running")


def test_log_without_a_line_says_so(server, owner, bot, capsys, tmp_path):
    _, data = server
    run_arena(capsys, "submit", write_bot(tmp_path, bot), "--no-wait")
    with_store(data, lambda store: refuse_build(store, bot, ""))

    shown = run_arena(capsys, "submission", "log", bot)

    assert (shown.code, shown.out) == (ExitCode.YES, "")
    assert shown.last_line == f"step building of {bot}@1.0: it has printed nothing yet; --step names another step"


def test_output_of_a_bot_that_plays_is_shown(server, owner, bot, capsys, tmp_path):
    _, data = server
    run_arena(capsys, "submit", write_bot(tmp_path, bot), "--no-wait")
    with_store(data, lambda store: try_version(store, bot))
    submission_id = run_arena(capsys, "submission", "show", bot, "--json").json["submission_id"]
    note = RunNote(submission_id, "it ended 4 times", "it does not keep running", "no cards left\nno cards left")
    with_store(data, lambda store: store.submissions.note_runs([note]))

    shown = run_arena(capsys, "submission", "show", bot).out.splitlines()
    assert (shown[0], shown[2]) == (
        f"{bot}@1.0 is active, in quick: it does not keep running",
        "running   runs  it ended 4 times",
    )
    for words in ((), ("--step", "running")):
        assert run_arena(capsys, "submission", "log", bot, *words).out == "no cards left\n" * 2


def test_archive_is_submitted_with_a_token_of_ci(server, owner, bot, capsys, tmp_path, monkeypatch):
    """The token for CI submits the owner's bots, and can do nothing else."""
    address, _ = server
    run_arena(capsys, "pack", write_bot(tmp_path, bot), "--output", tmp_path / "bot.tar.gz")
    secret = run_arena(capsys, "submission", "token", "--days", 7).out.strip()
    monkeypatch.setenv("ARENA_TOKEN", secret)
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(tmp_path / "none.json"))

    submitted = run_arena(capsys, "submit", tmp_path / "bot.tar.gz", "--to", address, "--no-wait")

    assert (submitted.code, submitted.out) == (ExitCode.YES, f"{bot}@1.0 is queued\n")
    assert run_arena(capsys, "games", "--server", address).code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["submit", "missing"], "missing cannot be read: No such file or directory"),
        (["submit", "{bad}"], "there is no bot.toml in the folder"),
        (["submit", "{pool}"], "unknown pool 'main'"),
        (["submission", "activate", "counter"], "'counter' names no version: expected BOT@VERSION"),
        (["submission", "roll-back", "counter@1"], "'counter@1' names a version: expected BOT"),
        (["submission", "list", "counter@1"], "'counter@1' names a version: expected BOT"),
        (["submit", "{file}"], "; expected the folder of a bot, or an archive"),
        (["submit", "/dev/null"], "/dev/null is neither the folder of a bot nor an archive"),
        (["submission", "show", "nobody@1"], "unknown bot of yours 'nobody'; known: {first}"),
        (["submission", "roll-back", "nobody"], "unknown bot of yours 'nobody'"),
    ],
)
def test_bad_request_is_one_sentence(server, owner, bot, capsys, tmp_path, arguments: list[str], text: str):
    (tmp_path / "bad").mkdir()
    pool = write_bot(tmp_path, bot, "9", 'pools = ["main"]')
    places: dict[str, Any] = {"bad": tmp_path / "bad", "pool": pool, "file": pool / "bot.py"}

    result = run_arena(capsys, *(argument.format(**places) for argument in arguments))

    assert result.code == ExitCode.USAGE
    assert text.format(first=owner.replace("owner", "first")) in result.last_line


def test_owner_without_submissions_reads_how_to_begin(owner, capsys):
    result = run_arena(capsys, "submission", "list")

    assert (result.code, result.out) == (
        ExitCode.YES, "no submissions yet: `arena submit FOLDER` submits a bot\n"
    )  # fmt: skip


def test_own_games_are_those_on_the_only_server_of_the_credentials_file(owner, capsys):
    result = run_arena(capsys, "games")

    assert (result.code, result.out) == (ExitCode.YES, "no matches yet\n")


def test_organizer_refuses_nothing_in_a_folder_that_is_no_data_folder(capsys, tmp_path):
    result = run_arena(capsys, "submission", "refuse", "mybot", "--because", "it cheats", "--data", tmp_path / "data")

    assert result.code == ExitCode.USAGE
    assert "there is no data folder at" in result.last_line
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_server_that_takes_none_says_so(capsys, tmp_path, monkeypatch):
    with start_command("serve", "--data", tmp_path / "data") as running:
        address = running.wait_for_line("READY").split()[1]
        run_arena(capsys, "owner", "add", "ada", "--data", tmp_path / "data")
        made = run_arena(capsys, "token", "create", "ada", "--scope", "submit", "--data", tmp_path / "data")
        monkeypatch.setenv("ARENA_TOKEN", made.out.strip())

        result = run_arena(capsys, "submit", write_bot(tmp_path, "counter"), "--to", address)

    assert (result.code, "this server takes no submissions" in result.last_line) == (ExitCode.USAGE, True)
