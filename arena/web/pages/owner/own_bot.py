"""One of the owner's bots: its matches with its own results, and its faults with their causes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urlencode

from arena.match.referee.ports import MatchId, MatchSummary
from arena.match.referee.strike_record import StrikeRecord, culprit_of
from arena.plurals import format_ordinal
from arena.replays.narration.blame import explain_strikes
from arena.replays.narration.text_format import join_words
from arena.server.wire.author_messages import own_entrants
from arena.web.errors import RefusedError
from arena.web.page import PRIVATE, Asked, Page, Parameter, page_at
from arena.web.pages.match import MATCH_ID
from arena.web.pages.matches import MatchLine, find_match, match_line, no_such_match
from arena.web.session import require_session
from arena.web.sources import Sources
from arena.web.workshop import Kept

_MATCHES: Final = 20
"""Matches on one page."""
_KEPT_S: Final = 5.0
"""Seconds for which the numbers of finished games of running matches are kept."""
_COUNT_BYTES: Final = 100
"""Bytes that the number of one match takes, about."""
_FAULTS: Final = 200
"""Faults on one page. A match may have very many."""
BOT_NAME: Final = Parameter("name", "The name of your bot.", in_path=True)


@dataclass(frozen=True, slots=True)
class OwnFault:
    """A strike of the bot, and who is to blame."""

    match_id: str
    entrant: int
    game: int
    """From 0."""
    turn: int
    """From 0, as replays count."""
    kind: str
    blame: str | None
    """`bot`, `host`, `wire` or `connection`; null if nobody can tell."""
    explanation: str
    """A predicate that follows the bot's name; empty if the rules of the match are unknown here."""


@dataclass(frozen=True, slots=True)
class OwnMatchLine:
    """A match of the bot."""

    match: MatchLine
    entrants: Sequence[int]
    """The numbers of its own entrants."""
    standing: str
    """Its place by the sum of places, such as `2nd of 4`, for each of its entrants; empty until the match is over."""
    opponents: Sequence[str]
    """All other entrants."""
    games_finished: int
    """Also while the match runs; then it may be five seconds old."""
    is_secret: bool
    """Whether no game can be seen yet, because other games share its cards."""
    faults: Sequence[OwnFault]


@dataclass(frozen=True, slots=True)
class OwnBotView:
    """A bot as its owner may see it."""

    bot: str
    submitted_version: str | None
    """The active version of the packages that were submitted; null if none is active."""
    matches: Sequence[OwnMatchLine]
    """Newest first."""
    next: str | None
    """The query of the page with older matches; null on the last page."""


@dataclass(frozen=True, slots=True)
class OwnMatchView:
    """A match as the owner of one of its bots may see it."""

    bot: str
    own: OwnMatchLine


@page_at(
    "/me/bots/{name}",
    "Your bot: its matches and its faults",
    OwnBotView,
    BOT_NAME,
    Parameter("before", "Only matches older than the one with this id."),
    is_private=True,
)
async def read_own_bot(asked: Asked) -> Page:
    bot, before = await require_own_bot(asked), asked.text("before")
    sources = asked.sources
    older = None if before is None else MatchId(before)
    found, following = await sources.store.results.summaries_of(bot, _MATCHES, older)
    finished = await _count_finished(asked, found)
    lines = [_own_line(summary, bot, sources, finished) for summary in found]
    active = await sources.store.submissions.find_active(bot)
    version = None if active is None else active.version
    view = OwnBotView(bot, version, lines, urlencode({"before": following}) if following else None)
    return Page("own_bot.html", view, {"is_first": before is None}, PRIVATE)


@page_at(
    "/me/bots/{name}/matches/{match_id}",
    "A match of your bot: its games and its faults",
    OwnMatchView,
    BOT_NAME,
    MATCH_ID,
    is_private=True,
)
async def read_own_match(asked: Asked) -> Page:
    bot = await require_own_bot(asked)
    summary, _ = await find_own_match(asked, bot)
    line = _own_line(summary, bot, asked.sources, await _count_finished(asked, [summary]))
    return Page("own_match.html", OwnMatchView(bot, line), caching=PRIVATE)


