"""The deal of a match: its preparation, when each part is disclosed, and where long decks are shuffled."""

import hashlib
import itertools
from dataclasses import replace

import pytest

from arena.games.cheat.rules.game import CHEAT
from arena.match.deal.commitment import Contribution
from arena.match.deal.receipt import receipt_digest
from arena.match.deal.stream import SeededChance
from arena.match.game import ChanceRequest
from arena.match.referee.deal import DealSecret, MatchDeal, has_long_deck, new_secret, prepare_deal, receipt_issuer
from arena.match.referee.deal_serialization import (
    contributions_from_plain,
    describe_contributions,
    describe_revealed_deal,
    describe_secret,
    revealed_deal_from_plain,
    secret_from_plain,
)
from arena.match.referee.entropy import MISMATCH, MISSING, Entropy
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId, run_inline
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Seating, Terms


class Stamp:
    """A signer that can be recognised."""

    public_key = b"k" * 32
    signs_elsewhere = False

    def sign(self, digest: bytes) -> bytes:
        return digest + digest


def terms(games: int = 2, **options: object) -> Terms:
    return Terms(
        CHEAT,
        "standard",
        CHEAT.build_ruleset("standard", options),
        Pace.sealed_defaults(),
        ("ann", "bob", "cid"),
        games,
        Seating.ROTATED,
    )


def secrets_from(start: int):
    numbers = itertools.count(start)
    return lambda: hashlib.sha256(next(numbers).to_bytes(4, "big")).digest()


def issuer(played: Terms | None = None):
    made = receipt_issuer(Stamp(), MatchId("M1"), played or terms())
    assert made is not None
    return made


SECRET = new_secret("M1", terms(), secrets_from(0))


def test_secrets_are_not_shown():
    """Neither a log nor an error contains them."""
    shown = f"{SECRET!r} {SECRET}"

    assert SECRET.seed.hex() not in shown
    assert repr(SECRET.seed) not in shown
    assert not any(repr(salt) in shown for salt in (*SECRET.salts, SECRET.terms_salt))


def test_given_seed_has_a_fixed_deal_id():
    """The same seed deals the same cards in every match."""
    given = new_secret("M9", terms(), secrets_from(5), given=bytes(32))

    assert (given.deal_id, given.seed, given.has_chosen_seed) == ("given", bytes(32), True)
    assert len({given.salts, SECRET.salts}) == 2


def test_deal_survives_a_write_and_read():
    contributions = (Contribution(0, b"p" * 32, b"e" * 32), Contribution(2, b"q" * 32, b"", MISSING))
    deal = MatchDeal(SECRET, 1, run_inline)
    deal.load(prepare_deal(SECRET, contributions, terms(), issuer()))

    assert secret_from_plain(describe_secret(SECRET)) == SECRET
    assert contributions_from_plain(describe_contributions(contributions)) == contributions
    assert revealed_deal_from_plain(describe_revealed_deal(deal.reveal())) == deal.reveal()


def test_receipts_differ_by_seat_and_table():
    """Two tables have the same cards, and yet no two receipts of any seats are equal."""
    tables = [new_secret("M1", terms(), secrets_from(start), given=bytes(32)) for start in (0, 100)]

    digests = {r.digest for secret in tables for r in prepare_deal(secret, (), terms(), issuer()).receipts}

    assert len(digests) == 6


@pytest.mark.parametrize(
    "other",
    [{"rated": False}, {"preset": "folk"}, {"entrants": ("bob", "ann", "cid")}, {"pace": Pace.live_defaults()}],
    ids=lambda other: next(iter(other)),
)
def test_deal_prepared_for_other_terms_gets_receipts_of_its_match(other):
    """The cards prepared ahead stay; only the receipts are issued again, as if they had not been prepared."""
    played = replace(terms(), **other)
    ahead = prepare_deal(SECRET, (), terms(), issuer())

    issued = issuer(played).issue(SECRET, ahead)

    assert issued.order is ahead.order
    assert issued.receipts == prepare_deal(SECRET, (), played, issuer(played)).receipts
    assert not {*issued.receipts} & {*ahead.receipts}
    assert issuer().issue(SECRET, ahead) is ahead


def test_receipts_of_another_match_differ():
    """Matches with one given seed, and tables of one shared deal, play the same cards."""
    one = prepare_deal(SECRET, (), terms(), issuer()).receipts
    other = prepare_deal(SECRET, (), terms(), receipt_issuer(Stamp(), MatchId("M2"), terms())).receipts

    assert not {*one} & {*other}


