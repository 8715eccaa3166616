"""Pages to look at: `python -m tests.report.pages FOLDER` writes reports of made-up leagues, small and large, tame and hostile."""

import sys
from pathlib import Path

from arena.report.report_page import report_html
from tests.support.league_views import HOSTILE, made_up, some_names

VIEWS = {
    "four": lambda: made_up(some_names(4)),
    "season": lambda: made_up(some_names(16), is_over=False),
    "sixty": lambda: made_up(some_names(60), game_count=7000),
    "hostile": lambda: made_up(HOSTILE),
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for label, view in VIEWS.items():
        (folder / f"{label}.html").write_text(report_html(view()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
