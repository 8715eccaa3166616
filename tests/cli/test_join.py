"""`arena join` and `arena bots`: from an invitation to a bot without settings, against a server in another process."""

import io
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.rpc.local_authority import LocalAuthority
from cheatarena import Settings
from tests.support.commands import CommandResult, run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are of another kind there")


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """The address of a running server, and its data folder."""
    data = tmp_path_factory.mktemp("server")
    with start_command("serve", "--data", data) as running:
        yield running.wait_for_line("READY").split()[1], data


@pytest.fixture
def file(tmp_path: Path, monkeypatch) -> Path:
    """The credentials file of an author who has none yet."""
    path = tmp_path / "home" / "credentials.json"
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(path))
    for name in ("CHEATARENA_ADDRESS", "CHEATARENA_TOKEN", "CHEATARENA_BOT", "CHEATARENA_CA"):
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture
def arena(capsys) -> Any:
    def run(*arguments: object, code: ExitCode = ExitCode.YES) -> CommandResult:
        ended = run_arena(capsys, *arguments)
        assert ended.code == code, ended.err
        return ended

    return run


def invite(arena: Any, data: Path, *options: object) -> str:
    code: str = arena("invite", "create", *options, "--data", data).out.strip()
    return code


def test_author_joins_and_the_bot_needs_no_setting(arena, server, file):
    address, data = server
    code = invite(arena, data)

    joined = arena("join", address, code, "--owner", "ann", "--contact", "ann@example.org", "--bot", "counter")

    assert joined.out == f"joined {address} as ann; bots: counter\n"
    assert "cat_" not in joined.out + joined.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings = Settings.from_environment()
    assert (settings.address, settings.token[:4]) == (address, "cat_")
    (owner,) = [each for each in arena("owner", "list", "--data", data, "--json").json if each["name"] == "ann"]
    assert owner["contact"] == "ann@example.org"
    assert owner["bots"][0]["tokens"] == [settings.token[:12]]
    (used,) = [
        row
        for row in arena("invite", "list", "--all", "--data", data, "--json").json
        if row["handle"] == code[:12]
    ]  # fmt: skip
    assert used["state"] == "used by ann"


def test_invitation_says_what_an_author_with_the_sdk_alone_runs(arena, server):
    made = arena("invite", "create", "--data", server[1])

    assert "The author runs: python -m cheatarena join ADDRESS CODE" in made.err


def test_author_joins_with_the_sdk_alone(arena, server, file):
    address, data = server
    join = [sys.executable, "-m", "cheatarena", "join", address]
    flags = ["--owner", "sue", "--bot", "sue-bot"]
    code = invite(arena, data)

    joined = subprocess.run([*join, code, *flags], capture_output=True, text=True, timeout=30, check=True)
    again = subprocess.run([*join, code, "--bot", "other"], capture_output=True, text=True, timeout=30, check=False)

    assert joined.stdout == f"joined {address} as sue; bots: sue-bot\n"
    assert str(file) in joined.stderr
    assert Settings.from_environment().address == address
    assert (again.returncode, len(again.stderr.splitlines())) == (76, 1)
    assert "this invitation is not valid" in again.stderr


@pytest.mark.parametrize("arguments", [("arena.lan", "cai_x"), ("host:99999", "cai_x"), (), ("arena.lan:1",)])
def test_malformed_request_without_the_arena_is_one_line(file, arguments):
    join = [sys.executable, "-m", "cheatarena", "join", *arguments]

    ended = subprocess.run(join, capture_output=True, text=True, timeout=30, check=False)

    assert (ended.returncode, len(ended.stderr.splitlines())) == (64, 1)
    assert "HOST:PORT" in ended.stderr or "required: " in ended.stderr
    assert not file.exists()


