"""`arena web` and `arena serve --web`: where the pages are, when they end, and what is refused."""

import os
import re
import signal
import urllib.request
from pathlib import Path

import psutil
import pytest

from arena.cli import beside_server
from arena.cli.exit_codes import ExitCode
from tests.support.commands import CommandProcess, run_arena, start_command
from tests.support.web_data import make_web_data

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are otherwise there")


def read(url: str) -> str:
    return str(urllib.request.urlopen(url, timeout=20).read().decode())


def pages_of(server: CommandProcess) -> psutil.Process:
    """Return the process of a server's pages. The server may have other children."""
    children = psutil.Process(server.pid).children()
    (pages,) = [child for child in children if "--with-server" in child.cmdline()]
    return pages


@pytest.mark.slow
def test_pages_are_read_at_the_printed_address_until_a_stop(tmp_path):
    with start_command("web", "--data", make_web_data(tmp_path / "data")) as web:
        url = web.wait_for_line("WEB").split()[1]

        assert "Newest results" in read(url)

        web.signal(signal.SIGTERM)
        assert web.wait_for_exit() == ExitCode.YES


@pytest.mark.slow
def test_server_shows_its_pages_starts_them_again_and_ends_them(tmp_path):
    """The pages are a process of lower priority, beside the server. Their address stays the same."""
    with start_command("serve", "--data", tmp_path, "--web", 0) as server:
        url = server.wait_for_line("WEB").split()[1]
        assert "No match is running." in read(url)
        pages = pages_of(server)
        assert pages.nice() > psutil.Process(server.pid).nice()

        pages.kill()
        pages.wait(20)
        again = server.wait_for_line("WEB", count=2).split()[1]

        assert again == url
        assert "No match is running." in read(again)
        pages = pages_of(server)
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit() == ExitCode.YES
        assert not pages.is_running()


@pytest.mark.slow
def test_pages_end_with_a_server_that_was_killed(tmp_path):
    with start_command("serve", "--data", tmp_path, "--web", 0) as server:
        server.wait_for_line("WEB")
        pages = pages_of(server)

        server.signal(signal.SIGKILL)

        psutil.wait_procs([pages], timeout=20)
        assert not pages.is_running()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--host", "0.0.0.0"), "off loopback, give --public-url, the address that readers type"),
        (("--public-url", "arena.example"), "expected a URL without a path"),
        (("--public-url", "https://arena.example/sub"), "expected a URL without a path"),
        (("--public-url", "https://arena.example:x"), "expected a URL without a path"),
    ],
)
def test_wrong_address_is_one_line(capsys, tmp_path, words, sentence):
    ended = run_arena(capsys, "web", "--data", tmp_path, *words)

    assert ended.code == ExitCode.USAGE
    assert sentence in ended.last_line


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        (("--web", 0, "--web-url", "arena.example"), "arena: --web-url arena.example: expected a URL"),
        (("--web", 70_000), "arena: --web 70000: "),
    ],
)
def test_wrong_address_of_a_servers_pages_is_one_line(capsys, tmp_path, words, beginning):
    """The server does not start."""
    ended = run_arena(capsys, "serve", "--data", tmp_path / "data", *words)

    assert ended.code == ExitCode.USAGE
    assert ended.last_line.startswith(beginning)
    assert not (tmp_path / "data").exists()


def test_folder_without_store_is_one_line_and_stays_as_it_is(capsys, tmp_path):
    ended = run_arena(capsys, "web", "--data", tmp_path / "none")

    assert ended.code == ExitCode.USAGE
    assert "there is no data folder" in ended.last_line
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["web", "serve"])
def test_missing_packages_are_one_line(capsys, tmp_path, monkeypatch, command):
    """Without the extra, everything else works."""
    monkeypatch.setattr(beside_server, "_PACKAGES", ("starlette", "no_such_package"))

    words = ("--web", 0) if command == "serve" else ()
    ended = run_arena(capsys, command, "--data", tmp_path / "data", *words)

    assert not (tmp_path / "data").exists()
    assert ended.code == ExitCode.USAGE, "another attempt does not help"
    assert ended.last_line == "arena: the web pages need no_such_package: install cheatarena-server[web]"


_PACKAGES = re.compile(r"^ *(?:import|from) (?:starlette|uvicorn)", re.MULTILINE)


def test_only_the_room_of_the_pages_imports_their_packages():
    """They are an extra, so the rest of the arena may not need them."""
    arena = Path(beside_server.__file__).parents[1]
    importers = [path for path in arena.rglob("*.py") if _PACKAGES.search(path.read_text(encoding="utf-8"))]

    assert importers
    assert {path.relative_to(arena).parts[0] for path in importers} == {"web"}
