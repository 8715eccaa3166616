"""Verifies that the cards of a replay file were committed in advance, and that all the rest follows from the inputs.

Each check gives one sentence. Nothing in the file is trusted. `decode_document` has checked the digest, and this module
recomputes everything from the seed to the result, under the version of the rules that was played.

A file that agrees with itself may still be made up as a whole. Only a receipt that a bot kept proves what was fixed
before the first card: the cards and who sat where. A receipt of today's form also proves the match id and all terms. No
receipt proves which decisions the bots made.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from arena.errors import ArenaError, RequestError
from arena.match.deal.commitment import (
    GENESIS_LINK,
    Contribution,
    commitment_hash,
    is_promised_entropy,
    next_link,
    transcript,
)
from arena.match.deal.receipt import receipt_digest, terms_hash
from arena.match.game import ChanceRequest, Game
from arena.match.referee.deal import (
    GIVEN_DEAL_ID,
    DealSecret,
    PreparedDeal,
    prepare_deal,
    rules_hash_from_plain,
    seat_positions,
)
from arena.match.referee.deal_serialization import contributions_from_plain
from arena.match.referee.entropy import MISMATCH, MISSING
from arena.match.referee.ports import DealRow
from arena.match.referee.terms import Terms, terms_from_plain
from arena.plain_data import canonical_json
from arena.plurals import format_count
from arena.replays.proof.replayed_match import ReplayedMatch, records_from, replay_match
from arena.server.store.receipt_key import is_valid_signature

UNREADABLE_ERRORS = (
    ArenaError, ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError,
    struct.error,
)  # fmt: skip
"""Errors that a forged file can cause in the rules and the decoders."""

_UNBOUND_TERMS = "the match id, names, preset, pace, number of games, seating, or whether it was rated or anonymous"
"""What receipts of release 0.1.0 do not bind."""


class CheckResult(NamedTuple):
    is_true: bool
    sentence: str


class CheckFailedError(Exception):
    """Raised if a check fails; the error's text is the sentence of the check."""


@dataclass
class StatedReplay:
    """The contents of a replay file, decoded when first used."""

    document: Mapping[str, Any]
    games: Mapping[str, Game]

    @cached_property
    def terms(self) -> Terms:
        return terms_from_plain(self.document["terms"], self.games)

    @cached_property
    def secret(self) -> DealSecret:
        deal, seats = self.document["deal"], self.document["receipts"]["seats"]
        salts = tuple(bytes.fromhex(seat["salt"]) for seat in seats)
        rules, seed = bytes.fromhex(deal["rules_hash"]), bytes.fromhex(deal["seed"])
        return DealSecret(deal["deal_id"], rules, seed, salts, terms_salt=self.terms_salt)

    @cached_property
    def terms_salt(self) -> bytes:
        """Return the salt of the terms; empty in replays whose receipts do not bind the terms."""
        return bytes.fromhex(self.document["receipts"].get("terms_salt", ""))

    @property
    def terms_hash(self) -> bytes:
        """Return the hash of the stated match id and terms, which receipts bind; empty if receipts bind no terms."""
        document = self.document
        return terms_hash(self.terms_salt, document["match_id"], document["terms"]) if self.terms_salt else b""

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        return contributions_from_plain(self.document["deal"]["contributions"])

    @cached_property
    def recomputed_deal(self) -> PreparedDeal:
        """Return the deal with its key and deck recomputed."""
        return prepare_deal(self.secret, self.contributions, self.terms, None)

    @cached_property
    def replayed_match(self) -> ReplayedMatch:
        """Return the match as its inputs replay it."""
        return replay_match(records_from(self.document), self.games)


def verify_replay(
    document: Mapping[str, Any], games: Mapping[str, Game], receipts: Sequence[Mapping[str, Any]] | None = None
) -> list[CheckResult]:
    """Check a replay and, if given, the receipts that a bot kept.

    Raises RequestError for a match that still runs, and for rules that this version does not play.
    """
    _require_checkable(document, games)
    replay = StatedReplay(document, games)
    results = [_run_check(check, replay) for check in _CHECKS]
    if receipts is None:
        return results
    return [*results, _run_check(lambda replay: _check_own_receipt(replay, receipts), replay)]


def _require_checkable(document: Mapping[str, Any], games: Mapping[str, Game]) -> None:
    try:
        terms, termination = document["terms"], document["termination"]
        game, version = games.get(terms["game"]), terms["rules_version"]
        match_id = document["match_id"]
    except (LookupError, TypeError) as error:
        raise RequestError("the replay does not say what was played and how it ended") from error
    if not isinstance(match_id, str):
        raise RequestError("the replay does not say which match it is")
    if termination in ("", "running"):
        raise RequestError("the match of this replay still runs: its deal is opened when the match is over")
    if game is None or game.version != version:
        raise RequestError(
            f"the match was played under rules {version} of {terms['game']}, which this version does not play"
        )


