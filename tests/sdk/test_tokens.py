"""Tokens and settings as people copy them: without what stands around them, and refused if they cannot be sent."""

import dataclasses

import pytest

from arena.cli.exit_codes import ExitCode
from arena.server.rpc.client import OrganizerClient
from arena.server.rpc.status_service import StatusClient
from arena.server.store.open_store import open_store
from cheatarena import Settings, SettingsError
from cheatarena.connection import open_channel, open_stream
from cheatarena.credentials import ServerCredentials, write_credentials
from cheatarena.join import join
from cheatarena.tls_settings import TlsSettings
from cheatarena.tokens import NOT_A_TOKEN, authorization
from tests.support.commands import run_arena

ADDRESS = "arena.example:443"
MARK = "\ufeff"


@pytest.mark.parametrize("copied", ["cat_1\n", "cat_1\r\n", f"{MARK}cat_1", f" {MARK} cat_1\t", "cat_1\xa0"])
def test_what_stands_around_a_token_is_not_sent(copied):
    read = Settings.from_environment({"CHEATARENA_ADDRESS": ADDRESS, "CHEATARENA_TOKEN": copied})

    assert read.token == Settings(ADDRESS, copied).token == "cat_1"
    assert authorization(copied) == (("authorization", "Bearer cat_1"),)


def test_no_setting_counts_what_stands_around_it(tmp_path):
    """A file with the line ends of Windows puts a mark at the end of each, `set NAME=1 & …` a space."""
    plain = {
        "ADDRESS": ADDRESS, "TOKEN": "cat_1", "INSTANCE": "one", "CAPACITY": "7", "PATIENCE": "3", "INSECURE": "1",
        "ENTROPY": "1", "RECEIPTS": str(tmp_path), "POOLS": "standard:2", "VERSION": "2", "CHALLENGES": "nobody",
    }  # fmt: skip
    read, expected = (
        Settings.from_environment({f"CHEATARENA_{name}": value + after for name, value in plain.items()})
        for after in (" \r", "")
    )

    assert dataclasses.asdict(read) == dataclasses.asdict(expected)
    assert TlsSettings.from_environment({"CHEATARENA_INSECURE": "1\r"}).is_insecure


def test_token_of_the_credentials_file_is_stripped_too(tmp_path):
    file = tmp_path / "credentials.json"
    write_credentials(file, {ADDRESS: ServerCredentials("ann", "cat_2\n", {"mine": "cat_1\n"})})
    file.write_bytes(MARK.encode() + file.read_bytes())
    read = Settings.from_environment({"CHEATARENA_CREDENTIALS": str(file), "CHEATARENA_ADDRESS": f"{ADDRESS}\n"})

    assert (read.token, read.read_token(), read.address) == ("cat_1", "cat_1", ADDRESS)


@pytest.mark.parametrize("token", ["cat_é", "cat_1\ncat_2", "cat_1 cat_2", "cat_\x00", "cat_\udcff"])
def test_text_that_cannot_be_a_token_is_refused_before_anything_is_dialled(token):
    with pytest.raises(SettingsError, match=NOT_A_TOKEN) as caught:
        Settings(ADDRESS, token)
    with pytest.raises(SettingsError, match=NOT_A_TOKEN):
        OrganizerClient(ADDRESS, token)
    with pytest.raises(SettingsError, match=NOT_A_TOKEN):
        StatusClient(ADDRESS, token, TlsSettings())

    assert caught.value.exit_code == 64
    assert token not in str(caught.value)


def test_file_and_variable_of_commands_are_read_in_the_same_way(capsys, monkeypatch, tmp_path):
    """Without a server, only a token that can be sent gets as far as the line."""
    file, nowhere = tmp_path / "token", "127.0.0.1:1"
    codes = []
    for token in (f"{MARK}cat_1\r\n", "cat_é"):
        file.write_text(token, encoding="utf-8")
        monkeypatch.setenv("ARENA_TOKEN", token)
        codes.append(run_arena(capsys, "watch", "M", "--server", nowhere, "--token-file", file).code)
        codes.append(run_arena(capsys, "top", "--server", nowhere).code)

    assert codes == [ExitCode.UNSTEADY, ExitCode.UNSTEADY, ExitCode.USAGE, ExitCode.USAGE]


async def test_rotated_token_that_is_none_is_refused_too():
    async with open_channel(Settings("127.0.0.1:1", "cat_1"), "127.0.0.1:1") as channel:
        with pytest.raises(SettingsError, match=NOT_A_TOKEN):
            open_stream(channel, "cat_é", "")


async def test_server_says_the_same_of_a_token_in_quotes(tmp_path):
    async with await open_store(tmp_path) as store:
        with pytest.raises(Exception, match=NOT_A_TOKEN):
            await store.tokens.check('"cat_1"')


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("INSTANCE", "x\udcff", "the instance is 'x.udcff', expected at most 64 printable characters"),
        ("POOLS", "x\udcff", "expected 1 to 32 printable ones"),
        ("VERSION", "x\udcff", "the version is 'x.udcff', expected at most 32 printable characters"),
    ],
)
def test_bytes_that_are_no_text_are_refused_in_every_name(name, value, sentence):
    environ = {"CHEATARENA_ADDRESS": ADDRESS, "CHEATARENA_TOKEN": "cat_1", f"CHEATARENA_{name}": value}

    with pytest.raises(SettingsError, match=sentence):
        Settings.from_environment(environ)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"code": "cai_é"}, "code: this is not the code of an invitation: copy it completely"),
        ({"owner": "x\udcff"}, "owner: 'x.udcff': expected printable characters"),
        ({"bots": ["fine", "x\udcff"]}, "bot: 'x.udcff': expected printable characters"),
    ],
)
async def test_invitation_that_cannot_be_sent_is_refused_with_a_sentence(monkeypatch, tmp_path, changed, sentence):
    monkeypatch.setenv("CHEATARENA_CREDENTIALS", str(tmp_path / "credentials.json"))
    given = {"code": "cai_1", "owner": "ann", "bots": []} | changed

    with pytest.raises(SettingsError, match=sentence):
        await join("127.0.0.1:1", **given)
