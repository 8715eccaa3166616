"""Pages to look at: `python -m tests.report.pages FOLDER` writes reports of made-up leagues, and a site with a game."""

import sys
from dataclasses import replace
from pathlib import Path

from arena.report.report_page import report_html
from arena.report.site import Site
from tests.support.league_stories import proven_story
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
    story, row = proven_story()
    site = Site(folder / "site", "Autumn season of the bluffers")
    site.add(story, row)
    site.finish(replace(made_up(row.seats), games=[row]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
