"""The credentials file: private, chosen from without settings where it leaves no choice, and never guessed."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from cheatarena import Settings, SettingsError
from cheatarena.credentials import (
    ServerCredentials,
    find_credentials_file,
    read_credentials,
    write_credentials,
)

FAR, NEAR = "arena.example:443", "localhost:7777"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "cheatarena" / "credentials.json"


@pytest.fixture
def environ(path: Path) -> dict[str, str]:
    return {"CHEATARENA_CREDENTIALS": str(path)}


def credentials(*bots: str, ca: Path | None = None) -> ServerCredentials:
    return ServerCredentials("ann", "cat_owner", {bot: f"cat_{bot}" for bot in bots}, ca)


def test_written_file_is_read_again_and_only_its_owner_may_read_it(path: Path):
    servers = {FAR: credentials("counter", "rusher", ca=Path("/somewhere/ca.pem")), NEAR: credentials()}

    before = os.umask(0)
    try:
        write_credentials(path, servers)
        write_credentials(path, servers)
    finally:
        os.umask(before)

    assert read_credentials(path) == servers
    assert [each.name for each in path.parent.iterdir()] == ["credentials.json"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_secrets_are_not_shown(path: Path):
    assert "cat_" not in repr(credentials("counter"))


@pytest.mark.skipif(os.name != "posix", reason="permissions are of another kind there")
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_file_that_others_may_read_is_refused(path: Path, environ, mode):
    write_credentials(path, {FAR: credentials("counter")})
    path.chmod(mode)

    with pytest.raises(SettingsError, match=f"can be read by others.*chmod 600 {path}"):
        Settings.from_environment(environ)


def test_one_server_and_one_bot_need_no_setting(path: Path, environ):
    write_credentials(path, {FAR: credentials("counter", ca=Path("/somewhere/ca.pem"))})

    settings = Settings.from_environment(environ)

    assert (settings.address, settings.token, settings.ca) == (FAR, "cat_counter", Path("/somewhere/ca.pem"))


def test_environment_chooses_server_and_bot(path: Path, environ):
    write_credentials(path, {FAR: credentials("counter", "rusher"), NEAR: credentials("honest")})

    chosen = Settings.from_environment(environ | {"CHEATARENA_ADDRESS": FAR, "CHEATARENA_BOT": "rusher"})
    only = Settings.from_environment(environ | {"CHEATARENA_ADDRESS": NEAR})

    assert (chosen.address, chosen.token) == (FAR, "cat_rusher")
    assert (only.address, only.token) == (NEAR, "cat_honest")


def test_token_in_the_environment_makes_the_file_needless(path: Path, environ):
    path.parent.mkdir(parents=True)
    path.write_text("no JSON")

    settings = Settings.from_environment(environ | {"CHEATARENA_ADDRESS": "a:1", "CHEATARENA_TOKEN": "t"})

    assert (settings.address, settings.token) == ("a:1", "t")


def test_token_in_the_environment_uses_the_authority_of_the_file(path: Path, environ):
    write_credentials(path, {FAR: credentials("counter", ca=Path("ca.pem")), NEAR: credentials("honest")})
    given = environ | {"CHEATARENA_TOKEN": "t"}

    assert Settings.from_environment(given | {"CHEATARENA_ADDRESS": FAR}).ca == Path("ca.pem")
    assert Settings.from_environment(given | {"CHEATARENA_ADDRESS": FAR, "CHEATARENA_CA": "x"}).ca == Path("x")
    assert Settings.from_environment(given | {"CHEATARENA_ADDRESS": FAR, "CHEATARENA_INSECURE": "1"}).ca is None
    assert Settings.from_environment(given | {"CHEATARENA_ADDRESS": NEAR}).ca is None


def test_authority_in_the_environment_counts_before_that_of_the_file(path: Path, environ):
    write_credentials(path, {FAR: credentials("counter", ca=Path("old.pem"))})

    assert Settings.from_environment(environ | {"CHEATARENA_CA": "new.pem"}).ca == Path("new.pem")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "which server to use: set CHEATARENA_ADDRESS to one of arena.example:443, localhost:7777"),
        ({"CHEATARENA_ADDRESS": FAR}, "which bot at arena.example:443 to use: set CHEATARENA_BOT to one of counter"),
        ({"CHEATARENA_ADDRESS": FAR, "CHEATARENA_BOT": "honest"}, "has no bot at arena.example:443 named 'honest'"),
        ({"CHEATARENA_ADDRESS": FAR, "CHEATARENA_BOT": "honest"}, "; `python -m cheatarena create honest` adds one"),
        ({"CHEATARENA_ADDRESS": "other:1"}, "has no server named 'other:1': it has arena.example:443, localhost:7777"),
        ({"CHEATARENA_ADDRESS": NEAR}, "has no bot at localhost:7777: it has none; `python -m cheatarena create NAME`"),
    ],
)  # fmt: skip
def test_choice_that_is_open_is_not_guessed(path: Path, environ, given, sentence):
    write_credentials(path, {FAR: credentials("counter", "rusher"), NEAR: credentials()})

    with pytest.raises(SettingsError) as refused:
        Settings.from_environment(environ | given)

    assert sentence in str(refused.value)
    assert "cat_" not in str(refused.value)


def test_owner_token_only_reads_the_matches_of_a_bot_that_the_file_lacks(path: Path, environ):
    write_credentials(path, {NEAR: credentials(), FAR: credentials("counter")})

    def read(address: str, **bot: str) -> tuple[str, str]:
        given = environ | bot | {"CHEATARENA_ADDRESS": address}
        chosen = Settings.from_environment(given, only_reads=True).credentials
        assert chosen is not None
        return chosen.bot, chosen.read_token()

    assert read(NEAR) == ("", "cat_owner")
    assert read(FAR, CHEATARENA_BOT="submitted") == ("submitted", "cat_owner")
    assert read(FAR) == ("counter", "cat_counter")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "[]",
        '{"servers": {}}',
        '{"format": "cheatarena-credentials-1", "servers": {"a:1": {"owner": "x"}}}',
        '{"format": "cheatarena-credentials-1", "servers": {"a:1": {"owner": "x", "owner_token": 1, "bots": {}}}}',
        '{"format": "cheatarena-credentials-1", "servers": {"a:1": {"owner": "x", "owner_token": "y", "bots": []}}}',
        '{"format": "cheatarena-credentials-9", "servers": {}}',
        "\udcff",
    ],
)
def test_file_of_another_form_is_one_sentence(path: Path, environ, content):
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8", errors="surrogateescape")
    path.chmod(0o600)

    with pytest.raises(SettingsError, match=r"not a credentials file|another version"):
        Settings.from_environment(environ)


def test_named_file_that_is_missing_is_an_error_and_a_default_one_is_not(tmp_path: Path, environ):
    with pytest.raises(SettingsError, match="names no server"):
        Settings.from_environment(environ)
    with pytest.raises(SettingsError, match="there is no token"):
        Settings.from_environment({"HOME": str(tmp_path), "CHEATARENA_ADDRESS": "a:1"})


def test_file_is_where_configuration_of_a_user_is():
    assert find_credentials_file({"HOME": "/home/ann"}) == Path("/home/ann/.config/cheatarena/credentials.json")
    assert find_credentials_file({"HOME": "/home/ann", "XDG_CONFIG_HOME": "/etc/ann"}) == Path(
        "/etc/ann/cheatarena/credentials.json"
    )
    assert find_credentials_file({"HOME": "/home/ann", "CHEATARENA_CREDENTIALS": "/c.json"}) == Path("/c.json")
    assert find_credentials_file({}) is None


def test_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(SettingsError, match="cannot be written"):
        write_credentials(tmp_path / "file" / "credentials.json", {})


def test_file_is_plain_json(path: Path):
    """Programs in other languages read it too."""
    write_credentials(path, {FAR: credentials("counter")})

    assert json.loads(path.read_text()) == {
        "format": "cheatarena-credentials-1",
        "servers": {FAR: {"owner": "ann", "owner_token": "cat_owner", "bots": {"counter": "cat_counter"}}},
    }


def test_new_connection_uses_the_rotated_token_and_the_old_one_while_the_file_is_broken(path: Path, environ):
    write_credentials(path, {FAR: credentials("counter")})
    settings = Settings.from_environment(environ)

    write_credentials(path, {FAR: replace(credentials(), bots={"counter": "cat_new"})})
    rotated = settings.read_token()
    path.write_text("no JSON")

    assert (rotated, settings.read_token()) == ("cat_new", "cat_counter")
