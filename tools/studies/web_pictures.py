"""Pictures of the web pages: `python -m tools.studies.web_pictures FOLDER` plays games and shows them.

The pictures are for the documentation, so each has one screen of a page and few bytes.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.match.referee.ports import MatchSearch
from arena.server.store.account_values import BotProfile, Scope
from arena.server.store.open_store import open_store
from tests.support.chromium import open_browser
from tests.support.commands import ARENA, CommandProcess, start_command
from tests.support.submission_data import add_submission, refuse_submission, try_submission
from tests.web.conftest import run_site
from tools.studies.pool_rows import CLOSED_POOL, POOL, add_closed_pool, add_pool

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOST_BYTES: Final = 150_000
SAMPLES: Final = Path(__file__).parents[2] / "sample_bots" / "python"
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
SHOWN_BESIDES: Final = {"dark": ("replay",), "phone": ("replay", "pool", "bot")}
"""The pages whose picture there is in a look besides the wide one."""
BOTS: Final = ("counter", "honest", "gambler", "random_legal")
LIVE: Final = {"cheat": BOTS, "cheater": ("set_chaser", "denier", "cautious", "forecaster")}
"""The bots of the running match of each game."""
BUILD_LOG: Final = """\
$ npm ci && npx tsc
added 14 packages in 2s
src/bot.ts(41,17): error TS2339: Property 'pile' does not exist on type 'TurnQuestion'.
src/bot.ts(58,5): error TS2322: Type 'string' is not assignable to type 'Rank'.
"""
SUBMITTED: Final = (
    ("1.0", "", "standard: passed\ncheater: passed\n"),
    ("1.1", "the build command ended with exit code 2", BUILD_LOG),
    ("1.2", "", "standard: passed\ncheater: passed\n"),
)
"""The submissions of a bot: each version, why it is refused if it is, and the log of its steps."""
PROFILE: Final = BotProfile(
    "Counts every card it has seen, and bluffs only when cornered.", "Python", "https://example.org/ada/counter"
)
"""What Ada says of its bot."""
THINKING_BOT: Final = """\
import importlib.util
import time

from cheatarena import run

spec = importlib.util.spec_from_file_location("sample", {path!r})
sample = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample)
asked = ("turn", "act", "discard", "pick")
classes = [each for each in vars(sample).values() if isinstance(each, type) and each.__module__ == "sample"]
bot = next(each for each in classes if {{*asked}} & {{*vars(each)}})
for name in asked:
    if hasattr(bot, name):
        setattr(bot, name, lambda *given, play=getattr(bot, name): time.sleep({think_s}) or play(*given))
run(bot)
"""
"""A sample bot that thinks before it answers, so that its games can be watched."""


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


def add_owners_and_pool(data: Path) -> tuple[str, str]:
    """Add a pool with the matches that were played, and owners; return login codes of an owner and of an organizer."""
    return asyncio.run(_add_owners_and_pool(data))


async def _add_owners_and_pool(data: Path) -> tuple[str, str]:
    async with await open_store(data) as store:
        played = await store.results.summaries(100, wanted=MatchSearch(state="ended"), with_shared=False)
        for owner, bot in (("Ada", "counter"), ("Bea", "honest")):
            await store.owners.add(owner, f"{owner.lower()}@example.org", 3)
            await store.tokens.create(owner, ["own"], owner=owner)
            await store.owners.register_bot(owner, bot)
        await store.profiles.change("Ada", "counter", PROFILE)
        terms = {name: value for name, value in played[0].row.terms.items() if name != "entrants"}
        matches = {summary.row.match_id: summary.row.entrants for summary in played}
        others = ("bluffer", "mirror", "patient", "reckless", "sceptic", "silent", "house-random")
        await add_pool(store, terms, matches, [*BOTS, *others], house=["house-random"], now=time.time(), seed=4)
        await add_closed_pool(store, terms, others[:6], now=time.time(), seed=4)
        for version, sentence, log in SUBMITTED:
            row = await add_submission(store, version)
            if sentence:
                await refuse_submission(store, row.submission_id, sentence, log)
            else:
                await try_submission(store, row.submission_id, "12 of 12 steps passed", log)
        await add_submission(store, "1.3")
        playing = await add_submission(store, "0.9", "honest", "Bea")
        await try_submission(store, playing.submission_id, "12 of 12 steps passed")
        await store.tokens.create("me", [Scope.ORGANIZE], timedelta(days=1))
        return (await store.logins.create_code("Ada"))[0], (await store.logins.create_organizer_code("me"))[0]


@contextmanager
def run_live_matches(data: Path) -> Iterator[dict[str, str]]:
    """Run a server with a match of each game, slow enough to be watched. Yield the paths of their pages."""
    running: dict[str, CommandProcess] = {}
    with ExitStack() as stack:
        settings = data.parent / "arena.toml"
        settings.write_text("[submissions]\nenabled = true\nruns_boxes = false\n")
        server = stack.enter_context(start_command("serve", "--config", settings, "--data", data, "--grace", 0))
        address = server.wait_for_line("READY").split()[1]
        for game, bots in LIVE.items():
            folder = data.parent / game
            folder.mkdir()
            words = [word for bot in bots for word in ("--bot", _write_thinking_bot(folder, bot))]
            preset = {"cheat": "standard", "cheater": "cheater"}[game]
            command = (
                "match",
                *words,
                "--preset",
                preset,
                "--games",
                9,
                "--server",
                address,
                "--data",
                data,
                "--unrated",
            )
            running[game] = stack.enter_context(start_command(*command))
        yield {game: _wait_for_match(data, game, command) for game, command in running.items()}


def _write_thinking_bot(folder: Path, sample: str) -> Path:
    """Write a bot with a name of its own, because the samples' names belong to owners here."""
    file = folder / f"{sample}-live.py"
    file.write_text(THINKING_BOT.format(path=str(SAMPLES / sample / "bot.py"), think_s=0.4))
    return file


