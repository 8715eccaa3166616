"""A server that cannot be reached is described in plain words, at pauses that grow."""

import asyncio
import logging
import time

import pytest

from cheatarena.dialling import DialLog, describe_failure, find_foreign_server

TO_ALL = "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: "


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        (TO_ALL + "Failed to connect to remote host: Connection refused", "nothing listens there"),
        (
            "errors resolving x:1: [field:hostname lookup error: Domain name not found]",
            "no host of this name is known",
        ),
        ("DNS resolution failed for x:1", "the name of the host cannot be looked up"),
        (
            TO_ALL + "connection attempt timed out before receiving SETTINGS frame",
            "something listens there, but it does not answer",
        ),
        (TO_ALL + "connect: No route to host (113)", "the network has no way there"),
        (TO_ALL + "getsockopt(SO_ERROR): Connection reset by peer", "the connection was lost"),
        ("Socket closed", "the connection was lost"),
        (TO_ALL + "something new", "no connection could be made"),
        (
            "Received http2 header with status: 503",
            "a proxy answers there, and says that its server is away (HTTP status 503)",
        ),
        ("Received http2 header with status: 404", "a web server answers there (HTTP status 404)"),
        ("the server stops", "the server stops"),
    ],
)
def test_failure_is_described_without_the_words_of_grpc(detail, words):
    assert describe_failure(detail) == words


@pytest.mark.parametrize(
    ("detail", "is_foreign"),
    [
        ("Failed parsing HTTP/2 (Expected SETTINGS frame as the first frame, got frame type 79)", True),
        ("Cannot check peer: missing selected ALPN property.", True),
        ("Received http2 header with status: 401", True),
        ("Received http2 header with status: 502", False),
        ("Connection refused", False),
        ("unknown token", False),
    ],
)
def test_other_programs_are_told_from_arenas(detail, is_foreign):
    assert bool(find_foreign_server(detail)) is is_foreign


def test_lines_about_a_lost_server_become_rarer(caplog, monkeypatch):
    """At 0, 2, 6 and 14 s, however often the bot dials."""
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    log = DialLog("x:1", patience_s=30)

    for _ in range(25):
        log.note_failure("nothing listens there")
        now += 1

    assert [record.getMessage().partition("; ")[2] for record in caplog.records] == [
        "giving up in 30 s", "giving up in 28 s", "giving up in 24 s", "giving up in 16 s",
    ]  # fmt: skip
    assert not log.has_lost_patience
    now += 10
    assert log.has_lost_patience


def test_search_begins_anew_after_an_answer(caplog, monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    log = DialLog("x:1", patience_s=30)

    for _ in range(2):
        log.begin_again()
        log.note_failure("the connection was lost")
        now += 20

    assert [record.getMessage() for record in caplog.records] == [
        "still trying x:1 (the connection was lost); giving up in 30 s"
    ] * 2


async def test_server_that_accepts_and_says_nothing_is_told_too(caplog, monkeypatch):
    caplog.set_level(logging.WARNING, "cheatarena")
    monkeypatch.setattr("cheatarena.dialling.FIRST_PAUSE_S", 0.01)
    log = DialLog("x:1", patience_s=30)

    log.await_answer()
    for _ in range(500):
        if caplog.records:
            break
        await asyncio.sleep(0.01)
    log.end_attempt()

    assert caplog.records[0].getMessage().startswith("still trying x:1 (no answer yet); giving up in ")