def test_names_cannot_be_guessed_from_what_bots_get():
    """In an anonymous match a bot gets all that its receipt hashes, except the names and the salt that hides them."""
    hidden = [new_secret("M1", terms(), secrets_from(0)), replace(SECRET, terms_salt=b"t" * 32)]

    one, other = (prepare_deal(secret, (), terms(), issuer()) for secret in hidden)

    assert (one.root, hidden[0].salts) == (other.root, hidden[1].salts)
    assert one.terms_hash != other.terms_hash
    assert not {*one.receipts} & {*other.receipts}


def test_deal_of_release_0_1_0_keeps_its_receipts():
    """Its secret in the journal has no salt for the terms. A server that takes up its match issues the same ones."""
    old = DealSecret(SECRET.deal_id, SECRET.rules_hash, SECRET.seed, SECRET.salts)

    prepared = prepare_deal(old, (), terms(), issuer())

    expected = [receipt_digest(old.commitment, prepared.root, b"", bytes([0, 1, 2]), salt) for salt in old.salts]
    assert [receipt.digest for receipt in prepared.receipts] == expected
    assert prepared.terms_hash == b""


def test_contributions_change_the_cards():
    plain = prepare_deal(SECRET, (), terms(), None)
    added = prepare_deal(SECRET, (Contribution(1, b"p" * 32, b"e" * 32),), terms(), None)

    assert plain.order == SeededChance(SECRET.seed, "M1").draw(0, ChanceRequest("deck", 0, 0, 54))
    assert added.order != plain.order
    assert added.root != plain.root


def test_drawing_before_the_deal_is_prepared_is_refused():
    with pytest.raises(RuntimeError, match="before it is prepared"):
        MatchDeal(SECRET, 1, run_inline).draw(0, ChanceRequest("deck", 0, 0, 54))


def test_draws_match_what_was_prepared():
    deal = MatchDeal(SECRET, 1, run_inline)
    prepared = prepare_deal(SECRET, (), terms(), None)
    deal.load(prepared)

    assert deal.draw(0, ChanceRequest("deck", 0, 0, 54)) is prepared.order
    assert deal.draw(0, ChanceRequest("deck", 0, 0, 54)) == prepared.order
    assert deal.draw(0, ChanceRequest("first_mover", 0, 0, 1, 3)) == prepared.source.draw(
        0, ChanceRequest("first_mover", 0, 0, 1, 3)
    )


@pytest.mark.parametrize(("decks", "is_it"), [(1, False), (2, False), (3, True), (251, True)])
def test_long_decks_are_recognised(decks, is_it):
    """Two packs take less than a millisecond to shuffle."""
    assert has_long_deck(terms(decks=decks)) is is_it


def test_long_deck_of_next_game_is_shuffled_in_advance():
    """It equals the deck drawn on demand, and nothing is prepared after the last game."""
    asked = []
    deck = ChanceRequest("deck", 0, 0, 54 * 3)
    deal = MatchDeal(SECRET, 2, lambda work, then: asked.append((work, then)))
    deal.load(prepare_deal(SECRET, (), terms(decks=3), None))

    deal.draw(0, deck)
    ((work, then),) = asked
    made = work()
    then(made)

    assert deal.draw(1, deck) is made
    assert made == SeededChance(SECRET.seed, "M1").draw(1, deck)
    assert len(asked) == 1


def test_only_first_answer_to_the_entropy_prompt_counts():
    """The answers are right, missing, wrong, repeated, and from an entrant that made no promise."""
    words = [bytes([n]) * 32 for n in range(4)]
    entropy = Entropy()
    for entrant in range(3):
        entropy.promise(EntrantIndex(entrant), hashlib.sha256(words[entrant]).digest())
    entropy.promise(EntrantIndex(3), b"")
    assert not entropy.accept(EntrantIndex(0), words[0]), "nobody has been asked"
    entropy.until = Instant(1)

    assert entropy.accept(EntrantIndex(0), words[0])
    assert not entropy.accept(EntrantIndex(0), words[1])
    assert entropy.accept(EntrantIndex(1), words[0])
    assert not entropy.accept(EntrantIndex(1), words[1])
    assert not entropy.accept(EntrantIndex(3), words[3])
    assert not entropy.is_complete

    assert [(c.entrant, c.entropy, c.fault) for c in entropy.contributions()] == [
        (0, words[0], ""),
        (1, b"", MISMATCH),
        (2, b"", MISSING),
    ]


@pytest.mark.parametrize("size", [1, 31, 33, 64])
def test_promise_is_32_bytes_or_none(size):
    with pytest.raises(ValueError, match="expected 32"):
        Entropy().promise(EntrantIndex(0), bytes(size))
