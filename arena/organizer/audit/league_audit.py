"""Compares the blocks of a league with the matches and deals that they name."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.competition.league.model import TableResult
from arena.competition.league.ports import COMPARISON_PREFIX, DONE, VOID, BlockRow, LeagueRow, LedgerEntry
from arena.match.referee.ports import DealRow, MatchId
from arena.organizer.audit.findings import differences
from arena.organizer.play.block_results import compute_analytics, hand_luck, lower_result, table_result_of
from arena.organizer.play.void_check import StoredMatch
from arena.organizer.seal.ledger import VoidForBot, block_from_row
from arena.organizer.seal.ledger_entries import ENTROPY
from arena.organizer.seal.randomness import LeagueRandomness
from arena.plain_data import from_plain
from arena.plurals import format_count


@dataclass(frozen=True, slots=True)
class StoredLeague:
    row: LeagueRow
    acts: Sequence[LedgerEntry]
    blocks: Sequence[BlockRow]


def find_ledger_faults(league: StoredLeague) -> Iterator[str]:
    """Yield a sentence for each fault of a league's ledger.

    Faults are a changed league file, missing entries or attempts, and void attempts on which ledger and blocks
    disagree.
    """
    if not _is_text_sealed(league.row):
        yield "its file is not the one that was sealed"
    numbers = [act.number for act in league.acts]
    for number in range(1, max(numbers, default=0) + 1):
        if number not in numbers:
            yield f"entry {number} is missing from its ledger"
    voided = {(act.values["block"], act.values["attempt"]): act for act in league.acts if act.kind == VOID}
    attempts = Counter(row.number for row in league.blocks)
    for row in league.blocks:
        name = f"block {row.number}, attempt {row.attempt}"
        if row.attempt >= attempts[row.number]:
            yield f"an attempt before {name} is missing"
        if row.attempt + 1 < attempts[row.number] and (row.number, row.attempt) not in voided:
            yield f"{name} was played again, but its ledger does not say that it is void"
        void = voided.pop((row.number, row.attempt), None)
        if void is not None and tuple(void.values["games"]) != row.matches:
            yield f"{name} has other games than the ledger's entry that made it void"
    for number, attempt in voided:
        yield f"block {number}, attempt {attempt} is void by the ledger, and its row is missing"


def _is_text_sealed(row: LeagueRow) -> bool:
    """Return whether a row has the text that was sealed: a file by its hash, the request of a comparison in full."""
    if "file" in row.sealed or not row.name.startswith(COMPARISON_PREFIX):
        return hashlib.sha256(row.text.encode()).hexdigest() == row.sealed.get("file")
    try:
        return bool(json.loads(row.text).items() <= row.sealed.items())
    except ValueError:
        return False


def compare_void(act: LedgerEntry, matches: Sequence[StoredMatch | None], *, was_awaited: bool) -> Iterator[str]:
    """Yield a sentence if the ledger keeps other places of a void attempt than its stored matches have."""
    stored = [each for each in matches if each is not None and each.games]
    places = [list(table_result_of(each, was_awaited=was_awaited).places) for each in stored]
    if act.values.get("places", places) != places:
        yield "the ledger's entry that made it void has other places than its matches"


def compare_block(
    row: BlockRow,
    matches: Sequence[StoredMatch | None],
    *,
    was_awaited: bool,
    voids: Sequence[VoidForBot] = (),
) -> Iterator[str]:
    """Yield a sentence for each difference between a finished block's results and its stored matches.

    `was_awaited` says whether the league waited for the block's bots. `voids` has the attempts before this one whose
    places may count.
    """
    if row.state != DONE:
        return
    try:
        results = from_plain(row.results, tuple[TableResult, ...])
    except ValueError as error:
        yield f"its results cannot be read: {error}"
        return
    if len(results) != len(row.tables) or len(row.matches) != len(row.tables):
        matches_text, results_text = format_count(len(row.matches), "match"), format_count(len(results), "result")
        yield f"it has {format_count(len(row.tables), 'table')}, {matches_text} and {results_text}"
        return
    for table, (result, stored) in enumerate(zip(results, matches, strict=True), 1):
        if stored is None or not stored.is_over or not stored.games:
            yield f"table {table}: its match {row.matches[table - 1]} has no result in the store"
            continue
        expected = table_result_of(stored, was_awaited=was_awaited)
        if result.luck:  # results of earlier versions have none
            expected = replace(expected, luck=hand_luck(compute_analytics([stored])[0]))
        expected = lower_result(expected, voids)
        names = ("match_id", "seats", "places", "termination", "forfeits", "strikes", "turn_count", "luck", "places_of")
        for sentence in differences(result, expected, *names, source="its match"):
            yield f"table {table}: {sentence}"
        if row.tables[table - 1] != stored.match.entrants:
            yield f"table {table}: its entrants are not those of its match"


def compare_block_deals(
    league: StoredLeague, secret: bytes, deals: Mapping[MatchId, DealRow]
) -> Iterator[tuple[str, str]]:
    """Yield (block, sentence) for each deal of a league that does not follow from the league's secret."""
    entropy = next((act.values["text"] for act in league.acts if act.kind == ENTROPY), "")
    randomness = LeagueRandomness(league.row.league_id, secret, entropy)
    if randomness.commitment != league.row.sealed.get("secret_hash"):
        yield "its seal", "the secret of the league is not the one that was sealed"
        return
    for row in league.blocks:
        for match_id in row.matches:
            deal = deals.get(match_id)
            if deal is None:
                continue
            expected = randomness.deal_secret(block_from_row(row), row.attempt, 0, deal.rules)
            if (deal.deal_id, deal.commitment) != (expected.deal_id, expected.commitment):
                yield f"block {row.number}, attempt {row.attempt}", f"the deal of {match_id} is not that of the league"


def find_missing_deals(league: StoredLeague, deals: Mapping[MatchId, DealRow]) -> Iterator[str]:
    """Yield a sentence for each finished block that has a match whose deal is missing from the chain."""
    for row in league.blocks:
        missing = [match_id for match_id in row.matches if match_id not in deals]
        if row.state == DONE and missing:
            yield f"block {row.number}, attempt {row.attempt}: the deal of {missing[0]} is missing from the chain"
