"""The dates of a league as text: when bots have to be online, and which bots are awaited."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from arena.competition.formats import Format
from arena.competition.league.field import Field
from arena.competition.league.model import RoundDate
from arena.organizer.file.league_dates import format_utc
from arena.organizer.report.view import AwaitedBot, DateView, EntrantGames
from arena.plurals import format_count
from arena.replays.narration.text_format import join_words


def waiting_text(dates: Sequence[RoundDate], awaited: Iterable[str], now: float) -> str:
    """Return the text of a progress line on awaited bots or the next date; empty if the league waits for nothing."""
    names = list(awaited)
    opened = [date for date in dates if date.opens <= now < date.closes]
    if names:
        until = f" until {format_utc(opened[0].closes)}" if opened else ""
        return f"; waiting for {join_words(names)} to connect{until}"
    ahead = [date for date in dates if now < date.opens]
    return f"; {rounds_text(ahead[0])} from {format_utc(ahead[0].opens)} on" if ahead and not opened else ""


def rounds_text(date: RoundDate | DateView) -> str:
    """Return the rounds of a date in words: `round 2`, `rounds 1 to 10`."""
    return f"round {date.first}" if date.first == date.last else f"rounds {date.first} to {date.last}"


def status_lines(dates: Sequence[DateView], awaited: Sequence[AwaitedBot]) -> Iterator[str]:
    """Yield lines with the times of each date and the games of each entrant, then lines with the awaited bots."""
    for date in dates:
        yield f"{rounds_text(date)}: {format_utc(date.opens)} to {format_utc(date.closes)}, {date.state}"
        drawn = [] if date.is_drawn else ["more when the results before are there"]
        if words := [*map(_games_text, date.entrants), *drawn]:
            yield f"  {', '.join(words)}"
    if awaited:
        bots = [f"{bot.name} ({format_count(bot.tables, 'table')})" for bot in awaited]
        yield f"awaited now: {', '.join(bots)}"


def plan_date_lines(dates: Sequence[RoundDate], league_format: Format, field: Field) -> list[str]:
    """Return a line for each date of an unsealed league: its times, and the number of games of an entrant."""
    lines = []
    for date in dates:
        when = f"{rounds_text(date)}: {format_utc(date.opens)} to {format_utc(date.closes)}"
        lines.append(f"dates       {when}; {_planned_games_text(date, league_format, field)}")
    return lines


# ---- inside


def _games_text(each: EntrantGames) -> str:
    forfeited = f" ({each.forfeited} forfeited)" if each.forfeited else ""
    return f"{each.name} {each.played} of {each.games}{forfeited}"


def _planned_games_text(date: RoundDate, league_format: Format, field: Field) -> str:
    """Return how many games a date has. The games of each entrant depend on lots, which are drawn after the seal."""
    numbers = range(date.first, date.last + 1)
    if any(league_format.depends_on_results(number, field) for number in numbers):
        return "its tables are drawn when the results before it are there"
    blocks = [block for number in numbers for block in league_format.draw_round(number, field)]
    games: Mapping[str, int] = Counter(name for block in blocks for name in block.names)
    least, most = min(games.values(), default=0), max(games.values(), default=0)
    about = f"about {least}" if least == most else f"about {least} to {most}"
    return f"{format_count(sum(len(block.tables) for block in blocks), 'game')}, {about} for each entrant"
