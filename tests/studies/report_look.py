"""Pictures of pages: `look.py FOLDER` shows every page of a folder to Chromium, wide, narrow, dark and on paper.

It runs outside the project's environment (`make look`), and needs nothing of it: what it needs is Playwright, and a
Chromium that is installed.
"""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True},
}


def look(browser: "Browser", page_file: Path, to: Path) -> None:
    name = "-".join(page_file.relative_to(to).with_suffix("").parts)
    for label, settings in LOOKS.items():
        page = browser.new_context(**settings, java_script_enabled=False, offline=True).new_page()
        page.on("console", lambda message: print(f"{page_file.name}: {message.text}"))
        page.goto(page_file.resolve().as_uri())
        page.screenshot(path=to / f"{name}-{label}.png", full_page=True)
        if label == "wide":
            page.pdf(path=to / f"{name}-paper.pdf", format="A4", prefer_css_page_size=True)


def main(folder: Path) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  the project's own environment has none

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        sys.exit("no Chromium is installed: there is nothing to look with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for page_file in sorted(folder.rglob("*.html")):
            look(browser, page_file, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
