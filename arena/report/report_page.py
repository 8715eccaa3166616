"""The report as one page of HTML that needs nothing else: what goes into its templates."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from arena.replays.text_format import escape_unprintable, format_count
from arena.report.heat_table import HeatTable, pairwise_table, shares_table
from arena.report.interval_chart import build_interval_chart
from arena.report.number_format import format_number, format_signed
from arena.report.panels import build_rating_panels
from arena.report.play_columns import SCATTER_SPECS, band_heading, play_column
from arena.report.play_view import Share, StrikeView, band_labels, figure_names
from arena.report.rendering import render_template
from arena.report.report_links import NO_LINKS, ReportLinks
from arena.report.scatter import build_scatter
from arena.report.view import LeagueView

_MAX_STRIKES: Final = 20
"""Of one entrant; all of them are in the table beside."""


@dataclass(frozen=True, slots=True)
class StrikeGroup:
    """One entrant's faults."""

    name: str
    words: str
    shown: Sequence[StrikeView]
    left_out: int


def render_report(view: LeagueView, beside: ReportLinks = NO_LINKS) -> str:
    """Write the page."""
    rows, rated = view.standings.rows, view.ratings.rows
    write_score = _score_writer(view)
    return render_template(
        "report.html",
        view=view,
        beside=beside,
        sections=list(_sections(view)),
        remarks={entrant.name: entrant.remark for entrant in view.entrants if entrant.remark},
        score=write_score,
        short_score=lambda value: _strip_zeros(write_score(value)),
        scores=build_interval_chart([(row.mean, row.low, row.high) for row in rows], view.standings.neutral),
        rated=build_interval_chart([(row.rating, row.low, row.high) for row in rated], _mean_rating(view)),
        above=_win_probability_table(view),
        meetings=_head_to_head_table(view),
        panels=build_rating_panels(_names_in_order(view), view.course),
        fault_groups=group_strikes(view.faults, {row.name: sum(row.strikes.values()) for row in rows}),
        endings=Counter(game.termination for game in view.games).most_common(),
        game_link=partial(game_link, beside),
        **_play_values(view),
    )


def _sections(view: LeagueView) -> Iterator[tuple[str, str]]:
    """Anchors and headings, of the sections that there are."""
    yield "standings", "Standings"
    if view.ratings.rows:
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


def _score_writer(view: LeagueView) -> Any:
    """Differences have a sign."""
    write = format_signed if view.standings.neutral == 0 else format_number
    return lambda value: write(value, view.standings.digits)


def _strip_zeros(text: str) -> str:
    """Leave out decimals that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _mean_rating(view: LeagueView) -> float:
    known = [row.rating for row in view.ratings.rows if row.rating is not None]
    return sum(known) / len(known) if known else 0.0


def _names_in_order(view: LeagueView) -> list[str]:
    """Best first: by rating where there is one, else as in the standings."""
    return [row.name for row in view.ratings.rows] or [row.name for row in view.standings.rows]


def _win_probability_table(view: LeagueView) -> HeatTable | None:
    names = [row.name for row in view.ratings.rows]

    def say(row: int, column: int, text: str) -> str:
        return f"{names[row]} above {names[column]}: {text}"

    return pairwise_table(names, view.ratings.above, say) if view.ratings.above else None


def _head_to_head_table(view: LeagueView) -> HeatTable | None:
    met = view.meetings
    if met is None:
        return None

    def say(row: int, column: int, text: str) -> str:
        return (
            f"{met.names[row]} ahead of {met.names[column]}: {text} of {format_count(met.games[row][column], 'game')}"
        )

    return pairwise_table(met.names, met.mean, say)


def _play_values(view: LeagueView) -> dict[str, Any]:
    """Pictures and tables of bluffs and calls."""
    bands = band_labels(view.play).items()
    return {
        "play_heading": _play_heading(view),
        "scatters": [drawn for picture in SCATTER_SPECS if (drawn := build_scatter(view.play, picture)) is not None],
        "measures": [(figure, play_column(figure)) for figure in figure_names(view.play)],
        "shaded": [(*band_heading(by), shares_table(view.play, by, labels)) for by, labels in bands],
        "nothing": Share(),
    }


def group_strikes(faults: Sequence[StrikeView], strikes: Mapping[str, int]) -> list[StrikeGroup]:
    """Faults by entrant, the one with most of them first; `strikes` counts those too that nobody has explained."""
    by_name: defaultdict[str, list[StrikeView]] = defaultdict(list)
    for fault in faults:
        by_name[fault.name].append(fault)
    most_first = sorted(by_name.items(), key=lambda each: (-len(each[1]), each[0]))
    return [_strike_group(name, theirs, strikes.get(name, 0)) for name, theirs in most_first]


def _strike_group(name: str, faults: Sequence[StrikeView], strikes: int) -> StrikeGroup:
    kinds = ", ".join(f"{format_number(count)} {kind}" for kind, count in Counter(f.kind for f in faults).most_common())
    words = f"{format_count(len(faults), 'fault')}: {kinds}"
    if strikes > len(faults):
        words = f"{format_count(strikes, 'strike')}, of which the first {format_number(len(faults))} are told: {kinds}"
    return StrikeGroup(name, words, faults[:_MAX_STRIKES], max(0, len(faults) - _MAX_STRIKES))


def game_link(beside: ReportLinks, match_id: str, turn: int | None = None) -> Markup:
    """A match's id; a link where a page tells it, to a turn if one is named."""
    href = beside.replays.get(match_id)
    if href is None:
        return Markup("<code>{}</code>").format(escape_unprintable(match_id))
    place = "" if turn is None else f"#t{turn}"
    return Markup('<a href="{}"><code>{}</code></a>').format(href + place, escape_unprintable(match_id))
