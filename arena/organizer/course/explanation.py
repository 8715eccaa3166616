"""Answers "my bot was cheated" for one match: what was played, whether it can be proved, who was seated, and why.

Everything is computed again from the journal, as an audit does it for a whole data folder. Notes and hands of other
bots are left out, so that the answer can be sent to the author.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.competition.pools.seating_check import SeatingCheck
from arena.errors import OptionError, RequestError
from arena.ids import WallTime
from arena.match.game import Game
from arena.match.referee.inputs import Credit, read_record
from arena.match.referee.ports import MatchSummary
from arena.match.referee.think_time import read_think_time
from arena.organizer.audit.match_audit import compare_match
from arena.plurals import format_count
from arena.replays.library.library import Library
from arena.replays.library.library_entry import LibraryEntry, with_source
from arena.replays.narration.blame import explain_strikes
from arena.replays.narration.phrasing import Phrasing
from arena.replays.narration.text_format import format_duration
from arena.replays.proof.export import export_entry
from arena.replays.proof.verification import verify_replay
from arena.server.store.open_store import Store
from arena.server.wire.author_messages import own_entrants


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence, and whether all is well. None means that nothing was checked."""

    is_right: bool | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an author may know of a match in which the bot played."""

    match_id: str
    bot: str
    began_at: WallTime | None
    rules: str
    entrants: Sequence[str]
    places: Sequence[Sequence[int]]
    """The places of each finished game by entrant."""
    proof: Sequence[Finding]
    """Whether results, events, deal and receipts follow from the journal."""
    seating: Sequence[Finding]
    times: Sequence[str]
    strikes: Sequence[str]
    """Each strike of the bot with its cause."""

    @property
    def is_right(self) -> bool:
        """Whether no check failed."""
        return all(each.is_right is not False for each in (*self.proof, *self.seating))


async def explain_match(
    library: Library,
    store: Store,
    prefix: str,
    bot: str,
    games: Mapping[str, Game],
    phrasing_of: Callable[[Game], Phrasing],
) -> Explanation:
    """Raises UnknownNameError for a match, OptionError for a bot that is not in it, RequestError while it runs."""
    entry = with_source(await library.find(prefix), await store.leagues.names_by_id())
    summary = await store.results.summary(entry.match_id)
    if summary is None or summary.row.state != "ended":
        raise RequestError(f"match {entry.match_id} has not ended: it can be explained afterwards")
    row, own = summary.row, own_entrants(summary.row.entrants, bot)
    if not own:
        raise OptionError("bot", bot, f"expected one of {', '.join(row.entrants)}")
    records, remark = library.records(entry)
    strikes = explain_strikes(row.faults, own, games.get(row.game), phrasing_of)
    return Explanation(
        match_id=entry.match_id,
        bot=bot,
        began_at=row.created_at,
        rules=f"{row.game}/{row.preset}, rules {row.terms['rules_version']}",
        entrants=[
            name if number in own or not row.terms["anonymous"] else f"entrant {number + 1}"
            for number, name in enumerate(row.entrants)
        ],
        places=[game.places for game in summary.games],
        proof=[each async for each in _prove(library, store, entry, records, remark, games)],
        seating=[each async for each in _explain_seating(store, entry)],
        times=[*_describe_times(summary, own), *_describe_credits(records)],
        strikes=[f"game {strike.game}, turn {strike.turn}: it {sentence}" for strike, sentence in strikes],
    )


async def _prove(
    library: Library,
    store: Store,
    entry: LibraryEntry,
    records: Sequence[bytes],
    remark: str,
    games: Mapping[str, Game],
) -> AsyncIterator[Finding]:
    """Yield whether what is stored follows from the journal, and the checks of the verifier that everybody may run."""
    row, stored = (await store.results.matches_with_games([entry.match_id]))[entry.match_id]
    if not records:
        yield Finding(None, remark or "the match never began")
        return
    faults = list(compare_match(row, stored, records, games))
    for sentence in faults:
        yield Finding(False, sentence)
    if not faults:
        yield Finding(
            True, f"results, events and strikes follow from the {format_count(len(records), 'record')} of its journal"
        )
    try:
        document = await export_entry(library, entry, records, games, remark)
    except RequestError as error:  # such as a deal of a league that plays on with it
        yield Finding(None, str(error))
        return
    for check in verify_replay(document, games):
        yield Finding(check.is_true, check.sentence)


async def _explain_seating(store: Store, entry: LibraryEntry) -> AsyncIterator[Finding]:
    if entry.league:
        yield Finding(
            None, f"the schedule of the league {entry.league}, which follows from its seal, seated this table"
        )
        return
    seating = await store.pools.seating(entry.match_id)
    if seating is None:
        yield Finding(None, "an organizer or an author asked for this table by name")
        return
    rounds = await store.pools.rounds([seating.round_id])
    faults = SeatingCheck().find_faults(rounds.get(seating.round_id), [seating])
    first = "a bot" if entry.terms["anonymous"] else str(seating.reason.get("first", "a bot"))
    yield Finding(
        not faults,
        faults[0].partition(": ")[2]  # without the names of the bots, which may not know each other's
        if faults
        else f"the pool {seating.pool} seated it: {first} had waited longest, and got the opponents"
        " that cost least, as its rule computes again from what it knew",
    )


def _describe_times(summary: MatchSummary, own: Sequence[int]) -> Iterator[str]:
    for entrant in own:
        figures = summary.row.statistics[entrant] if summary.row.statistics else {}
        time = read_think_time(figures)
        if time.answer_count:
            mean = format_duration(round(1e6 * time.sum_s / time.answer_count))
            slowest = figures.get("slowest_share", 0.0)
            answers = format_count(round(time.answer_count), "answer")
            yield f"{answers}, {mean} each on average; the slowest took {slowest:.0%} of its time"


def _describe_credits(records: Sequence[bytes]) -> Iterator[str]:
    stalls = [each.us for each in map(read_record, records) if isinstance(each, Credit)]
    if stalls:
        lost = format_duration(sum(stalls))
        yield f"the server was held up {format_count(len(stalls), 'time')}, and gave everybody these {lost} back"
