"""Pictures of the web pages: `python -m tests.studies.web_pictures FOLDER` plays games and shows them.

The pictures are for the documentation, so each has one screen of a page and few bytes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from playwright.sync_api import sync_playwright

from tests.studies.report_look import find_chromium
from tests.support.commands import ARENA
from tests.web.conftest import run_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_BYTES: Final = 150_000
LOOKS: Final[dict[str, dict[str, Any]]] = {
    "wide": {"viewport": {"width": 1040, "height": 640}},
    "dark": {"viewport": {"width": 1040, "height": 640}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "is_mobile": True},
}
LEAGUE: Final = """\
name = "autumn"
format = "season"
games = 24
seats = 4
preset = "standard"
"""
BOTS: Final = ("counter", "honest", "gambler", "random_legal")


def play(data: Path) -> None:
    """Play a league and a match between sample bots."""
    file = data.parent / "league.toml"
    entrants = [f'[[entrants]]\nbot = "sample:{bot}"\nname = "{bot}{copy}"\n' for bot in BOTS for copy in ("", "-2")]
    file.write_text("\n".join([LEAGUE, *entrants]))
    bots = [word for bot in BOTS for word in ("--bot", f"sample:{bot}")]
    for words in (
        ["league", "run", str(file), "--nodes", "1"],
        ["match", *bots, "--games", "4"],
    ):
        subprocess.run([*ARENA, *words, "--data", str(data)], check=False, stdout=subprocess.DEVNULL)


def find_paths(page: "Page", url: str) -> dict[str, str]:
    """Return the path of each page to show, by the name of its picture."""
    listed = page.request.get(f"{url}/matches.json?game=cheat").json()["matches"]
    match = max(listed, key=lambda each: each["game_count"])["match_id"]
    return {
        "home": "/",
        "matches": "/matches",
        "match": f"/matches/{match}",
        "replay": f"/matches/{match}/games/0#t12",
        "seat": f"/matches/{match}/games/0?seat=1#t12",
        "leagues": "/leagues",
        "league": "/leagues/autumn",
        "verify": "/verify",
        "error": "/nowhere",
    }


def take_pictures(url: str, out: Path) -> None:
    """Write a picture of each page in each look."""
    out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for look, settings in LOOKS.items():
            page = browser.new_context(**settings).new_page()
            paths = find_paths(page, url)
            for name, path in paths.items() if look == "wide" else [("replay", paths["replay"])]:
                page.goto("about:blank")
                page.goto(url + path)
                file = out / f"web-{name}-{look}.png"
                page.screenshot(path=file)
                size = file.stat().st_size
                print(f"{file}: {size:,} bytes{', TOO LARGE' if size > MOST_BYTES else ''}")
        browser.close()


def main(out: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        play(data)
        with run_site(data) as url:
            take_pictures(url, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
