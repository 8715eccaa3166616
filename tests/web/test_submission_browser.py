"""An owner submits a bot in a real browser, to a real server, and follows it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.bots.packages.packing import write_package
from arena.server.store.open_store import Store, open_store
from tests.support.archives import FILES, write_folder
from tests.support.chromium import CHROMIUM, call_in_thread
from tests.support.commands import start_command
from tests.support.submission_data import add_owners, refuse_submission, try_submission
from tests.web.test_browser import NARROW, check_both_widths

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

T = TypeVar("T")
SETTINGS: Final = """\
[submissions]
enabled = true
runs_boxes = false
"""
"""The test takes the place of the process that builds and runs bots."""


class Site:
    """A server that takes submissions, with its pages."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._data = folder / "data"
        (folder / "arena.toml").write_text(SETTINGS)
        self.change(add_owners)
        command = ("serve", "--config", folder / "arena.toml", "--data", self._data, "--grace", 0, "--web", 0)
        server = stack.enter_context(start_command(*command))
        server.wait_for_line("READY")
        self.url = server.wait_for_line("WEB").split()[1]

    def change(self, act: Callable[[Store], Awaitable[T]]) -> T:
        """Change the store, as another process does."""

        async def do() -> T:
            async with await open_store(self._data) as store:
                return await act(store)

        return call_in_thread(lambda: asyncio.run(do()))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(stack, tmp_path_factory.mktemp("site"))


def log_in(page: Page, site: Site) -> None:
    """Log Ada in."""
    page.goto(f"{site.url}/login")
    page.get_by_label("Code").fill(site.change(lambda store: store.logins.create_code("Ada"))[0])
    page.get_by_role("button", name="Log in").click()


def write_archive(folder: Path, version: str) -> Path:
    """Write the archive of a version of a bot, as `arena pack` does."""
    manifest = f'name = "counter"\nversion = "{version}"\n'.encode()
    return write_package(write_folder(folder / "bot", {**FILES, "bot.toml": manifest}), folder / "bot.tar.gz")[0]


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def page(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A narrow window in which Ada has logged in."""
    context = browser.new_context(viewport=NARROW, java_script_enabled=request.param)
    opened = context.new_page()
    log_in(opened, site)
    yield opened
    context.close()


@pytest.mark.slow
def test_owner_uploads_a_package_and_sees_it_come_through(page: Page, site: Site, tmp_path: Path):
    version = f"1.{len(site.change(lambda store: store.submissions.list_owned('Ada')))}"
    page.get_by_role("link", name="Your submissions").click()
    page.get_by_label("Archive").set_input_files(write_archive(tmp_path, version))
    page.get_by_role("button", name="Submit").click()

    status = page.get_by_role("status")
    expect(status).to_contain_text("Queued.")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"counter {version}")
    submission_id = page.url.rpartition("/")[2]
    site.change(lambda store: try_submission(store, submission_id, log="<b>one</b>\n  two\n"))

    expect(status).to_contain_text("Active.", timeout=30_000)  # the page follows by itself
    log = page.get_by_role("region", name="Log of building")
    assert log.inner_text() == "<b>one</b>\n  two\n"
    page.get_by_label("I know that this cannot be undone").check()
    page.get_by_role("button", name="Withdraw").click()

    expect(status).to_contain_text("Withdrawn.")
    assert page.get_by_role("button").count() == 0


def test_pages_are_sound_wide_and_narrow_and_by_keyboard(browser: Browser, site: Site, tmp_path: Path):
    context = browser.new_context(viewport=NARROW)
    page, complaints = context.new_page(), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    log_in(page, site)

    page.goto(f"{site.url}/me/submissions")
    page.get_by_label("Archive").set_input_files(write_archive(tmp_path, "2.0"))
    page.get_by_label("Archive").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Queued.")
    shown = page.url
    line = "a line that is wider than a phone " * 20
    for change in (None, lambda store: refuse_submission(store, shown.rpartition("/")[2], "It failed.", line * 9)):
        if change is not None:
            site.change(change)
        for address in (shown, f"{site.url}/me/submissions"):
            page.set_viewport_size(NARROW)
            check_both_widths(page, address)

    assert complaints == []
    context.close()


def test_too_large_archive_is_refused_with_a_sentence_that_the_browser_shows(page: Page, site: Site, tmp_path: Path):
    large = tmp_path / "large.tar.gz"
    large.write_bytes(bytes(40 * 1024 * 1024))
    page.goto(f"{site.url}/me/submissions")
    page.get_by_label("Archive").set_input_files(large)
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("The archive is too large: at most 32 MB.")
    page.get_by_role("link", name="Your submissions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your submissions")
