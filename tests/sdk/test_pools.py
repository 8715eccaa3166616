"""The pools, the version and the challenges that a bot program sets in its environment."""

import logging

import pytest

from cheatarena.errors import SettingsError
from cheatarena.pools import log_pool_notice
from cheatarena.settings import Settings
from cheatarena.v1 import pool_pb2

ACCESS = {"CHEATARENA_ADDRESS": "localhost:7777", "CHEATARENA_TOKEN": "cat_x"}


def test_settings_come_from_the_environment():
    chosen = {"CHEATARENA_POOLS": "open, my dice:12", "CHEATARENA_VERSION": "2.1", "CHEATARENA_CHALLENGES": "everybody"}
    settings = Settings.from_environment(ACCESS | chosen)
    assert settings.pools == {"open": 1, "my dice": 12}
    assert (settings.version, settings.challenges) == ("2.1", "everybody")


def test_without_variables_a_bot_enters_no_pool_and_accepts_its_owners_challenges():
    settings = Settings.from_environment(ACCESS)
    assert (settings.pools, settings.version, settings.challenges) == ({}, "", "own")


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("POOLS", "open:many", "CHEATARENA_POOLS has 'open:many', expected the name of a pool, or NAME:SEATS"),
        ("POOLS", "open:0", "0 seats in the pool 'open', expected 1 to 1000"),
        ("POOLS", "open:1001", "1001 seats in the pool 'open', expected 1 to 1000"),
        ("POOLS", "p" * 33, "has 33 characters, expected 1 to 32"),
        ("POOLS", ",".join(f"p{number}" for number in range(33)), "33 pools, expected at most 32"),
        ("POOLS", ":3", "the pool '' has 0 characters, expected 1 to 32"),
        ("VERSION", "v" * 33, "expected at most 32 printable characters"),
        ("VERSION", "a\tb", "expected at most 32 printable characters"),
        ("CHALLENGES", "friends", "challenges is 'friends', expected one of own, nobody, everybody"),
    ],
)
def test_bad_value_is_refused_with_a_sentence(variable, value, sentence):
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment(ACCESS | {f"CHEATARENA_{variable}": value})
    assert sentence in str(refused.value)


def test_log_says_how_many_seats_a_bot_gets_and_why(caplog):
    with caplog.at_level(logging.INFO, "cheatarena"):
        log_pool_notice(pool_pb2.PoolNotice(pool="open", seats=3, reason=pool_pb2.POOL_REASON_ENTERED))
        log_pool_notice(
            pool_pb2.PoolNotice(
                pool="open", reason=pool_pb2.POOL_REASON_LEFT, detail="the bot left", retry_after_ms=30_000
            )
        )
    assert [record.levelname for record in caplog.records] == ["INFO", "WARNING"]
    assert caplog.messages == [
        "pool open: up to 3 seats at once",
        "pool open: 0 seats, because the bot left; again in 30 s",
    ]
