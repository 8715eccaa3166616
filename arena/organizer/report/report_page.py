"""Fills in the templates of the report page, which is one self-contained file of HTML."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from arena.competition.league.rating import Rating
from arena.errors import RequestError
from arena.organizer.report.charts import HeatTable, build_interval_chart, build_scatter, pairwise_table, shares_table
from arena.organizer.report.csv_tables import write_tables
from arena.organizer.report.number_format import format_number, format_signed
from arena.organizer.report.play_view import (
    SCATTER_SPECS,
    StrikeView,
    band_heading,
    band_labels,
    collusion_values,
    figure_names,
    play_column,
)
from arena.organizer.report.rating_charts import build_rating_panels
from arena.organizer.report.rendering import render_template
from arena.organizer.report.report_json import write_report_json
from arena.organizer.report.standings_text import (
    describe_champion,
    describe_ratings,
    describe_scoring,
    neutral_score,
    score_digits,
    tie_break_names,
)
from arena.organizer.report.view import LeagueView, share_matrix
from arena.plurals import format_count
from arena.replays.analytics.bot_figures import Ratio
from arena.replays.narration.text_format import escape_unprintable

_MAX_STRIKES: Final = 20
"""The largest number of one entrant's faults that the page shows. The CSV table has all explained faults."""


@dataclass(frozen=True, slots=True)
class ReportLinks:
    folder: str = ""
    """The folder of `files`, with a slash at its end."""
    files: Sequence[str] = ()
    """The tables and the document for machines."""
    replays: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The replay page of each match, by match id."""
    replays_page: str = ""
    """The page that lists the replay pages."""
    verifier: str = ""
    """The program that checks the replay file of a game; empty if it is not published."""
    league: str = ""
    """The document that proves the league's seal; empty if it is not published."""
    league_verifier: str = ""
    """The program that checks `league`."""


NO_LINKS: Final = ReportLinks()
"""The links of a page that stands alone."""


@dataclass(frozen=True, slots=True)
class StrikeGroup:
    """The faults of one entrant."""

    name: str
    words: str
    """How many faults there are, by kind."""
    shown: Sequence[StrikeView]
    left_out: int
    """Number of faults that the page leaves out."""


def render_report(view: LeagueView, links: ReportLinks = NO_LINKS) -> str:
    return render_template("report.html", **report_values(view, links))


def report_values(view: LeagueView, links: ReportLinks) -> dict[str, Any]:
    """Return the values that the template `report.html` needs."""
    standings, write_score = view.standings, _score_writer(view)
    best_first = [row.name for row in view.ratings] or [row.name for row in standings.rows]
    return dict(
        view=view,
        links=links,
        sections=list(_sections(view)),
        remarks={each.entrant.name: each.remark for each in view.entrants if each.remark},
        champion=describe_champion(standings.champion, view.progress.is_over, view.accomplices, view.judgement),
        scoring=describe_scoring(standings),
        tie_breaks=tie_break_names(standings),
        score_digits=score_digits(standings),
        score=write_score,
        short_score=lambda value: _strip_zeros(write_score(value)),
        scores=build_interval_chart(
            [(row.score, row.interval.low, row.interval.high) for row in standings.rows], neutral_score(standings)
        ),
        rating_method=describe_ratings(view.judgement),
        rated=build_interval_chart(
            [(row.rating, row.interval.low, row.interval.high) for row in view.ratings], _mean_rating(view.ratings)
        ),
        above=_win_probability_table(view),
        meetings=_head_to_head_table(view),
        panels=build_rating_panels(best_first, view.course),
        fault_groups=group_strikes(view.faults, {row.name: sum(row.strikes.values()) for row in standings.rows}),
        endings=Counter(game.result.termination for game in view.games).most_common(),
        collusion=list(map(collusion_values, view.collusion)),
        game_link=partial(game_link, links),
        **_play_values(view),
    )


def _sections(view: LeagueView) -> Iterator[tuple[str, str]]:
    """Yield the anchor and the heading of each section."""
    yield "standings", "Standings"
    if view.dates:
        yield "dates", "Dates"
    if view.ratings:
        yield "ratings", "Ratings"
    if len(view.course) > 1:
        yield "course", "Rating over time"
    if view.meetings is not None:
        yield "meetings", "Head to head"
    if view.play:
        yield "play", _play_heading(view)
    if view.collusion_method:
        yield "collusion", "Screen for collusion"
    yield "faults", "Faults"
    yield "amendments", "Amendments"
    yield "entrants", "Entrants"
    yield "games", "Games"
    yield "seal", "Seal"


