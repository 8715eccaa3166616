"""Settings: flags before environment before file, all faults at once."""

from dataclasses import fields

import pytest

from arena.config import Config, read_config
from arena.errors import NotationError, OptionError, OptionsError
from arena.node.limits import Limits


@pytest.fixture
def file(tmp_path, monkeypatch):
    for name in ("ARENA_PORT", "ARENA_HOST", "ARENA_DATA", "ARENA_LOG_LEVEL"):
        monkeypatch.delenv(name, raising=False)

    def write(text):
        path = tmp_path / "arena.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_without_anything_the_defaults_hold(file):
    assert read_config() == Config()


def test_flags_go_before_environment_before_file(file, monkeypatch):
    path = file('port = 1\nhost = "localhost"\ngrace_s = 2\n[limits]\nmatches = 7\n')
    monkeypatch.setenv("ARENA_PORT", "2")
    monkeypatch.setenv("ARENA_HOST", "::1")
    monkeypatch.setenv("ARENA_LIMITS__SESSIONS", "9")

    config = read_config(path, {"port": 3, "data": None})

    assert (config.port, config.host, config.grace_s) == (3, "::1", 2)
    assert config.limits == {"matches": 7, "sessions": 9}


def test_every_fault_is_named_at_once(file):
    path = file('port = 70000\ncolour = "red"\ngrace_s = -1\n[limits]\nmatches = 0\nwishes = 3\n')

    with pytest.raises(OptionsError) as caught:
        read_config(path)

    assert {fault.field for fault in caught.value.faults} == {
        "port", "colour", "grace_s", "limits.matches", "limits.wishes",
    }  # fmt: skip


def test_a_file_that_cannot_be_read(file, tmp_path):
    with pytest.raises(NotationError):
        read_config(file("port ="))
    with pytest.raises(OptionError, match="cannot be read"):
        read_config(tmp_path / "nothing.toml")


def test_every_limit_is_one_that_the_server_has():
    names = {field.name for field in fields(Limits)}
    known = {
        "sessions", "sessions_a_token", "joins_a_minute", "connections_an_address", "matches", "messages_a_second",
        "outbox_bytes", "outbox_bytes_a_seat",
    }  # fmt: skip

    config = read_config(flags={"limits": dict.fromkeys(known, 4096)})

    assert set(config.limits) == known <= names
