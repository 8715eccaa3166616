"""Pictures of pages: `python -m tools.studies.report_look FOLDER` shows a folder to an installed Chromium.

It shows them wide, narrow, dark and on paper.
"""

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.support.chromium import open_browser

LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True},
}


def look(browser: Browser, page_file: Path, to: Path) -> None:
    name = "-".join(page_file.relative_to(to).with_suffix("").parts)
    for label, settings in LOOKS.items():
        page = browser.new_context(**settings, java_script_enabled=False, offline=True).new_page()
        page.on("console", lambda message: print(f"{page_file.name}: {message.text}"))
        page.goto(page_file.resolve().as_uri())
        page.screenshot(path=to / f"{name}-{label}.png", full_page=True)
        if label == "wide":
            page.pdf(path=to / f"{name}-paper.pdf", format="A4", prefer_css_page_size=True)


def main(folder: Path) -> None:
    with open_browser() as browser:
        for page_file in sorted(folder.rglob("*.html")):
            look(browser, page_file, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
