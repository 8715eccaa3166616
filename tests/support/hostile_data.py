"""A data folder whose texts are all hostile: names, versions and owners of a pool, and notes and words of a bot."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Final

from arena.bots.submissions.submission import NewSubmission, SubmissionState
from arena.bots.submissions.submission_settings import SubmissionSettings
from arena.competition.pools.ports import FitRow, MeetingRow, RatingRow, RoundRow, SeasonRow, SeatedBot, SeatingRow
from arena.games.catalogue import games
from arena.match.referee.facts import StrikeKind
from arena.match.referee.match_record import derive_match_record, new_match_row
from arena.match.referee.ports import MatchId
from arena.match.referee.strike_record import StrikeRecord, strike_to_plain
from arena.match.referee.terms import describe_terms
from arena.server.store.open_store import Store, open_store
from tests.support.recorded_matches import CREATED_AT, DataFolder, ManualMatch
from tests.support.submission_data import refuse_submission, try_submission

HOSTILE_TEXTS: Final = {
    "a script tag": "<script>window.ran=1</script>",
    "a closing tag": "</title></style><script>window.ran=1</script>",
    "an event handler": '"><img src=x onerror=window.ran=1>',
    "an attribute": "' onmouseover='window.ran=1' x='",
    "a link that runs": "javascript:window.ran=1",
    "quotes": "\"'`&quot;&#39;",
    "a change of direction": "abc\u202egnp.exe",
    "escapes of a terminal": "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "a NUL": "a\0b",
    "line breaks": "a\r\nSet-Cookie: session=x\r\n\r\n<script>",
    "a template": "{{ 7 * 7 }}{% include 'layout.html' %}",
    "a very long text": "W" * 5_000,
}
"""What a bot or its author may call something, by what it tries."""
POOL: Final = "hostile"
MATCH: Final = MatchId("01JZAQK3T5V7X9B2D4F6H8M00A")
_ROUND: Final = "01JZAQK3T5V7X9B2D4F6H8M000"


def make_hostile_data(folder: Path) -> None:
    """Make the data folder. Ada's bot Ann writes the hostile texts as a note and as the words of its faults."""
    match = ManualMatch(MATCH)
    note = " ".join(text for text in HOSTILE_TEXTS.values() if len(text) < 100)
    match.answer(0, "2K KS4D", at=1_000, note=note)
    match.play_out()
    DataFolder(folder).write_journal(f"{MATCH}-1", match)
    asyncio.run(_store(folder, match))


async def _store(folder: Path, match: ManualMatch) -> None:
    async with await open_store(folder) as store:
        await store.owners.add("Ada", "ada@example.org", 3)
        await store.tokens.create("Ada", ["own"], owner="Ada")
        await store.owners.create_bot("Ada", "Ann")
        await _add_match(store, match)
        await _add_pool(store, match)
        await _add_submissions(store)


async def _add_match(store: Store, match: ManualMatch) -> None:
    words = tuple(
        StrikeRecord(0, 0, turn, StrikeKind.NO_ANSWER, turn, "turn", no_answer="crashed", words=text, reason=text)
        for turn, text in enumerate(HOSTILE_TEXTS.values())
    )
    row = new_match_row(MATCH, 1, match.bench.terms, f"{MATCH}-1.journal", CREATED_AT)
    row = replace(row, entrants=("Ann", *HOSTILE_TEXTS.values())[:3])
    record = derive_match_record(row, match.records, games())
    await store.results.add_match(row)
    await store.results.add_games(record.match, record.games)
    await store.results.end_match(
        replace(record.match, entrants=row.entrants, faults=tuple(map(strike_to_plain, words)))
    )


async def _add_submissions(store: Store) -> None:
    """Add a submission whose version, sentence and log are hostile, and one with a hostile version that plays."""
    text, quotas = "\n".join(HOSTILE_TEXTS.values()), SubmissionSettings()
    for number, version in enumerate((f"1{text}", f"2{text}")):
        row = await store.submissions.accept(NewSubmission("Ada", "Ann", version, f"{number}" * 64, 9, (text,)), quotas)
        await store.submissions.move(row.submission_id, SubmissionState.ACCEPTED, SubmissionState.QUEUED)
        end = try_submission if number else refuse_submission
        await end(store, row.submission_id, sentence=text, log=text)


async def _add_pool(store: Store, match: ManualMatch) -> None:
    terms = {key: value for key, value in describe_terms(match.bench.terms).items() if key != "entrants"}
    bots = ("Ann", *HOSTILE_TEXTS.values())
    settings = {"terms": terms, "seats": 3, "house_bots": [bots[3]]}
    await store.pools.open_season(SeasonRow(POOL, 1, CREATED_AT, "d", settings))
    await store.pools.add_round(RoundRow(_ROUND, POOL, CREATED_AT, {}))
    seated = tuple(SeatedBot(bot, bot, bot, bot, 1500.0, 9.0, 1.0) for bot in bots[:3])
    reason = {"first": bots[1], "costs": dict.fromkeys(bots, 0.5)}
    await store.pools.add_seating(SeatingRow(MATCH, POOL, 1, _ROUND, CREATED_AT, True, seated, reason))
    ratings = tuple(
        RatingRow(bot, version, 1500.0, 9.0, 40, MATCH, 1490.0, 1510.0, {f"strikes_{version}": 1})
        for bot in bots
        for version in (bot, f"{bot}2")
    )
    meetings = tuple(MeetingRow(one, other, 2, 1.0) for one in bots for other in bots if one != other)
    await store.pools.add_fit(FitRow(POOL, 1, CREATED_AT, 1, (), 40, ratings, meetings))