def _wait_for_match(data: Path, game: str, command: CommandProcess) -> str:
    """Return the path of the running match of a game, which a command plays."""

    async def look() -> str | None:
        async with await open_store(data) as store:
            found = await store.results.summaries(1, None, MatchSearch(game=game, state="running"))
            return found[0].row.match_id if found else None

    deadline = time.monotonic() + 60
    while (match_id := asyncio.run(look())) is None:
        assert command.is_running, command.err
        assert time.monotonic() < deadline, command.err
        time.sleep(0.2)
    return f"/matches/{match_id}"


def take_live_pictures(page: "Page", url: str, paths: dict[str, str], out: Path, look: str) -> None:
    """Write a picture of each running match, once something has happened there."""
    size = page.viewport_size
    page.set_viewport_size({"width": 360 if size is None else size["width"], "height": 900})
    for game, path in paths.items():
        page.goto(url + path)
        page.wait_for_function("() => document.querySelectorAll('#live-lines li').length >= 12", timeout=120_000)
        page.evaluate("() => document.querySelector('#live h2').scrollIntoView()")
        save_picture(page, out / f"web-live-{game}-{look}.png")


def find_paths(page: "Page", url: str) -> dict[str, str]:
    """Return the path of each page to show, by the name of its picture."""
    listed = page.request.get(f"{url}/matches.json?game=cheat").json()["matches"]
    match = max((each for each in listed if each["is_open"]), key=lambda each: each["game_count"])["match_id"]
    return {
        "home": "/",
        "matches": "/matches",
        "match": f"/matches/{match}",
        "replay": f"/matches/{match}/games/0#t12",
        "seat": f"/matches/{match}/games/0?seat=1#t12",
        "pools": "/pools",
        "pool": f"/pools/{POOL}#standings",
        "pool-meetings": f"/pools/{POOL}#meetings",
        "bot": "/bots/counter",
        "season-report": f"/pools/{CLOSED_POOL}/seasons/1/report/report.html",
        "seating": f"/matches/{match}#seating",
        "leagues": "/leagues",
        "league": "/leagues/autumn",
        "verify": "/verify",
        "error": "/nowhere",
        "login": "/login",
    }


def log_in(page: "Page", url: str, code: str) -> None:
    page.goto(f"{url}/login")
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Log in").click()


def find_own_paths(page: "Page", url: str) -> dict[str, str]:
    """Return the path of each page that only the owner who has logged in sees, by the name of its picture."""
    match = page.request.get(f"{url}/me/bots/counter.json").json()["matches"][0]["match"]["match_id"]
    listed = page.request.get(f"{url}/me/submissions.json").json()["submissions"]
    refused = next(each["submission_id"] for each in listed if each["state"] == "refused")
    return {
        "owner": "/me",
        "own-bot": "/me/bots/counter",
        "own-match": f"/me/bots/counter/matches/{match}",
        "own-game": f"/me/bots/counter/matches/{match}/games/0#t12",
        "submissions": "/me/submissions",
        "submission": f"/me/submissions/{refused}#steps",
    }


def take_pictures(url: str, live: dict[str, str], out: Path, codes: tuple[str, str]) -> None:
    """Write a picture of each page in each look. `codes` are login codes of an owner and of an organizer."""
    out.mkdir(parents=True, exist_ok=True)
    with open_browser() as browser:
        for look, settings in LOOKS.items():
            page = browser.new_context(**settings).new_page()
            paths = find_paths(page, url)
            if look == "wide":
                log_in(page, url, codes[0])
                paths |= find_own_paths(page, url)
            chosen = paths if look == "wide" else {name: paths[name] for name in SHOWN_BESIDES[look]}
            for name, path in chosen.items():
                page.goto("about:blank")
                page.goto(url + path)
                if name == "home":
                    page.locator("#live .place").first.wait_for()
                save_picture(page, out / f"web-{name}-{look}.png")
            take_live_pictures(page, url, live, out, look)
        page = browser.new_context(**LOOKS["wide"]).new_page()
        log_in(page, url, codes[1])
        save_picture(page, out / "web-overview-wide.png")


def save_picture(page: "Page", file: Path) -> None:
    """Write a picture, and say how large it is."""
    page.screenshot(path=file)
    size = file.stat().st_size
    print(f"{file}: {size:,} bytes{', TOO LARGE' if size > MOST_BYTES else ''}")


def main(out: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        play(data)
        codes = add_owners_and_pool(data)
        with run_live_matches(data) as live, run_site(data) as url:
            take_pictures(url, live, out, codes)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
