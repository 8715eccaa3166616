"""The live page of a real match: the web process and the server are killed, and the page goes on."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

import httpx
import pytest

from tests.support.commands import CommandProcess, run_arena, start_command
from tests.support.played_table import open_table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")

TIME_S: Final = 60


class Page:
    """The stream of a live page, read by hand as a browser reads it."""

    def __init__(self, url: str, match_id: str, last_event_id: str = "") -> None:
        headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self._stream = httpx.stream("GET", f"{url}/matches/{match_id}/events", headers=headers, timeout=TIME_S)
        self._lines: Iterator[str] = iter(())
        self.last_event_id = last_event_id

    def __enter__(self) -> Self:
        answer = self._stream.__enter__()
        assert answer.status_code == 200
        self._lines = answer.iter_lines()
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.__exit__(None, None, None)

    def read(self) -> tuple[str, Any]:
        """Return the next event."""
        name = ""
        for line in self._lines:
            key, _, value = line.partition(": ")
            if key == "id":
                self.last_event_id = value
            elif key == "event":
                name = value
            elif key == "data":
                return name, json.loads(value)
        raise EOFError

    def read_until(self, words: str) -> dict[str, str]:
        """Return the first update that contains these words."""
        while True:
            name, data = self.read()
            if name == "table" and words in json.dumps(data):
                return dict(data)


@contextmanager
def serve(data: Path, *options: object) -> Iterator[tuple[CommandProcess, str]]:
    with start_command("serve", "--data", data, "--grace", 0, *options) as server:
        yield server, server.wait_for_line("READY").split()[1]


@contextmanager
def show(data: Path) -> Iterator[tuple[CommandProcess, str]]:
    """Run the pages beside the server."""
    with start_command("web", "--data", data) as web:
        yield web, web.wait_for_line("WEB").split()[1]


def sequences(update: dict[str, str]) -> list[int]:
    return [int(each) for each in re.findall(r'data-sequence="(\d+)"', update.get("lines", ""))]


@pytest.mark.slow
def test_page_goes_on_when_the_web_process_is_killed(tmp_path):
    """The new process sends what has happened since the last event of the page, and nothing if nothing has."""
    data = tmp_path / "data"
    with serve(data) as (_, address), open_table(data) as table:
        match = table.begin(address, "ann", "bob", "cid")
        table.play_past(12)
        with show(data) as (web, url), Page(url, match) as page:
            before = page.read_until("felt")
            web.signal(signal.SIGKILL)
            with pytest.raises((EOFError, httpx.TransportError)):
                page.read_until("nothing that ever comes")
        table.play_past(20)
        with show(data) as (_, url):
            with Page(url, match, page.last_event_id) as back:
                after = back.read_until("felt")
            with Page(url, match, back.last_event_id) as same:
                assert same.read()[0] == "viewers"

    assert min(sequences(after)) > max(sequences(before))


@pytest.mark.slow
def test_page_goes_on_when_the_server_is_killed(tmp_path):
    """Meanwhile it says that no server shows the table. The server comes back at another address."""
    data = tmp_path / "data"
    with ExitStack() as stack:
        server, address = stack.enter_context(serve(data))
        table = stack.enter_context(open_table(data))
        match = table.begin(address, "ann", "bob", "cid")
        table.play_past(12)
        _, url = stack.enter_context(show(data))
        page = stack.enter_context(Page(url, match))
        before = page.read_until("felt")
        server.signal(signal.SIGKILL)
        server.wait_for_exit()
        page.read_until("No server shows this table now")

        _, again = stack.enter_context(serve(data))
        assert again != address
        table.come_back(again)
        table.play_past(20)
        after = page.read_until("data-sequence")
        table.play_to_end()
        over = page.read_until("The match is over")
        while page.read()[0] != "over":
            pass
        with pytest.raises(EOFError):
            page.read()
        assert httpx.get(f"{url}/matches/{match}/games/0", timeout=TIME_S).status_code == 200

    assert min(sequences(after)) > max(sequences(before))
    assert f"/matches/{match}/games/0" in over["status"]


@pytest.mark.slow
def test_token_of_the_pages_is_revoked_at_their_end(tmp_path, capsys):
    """One token for all matches, with room for many, and no secret of it is anywhere."""
    data = tmp_path / "data"

    def tokens() -> list[dict[str, Any]]:
        listed = run_arena(capsys, "token", "list", "--data", data, "--json").json
        return [row for row in listed if row["name"] == "web pages"]

    with serve(data) as (_, address), open_table(data) as table:
        match = table.begin(address, "ann", "bob")
        table.play_past(4)
        with show(data) as (web, url):
            assert tokens() == []
            for _ in range(2):
                with Page(url, match) as page:
                    page.read_until("felt")
            during = tokens()
            web.signal(signal.SIGTERM)
            web.wait_for_exit()
        after = tokens()

    assert [row["scopes"] for row in during] == [["relay", "spectate"]]
    assert during[0]["state"].startswith("valid")
    assert [row for row in after if row["state"].startswith("valid")] == []
