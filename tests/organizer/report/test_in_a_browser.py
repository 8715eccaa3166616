"""A published league of people who mean harm, in a real browser: nothing of theirs runs, no link leads away.

The first test shows that the browser would run and fetch what they wrote, so that the others can fail.
"""

import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from arena.organizer.report.site import StaticSite
from tests.organizer.report.reading import Page
from tests.organizer.report.test_site import assert_links_resolve
from tests.support.chromium import CHROMIUM
from tests.support.league_stories import told_match
from tests.support.league_texts import poison_texts
from tests.support.league_views import make_league_view, make_names

RAN = "it-ran"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]


class RecordingServer:
    """A server that writes down who comes."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def elsewhere() -> Iterator[RecordingServer]:
    found = RecordingServer()
    thread = threading.Thread(target=found.server.serve_forever)
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


def poison(url: str) -> str:
    """What runs, fetches and leads away, wherever it may come to stand."""
    run = f"document.documentElement.id='{RAN}'"
    return (
        f"\"'></title></style></script><script>{run}</script><img src={url}/img onerror={run}>"
        f"<link rel=stylesheet href={url}/css><iframe src={url}/frame></iframe><base href={url}>"
        f"<meta http-equiv=refresh content='0;url={url}/moved'><a href={url}/away>x</a><svg onload={run}>"
    )


def render_in_browser(page: Path, profile: Path, anchor: str = "") -> str:
    """The page as the browser has it after a while."""
    assert CHROMIUM is not None
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=1500", f"--user-data-dir={profile}")
    command = [CHROMIUM, *flags, "--dump-dom", page.as_uri() + anchor]
    return subprocess.run(command, capture_output=True, timeout=60, check=True).stdout.decode()


def site_of(text: str, out: Path) -> Path:
    """A site in which every text that somebody else can write is this one."""
    view = poison_texts(make_league_view(make_names(4), game_count=3), text)
    games = [
        replace(game, result=replace(game.result, match_id=f"M{number}")) for number, game in enumerate(view.games)
    ]
    site = StaticSite(out, view.title)
    for game in games:
        site.add_match(told_match(game.match_id, [text, text]), game)
    site.finish(replace(view, games=games))
    return out


def test_browser_runs_and_fetches_unescaped_content(tmp_path, elsewhere: RecordingServer):
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><title>{poison(elsewhere.url).replace('meta', 'b')}</title>")

    dom = render_in_browser(page, tmp_path / "profile")

    assert f'id="{RAN}"' in dom
    assert {"/img", "/css", "/frame"} <= {*elsewhere.asked}


@pytest.mark.parametrize("name", ["index.html", "replays/index.html", "replays/M1.html"])
def test_site_runs_only_its_player_fetches_nothing_and_links_to_itself(tmp_path, elsewhere: RecordingServer, name):
    folder = site_of(poison(elsewhere.url), tmp_path / "site")

    page = Page(render_in_browser(folder / name, tmp_path / "profile"))
    scripts = sum(count for (tag, _, _), count in page.elements.items() if tag == "script")

    assert elsewhere.asked == []
    assert RAN not in page.values("id")
    assert scripts == (2 if name == "replays/M1.html" else 0)  # the tables as data, and the player
    assert not {"img", "iframe", "base", "link"} & {tag for tag, _, _ in page.elements}
    assert len(page.values("href")) > 1
    assert not [href for href in page.values("href") if ":" in href or href.startswith("/")]
    assert elsewhere.url in page.words  # it is shown as it was written


def test_player_shows_the_turn_that_a_link_names(tmp_path):
    folder = site_of("so it was", tmp_path / "site")

    page = Page(render_in_browser(folder / "replays" / "M1.html", tmp_path / "profile", "#t1"))

    assert ("tr", ("class", "id"), "fault move now") in page.elements
    assert page.elements["b", ("class",), "card"] == 3  # two hands, and the row between them


def test_every_link_of_hostile_site_leads_to_its_own_files(tmp_path):
    assert_links_resolve(site_of(poison("http://127.0.0.1:9"), tmp_path / "site"))
