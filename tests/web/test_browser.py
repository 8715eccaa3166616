"""Every page in a real browser: wide, narrow, dark, without scripts, by keyboard, and as a screen reader has it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, ViewportSize

from arena.server.config.site_settings import SiteSettings
from arena.server.store.open_store import open_store
from tests.support.chromium import CHROMIUM, call_in_thread
from tests.support.pool_data import ENDED, MASKED_RUNNING
from tests.support.web_data import CHEATER_GAME, HOSTILE, RUNNING, TWO_GAMES
from tests.web.conftest import LEAGUE_PATH, run_site
from tools.studies.replay_speed import OpenedGame, write_page

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

WIDE: Final[ViewportSize] = {"width": 1280, "height": 900}
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
REPLAY: Final = f"/matches/{TWO_GAMES}/games/0"
PAGES: Final = (
    "/",
    "/matches",
    "/matches?bot=nobody",
    "/search?q=a",
    f"/matches/{TWO_GAMES}",
    f"/matches/{RUNNING}",
    f"/matches/{HOSTILE}",
    REPLAY,
    f"{REPLAY}?seat=1",
    f"/matches/{CHEATER_GAME}/games/0",
    "/leagues",
    "/verify",
)
POOL_PAGES: Final = (
    "/",
    "/pools",
    "/pools/main%20hall",
    "/pools/main%20hall/seasons/1",
    "/pools/masked",
    "/bots/Ann",
    "/bots/Cid",
    "/bots/Ann/against/Bob",
    "/search?q=n",
    f"/matches/{ENDED}",
    "/login",
    "/me",
)
OWN_PAGES: Final = (
    "/me",
    "/me/bots/Ann",
    f"/me/bots/Ann/matches/{ENDED}",
    f"/me/bots/Ann/matches/{ENDED}/games/0",
    f"/me/bots/Ann/matches/{MASKED_RUNNING}",
)
LEAGUE_PAGES: Final = ("/", "/leagues", f"/leagues/{LEAGUE_PATH}", "/matches")

OUTLINE: Final = """() => {
  const shown = (element) => element.checkVisibility();
  const named = (element) => (element.getAttribute("aria-label") || element.title || element.textContent
    || (element.labels && [...element.labels].map((label) => label.textContent).join(""))).trim() !== "";
  const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  return {
    language: document.documentElement.lang,
    title: document.title,
    mains: all("main").length,
    headings: all("h1, h2, h3, h4").map((heading) => Number(heading.tagName[1])),
    unnamed: all("a, button, select, input, nav, [role=region], svg[role=img], summary").filter((each) => !named(each))
      .map((each) => each.outerHTML),
    navs: all("nav").map((nav) => nav.getAttribute("aria-label")),
    pictures: all("img:not([alt])").length,
    columns: all("table:has(thead) th:not([scope])").length,
    twice: all("[id]").map((each) => each.id).filter((id, index, ids) => ids.indexOf(id) !== index),
    strayed: all("body > *").filter((each) => !each.matches("header, nav, main, footer, a.skip")).length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
}"""
"""What assistive programs see of a page, as far as a rule can judge it."""


@pytest.fixture(scope="module")
def url(web_data: Path) -> Iterator[str]:
    with run_site(web_data) as address:
        yield address


@pytest.fixture(scope="module")
def league_url(league_folder: Path) -> Iterator[str]:
    with run_site(league_folder / "data") as address:
        yield address


@pytest.fixture(scope="module")
def pool_url(pool_data: Path) -> Iterator[str]:
    with run_site(pool_data) as address:
        yield address


@pytest.fixture(scope="module")
def login_codes(pool_data: Path) -> list[str]:
    """Codes of the owner Ada."""

    async def make() -> list[str]:
        async with await open_store(pool_data) as store:
            return [(await store.logins.create_code("Ada"))[0] for _ in range(3)]

    return call_in_thread(lambda: asyncio.run(make()))


@pytest.fixture(scope="module")
def _context(browser: Browser) -> BrowserContext:
    return browser.new_context(viewport=NARROW)


@pytest.fixture(scope="module")
def _plain_context(browser: Browser) -> BrowserContext:
    return browser.new_context(viewport=NARROW, java_script_enabled=False)


@pytest.fixture
def page(_context: BrowserContext) -> Iterator[Page]:
    """A narrow window."""
    opened = _context.new_page()
    yield opened
    opened.close()


@pytest.fixture
def plain_page(_plain_context: BrowserContext) -> Iterator[Page]:
    """A narrow window that runs no scripts."""
    opened = _plain_context.new_page()
    yield opened
    opened.close()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser says against a page: errors, refused loads, scripts that failed."""
    noted: list[str] = []

    def note_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page cut it off: an icon, or the events of a live table
            noted.append(f"{request.url} failed: {request.failure}")

    page.on("console", lambda message: noted.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("requestfailed", note_failure)
    return noted


def check_page(page: Page) -> None:
    """Check what every page has to keep at the width that it has now."""
    seen: dict[str, Any] = page.evaluate(OUTLINE)
    levels = seen["headings"]
    assert seen["overflow"] <= 0, "it scrolls sideways"
    assert (seen["language"], seen["mains"], levels.count(1)) == ("en", 1, 1)
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels
    assert (seen["unnamed"], seen["pictures"], seen["columns"], seen["twice"], seen["strayed"]) == ([], 0, 0, [], 0)
    assert len(seen["navs"]) == len({*seen["navs"]})
    assert seen["title"].endswith("cheatarena")


def check_both_widths(page: Page, address: str) -> None:
    """Open a page, and check it narrow and wide."""
    page.set_viewport_size(NARROW)
    page.goto(address)
    check_page(page)
    page.set_viewport_size(WIDE)
    check_page(page)


def test_pages_are_sound_wide_and_narrow(page, complaints, subtests, url):
    """One window opens a page in half the time that a new one takes."""
    for path in PAGES:
        with subtests.test(path=path):
            check_both_widths(page, url + path)

    assert complaints == []


def test_pages_of_pools_are_sound_wide_and_narrow(page, subtests, pool_url):
    for path in POOL_PAGES:
        with subtests.test(path=path):
            check_both_widths(page, pool_url + path)


def test_owner_logs_in_reads_and_logs_out(browser, pool_url, login_codes):
    """Without scripts. The browser says where the forms come from, and no script could read the cookie."""
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{pool_url}/me")
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("Code").fill(login_codes.pop())
    page.get_by_role("button", name="Log in").click()

    assert page.url == f"{pool_url}/me"
    assert page.get_by_role("heading", level=1).inner_text() == "Ada"
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    page.get_by_role("button", name="Log out").click()
    assert context.cookies() == []
    assert page.goto(f"{pool_url}/me").status == 401
    context.close()


def test_own_pages_are_sound_wide_and_narrow(page, complaints, pool_url, login_codes):
    page.goto(f"{pool_url}/login")
    page.get_by_label("Code").fill(login_codes.pop())
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{pool_url}/me")
    for path in OWN_PAGES:
        check_both_widths(page, pool_url + path)

    assert complaints == []


def test_form_of_another_site_is_refused(page, pool_url):
    """A page of another origin, which has a code of its own, cannot log its reader in."""
    foreign = pool_url.replace("127.0.0.1", "localhost")
    page.route(f"{foreign}/trap", lambda route: route.fulfill(content_type="text/html", body=_trap(pool_url)))
    page.goto(f"{foreign}/trap")
    with page.expect_navigation():
        page.get_by_role("button").click()

    assert "must be sent from a page of this site" in page.inner_text("h1")


def _trap(url: str) -> str:
    return f"<form action='{url}/login' method='post'><input name='code' value='x'><button>Win</button></form>"


def test_pages_of_leagues_are_sound_wide_and_narrow(page, complaints, subtests, league_url):
    for path in LEAGUE_PAGES:
        with subtests.test(path=path):
            check_both_widths(page, league_url + path)

    assert complaints == []


def test_error_page_is_sound(page, complaints, url):
    """The browser itself notes the status as an error."""
    page.goto(f"{url}/nowhere")

    check_page(page)
    assert [each for each in complaints if "404" not in each] == []
    assert "There is no such page." in page.inner_text("h1")


def test_hostile_names_do_nothing(page, url):
    page.goto(f"{url}/matches/{HOSTILE}")

    assert page.title().startswith("<script>document.title='it ran'</script>, a")
    assert "<script>" in page.inner_text("h1")


def test_policy_stops_foreign_scripts_and_styles(page, complaints, url):
    """The test of the tests: the browser enforces what the header says, and complains."""
    page.goto(f"{url}/verify")
    page.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'it ran'";
      document.body.append(script);
    }""")

    assert page.title() != "it ran"
    assert any("Content Security Policy" in each for each in complaints)


@pytest.mark.parametrize("path", ["/", REPLAY])
def test_page_is_dark_if_the_readers_system_is(page, url, path):
    page.goto(url + path)
    lights = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours = page.evaluate("() => ['color', 'backgroundColor'].map((key) => getComputedStyle(document.body)[key])")
        lights[scheme] = [sum(map(int, colour.strip("rgb()").split(","))) for colour in colours]

    assert lights["light"][0] < lights["light"][1]
    assert lights["dark"][0] > lights["dark"][1]


def test_pages_can_be_read_without_scripts(plain_page, subtests, url):
    """The player is not there; every line of the game is."""
    for path in PAGES:
        with subtests.test(path=path):
            plain_page.goto(url + path)

            assert plain_page.locator("main").inner_text().strip()
            if "/games/" in path:
                assert not plain_page.locator("#player").is_visible()
                assert plain_page.locator("#lines tbody tr").count() > 20


def test_keyboard_skips_the_navigation(page, url):
    page.goto(f"{url}/matches")

    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    assert page.locator(":focus").evaluate("(link) => link.getBoundingClientRect().x") >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    assert page.evaluate("() => document.querySelector('main').contains(document.activeElement)")


def test_keyboard_reaches_every_control_in_the_order_of_the_page(page, url):
    page.goto(f"{url}/matches")
    controls = 'a, input, select, button, [tabindex="0"]'
    wanted = page.evaluate(f"() => [...document.querySelectorAll('{controls}')].map((each) => each.outerHTML)")

    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.outerHTML"))

    assert reached == wanted


def test_search_is_a_form_that_needs_no_script(plain_page, url):
    plain_page.goto(f"{url}/matches")
    plain_page.get_by_label("Bot").fill("Ann")
    plain_page.get_by_label("Game").select_option("cheater")
    plain_page.get_by_role("button", name="Search").click()

    found = plain_page.get_by_role("link", name="results of Ann, Bob, Cid")
    assert [each.get_attribute("href") for each in found.all()] == [f"/matches/{CHEATER_GAME}"]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Lima"])
def test_times_are_those_of_the_readers_zone(browser, url, zone):
    """The server writes them in UTC, which stays as the title."""
    context = browser.new_context(timezone_id=zone, locale="en-GB")
    page = context.new_page()
    page.goto(f"{url}/matches/{TWO_GAMES}")
    time = page.locator(".lead time")
    hour = int(time.get_attribute("title").partition(":")[0][-2:])

    shift = {"Asia/Tokyo": 9, "America/Lima": -5}[zone]
    assert f"{(hour + shift) % 24:02}:" in time.inner_text()
    assert time.get_attribute("title").endswith("UTC")
    context.close()


def test_running_table_comes_before_its_terms(page, url):
    """On a telephone too, and nothing scrolls sideways."""
    page.goto(f"{url}/matches/{RUNNING}")

    assert page.locator("main > section").first.get_attribute("id") == "live"
    assert page.locator("#live").bounding_box()["y"] < page.locator("#terms").bounding_box()["y"]
    check_page(page)


def line_shown(page: Page) -> int:
    """Return the number of the line that the player shows."""
    return int(page.locator("#slider").input_value())


def test_player_is_used_by_keyboard(page, url):
    page.goto(url + REPLAY)
    last = page.locator("#lines tbody tr").count() - 1
    assert line_shown(page) == 1, "where the cards are dealt"
    page.keyboard.press("Home")
    assert line_shown(page) == 0

    steps = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)]
    for key, line in steps:
        page.keyboard.press(key)
        assert line_shown(page) == line
    page.keyboard.press("ArrowDown")
    assert "move" in (page.locator("#lines tr.now").get_attribute("class") or "")
    page.keyboard.press("l")
    assert page.locator("#lines tr.now td").nth(2).inner_text() == "a lie"
    lie = line_shown(page)
    page.keyboard.press("c")
    assert page.locator("#lines tr.now td").nth(2).inner_text().startswith("called")
    call = line_shown(page)
    page.keyboard.press("L")
    assert lie <= line_shown(page) < call
    assert page.locator("#lines tr.now td").nth(2).inner_text() == "a lie"


def test_player_plays_until_it_is_paused(page, url):
    page.goto(url + REPLAY)
    page.get_by_label("Speed").select_option("10 lines a second")
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => Number(document.querySelector('#slider').value) >= 2")

    page.get_by_role("button", name="Pause").click()
    line = line_shown(page)
    page.get_by_role("button", name="One line back").click()

    assert line_shown(page) == line - 1
    assert page.get_by_role("button", name="Play", exact=True).is_visible()


def test_player_is_scrubbed_and_tells_the_line_to_a_screen_reader(page, url):
    page.goto(url + REPLAY)
    page.get_by_label("Line of the game").fill("7")

    assert (
        page.get_by_label("Line of the game").get_attribute("aria-valuetext")
        == f"line 8 of {page.locator('#lines tbody tr').count()}"
    )
    told = page.locator("#lines tbody tr").nth(7).locator("td").nth(3).inner_text()
    assert page.locator("[aria-live=polite]").inner_text().partition("  ")[2].partition(" (")[0] in told.replace(
        "\n", " "
    )


def test_link_to_a_move_shows_the_table_at_that_move(page, url):
    page.goto(f"{url}{REPLAY}#t12")

    assert page.locator("#lines tr.now").get_attribute("id") == "t12"
    assert page.locator("#player .place").first.locator(".card").count() > 0


def test_table_shows_every_hand_and_what_was_truly_laid(page, url):
    """A lie is marked on the pile. Shading leaves only what one seat knew."""
    page.goto(url + REPLAY)
    page.keyboard.press("l")
    told = page.locator("#lines tr.now td").nth(3).inner_text()
    last = page.locator("#table .layer").last

    assert "lie" in (last.get_attribute("class") or "")
    assert last.locator(".hand").get_attribute("aria-label") in told
    assert (last.locator("small").inner_text()) in told
    assert page.locator("#player .card.unseen").count() == 0
    page.get_by_label("Shade what was hidden from").select_option("Bob")
    held = page.locator(".place[data-seat='1']")
    assert held.locator(".card").count() > 0
    assert held.locator(".card.unseen").count() == 0
    others = page.locator(".place:not([data-seat='1'])")
    assert others.locator(".card.unseen").count() == others.locator(".card").count() > 0


def test_dice_and_letter_cards_are_drawn(page, url):
    page.goto(f"{url}/matches/{CHEATER_GAME}/games/0#t1")

    assert page.locator("#table .die").count() == 2
    assert page.locator("#player .place .card").count() == 21


@pytest.mark.parametrize("wanted", ["reduce", "no-preference"])
def test_cards_move_unless_the_reader_wants_no_motion(page, url, wanted):
    page.emulate_media(reduced_motion=wanted)
    page.goto(url + REPLAY)
    page.keyboard.press("Home")
    deal = "() => { document.querySelector('#next').click(); return document.getAnimations().length; }"

    assert page.evaluate(deal) == (0 if wanted == "reduce" else 54)
    page.keyboard.press("Home")
    page.get_by_label("Motion").set_checked(wanted == "reduce")
    assert page.evaluate(deal) == (54 if wanted == "reduce" else 0)


def test_long_game_opens_and_steps_fast(page, tmp_path):
    """The page's thread needs less than a second to open 2,000 turns, and less than a frame for each step.

    It is asked for its own time, because this machine may be busy. At the end of the list, the last line is there.
    """
    write_page(2_000, tmp_path / "game.html")
    page.set_viewport_size(WIDE)

    opened = OpenedGame(page, tmp_path / "game.html")
    _, step_ms = opened.step(200)

    assert 0 < opened.busy_ms < 1_000
    assert 0 < step_ms < 2 * 1000 / 60
    page.keyboard.press("End")
    assert "game 0 is over" in page.locator("#lines tr.now").inner_text()


def test_view_of_a_seat_has_one_hand(page, url):
    page.goto(f"{url}{REPLAY}?seat=1")
    page.keyboard.press("End")

    assert page.locator("#player .place:has(.card)").count() == 1
    assert page.get_by_label("Whose view").locator("[aria-current=page]").inner_text() == "What Bob knew"
    page.get_by_role("link", name="Everything").click()
    assert page.locator("#player .place").count() == 3
    assert page.get_by_label("Shade what was hidden from").is_visible()


def test_proof_is_one_click_away(page, url):
    page.goto(url + REPLAY)
    with page.expect_download() as download:
        page.get_by_role("link", name=f"{TWO_GAMES}.replay.json").click()

    assert download.value.suggested_filename == f"{TWO_GAMES}.replay.json"


# ---- what a server's settings bring in


def test_logo_that_is_a_script_runs_nothing(browser, web_data, tmp_path):
    """Neither in a page nor opened alone. It is shown."""
    logo = tmp_path / "logo.svg"
    logo.write_text(
        "<svg xmlns='http://www.w3.org/2000/svg' width='24' height='24' onload='top.ran = 1'>"
        "<script>document.documentElement.id = 'ran'; top.ran = 1</script><rect width='24' height='24'/></svg>"
    )
    page = browser.new_page()
    with run_site(web_data, site=SiteSettings(logo=logo)) as address:
        page.goto(address)
        assert page.locator("nav img").evaluate("(picture) => picture.naturalWidth") == 24
        page.goto(f"{address}/site/logo")

        assert page.evaluate("() => [window.ran, document.documentElement.id]") == [None, ""]
    page.close()


@contextmanager
def serve_frame(path: Path) -> Iterator[str]:
    """Serve the folder of a page from another origin, and return that origin: browsers tell it by its port."""
    handler = partial(SimpleHTTPRequestHandler, directory=path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("is_allowed", [True, False])
def test_frame_of_another_site_shows_a_table_only_if_it_is_allowed(browser, web_data, tmp_path, is_allowed):
    page = browser.new_page(viewport=NARROW)
    with serve_frame(tmp_path) as origin:
        site = SiteSettings(frame_ancestors=(origin if is_allowed else "http://other.test",))
        with run_site(web_data, site=site) as address:
            embedded = f"{address}/embed/matches/{RUNNING}"
            (tmp_path / "lesson.html").write_text(f"<iframe src='{embedded}'></iframe>")
            page.goto(f"{origin}/lesson.html")

            assert (page.frames[-1].locator("#live").count() == 1) == is_allowed
            page.goto(embedded)
            assert page.evaluate(OUTLINE)["overflow"] <= 0
    page.close()
