"""The report as one page of HTML that needs nothing else: what goes into its templates."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from arena.replays.words import counted, shown
from arena.report.beside import NOTHING, Beside
from arena.report.figures import number, signed
from arena.report.heat import Heat, shares_by, versus
from arena.report.intervals import intervals
from arena.report.page import render
from arena.report.panels import rating_panels
from arena.report.play_view import Fault, Share, bands_of, figures_of
from arena.report.play_words import PICTURES, band_words, measure_of
from arena.report.scatter import scatter
from arena.report.view import LeagueView

_FAULTS_SHOWN: Final = 20
"""Of one entrant; all of them are in the table beside."""


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """One entrant's faults."""

    name: str
    words: str
    shown: Sequence[Fault]
    left_out: int


def report_html(view: LeagueView, beside: Beside = NOTHING) -> str:
    """Write the page."""
    rows, rated = view.standings.rows, view.ratings.rows
    write_score = _score_writer(view)
    return render(
        "report.html",
        view=view,
        beside=beside,
        sections=list(_sections(view)),
        remarks={entrant.name: entrant.remark for entrant in view.entrants if entrant.remark},
        score=write_score,
        short_score=lambda value: _short(write_score(value)),
        scores=intervals([(row.mean, row.low, row.high) for row in rows], view.standings.neutral),
        rated=intervals([(row.rating, row.low, row.high) for row in rated], _mean_rating(view)),
        above=_above(view),
        meetings=_meetings(view),
        panels=rating_panels(_names_in_order(view), view.course),
        fault_groups=fault_groups(view.faults, {row.name: sum(row.strikes.values()) for row in rows}),
        endings=Counter(game.termination for game in view.games).most_common(),
        game_link=partial(game_link, beside),
        **_play(view),
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
    write = signed if view.standings.neutral == 0 else number
    return lambda value: write(value, view.standings.digits)


def _short(text: str) -> str:
    """Leave out decimals that say nothing."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _mean_rating(view: LeagueView) -> float:
    known = [row.rating for row in view.ratings.rows if row.rating is not None]
    return sum(known) / len(known) if known else 0.0


def _names_in_order(view: LeagueView) -> list[str]:
    """Best first: by rating where there is one, else as in the standings."""
    return [row.name for row in view.ratings.rows] or [row.name for row in view.standings.rows]


def _above(view: LeagueView) -> Heat | None:
    names = [row.name for row in view.ratings.rows]

    def say(row: int, column: int, text: str) -> str:
        return f"{names[row]} above {names[column]}: {text}"

    return versus(names, view.ratings.above, say) if view.ratings.above else None


def _meetings(view: LeagueView) -> Heat | None:
    met = view.meetings
    if met is None:
        return None

    def say(row: int, column: int, text: str) -> str:
        return f"{met.names[row]} ahead of {met.names[column]}: {text} of {counted(met.games[row][column], 'game')}"

    return versus(met.names, met.mean, say)


def _play(view: LeagueView) -> dict[str, Any]:
    """Pictures and tables of bluffs and calls."""
    bands = bands_of(view.play).items()
    return {
        "play_heading": _play_heading(view),
        "scatters": [drawn for picture in PICTURES if (drawn := scatter(view.play, picture)) is not None],
        "measures": [(figure, measure_of(figure)) for figure in figures_of(view.play)],
        "shaded": [(*band_words(by), shares_by(view.play, by, labels)) for by, labels in bands],
        "nothing": Share(),
    }


def fault_groups(faults: Sequence[Fault], strikes: Mapping[str, int]) -> list[FaultGroup]:
    """Faults by entrant, the one with most of them first; `strikes` counts those too that nobody has explained."""
    by_name: defaultdict[str, list[Fault]] = defaultdict(list)
    for fault in faults:
        by_name[fault.name].append(fault)
    most_first = sorted(by_name.items(), key=lambda each: (-len(each[1]), each[0]))
    return [_group(name, theirs, strikes.get(name, 0)) for name, theirs in most_first]


def _group(name: str, faults: Sequence[Fault], strikes: int) -> FaultGroup:
    kinds = ", ".join(f"{number(count)} {kind}" for kind, count in Counter(f.kind for f in faults).most_common())
    words = f"{counted(len(faults), 'fault')}: {kinds}"
    if strikes > len(faults):
        words = f"{counted(strikes, 'strike')}, of which the first {number(len(faults))} are told: {kinds}"
    return FaultGroup(name, words, faults[:_FAULTS_SHOWN], max(0, len(faults) - _FAULTS_SHOWN))


def game_link(beside: Beside, match_id: str, turn: int | None = None) -> Markup:
    """A match's id; a link where a page tells it, to a turn if one is named."""
    href = beside.replays.get(match_id)
    if href is None:
        return Markup("<code>{}</code>").format(shown(match_id))
    place = "" if turn is None else f"#t{turn}"
    return Markup('<a href="{}"><code>{}</code></a>').format(href + place, shown(match_id))
