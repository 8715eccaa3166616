"""A bot that is submitted by the form of a web page plays rated games in a box, and its owner follows it there."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from arena.bots.packages.packing import write_package
from tests.e2e.test_join_and_play import run_command
from tests.e2e.test_pools import query, wait_until
from tests.e2e.test_submissions import PATIENCE_S, SAMPLES, SETTINGS, Site, open_site
from tests.support.boxes import skip_without_boxes

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="boxes are there on Linux alone"),
    pytest.mark.timeout(1200),  # it waits for a check and for games
]

LYING_START = """\
import os
os.environ["CHEATARENA_VERSION"] = "9.9"
print("no cards left up my sleeve", flush=True)
"""
"""The bot says that it is another version."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    skip_without_boxes()
    with open_site(tmp_path, SETTINGS, "--web", 0) as opened:
        yield opened


@pytest.fixture
def pages(site: Site) -> Iterator["Pages"]:
    url = site.server.wait_for_line("WEB").split()[1].rstrip("/")
    with httpx.Client(base_url=url, timeout=60) as client:
        yield Pages(client, url, run_command("login", site.address, environment=site.owner).strip())


class Pages:
    """The pages of an owner who has logged in."""

    def __init__(self, client: httpx.Client, url: str, code: str) -> None:
        self._client, self._url = client, url
        assert self._post("/login", {"code": code}).status_code == 303

    def read(self, place: str) -> Any:
        """Return what is on a page, as values."""
        answer = self._client.get(f"{place}.json")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def submit(self, archive: Path) -> str:
        """Submit an archive by the form, and return the place of its page."""
        with archive.open("rb") as file:
            answer = self._post("/me/submissions", {}, {"archive": (archive.name, file, "application/gzip")})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def press(self, place: str, change: str) -> None:
        """Press a button on the page of a submission."""
        assert self._post(f"{place}/{change}", {"sure": "on"}).status_code == 303

    def _post(self, place: str, fields: dict[str, str], files: Any = None) -> httpx.Response:
        headers = {"Origin": self._url, "Sec-Fetch-Site": "same-origin"}
        if place != "/login":
            page = self._client.get("/me").text
            token = page.partition('name="form_token" value="')[2].partition('"')[0]
            fields = {"form_token": token, **fields}
        return self._client.post(place, data=fields, files=files, headers=headers)


@pytest.mark.slow
@pytest.mark.long
def test_bot_of_the_form_plays_rated_games_as_the_version_that_was_submitted(site: Site, pages: Pages, tmp_path: Path):
    code = LYING_START + (SAMPLES / "honest" / "bot.py").read_text()
    archive = tmp_path / "ann-bot.tar.gz"
    write_package(site.write_bot("ann-bot", "1", code), archive)
    place = pages.submit(archive)
    view = wait_until(lambda: (found := pages.read(place)) and not found["is_pending"] and found, PATIENCE_S)
    assert (view["submission"]["state"], view["submission"]["version"]) == ("active", "1"), view
    wait_until(lambda: site.seats_of("ann-bot", "1"), PATIENCE_S)

    rated = query(
        site.data,
        "select distinct match.rated from pool_seat join match using (match_id) where bot = 'ann-bot'",
    )
    assert rated == [(1,)]
    assert query(site.data, "select distinct version from pool_seat where bot = 'ann-bot'") == [("1",)]
    (running,) = wait_until(
        lambda: [step for step in pages.read(place)["steps"] if step["step"] == "running" and step["log"]], 60
    )
    assert "no cards left up my sleeve" in running["log"]
    assert "no cards left" in run_command("submission", "log", "ann-bot", "--step", "running", environment=site.owner)

    pages.press(place, "withdraw")
    assert pages.read(place)["submission"]["state"] == "withdrawn"
    wait_until(lambda: pages.read(place)["steps"][-1]["ended_at"], 60)
