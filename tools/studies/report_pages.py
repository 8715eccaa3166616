"""Write reports of simulated leagues, and a site with a game: `python -m tools.studies.report_pages FOLDER`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from arena.competition.league.estimates import Interval
from arena.competition.league.rating import Rating
from arena.organizer.report.play_view import BotPlay
from arena.organizer.report.report_page import render_report
from arena.organizer.report.site import StaticSite
from arena.organizer.report.view import LeagueView
from arena.replays.analytics.bot_figures import Ratio
from tests.support.league_stories import proven_story
from tests.support.league_views import HOSTILE_TEXTS, make_league_view, make_names


def early() -> LeagueView:
    """A league after few games: some never lost, some never met."""
    view = make_league_view(make_names(6), is_over=False, game_count=24)
    rows = [
        Rating("counter", 1702, Interval(1540, None)),
        Rating("cautious", 1555, Interval(1420, 1690), is_separable=False),
        Rating("bold-7", 1333, Interval(None, 1489)),
        Rating("memory", 1500, Interval(None, None), group=1),
    ]
    return replace(view, ratings=rows, win_probabilities=(), course=())


def cheater_play(names: Sequence[str]) -> list[BotPlay]:
    """Figures of the other game."""
    return [
        BotPlay(
            name,
            {"attacks": Ratio(40 + 9 * i, 200), "hides": Ratio(12 + i, 60), "cards_an_attack": Ratio(70, 40 + i)},
            {"attacks_by_kind": {"rob": Ratio(30, 40 + 9 * i), "swap": Ratio(10 + 9 * i, 40 + 9 * i)}},
            luck=0.1 - i / 20,
        )
        for i, name in enumerate(names)
    ]


VIEWS = {
    "four": lambda: make_league_view(make_names(4)),
    "season": lambda: make_league_view(make_names(16), is_over=False),
    "sixty": lambda: make_league_view(make_names(60), game_count=7000),
    "early": early,
    "cheater": lambda: replace(make_league_view(make_names(5)), play=cheater_play(make_names(5))),
    "hostile": lambda: make_league_view(HOSTILE_TEXTS),
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for label, view in VIEWS.items():
        (folder / f"{label}.html").write_text(render_report(view()), encoding="utf-8")
    story, row = proven_story()
    site = StaticSite(folder / "site", "Autumn season of the bluffers")
    site.add_match(story, row)
    site.finish(replace(make_league_view(row.result.seats), games=[row]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
