"""Exports a finished match and its opened deal as a file that anyone can verify."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.errors import RequestError
from arena.match.game import Game
from arena.match.referee.deal import DealSecret, prepare_deal, seat_positions
from arena.match.referee.deal_serialization import describe_contributions, revealed_deal_from_plain
from arena.match.referee.facts import DealRevealed
from arena.match.referee.ports import DealRow
from arena.match.referee.replay import Replay
from arena.replays.library.library import Library, can_replay
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.proof.replay_document import FORMAT
from arena.replays.proof.replayed_match import inputs_to_plain, replay_match


async def export(library: Library, prefix: str, games: Mapping[str, Game]) -> dict[str, Any]:
    """Find a match and return the fields of its replay file, without the digest.

    Raises RequestError if the match cannot be exported.
    """
    entry = await library.find(prefix)
    _require_revealed_deal(entry)
    records, remark = library.records(entry)
    return await export_entry(library, entry, records, games, remark)


async def export_entry(
    library: Library, entry: LibraryEntry, records: Sequence[bytes], games: Mapping[str, Game], remark: str = ""
) -> dict[str, Any]:
    """Return the fields of the replay file for a match with these records; `remark` says which records are missing.

    Raises RequestError if the match cannot be exported.
    """
    deal = _require_revealed_deal(entry)
    if not can_replay(entry, games):
        version = entry.terms["rules_version"]
        raise RequestError(f"match {entry.match_id} was played under rules {version}, which this version does not play")
    if len(records) < 2:
        raise RequestError(f"match {entry.match_id} has no records to export: {remark or 'it never began'}")
    return build_document(entry, records, deal, await library.previous_link(deal), games)


def _require_revealed_deal(entry: LibraryEntry) -> DealRow:
    deal = entry.deal
    if entry.state == "running":
        raise RequestError(f"match {entry.match_id} still runs: its cards are secret until it is over")
    if deal is None:
        raise RequestError(f"match {entry.match_id} has no commitment in this store: nothing can be proved about it")
    if deal.revealed is None:
        raise RequestError(
            f"the deal of match {entry.match_id} is not opened yet: a server opens it when started on this data folder"
        )
    return deal


def build_document(
    entry: LibraryEntry, records: Sequence[bytes], row: DealRow, previous: bytes, games: Mapping[str, Game]
) -> dict[str, Any]:
    """Return the fields of the replay file. `row` is the match's deal and `previous` the chain link before it."""
    replay = Replay(records, games)
    revealed = revealed_deal_from_plain(row.revealed or {})
    replayed = replay_match(records, games)
    chain = {"number": row.number, "previous": previous.hex(), "link": row.link.hex()}
    return {
        "format": FORMAT,
        "match_id": entry.match_id,
        "terms": dict(replay.begin.terms),  # receipts bind the terms as they were when the match began
        "termination": replayed.termination or entry.state,
        "deal": _describe_deal(revealed, replay) | {"chain": chain},
        "receipts": _describe_receipts(revealed, seat_positions(replay.terms)),
        "draws": replayed.draws,
        "inputs": inputs_to_plain(records),
        "events": replayed.events,
        "results": replayed.results,
    }


def _describe_deal(revealed: DealRevealed, replay: Replay) -> dict[str, Any]:
    secret = DealSecret(revealed.deal_id, revealed.rules_hash, revealed.seed, revealed.salts)  # enough for the deck
    deck = prepare_deal(secret, revealed.contributions, replay.terms, None).deck
    return {
        "deal_id": revealed.deal_id,
        "rules_hash": revealed.rules_hash.hex(),
        "seed": revealed.seed.hex(),
        "commitment": revealed.commitment.hex(),
        "root": revealed.root.hex(),
        "contributions": describe_contributions(revealed.contributions),
        "deck": None
        if deck is None
        else {"game": 0, "purpose": deck.purpose, "turn": deck.turn, "index": deck.index, "count": deck.count},
    }


def _describe_receipts(revealed: DealRevealed, positions: bytes) -> dict[str, Any]:
    public_key = next((receipt.public_key.hex() for receipt in revealed.receipts), "")
    seats = [
        {"salt": salt.hex(), "digest": receipt.digest.hex(), "signature": receipt.signature.hex()}
        for salt, receipt in zip(revealed.salts, revealed.receipts, strict=bool(revealed.receipts))
    ]
    terms = {"terms_salt": revealed.terms_salt.hex()} if revealed.terms_salt else {}
    return {"positions": list(positions), "public_key": public_key, "seats": seats, **terms}
