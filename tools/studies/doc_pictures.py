"""The pictures of README.md and docs/leagues.md: `python -m tools.studies.doc_pictures docs` draws them anew.

`tests/test_doc_pictures.py` notices when they show an older version.
"""

import hashlib
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, chdir
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest import mock

from playwright.sync_api import ViewportSize
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from arena.cli.main import run
from arena.cli.match.demo_run import DemoResult
from arena.cli.present import as_rich
from arena.organizer.report.report_page import render_report
from tests.support.chromium import open_browser
from tests.support.league_views import make_league_view, make_names

DEMO: Final = "demo.svg"
REPORT: Final = "league-report.png"
REPORT_HASH: Final = "league-report.sha256"
"""The hash of the page that the picture shows."""
_DEMO_WIDTH: Final = 84
_FIRST_LINES, _LAST_LINES = 18, 3
"""The told lines that the picture of the demo has."""
_VIEW: Final[ViewportSize] = {"width": 1160, "height": 1900}
_SVG: Final = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""The picture loads no letters from other hosts."""


class _QuietHost(Console):
    """A terminal of a machine that is never busy."""

    def print(self, *what: Any, **how: Any) -> None:
        """Print what is not about this machine."""
        if not str(what[:1]).startswith("('This machine was busy"):
            super().print(*what, **how)


def example_report() -> str:
    """Return the page of a made-up league with eight entrants and no dates."""
    return render_report(replace(make_league_view(make_names(8)), dates=()))


def hash_page(page: str) -> str:
    """Return the SHA-256 hash of a page in hexadecimal."""
    return hashlib.sha256(page.encode()).hexdigest()


def draw_report(out: Path) -> None:
    """Write the top of the example report as a picture, and the hash of the report."""
    page_text = example_report()
    with open_browser() as browser:
        page = browser.new_page(viewport=_VIEW)
        page.set_content(page_text)
        page.screenshot(path=out / REPORT)
    (out / REPORT_HASH).write_text(hash_page(page_text) + "\n", encoding="ascii")


def draw_demo(out: Path) -> None:
    """Play the demo in this process, and write what it leaves on a terminal, without most of the told lines."""
    console = _QuietHost(record=True, width=_DEMO_WIDTH, file=sys.stderr, force_terminal=True, highlight=False)
    told: list[Text] = []
    show_result = DemoResult.show

    @asynccontextmanager
    async def collect_lines(*_: object) -> AsyncIterator[Callable[[Text], None]]:
        yield told.append

    def print_lines(lines: Iterable[object]) -> None:
        for line in lines:
            console.print(as_rich(line))

    def show(result: DemoResult, is_json: bool) -> None:
        for line in (*told[:_FIRST_LINES], Text("      …", style="dim"), *told[-_LAST_LINES:]):
            console.print(line)
        show_result(result, is_json)

    console.print("$ make demo", style="bold")
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        mock.patch("sys.argv", [".venv/bin/arena"]),
        mock.patch("arena.cli.console.print_status", console.print),
        mock.patch("arena.cli.match.run.print_status", console.print),
        mock.patch("arena.cli.match.result.stdout_console", return_value=console),
        mock.patch("arena.cli.present.print_lines", print_lines),
        mock.patch("arena.cli.match.demo_run.show_progress", collect_lines),
        mock.patch.object(DemoResult, "show", show),
    ):
        code = run(["demo", "--seed", "1"])
    assert code == 0, "the demo has failed"
    console.save_svg(str(out / DEMO), title="make demo", code_format=_SVG, unique_id="demo")


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    draw_demo(target)
    draw_report(target)