def _play_heading(view: LeagueView) -> str:
    return "Bluffs and calls" if any("lies" in bot.figures for bot in view.play) else "How they play"


def _score_writer(view: LeagueView) -> Callable[[float | None], str]:
    """Return the function that formats a score. Scores that are differences get a sign."""
    return partial(format_signed if view.standings.compares else format_number, digits=score_digits(view.standings))


def _strip_zeros(text: str) -> str:
    """Return the text without trailing zeros after the decimal point."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _mean_rating(ratings: Sequence[Rating]) -> float:
    return sum(row.rating for row in ratings) / len(ratings) if ratings else 0.0


def _win_probability_table(view: LeagueView) -> HeatTable | None:
    names = [row.name for row in view.ratings]

    def describe_cell(row: int, column: int, text: str) -> str:
        return f"{names[row]} above {names[column]}: {text}"

    return pairwise_table(names, view.win_probabilities, describe_cell) if view.win_probabilities else None


def _head_to_head_table(view: LeagueView) -> HeatTable | None:
    meetings = view.meetings
    if meetings is None:
        return None

    def describe_cell(row: int, column: int, text: str) -> str:
        games = format_count(int(meetings.games[row, column]), "game")
        return f"{meetings.names[row]} ahead of {meetings.names[column]}: {text} of {games}"

    return pairwise_table(meetings.names, share_matrix(meetings), describe_cell)


def _play_values(view: LeagueView) -> dict[str, Any]:
    """Return the template's values for the section on play: scatter plots, columns and shaded tables."""
    bands = band_labels(view.play).items()
    return {
        "play_heading": _play_heading(view),
        "scatters": [drawn for picture in SCATTER_SPECS if (drawn := build_scatter(view.play, picture)) is not None],
        "measures": [(figure, play_column(figure)) for figure in figure_names(view.play)],
        "shaded": [(*band_heading(by), shares_table(view.play, by, labels)) for by, labels in bands],
        "nothing": Ratio(0, 0),
    }


def group_strikes(faults: Sequence[StrikeView], strikes: Mapping[str, int]) -> list[StrikeGroup]:
    """Return the faults grouped by entrant, most faults first. `strikes` counts all strikes, explained or not."""
    by_name: defaultdict[str, list[StrikeView]] = defaultdict(list)
    for fault in faults:
        by_name[fault.name].append(fault)
    groups = []
    for name, own in sorted(by_name.items(), key=lambda each: (-len(each[1]), each[0])):
        counts = Counter(fault.kind.value for fault in own)
        kinds = ", ".join(f"{format_number(count)} {kind}" for kind, count in counts.most_common())
        words = f"{format_count(len(own), 'fault')}: {kinds}"
        if (total := strikes.get(name, 0)) > len(own):
            shown = format_number(len(own))
            words = f"{format_count(total, 'strike')}, the first {shown} of which are described: {kinds}"
        groups.append(StrikeGroup(name, words, own[:_MAX_STRIKES], max(0, len(own) - _MAX_STRIKES)))
    return groups


def game_link(links: ReportLinks, match_id: str, turn: int | None = None) -> Markup:
    """Return a match's id as HTML. If the match has a replay page, the id links to it, or to `turn` on that page."""
    href = links.replays.get(match_id)
    if href is None:
        return Markup("<code>{}</code>").format(escape_unprintable(match_id))
    place = "" if turn is None else f"#t{turn}"
    return Markup('<a href="{}"><code>{}</code></a>').format(href + place, escape_unprintable(match_id))


_MATCH_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}")


def match_file_name(match_id: str) -> str:
    """Return the stem of the names of a match's files. Raises RequestError for an id that is unsafe in a path."""
    if _MATCH_ID.fullmatch(match_id) is None:
        raise RequestError(f"a match cannot be called {match_id!r}: ids are 1 to 64 letters, digits, - or _")
    return match_id


PAGE: Final = "report.html"
DOCUMENT: Final = "report.json"


def write_report(view: LeagueView, folder: Path) -> Path:
    """Write a report into a folder and return the path of its page. Replaces an earlier report. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / PAGE
    page.write_text(render_report(view, ReportLinks(files=write_data(view, folder))), encoding="utf-8")
    return page


def write_data(view: LeagueView, folder: Path) -> list[str]:
    """Write the files for machines and return their names."""
    write_report_json(view, folder / DOCUMENT)
    return [DOCUMENT, *write_tables(view, folder)]
