"""`arena token`: made, listed, revoked, beside a running server too."""

import pytest

from arena.cli.exit_codes import ExitCode
from tests.support.commands import run_arena, start_command


def test_token_is_shown_once(capsys, tmp_path):
    """The secret is all of stdout, so that a script can read it; the list contains no secrets."""
    made = run_arena(capsys, "token", "create", "somebody", "--data", tmp_path)
    secret = made.out.strip()
    listed = run_arena(capsys, "token", "list", "--data", tmp_path, "--json")

    assert made.code == ExitCode.YES
    assert secret.startswith("cat_")
    assert secret not in made.err
    assert secret not in listed.out
    (row,) = listed.json
    assert (row["name"], row["scopes"], row["state"], row["handle"]) == ("somebody", ["play"], "valid", secret[:12])


def test_token_has_scopes_and_expiry(capsys, tmp_path):
    run_arena(
        capsys, "token", "create", "x", "--scope", "play", "--scope", "spectate", "--ttl", 0.5, "--data", tmp_path
    )  # fmt: skip

    (row,) = run_arena(capsys, "token", "list", "--data", tmp_path, "--json").json

    assert row["scopes"] == ["play", "spectate"]
    assert row["state"].startswith("valid until 20")


def test_token_is_revoked_by_name_or_handle(capsys, tmp_path):
    handles = [
        run_arena(capsys, "token", "create", "x", "--data", tmp_path, "--json").json["handle"] for _ in range(3)
    ]  # fmt: skip

    one = run_arena(capsys, "token", "revoke", handles[1], "--data", tmp_path)
    rest = run_arena(capsys, "token", "revoke", "x", "--data", tmp_path, "--json")

    assert one.out == f"revoked: {handles[1]}\n"
    assert sorted(rest.json["revoked"]) == sorted([handles[0], handles[2]])
    assert run_arena(capsys, "token", "list", "--data", tmp_path, "--json").json == []
    assert len(run_arena(capsys, "token", "list", "--all", "--data", tmp_path, "--json").json) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["create", "x", "--scope", "rule"], id="scope"),
        pytest.param(["create", "a/b"], id="name"),
        pytest.param(["create", "x", "--ttl", "-1"], id="ttl"),
        pytest.param(["create", "x", "--ttl", "1e30"], id="endless-ttl"),
        pytest.param(["revoke", "nobody"], id="nobody"),
    ],
)
def test_invalid_request_is_refused(capsys, tmp_path, arguments):
    ended = run_arena(capsys, "token", *arguments, "--data", tmp_path)

    assert ended.code == ExitCode.USAGE
    assert ended.out == ""


@pytest.mark.slow
def test_token_commands_work_beside_running_server(capsys, tmp_path):
    with start_command("serve", "--data", tmp_path) as server:
        server.wait_for_line("READY")

        ended = run_arena(capsys, "token", "create", "x", "--data", tmp_path)

    assert ended.code == ExitCode.YES
