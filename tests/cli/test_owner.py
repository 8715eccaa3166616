"""`arena owner`, `arena invite` and the owners of `arena token`, for organizers."""

import json
import zipfile
from typing import Any

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.store.data_folder import acquire_folder_lock
from tests.support.commands import CommandResult, run_arena


@pytest.fixture
def arena(capsys, tmp_path) -> Any:
    """Run a command on a data folder of its own."""

    def run(*arguments: object, code: ExitCode = ExitCode.YES) -> CommandResult:
        ended = run_arena(capsys, *arguments, "--data", tmp_path)
        assert ended.code == code, ended.err
        return ended

    return run


def test_owner_is_added_shown_changed_and_removed(arena):
    arena("owner", "add", "ann", "--contact", "ann@example.org", "--bots", 3)
    arena("owner", "contact", "ann", "ann@example.com")

    shown = arena("owner", "show", "ann", "--json").json
    assert (shown["name"], shown["contact"], shown["bot_limit"], shown["bots"]) == ("ann", "ann@example.com", 3, [])
    assert "ann@example.com" in arena("owner", "list").out
    arena("owner", "remove", "ann")
    assert arena("owner", "list", "--json").json == []


def test_token_of_an_owned_bot_belongs_to_the_owner(arena):
    """Also the next one, for which the owner is not named."""
    arena("owner", "add", "ann")
    arena("token", "create", "counter", "--owner", "ann")
    arena("token", "create", "counter")
    arena("token", "create", "stray")

    owners = [(row["name"], row["owner"]) for row in arena("token", "list", "--json").json]

    assert owners == [("counter", "ann"), ("counter", "ann"), ("stray", None)]
    assert "counter" in arena("owner", "show", "ann").out
    removal = arena("owner", "remove", "ann", code=ExitCode.USAGE)
    assert "has bots (counter)" in removal.err


@pytest.mark.parametrize("name", ["c0unter", "COUNTER", "coun-ter"])
def test_token_without_owner_does_not_look_like_somebodys_bot(arena, name):
    """An organizer may be asked for it by somebody else. It does not matter for tokens that do not play."""
    arena("owner", "add", "ann")
    arena("token", "create", "counter", "--owner", "ann")

    assert "looks like 'counter'" in arena("token", "create", name, code=ExitCode.USAGE).err
    arena("token", "create", name, "--scope", "spectate")


def test_owner_token_is_for_known_owners(arena):
    arena("owner", "add", "ann")
    arena("token", "create", "ann", "--scope", "own")

    (row,) = arena("token", "list", "--json").json

    assert (row["name"], row["owner"], row["scopes"]) == ("ann", "ann", ["own"])
    assert "unknown owner 'bob'" in arena("token", "create", "bob", "--scope", "own", code=ExitCode.USAGE).err


def test_token_is_rotated_with_overlap(arena):
    old = arena("token", "create", "counter").out.strip()

    made = arena("token", "rotate", "counter", "--overlap", 2)

    rows = {row["handle"]: row for row in arena("token", "list", "--json").json}
    assert rows[old[:12]]["state"].startswith("valid until 20")
    assert rows[made.out.strip()[:12]]["state"] == "valid"
    assert "for 2 more hours" in made.err


def test_command_that_makes_a_data_folder_says_so(arena, tmp_path):
    """Who runs it in a wrong folder gets a code that no server knows."""
    assert f"{tmp_path} is a new data folder; if the server has another one" in arena("invite", "create").err
    assert "new data folder" not in arena("invite", "create").err


def test_invitation_is_shown_once_and_revoked(arena):
    code = arena("invite", "create", "--owner", "ann", "--bots", 2, "--ttl", 1).out.strip()

    (row,) = arena("invite", "list", "--json").json
    assert (row["handle"], row["owner"], row["bots"]) == (code[:12], "ann", 2)
    assert code not in arena("invite", "list").out
    assert arena("invite", "revoke", code[:12]).out == f"revoked: {code[:12]}\n"
    assert arena("invite", "list", "--json").json == []
    assert [row["state"] for row in arena("invite", "list", "--all", "--json").json] == ["revoked"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["owner", "add", "a/b"],
        ["owner", "add", "ann "],
        ["owner", "add", "x", "--bots", "0"],
        ["owner", "add", "x", "--contact", "two\nlines"],
        ["owner", "show", "nobody"],
        ["owner", "remove", "nobody"],
        ["owner", "contact", "nobody", "x"],
        ["token", "create", "x", "--owner", "nobody"],
        ["token", "rotate", "nobody"],
        ["token", "rotate", "nobody", "--overlap", "-1"],
        ["token", "rotate", "nobody", "--overlap", "1e300"],
        ["invite", "create", "--ttl", "0"],
        ["invite", "create", "--bots", "0"],
        ["invite", "revoke", "cai_nothing"],
    ],
    ids=" ".join,
)
def test_invalid_request_is_one_line(arena, arguments):
    ended = arena(*arguments, code=ExitCode.USAGE)

    assert ended.out == ""
    assert len(ended.err.splitlines()) == 1


def test_banned_owner_is_shown_with_the_reason_also_when_the_ban_is_lifted(arena):
    arena("owner", "add", "ann")
    arena("owner", "ban", "ann", "--because", "two [accounts]")

    assert "banned since" in arena("owner", "show", "ann").out
    assert "two [accounts]" in arena("owner", "list").out
    assert [owner["banned"] for owner in arena("owner", "list", "--json").json] == ["two [accounts]"]
    refused = arena("token", "create", "ann", "--scope", "own", code=ExitCode.USAGE)
    assert "'ann' is banned from this server: two [accounts]" in refused.err
    arena("owner", "unban", "ann")
    (ban,) = arena("owner", "show", "ann", "--json").json["bans"]
    assert ban["because"] == "two [accounts]"
    assert ban["lifted_at"] >= ban["banned_at"]


def test_ban_in_a_folder_that_is_none_makes_none(capsys, tmp_path):
    refused = run_arena(capsys, "owner", "ban", "ann", "--because", "spam", "--data", tmp_path / "typo")

    assert "there is no data folder" in refused.err
    assert not (tmp_path / "typo").exists()


def test_owner_is_exported_renamed_and_forgotten(arena, tmp_path):
    arena("owner", "add", "ann", "--contact", "ann@example.org")
    arena("token", "create", "counter", "--owner", "ann")
    file = tmp_path / "ann.zip"

    assert "ann, with 1 bot, 0 matches, 0 packages" in arena("owner", "export", "ann", "--to", file).out
    with zipfile.ZipFile(file) as export:
        assert json.loads(export.read("data.json"))["owner"][0]["contact"] == "ann@example.org"
    assert file.stat().st_mode & 0o777 == 0o600
    arena("owner", "export", "ann", "--to", file, code=ExitCode.UNSTEADY)
    assert "ann is anna now" in arena("owner", "rename", "ann", "anna").out
    said = arena("owner", "forget", "anna").out
    assert "anna is forgotten-" in said
    assert "out of reach: published reports" in said
    (left,) = arena("owner", "list", "--json").json
    assert (left["contact"], left["bots"]) == ("", [])
    arena("owner", "forget", "anna", code=ExitCode.USAGE)


@pytest.mark.parametrize("words", [("rename", "ann", "anna"), ("forget", "ann")])
def test_owner_keeps_the_name_while_a_server_runs(arena, tmp_path, words):
    arena("owner", "add", "ann")

    with acquire_folder_lock(tmp_path):
        arena("owner", *words, code=ExitCode.UNSTEADY)

    assert [each["name"] for each in arena("owner", "list", "--json").json] == ["ann"]
