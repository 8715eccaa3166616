"""When each entrant of a league with dates has to be online, as the report and `arena league status` show it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.competition.league.model import RoundDate
from arena.competition.league.ports import LedgerEntry
from arena.organizer.play.attendance import ABSENT
from arena.organizer.play.open_league import OpenLeague
from arena.organizer.report.view import Absence, AwaitedBot, DateView, EntrantGames


def build_dates_view(league: OpenLeague, now: float) -> list[DateView]:
    """Return the dates of a league with the games of each entrant; `now` is in seconds since 1970."""
    absent = Counter((act.values["block"], name) for act in _counting_absences(league) for name in act.values["names"])
    return [_date_view(league, date, absent, now) for date in league.dates]


def list_absences(league: OpenLeague) -> list[Absence]:
    """Return the blocks that absent bots forfeited, in the order of the ledger. Void attempts are left out."""
    return [
        Absence(act.at, act.values["round"], act.values["block"], tuple(act.values["names"]))
        for act in _counting_absences(league)
    ]


def list_awaited(awaited: Mapping[str, int]) -> list[AwaitedBot]:
    """Return the awaited bots. A bot for which more tables wait comes earlier."""
    return [AwaitedBot(name, tables) for name, tables in sorted(awaited.items(), key=lambda each: (-each[1], each[0]))]


# ---- inside


def _counting_absences(league: OpenLeague) -> Sequence[LedgerEntry]:
    """Return the ledger's entries on absence from attempts that are not void."""
    ledger = league.ledger
    return [
        act
        for act in ledger.acts
        if act.kind == ABSENT and act.values["attempt"] == ledger.current_attempt(act.values["block"])
    ]


def _date_view(league: OpenLeague, date: RoundDate, absent: Mapping[tuple[int, str], int], now: float) -> DateView:
    last = max(date.last, league.ledger.last_round) if date is league.dates[-1] else date.last
    rounds = [league.schedule.known_blocks(number) for number in range(date.first, last + 1)]
    blocks = [block for known in rounds if known is not None for block in known]
    state = "to come" if now < date.opens else "open" if now < date.closes else "closed"
    games, played, forfeited = Counter[str](), Counter[str](), Counter[str]()
    for block in blocks:
        games.update(block.names)
        if league.ledger.is_done(block.number):
            played.update(block.names)
        forfeited.update(name for name in block.names if (block.number, name) in absent)
    names = [name for name in league.schedule.field.names() if games[name]]
    entrants = [EntrantGames(name, games[name], played[name], forfeited[name]) for name in names]
    return DateView(date.first, date.last, date.opens, date.closes, state, None not in rounds, entrants)
