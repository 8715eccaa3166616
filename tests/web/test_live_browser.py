"""The live page of a real match in a real browser."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page

from tests.support.boxes import wait_until
from tests.support.chromium import CHROMIUM
from tests.support.commands import CommandProcess, start_command
from tests.support.played_table import PlayedTable, open_table
from tests.web.test_browser import NARROW, WIDE, check_page

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

LIVE_TURN = "() => Number(document.querySelector('#live-status').textContent.match(/turn (\\d+)/)?.[1] ?? -1)"


def read_page(address: str) -> str:
    """Return a page; empty if there is none yet, because the match is not stored."""
    try:
        with urlopen(address, timeout=30) as answer:
            return str(answer.read().decode())
    except HTTPError:
        return ""


class Site:
    """A server, a match that the test plays, and its pages in a process that the test may kill."""

    def __init__(self, stack: ExitStack, data) -> None:
        self._stack = stack
        self._data = data
        server = stack.enter_context(start_command("serve", "--data", data, "--grace", 0))
        self.address = server.wait_for_line("READY").split()[1]
        self.table: PlayedTable = stack.enter_context(open_table(data))
        self.match = ""
        self.url = ""
        self.web: CommandProcess = self.show()

    def show(self, port: str = "0") -> CommandProcess:
        """Run the pages."""
        self.web = self._stack.enter_context(start_command("web", "--data", self._data, "--port", port))
        self.url = self.web.wait_for_line("WEB").split()[1]
        return self.web

    def begin(self, *names: str, **request: object) -> str:
        """Begin a match, play a little, and return the address of its page, once it shows the table."""
        self.match = self.table.begin(self.address, *names, **request)
        self.table.play_past(9)
        address = f"{self.url}/matches/{self.match}"
        wait_until(lambda: "live-status" in read_page(address))
        return address


@pytest.fixture
def site(tmp_path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(stack, tmp_path / "data")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A narrow window."""
    context = browser.new_context(viewport=NARROW)
    yield context.new_page()
    context.close()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser says against the page."""
    noted: list[str] = []
    page.on("console", lambda message: noted.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: noted.append(str(error)))
    return noted


def wait_for_turn(page: Page, after: int) -> int:
    """Wait until the page shows a later turn, and return it."""
    page.wait_for_function(f"() => ({LIVE_TURN})() > {after}")
    return int(page.evaluate(LIVE_TURN))


@pytest.mark.slow
def test_moves_appear_and_the_end_links_to_the_replay(site: Site, page: Page, complaints):
    """Nothing is loaded again, and the policy of the site has nothing to refuse."""
    page.goto(site.begin("ann", "bob", "cid", "dora"))
    loads = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    page.get_by_text("1 viewer", exact=True).wait_for()
    first = int(page.evaluate(LIVE_TURN))
    site.table.play_past(14)
    later = wait_for_turn(page, first)
    lines = page.locator("#live-lines li").all_inner_texts()
    check_page(page)
    page.set_viewport_size(WIDE)
    check_page(page)

    assert later > first
    assert str(later - 1) in lines[0], "the newest line is first"
    assert page.locator(".place").count() == 4
    assert page.locator(".place.asked").count() >= 1
    site.table.play_to_end()
    page.get_by_text("The match is over", exact=True).wait_for()
    page.locator("#live.over").wait_for(state="attached")
    assert (loads, complaints) == ([], [])
    assert page.locator("#live-lines li").count() <= 100
    page.get_by_role("link", name="The replay of its last game").click()
    page.locator("#player").wait_for(state="visible")


@pytest.mark.slow
def test_page_without_scripts_shows_the_table_as_it_was(site: Site, browser: Browser):
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    page = context.new_page()
    page.goto(site.begin("ann", "bob"))
    before = page.inner_text("#live-status")
    site.table.play_past(16)
    assert page.inner_text("#live-status") == before
    assert not page.locator("#live-bar").is_visible()
    assert page.locator(".place").count() == 2
    page.get_by_role("link", name="Reload").click()
    assert page.inner_text("#live-status") != before
    context.close()


@pytest.mark.slow
def test_keyboard_pauses_the_page_and_reads_its_lines(site: Site, page: Page):
    page.goto(site.begin("ann", "bob"))
    page.get_by_text("1 viewer", exact=True).wait_for()
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    shown = int(page.evaluate(LIVE_TURN))
    site.table.play_past(16)
    assert page.evaluate(LIVE_TURN) == shown
    assert page.locator("#live-viewers").inner_text() == "Paused."
    page.keyboard.press("Enter")
    wait_for_turn(page, shown)
    page.keyboard.press("Tab")
    assert page.locator(":focus").get_attribute("id") == "live-lines"


@pytest.mark.slow
def test_page_comes_back_after_the_web_process_was_killed(site: Site, page: Page):
    """It says that the connection is lost, and goes on where it was."""
    page.goto(site.begin("ann", "bob"))
    page.get_by_text("1 viewer", exact=True).wait_for()
    shown, lines = int(page.evaluate(LIVE_TURN)), page.locator("#live-lines li").count()
    port = site.url.rpartition(":")[2]
    site.web.signal(signal.SIGKILL)
    site.web.wait_for_exit()
    page.get_by_text("Connection lost").wait_for()
    site.show(port)
    site.table.play_past(16)

    wait_for_turn(page, shown)
    assert page.locator("#live-lines li").count() > lines
