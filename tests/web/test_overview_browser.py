"""The overview of an organizer in a real browser: wide, narrow, dark, without scripts and by keyboard."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from arena.server.store.account_values import Scope
from arena.server.store.open_store import open_store
from tests.support.chromium import CHROMIUM, call_in_thread
from tests.support.submission_data import add_owners, add_submission, refuse_submission, try_submission
from tests.web.conftest import run_site
from tests.web.test_browser import NARROW, check_both_widths

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

FAULT = "bot.py, line 7: SyntaxError: invalid syntax " * 4


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ada's version was refused with a long sentence, Bea's plays, and "me" is the name of an organizer's token."""
    folder: Path = tmp_path_factory.mktemp("overview") / "data"

    async def make() -> None:
        async with await open_store(folder) as store:
            await add_owners(store)
            await store.owners.change_contact("Ada", f"{'ada.lovelace' * 4}@example.org")
            refused = await add_submission(store, "1.0")
            await refuse_submission(store, refused.submission_id, FAULT, f"no compiler\n{FAULT * 5}")
            playing = await add_submission(store, "2.1", "rusher", "Bea")
            await try_submission(store, playing.submission_id)
            await store.tokens.create("me", [Scope.ORGANIZE], timedelta(days=1))

    call_in_thread(lambda: asyncio.run(make()))
    return folder


@pytest.fixture(scope="module")
def url(data: Path) -> Iterator[str]:
    with run_site(data) as address:
        yield address


def log_in(context: BrowserContext, url: str, data: Path) -> Page:
    """Log the organizer in, and return the page that follows."""

    async def make_code() -> str:
        async with await open_store(data) as store:
            return (await store.logins.create_organizer_code("me"))[0]

    page = context.new_page()
    page.goto(f"{url}/login")
    page.get_by_label("Code").fill(call_in_thread(lambda: asyncio.run(make_code())))
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{url}/overview")
    page.wait_for_load_state("networkidle")  # the next page would otherwise cut off the load of the icon
    return page


def test_overview_and_a_log_are_sound_wide_and_narrow(browser, url, data):
    context = browser.new_context(viewport=NARROW)
    page, complaints = log_in(context, url, data), list[str]()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    check_both_widths(page, f"{url}/overview")
    log = page.get_by_role("link", name="1.0").get_attribute("href") or ""
    page.set_viewport_size(NARROW)
    check_both_widths(page, f"{url}{log}")

    assert log.startswith("/overview/submissions/")
    assert complaints == []
    context.close()


def test_overview_is_read_and_left_without_scripts(browser, url, data):
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    page = log_in(context, url, data)

    rows = page.locator("#bots tbody tr").all_inner_texts()
    page.get_by_role("link", name="1.0").click()
    told = page.locator("main").inner_text()
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Log out").click()

    assert [("refused" in row, "active" in row) for row in rows] == [(True, False), (False, True)]
    assert "no compiler" in told
    page.goto(f"{url}/overview")
    assert "log in" in page.inner_text("h1").lower()
    context.close()


def test_overview_is_dark_if_the_readers_system_is(browser, url, data):
    context = browser.new_context(viewport=NARROW, color_scheme="dark")
    page = log_in(context, url, data)

    colours = page.evaluate("() => ['color', 'backgroundColor'].map((key) => getComputedStyle(document.body)[key])")
    text, paper = (sum(map(int, colour.strip("rgb()").split(","))) for colour in colours)

    assert text > paper
    context.close()


def test_keyboard_reaches_every_control_of_the_overview(browser, url, data):
    """In the order of the page; the table, which scrolls in a narrow window, is one of them."""
    context = browser.new_context(viewport=NARROW)
    page = log_in(context, url, data)
    wanted = page.evaluate(
        "() => [...document.querySelectorAll('a, button, [tabindex=\"0\"]')].map((each) => each.outerHTML)"
    )

    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.outerHTML"))

    assert reached == wanted
    assert any('class="scroll"' in each for each in reached)
    context.close()