def _run_check(check: Callable[[StatedReplay], str], replay: StatedReplay) -> CheckResult:
    try:
        return CheckResult(True, check(replay))
    except CheckFailedError as failure:
        return CheckResult(False, str(failure))
    except UNREADABLE_ERRORS as error:
        return CheckResult(False, f"a part of the file makes no sense ({type(error).__name__}: {error})")


def _expect(is_true: bool, sentence: str) -> None:
    if not is_true:
        raise CheckFailedError(sentence)


def _check_commitment(replay: StatedReplay) -> str:
    deal, secret = replay.document["deal"], replay.secret
    is_its_own = secret.deal_id in (replay.document["match_id"], GIVEN_DEAL_ID)
    _expect(is_its_own or secret.is_shared, "the deal belongs to another match")
    _expect(
        secret.rules_hash == rules_hash_from_plain(replay.document["terms"]),
        "the rules hash is not that of the rules played",
    )
    committed = commitment_hash(secret.deal_id, secret.rules_hash, secret.seed)
    _expect(committed.hex() == deal["commitment"], "the commitment does not fit seed, rules and deal")
    if secret.has_chosen_seed:
        return f"the commitment {committed.hex()[:16]}… fits the seed, which somebody chose: the match counts nowhere"
    if secret.is_shared:
        return f"the commitment {committed.hex()[:16]}… fits seed, rules and {secret.deal_id}, played at several tables"
    return f"the commitment {committed.hex()[:16]}… fits seed, rules and deal"


def _check_promises(replay: StatedReplay) -> str:
    for each in replay.contributions:
        fulfilled = each.fault == "" and is_promised_entropy(each.entropy, each.promise)
        is_empty = each.fault in (MISSING, MISMATCH) and not each.entropy
        _expect(fulfilled or is_empty, f"the entropy of entrant {each.entrant} is not what it had promised")
    entrants = [each.entrant for each in replay.contributions]
    _expect(entrants == sorted(set(entrants)), "the contributions are out of order, or an entrant has two")
    _expect(all(e in range(len(replay.terms.entrants)) for e in entrants), "an entrant that did not play contributed")
    if not entrants:
        return "no bot has contributed to the randomness"
    contributed = sum(bool(each.entropy) for each in replay.contributions)
    return f"bots that contributed to the randomness, as they had promised: {contributed} of {len(entrants)}"


def _check_link(replay: StatedReplay) -> str:
    chain, committed = replay.document["deal"]["chain"], replay.secret.commitment
    link = next_link(bytes.fromhex(chain["previous"]), committed)
    _expect(link.hex() == chain["link"], "the chain's link does not fit the commitment and the link before")
    return f"the commitment is link {chain['number']} of the server's chain"


def _check_draws(replay: StatedReplay) -> str:
    draws, source = replay.document["draws"], replay.recomputed_deal.source
    for draw in draws:
        chance = ChanceRequest(draw["purpose"], draw["turn"], draw["index"], draw["count"], draw["faces"])
        is_ours = list(source.draw(draw["game"], chance)) == draw["values"]
        _expect(
            is_ours, f"the draw {chance.purpose} of game {draw['game']} does not follow from seed and contributions"
        )
    _expect(draws == replay.replayed_match.draws, "the draws are not those that went into the games")
    return f"all {len(draws)} draws follow from seed and contributions, and are those that the games used"


def _check_deck(replay: StatedReplay) -> str:
    deal, prepared = replay.document["deal"], replay.recomputed_deal
    deck = prepared.deck
    label = None if deck is None else {"game": 0, "purpose": deck.purpose, "turn": deck.turn, "index": deck.index}
    stated = None if label is None or deck is None else label | {"count": deck.count}
    _expect(deal["deck"] == stated, "the first deck is not the one that these rules deal from")
    _expect(deal["root"] == prepared.root.hex(), "the hash of the first deck is not that of its cards")
    return f"the hash of the first deck is that of its {len(prepared.order)} cards"


