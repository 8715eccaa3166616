"""Compares a deal in the store's chain with the secret in its journal and with the cards that were dealt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from arena.errors import StoreError
from arena.match.game import Game
from arena.match.referee.deal import DealSecret, ReceiptIssuer, prepare_deal, reveal_deal
from arena.match.referee.deal_serialization import revealed_deal_from_plain
from arena.match.referee.facts import DealRevealed
from arena.match.referee.inputs import Begin, InputKind
from arena.match.referee.ports import DealRow
from arena.match.referee.terms import terms_from_plain
from arena.organizer.audit.findings import differences
from arena.organizer.audit.match_audit import can_play_again, find_begin, find_secret
from arena.plurals import format_count, format_subject
from arena.replays.proof.verification import UNREADABLE_ERRORS
from arena.server.store.receipt_key import KEY_FILE, ReceiptKey, is_valid_signature, open_receipt_key

_ANY_KEY = ReceiptKey(bytes(32))
"""Makes receipts for comparison. Only the digests of these receipts are compared, not their signatures."""

CheckKey = Callable[[bytes], None]
"""Checks the public key of a receipt. It is called only if the rest of the receipt is right."""


class KeyAudit:
    """Compares the public keys of receipts with the key of the data folder."""

    def __init__(self, folder: Path) -> None:
        """Read the folder's key. If the key is missing, none is created."""
        self._public_key, self._fault, self._strange = b"", "", 0
        if not (folder / KEY_FILE).is_file():
            self._fault = "it is missing"
            return
        try:
            self._public_key = open_receipt_key(folder).public_key
        except StoreError as error:
            self._fault = str(error)

    def check(self, public_key: bytes) -> None:
        """Count a receipt whose public key differs from the folder's key."""
        self._strange += public_key != self._public_key

    def findings(self, receipts: int) -> Iterator[str]:
        """Yield what is wrong with the key. `receipts` is the number of deals that have receipts."""
        if self._fault and receipts:
            yield f"{self._fault}, and it signed the receipts of {format_count(receipts, 'deal')}"
        elif self._strange:
            yield f"{format_subject(self._strange, 'receipt')} signed by another key"


def has_deal(records: Sequence[bytes]) -> bool:
    """Return whether the records of a match begin with its deal, readable or not."""
    return bool(records) and records[0][:1] == bytes((InputKind.DEAL,))


def compare_deal(
    row: DealRow, records: Sequence[bytes], games: Mapping[str, Game], check_key: CheckKey
) -> Iterator[str]:
    """Yield a sentence for each difference between a deal in the chain and the records of its match."""
    try:
        secret, begin = find_secret(records), find_begin(records)
        if secret is None:
            yield "its journal does not hold its secret"
            return
        committed = {"deal_id": secret.deal_id, "rules": secret.rules_hash, "commitment": secret.commitment}
        for name, value in committed.items():
            if getattr(row, name) != value:
                yield f"its {name} in the chain is not that of the secret in its journal"
        if row.revealed is None:
            return
        revealed = revealed_deal_from_plain(row.revealed)
        yield from _compare_secret(revealed, secret)
        if begin is not None:
            yield from differences(revealed, begin, "contributions")
            if can_play_again(begin.terms, games):
                yield from _compare_cards(revealed, secret, begin, games, check_key)
    except UNREADABLE_ERRORS as error:
        yield f"it cannot be computed again: {error}"


def _compare_secret(revealed: DealRevealed, secret: DealSecret) -> Iterator[str]:
    """Compare the revealed values of a deal with the secret that its journal kept."""
    hidden = reveal_deal(secret, None)
    yield from differences(revealed, hidden, "deal_id", "rules_hash", "seed", "commitment", "salts")


def _compare_cards(
    revealed: DealRevealed,
    secret: DealSecret,
    begin: Begin,
    games: Mapping[str, Game],
    check_key: CheckKey,
) -> Iterator[str]:
    """Compare the hash of the cards, and the receipts, with what follows from secret, contributions and terms."""
    issuer = ReceiptIssuer(_ANY_KEY, begin.match_id, begin.terms)
    prepared = prepare_deal(secret, begin.contributions, terms_from_plain(begin.terms, games), issuer)
    yield from differences(revealed, prepared, "root", source="its secret")
    if len(revealed.receipts) != len(prepared.receipts):
        entrants = format_count(len(prepared.receipts), "entrant")
        yield f"it has {format_count(len(revealed.receipts), 'receipt')} for {entrants}"
    for entrant, (receipt, expected) in enumerate(zip(revealed.receipts, prepared.receipts, strict=False)):
        if receipt.digest != expected.digest:
            yield f"the receipt of entrant {entrant} was not made for this deal"
        elif not is_valid_signature(receipt.public_key, receipt.signature, receipt.digest):
            yield f"the receipt of entrant {entrant} is not signed by its key"
        else:
            check_key(receipt.public_key)
