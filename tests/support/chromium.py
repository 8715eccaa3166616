"""The installed Chromium, for tests and studies that look at pages in a browser."""

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from playwright.sync_api import Browser, sync_playwright

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

T = TypeVar("T")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Run Chromium. Exit with a sentence if it is not installed.

    Playwright has an event loop that runs in this thread meanwhile, so no other one can run here (`call_in_thread`).
    """
    if CHROMIUM is None:
        sys.exit("no Chromium is installed: there is nothing to look with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


def call_in_thread(act: Callable[[], T]) -> T:
    """Call a function that runs an event loop of its own, also while a browser is open. Return what it returns."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(act).result()
