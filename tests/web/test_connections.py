"""Connections of clients that are slow, silent, many or wrong, to a server that speaks HTTP."""

import http.client
import socket
from contextlib import ExitStack
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from tests.support.web_data import TWO_GAMES
from tests.web.conftest import ALLOWED, run_site


def connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def read_until_closed(line: socket.socket) -> bytes:
    """Read what the server sends, until it closes or resets the connection."""
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def is_served(url: str) -> bool:
    """Return whether an ordinary client gets an answer."""
    client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    client.request("GET", "/leagues")
    status = client.getresponse().status
    client.close()
    return status == 200


def test_connection_carries_several_requests(web_data):
    with run_site(web_data) as url:
        client = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        for path in ("/", "/matches", f"/matches/{TWO_GAMES}/games/0"):
            client.request("GET", path)
            answer = client.getresponse()
            assert (answer.status, len(answer.read()) > 500) == (200, True)
        client.close()


def test_request_that_never_becomes_whole_is_cut(web_data):
    """Nothing, half a line, and half a second request."""
    with run_site(web_data, replace(ALLOWED, request_s=0.2)) as url, ExitStack() as stack:
        begun = (b"", b"GET / HT", b"GET /leagues HTTP/1.1\r\nHost: localhost\r\n\r\nGET /")
        lines = [stack.enter_context(connect(url)) for _ in begun]
        for line, text in zip(lines, begun, strict=True):
            line.sendall(text)

        answers = [read_until_closed(line) for line in lines]

        assert answers[:2] == [b"", b""]
        assert answers[2].startswith(b"HTTP/1.1 200")
        assert is_served(url)


def test_client_that_does_not_read_is_cut(web_data):
    """It asks for much and takes nothing; the server does not wait for it."""
    limits = replace(ALLOWED, stall_s=0.2)
    with run_site(web_data, limits) as url, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(20)
        parts = urlsplit(url)
        line.connect((parts.hostname, parts.port))
        request = f"GET /matches/{TWO_GAMES}/games/0.json HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            line.sendall(request * 10**6)  # all buffers between here and there get full

        assert is_served(url)


def test_too_long_header_is_refused(web_data):
    with run_site(web_data) as url, connect(url) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000)

        assert b" 200 " not in read_until_closed(line).partition(b"\r\n")[0]
        assert is_served(url)


def test_garbage_is_refused(web_data):
    with run_site(web_data) as url, connect(url) as line:
        line.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")

        assert read_until_closed(line).startswith(b"HTTP/1.1 400")
        assert is_served(url)


def test_connections_of_an_address_are_limited(web_data):
    limits = replace(ALLOWED, connections_an_address=3, binds_loopback=True)
    with run_site(web_data, limits) as url, ExitStack() as stack:
        held = [stack.enter_context(connect(url)) for _ in range(3)]
        for line in held:  # their answers show that the server knows them
            line.sendall(b"GET /leagues HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert line.recv(12) == b"HTTP/1.1 200"

        with connect(url) as further:
            assert read_until_closed(further) == b""

        held.pop().close()
        while not _is_admitted(url):
            pass


def _is_admitted(url: str) -> bool:
    """Return whether the server, which hears of a closed connection a little later, takes a new one."""
    try:
        return is_served(url)
    except (http.client.RemoteDisconnected, ConnectionResetError):
        return False


def test_connections_in_all_are_limited(web_data):
    with run_site(web_data, replace(ALLOWED, connections=3)) as url, ExitStack() as stack:
        lines = [stack.enter_context(connect(url)) for _ in range(3)]
        lines[-1].sendall(b"GET /leagues HTTP/1.1\r\nHost: localhost\r\n\r\n")

        assert lines[-1].recv(12) == b"HTTP/1.1 503"