async def require_own_bot(asked: Asked) -> str:
    """Return the bot that the path names. Raises RefusedError if nobody has logged in, or if the bot is another's.

    A bot of another owner is refused like one that does not exist.
    """
    session, name = await require_session(asked), asked.part("name")
    owner = (await asked.sources.store.owners.owners_of([name])).get(name)
    if owner != session.owner:
        raise RefusedError(404, f"you have no bot {name[:64]!r}")
    return name


async def find_own_match(asked: Asked, bot: str) -> tuple[MatchSummary, tuple[int, ...]]:
    """Return the match that the path names, and the numbers of the bot's entrants.

    A match of others is refused like one that does not exist. Raises RefusedError.
    """
    summary = await find_match(asked)
    own = own_entrants(summary.row.entrants, bot)
    if not own:
        raise no_such_match(asked)
    return summary, own


async def _count_finished(asked: Asked, summaries: Iterable[MatchSummary]) -> Mapping[MatchId, int]:
    """Return the number of finished games of each of these matches that has not ended.

    The store gets the games of a match at its end, so they are counted in the journal, which takes a moment.
    """
    sources, running = asked.sources, [each for each in summaries if each.row.state != "ended"]
    if not running:
        return {}

    def count() -> Kept[Mapping[MatchId, int]]:
        at, library = sources.monotonic(), sources.library
        counts = {each.row.match_id: library.count_finished(library.stored_entry(each)) for each in running}
        return Kept(counts, _COUNT_BYTES * len(counts), at=at)

    key = ("finished games", *(each.row.match_id for each in running))
    kept = await sources.replays.make(key, asked.address, count, lambda known: sources.monotonic() < known.at + _KEPT_S)
    return kept.value


def _own_line(summary: MatchSummary, bot: str, sources: Sources, finished: Mapping[MatchId, int]) -> OwnMatchLine:
    """`finished` is what `_count_finished` returned."""
    row, own = summary.row, own_entrants(summary.row.entrants, bot)
    line = match_line(summary, {}, is_served=sources.is_running())
    explained = explain_strikes(row.faults, own, sources.games.get(row.game), sources.phrasing_of)
    return OwnMatchLine(
        match=line,
        entrants=own,
        standing=describe_standing(line.place_sums, own),
        opponents=[name for number, name in enumerate(line.entrants) if number not in own],
        games_finished=finished.get(row.match_id, len(summary.games)),
        is_secret=sources.library.stored_entry(summary).is_hidden,
        faults=[_own_fault(row.match_id, strike, text) for strike, text in islice(explained, _FAULTS)],
    )


def describe_standing(place_sums: Sequence[int], own: Iterable[int]) -> str:
    """Return the places of some entrants by their sums of places; empty if there are no sums yet.

    >>> describe_standing([1, 3, 2, 4], [2]), describe_standing([2, 5, 2, 4], [0, 1])
    ('2nd of 4', 'shared 1st and 4th of 4')
    """
    if not place_sums:
        return ""
    return f"{join_words(_describe_place(place_sums, entrant) for entrant in own)} of {len(place_sums)}"


def _describe_place(place_sums: Sequence[int], entrant: int) -> str:
    own = place_sums[entrant]
    place = 1 + sum(other < own for other in place_sums)
    return f"{'shared ' if place_sums.count(own) > 1 else ''}{format_ordinal(place)}"


def _own_fault(match_id: str, strike: StrikeRecord, explanation: str) -> OwnFault:
    culprit = culprit_of(strike)
    blame = None if culprit is None else culprit.value
    return OwnFault(match_id, strike.entrant, strike.game, strike.turn, strike.kind.value, blame, explanation)
