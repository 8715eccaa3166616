"""Connections of clients that are slow, silent, many or wrong, to a server that speaks HTTP."""

import asyncio
import http.client
import select
import socket
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from arena.bots.packages.rules import MEBIBYTE
from arena.plain_data import to_plain
from arena.server.store.data_folder import acquire_folder_lock
from arena.server.store.open_store import open_store
from arena.web.limits import WebLimits
from tests.support.submission_data import OFFER, add_owners, make_archive
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


@pytest.mark.slow
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


# ---- uploads


class Uploader:
    """A connection on which a browser that has logged in uploads an archive, as slowly as the test wants."""

    def __init__(self, stack: ExitStack, data: Path, limits: WebLimits) -> None:
        code = asyncio.run(_make_code(data))
        held = stack.enter_context(acquire_folder_lock(data))
        held.write_lock_info("127.0.0.1:1", submissions=to_plain(OFFER))
        self.url = stack.enter_context(run_site(data, limits))
        client = stack.enter_context(httpx.Client(base_url=self.url, headers={"Origin": self.url}))
        client.post("/login", data={"code": code})
        token = client.get("/me").text.partition('name="form_token" value="')[2].partition('"')[0]
        self.line = stack.enter_context(connect(self.url))
        self._cookie = client.cookies["session"]
        self._before = f'--b\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n{token}\r\n'
        self._before += '--b\r\nContent-Disposition: form-data; name="archive"; filename="x"\r\n\r\n'

    def begin(self, archive_bytes: int) -> None:
        """Send all that comes before an archive of this size."""
        size = len(self._before) + archive_bytes + len(AFTER)
        head = f"POST /me/submissions HTTP/1.1\r\nHost: {urlsplit(self.url).netloc}\r\nOrigin: {self.url}\r\n"
        head += f"Cookie: session={self._cookie}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        self.line.sendall(f"{head}Content-Length: {size}\r\n\r\n{self._before}".encode())


AFTER = b"\r\n--b--\r\n"


def send_until_cut(line: socket.socket, data: bytes) -> None:
    """Send the same for ever, until the connection is closed or reset."""
    with suppress(ConnectionResetError, BrokenPipeError):
        while True:
            line.sendall(data)


async def _make_code(data: Path) -> str:
    async with await open_store(data) as store:
        await add_owners(store)
        return (await store.logins.create_code("Ada"))[0]


def test_upload_may_take_longer_than_other_requests(tmp_path):
    """A request that began after it and stays silent is cut first."""
    with ExitStack() as stack:
        uploader, archive = Uploader(stack, tmp_path, replace(ALLOWED, request_s=0.5)), make_archive()
        uploader.begin(len(archive))
        uploader.line.sendall(archive[:100])
        with connect(uploader.url) as silent:
            assert read_until_closed(silent) == b""

        uploader.line.sendall(archive[100:] + AFTER)

        assert uploader.line.recv(12) == b"HTTP/1.1 303"


def test_upload_that_stays_silent_is_cut_with_a_sentence(tmp_path):
    with ExitStack() as stack:
        uploader = Uploader(stack, tmp_path, replace(ALLOWED, request_s=0.5, upload_silence_s=0.2))
        uploader.begin(1_000)
        uploader.line.sendall(b"x")

        answer = read_until_closed(uploader.line)

        assert answer.startswith(b"HTTP/1.1 408")
        assert b"was silent for 0.2 s" in answer
        assert is_served(uploader.url)


def test_upload_that_drips_is_cut(tmp_path):
    """It is never silent, and never ends."""
    with ExitStack() as stack:
        uploader = Uploader(stack, tmp_path, replace(ALLOWED, request_s=0.5, upload_s=0.5))
        uploader.begin(10**6)

        send_until_cut(uploader.line, b"x")

        assert is_served(uploader.url)


def test_upload_that_is_far_too_large_is_refused_with_a_sentence_and_cut(tmp_path):
    """It announces 10 GB and sends them; the site answers after two archives, and reads little more."""
    with ExitStack() as stack:
        uploader = Uploader(stack, tmp_path, replace(ALLOWED, request_s=0.5))
        uploader.begin(10**10)
        uploader.line.settimeout(0)
        sent, answer = 0, b""
        with suppress(ConnectionResetError, BrokenPipeError):
            while b"</h1>" not in answer:
                _, can_send, _ = select.select([uploader.line], [uploader.line], [], 20)
                sent += uploader.line.send(bytes(65_536)) if can_send else 0
                with suppress(BlockingIOError):
                    answer += uploader.line.recv(65_536)

        assert answer.startswith(b"HTTP/1.1 413")
        assert b"at most 1 MB" in answer
        assert sent < 16 * MEBIBYTE, "the buffers of the system take some"
        uploader.line.settimeout(20)
        send_until_cut(uploader.line, bytes(65_536))
        assert is_served(uploader.url)