def test_names_are_asked_for_at_a_terminal(arena, server, file, monkeypatch):
    address, data = server
    answers = io.StringIO("hugo\nhugo-1, hugo-2\n")
    monkeypatch.setattr(answers, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", answers)

    joined = arena("join", address, invite(arena, data), "--json").json

    assert (joined["owner"], joined["bots"]) == ("hugo", ["hugo-1", "hugo-2"])


def test_authority_that_cannot_be_read_is_one_line(arena, server, file):
    ended = arena("join", server[0], "cai_x", "--owner", "x", "--ca", "missing.pem", code=ExitCode.USAGE)

    assert len(ended.err.splitlines()) == 1
    assert "missing.pem, which cannot be read" in ended.err


def test_code_that_does_not_work_is_one_line_and_leaves_the_file_alone(arena, server, file):
    address, data = server
    revoked = invite(arena, data)
    arena("invite", "revoke", revoked[:12], "--data", data)

    said = {arena("join", address, each, "--owner", "x", code=ExitCode.USAGE).err for each in (revoked, "cai_x")}

    (line,) = said
    assert line.startswith("arena: this invitation is not valid")
    assert len(line.splitlines()) == 1
    assert json.loads(file.read_text())["servers"] == {}


def test_refused_name_leaves_the_code_valid(arena, server, file):
    address, data = server
    arena("owner", "add", "Brigitte", "--data", data)
    code = invite(arena, data)

    refused = arena("join", address, code, "--owner", "br1gitte", "--bot", "b", code=ExitCode.USAGE)
    joined = arena("join", address, code, "--owner", "carol", "--bot", "carol-bot", "--json")

    assert "looks like 'Brigitte'" in refused.err
    assert refused.err.count("refuse") == 1
    assert (joined.json["owner"], joined.json["bots"]) == ("carol", ["carol-bot"])


def test_second_invitation_adds_bots_and_keeps_the_first(arena, server, file):
    address, data = server
    arena("join", address, invite(arena, data), "--owner", "dora", "--bot", "dora-1")

    other = arena("join", address, invite(arena, data), "--owner", "eve", "--bot", "eve-1", code=ExitCode.USAGE)
    arena("join", address, invite(arena, data, "--owner", "dora"), "--bot", "dora-2")

    assert "has the owner 'dora' there" in other.err
    assert list(json.loads(file.read_text())["servers"][address]["bots"]) == ["dora-1", "dora-2"]


def test_file_that_cannot_be_used_does_not_cost_the_invitation(arena, server, file):
    address, data = server
    code = invite(arena, data)
    file.parent.mkdir()
    file.write_text("{}")

    for mode, sentence in [(0o644, "chmod 600"), (0o600, "not a credentials file")]:
        file.chmod(mode)
        assert sentence in arena("join", address, code, "--owner", "frank", code=ExitCode.USAGE).err

    file.unlink()
    arena("join", address, code, "--owner", "frank")


@pytest.mark.parametrize("address", ["nowhere", "host:", "host:99999"])
def test_malformed_address_is_refused(arena, file, address):
    assert "HOST:PORT" in arena("join", address, "cai_x", code=ExitCode.USAGE).err
    assert not file.exists()


def test_server_that_is_not_there_is_one_line(arena, file):
    ended = arena("join", "127.0.0.1:1", "cai_x", "--owner", "x", code=ExitCode.UNSTEADY)

    assert ended.err.startswith("arena: no answer from 127.0.0.1:1")


def test_author_manages_bots_from_afar(arena, server, file):
    address, data = server
    arena("join", address, invite(arena, data, "--bots", 2), "--owner", "gina", "--bot", "gina-1")
    first = json.loads(file.read_text())["servers"][address]

    arena("bots", "create", "gina-2", "--server", address)
    arena("bots", "rotate", "gina-1", "--overlap", 1)
    arena("bots", "rotate", "gina")
    revoked = arena("bots", "revoke", first["bots"]["gina-1"][:12])
    listed = arena("bots", "list", "--json").json

    now = json.loads(file.read_text())["servers"][address]
    assert revoked.out == f"revoked: {first['bots']['gina-1'][:12]}\n"
    assert now["owner_token"] != first["owner_token"]
    assert now["bots"].keys() == {"gina-1", "gina-2"}
    assert {name: [token["handle"] for token in tokens] for name, tokens in listed["bots"].items()} == {
        name: [token[:12]] for name, token in now["bots"].items()
    }
    assert "gina-1" in arena("bots", "list").out


def test_author_restores_a_revoked_bot(arena, server, file):
    address, data = server
    arena("join", address, invite(arena, data, "--bots", 1), "--owner", "hana", "--bot", "hana-1")
    arena("bots", "revoke", "hana-1")

    rotated = arena("bots", "rotate", "hana-1", code=ExitCode.USAGE)
    arena("bots", "create", "hana-1")

    assert "create a new one" in rotated.err
    kept = json.loads(file.read_text())["servers"][address]["bots"]["hana-1"]
    assert [each["handle"] for each in arena("bots", "list", "--json").json["bots"]["hana-1"]] == [kept[:12]]


@pytest.mark.parametrize("hours", ["-1", "720.5"])
def test_overlap_beyond_its_bounds_is_refused_before_the_server_is_asked(arena, file, hours):
    refused = arena("bots", "rotate", "x", "--overlap", hours, code=ExitCode.USAGE)

    assert "expected 0 to 720 hours" in refused.err


@pytest.mark.slow
def test_commands_of_the_author_need_a_server_in_the_file(arena, file):
    for command in (["list"], ["create", "x"], ["rotate", "x"], ["revoke", "x"]):
        refused = arena("bots", *command, code=ExitCode.USAGE).err
        assert "has no server yet: join one with `python -m cheatarena join`" in refused


@pytest.mark.slow
def test_join_over_tls_keeps_the_authority_for_the_bot(arena, tmp_path, file, monkeypatch):
    """Given relative to the working directory, it is kept as an absolute path."""
    authority = LocalAuthority(tmp_path / "tls")
    pair = authority.issue_server_certificate(["localhost", "127.0.0.1"])
    options = ["--tls-cert", pair.certificate, "--tls-key", pair.key, "--tls-on-loopback"]
    with start_command("serve", "--data", tmp_path / "data", *options) as running:
        address = running.wait_for_line("READY").split()[1]
        code = invite(arena, tmp_path / "data")
        monkeypatch.chdir(tmp_path)
        wrong = LocalAuthority(tmp_path / "other").certificate

        refused = arena("join", address, code, "--owner", "ann", "--ca", wrong, code=ExitCode.UNSTEADY)
        plain = arena("join", address, code, "--owner", "ann", code=ExitCode.UNSTEADY)
        monkeypatch.delenv("GRPC_VERBOSITY", raising=False)
        join = [sys.executable, "-m", "cheatarena", "join", address, code, "--owner", "ann", "--ca", str(wrong)]
        alone = subprocess.run(join, capture_output=True, text=True, timeout=30, check=False)
        arena("join", address, code, "--owner", "ann", "--bot", "counter", "--ca", "tls/ca.pem")
        listed = arena("bots", "list", "--json")

    assert "not from the authority" in refused.err
    assert "the server speaks TLS" in plain.err
    assert alone.stderr == f"the server's certificate is not from the authority in {wrong} ({address})\n"
    assert Settings.from_environment().ca == authority.certificate
    assert list(listed.json["bots"]) == ["counter"]


def test_author_describes_a_bot_with_either_wheel(arena, server, file):
    """Each changes what it names, and leaves the rest."""
    address, data = server
    arena("join", address, invite(arena, data), "--owner", "zoe", "--bot", "zoe-bot")
    profile = [sys.executable, "-m", "cheatarena", "profile", "zoe-bot"]

    arena("bots", "profile", "zoe-bot", "--text", "Lies when cornered.", "--language", "Rust")
    ended = subprocess.run([*profile, "--text", "", "--json"], capture_output=True, text=True, timeout=30, check=True)
    refused = arena("bots", "profile", "zoe-bot", "--link", "javascript:alert(1)", code=ExitCode.USAGE)

    assert json.loads(ended.stdout) == {"text": "", "language": "Rust", "link": ""}
    assert "link must be a web address such as https://example.org/bot" in refused.err
    assert arena("bots", "profile", "zoe-bot").out == "language: Rust\n"
    assert "unknown bot of yours 'counter'" in arena("bots", "profile", "counter", code=ExitCode.USAGE).err

    arena("owner", "clear-profile", "zoe-bot", "--data", data)
    assert arena("bots", "profile", "zoe-bot").out == "nothing is said of it\n"