def _check_receipts(replay: StatedReplay) -> str:
    stated = replay.document["receipts"]
    seats, positions = stated["seats"], seat_positions(replay.terms)
    _expect(bytes(stated["positions"]) == positions, "the receipts are for other positions")
    _expect(len(seats) == len(replay.terms.entrants), "there is not one receipt for each entrant")
    contributed, root, bound = transcript(replay.contributions), replay.recomputed_deal.root, replay.terms_hash
    subject = "this deal, match and terms" if bound else "this deal"
    for entrant, (seat, salt) in enumerate(zip(seats, replay.secret.salts, strict=True)):
        digest = receipt_digest(replay.secret.commitment, root, contributed, positions, salt, bound)
        _expect(digest.hex() == seat["digest"], f"the receipt of entrant {entrant} was not made for {subject}")
        signature, public_key = bytes.fromhex(seat["signature"]), bytes.fromhex(stated["public_key"])
        _expect(
            is_valid_signature(public_key, signature, digest),
            f"the receipt of entrant {entrant} is not signed by the key",
        )
    unproved = (
        "only a receipt that a bot kept proves that names, seats, rules, pace and rated mark were not changed since"
        if bound
        else f"as receipts of the first form they do not bind {_UNBOUND_TERMS}"
    )
    return f"all {len(seats)} receipts are for {subject}, signed by the key {stated['public_key'][:16]}…; {unproved}"


def _check_events(replay: StatedReplay) -> str:
    stated, replayed = replay.document["events"], replay.replayed_match.events
    for index, (left, right) in enumerate(zip(stated, replayed, strict=False)):
        _expect(
            canonical_json(left) == canonical_json(right), f"event {index}, {right[1]}, does not follow from the inputs"
        )
    counts = f"{format_count(len(stated), 'event')}, and {len(replayed)} follow from the inputs"
    _expect(len(stated) == len(replayed), f"the replay has {counts}")
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(Counter(name for _, name, _ in replayed).items()))
    return f"every hand, play and reveal follows from the inputs by the rules of {replay.terms.game.name}: {kinds}"


def _check_result(replay: StatedReplay) -> str:
    document, replayed = replay.document, replay.replayed_match
    _expect(
        canonical_json(document["results"]) == canonical_json(replayed.results),
        "the results are not those of the games",
    )
    termination = replayed.termination or "interrupted"
    _expect(document["termination"] == termination, f"the match did not end that way: it was {termination}")
    return f"the match was {termination}, with the results of {format_count(len(replayed.results), 'game')}"


_CHECKS = (
    _check_commitment,
    _check_promises,
    _check_link,
    _check_draws,
    _check_deck,
    _check_receipts,
    _check_events,
    _check_result,
)


def _check_own_receipt(replay: StatedReplay, receipts: Sequence[Mapping[str, Any]]) -> str:
    stated = replay.document["receipts"]
    digests = {seat["digest"]: entrant for entrant, seat in enumerate(stated["seats"])}
    for receipt in receipts:
        entrant = digests.get(receipt["digest"])
        if entrant is not None:
            _expect(receipt["public_key"] == stated["public_key"], "the receipt that was kept is from another server")
            fields = (bytes.fromhex(receipt[name]) for name in ("public_key", "signature", "digest"))
            _expect(is_valid_signature(*fields), "the receipt that was kept has no valid signature")
            name = replay.terms.entrants[entrant]
            fixed = "the cards, the match and all its terms were" if replay.terms_salt else "the cards were"
            return f"the receipt that {name} kept is among them: {fixed} fixed before {name} saw any card"
    raise CheckFailedError(f"no kept receipt belongs to this match ({format_count(len(receipts), 'receipt')} checked)")


def check_chain(chain: Sequence[DealRow], document: Mapping[str, Any]) -> CheckResult:
    """Check that a store's chain has no gaps and that the replay's deal is at its stated position."""
    gap = next(find_chain_faults(chain), None)
    if gap is not None:
        return CheckResult(False, gap)
    number, committed = document["deal"]["chain"]["number"], document["deal"]["commitment"]
    if not any(row.number == number and row.commitment.hex() == committed for row in chain):
        return CheckResult(False, f"the store's chain does not have this commitment as number {number}")
    return CheckResult(
        True, f"the store's chain of {format_count(len(chain), 'deal')} has no gap, and this one is number {number}"
    )


def find_chain_faults(chain: Sequence[DealRow]) -> Iterator[str]:
    """Yield a sentence for each deal that is missing from a store's chain or has a wrong link."""
    previous, expected = GENESIS_LINK, 1
    for row in chain:
        if row.number != expected:
            yield f"deal {expected} is missing from the store's chain"
        elif next_link(previous, row.commitment) != row.link:
            yield f"deal {expected} of the store's chain does not follow the one before it"
        previous, expected = row.link, row.number + 1
