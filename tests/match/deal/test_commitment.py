"""Commitments, promises, trees, receipts, chain: each hash over bytes that are written out here by hand."""

import hashlib
import hmac
import itertools
from collections import Counter

import pytest

from arena.games.cheater.rules.dealing import DIE_FACES
from arena.match.deal.commitment import (
    GENESIS_LINK,
    Contribution,
    commitment_hash,
    deal_key,
    is_promised_entropy,
    join_fields,
    next_link,
    promise_hash,
    rules_hash,
    transcript,
)
from arena.match.deal.receipt import merkle_root, receipt_digest, terms_hash
from arena.match.deal.stream import SeededChance
from arena.match.game import ChanceRequest
from arena.plain_data import canonical_json

SEED = bytes(range(32))
RULES = bytes([0xAA]) * 32
ENTROPY = bytes([7]) * 32


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def test_fields_follow_their_lengths():
    assert join_fields(b"a", b"", b"bcd") == b"\0\0\0\1a" + b"\0\0\0\0" + b"\0\0\0\3bcd"
    assert join_fields() == b""
    assert join_fields(b"ab", b"c") != join_fields(b"a", b"bc")


def test_plain_values_have_one_form():
    assert canonical_json({"b": [1, True, None], "a": "Žofie"}) == '{"a":"Žofie","b":[1,true,null]}'.encode()


def test_rules_hash_covers_game_version_and_options():
    written = b'{"game":"cheat","rules_version":"1","ruleset":{"decks":1,"zero":true}}'

    assert rules_hash("cheat", "1", {"zero": True, "decks": 1}) == sha(written)


def test_commitment_covers_deal_rules_and_seed():
    written = b"\0\0\0\x07deal-v1" + b"\0\0\0\x02M1" + b"\0\0\0\x20" + RULES + b"\0\0\0\x20" + SEED

    assert commitment_hash("M1", RULES, SEED) == sha(written)


def test_promise_is_the_hash_of_32_bytes():
    assert promise_hash(ENTROPY) == sha(ENTROPY)
    assert is_promised_entropy(ENTROPY, sha(ENTROPY))
    assert not is_promised_entropy(bytes(32), sha(ENTROPY))
    assert not is_promised_entropy(b"short", sha(b"short"))


def test_transcript_has_entrant_promise_and_entropy():
    """Entries follow the order of entrants; undisclosed entropy is an empty field, not a missing one."""
    told, kept_back = Contribution(2, sha(ENTROPY), ENTROPY), Contribution(0, sha(b"x" * 32), fault="missing")
    written = (
        b"\0\0\0\4\0\0\0\0" + b"\0\0\0\x20" + sha(b"x" * 32) + b"\0\0\0\0"
        + b"\0\0\0\4\0\0\0\2" + b"\0\0\0\x20" + sha(ENTROPY) + b"\0\0\0\x20" + ENTROPY
    )  # fmt: skip

    assert transcript([told, kept_back]) == written
    assert transcript([]) == b""


def test_key_is_derived_from_seed_deal_and_transcript():
    contributed = transcript([Contribution(1, sha(ENTROPY), ENTROPY)])

    assert deal_key(SEED, "M1") == hmac.new(SEED, b"M1", hashlib.sha256).digest()
    assert deal_key(SEED, "M1", contributed) == hmac.new(SEED, b"M1|" + contributed, hashlib.sha256).digest()


def test_link_covers_the_previous_link_and_the_commitment():
    first = sha(b"\0\0\0\x08chain-v1" + b"\0\0\0\x20" + bytes(32) + b"\0\0\0\x20" + RULES)

    assert bytes(32) == GENESIS_LINK
    assert next_link(GENESIS_LINK, RULES) == first
    assert next_link(first, SEED) == sha(b"\0\0\0\x08chain-v1" + b"\0\0\0\x20" + first + b"\0\0\0\x20" + SEED)


def test_receipt_covers_everything_that_fixes_the_cards_and_a_salt():
    root, contributed, positions, salt = b"r" * 32, b"t" * 5, bytes([1, 0, 2]), b"s" * 32
    written = (
        b"\0\0\0\x0areceipt-v1" + b"\0\0\0\x20" + RULES + b"\0\0\0\x20" + root + b"\0\0\0\x05" + contributed
        + b"\0\0\0\x03\1\0\2" + b"\0\0\0\x20" + salt
    )  # fmt: skip

    assert receipt_digest(RULES, root, contributed, positions, salt) == sha(written)


def test_receipt_with_terms_covers_match_names_and_every_term():
    """In the canonical JSON of the terms, keys are sorted and characters are not escaped."""
    root, contributed, positions, salt = b"r" * 32, b"t" * 5, bytes([1, 0, 2]), b"s" * 32
    stated = (
        b"\0\0\0\x08terms-v1" + b"\0\0\0\x20" + salt + b"\0\0\0\x02M1"
        + b"\0\0\0\x2a" + '{"entrants":["Žofie","bob"],"rated":true}'.encode()
    )  # fmt: skip
    bound = terms_hash(salt, "M1", {"rated": True, "entrants": ["Žofie", "bob"]})
    written = (
        b"\0\0\0\x0areceipt-v2" + b"\0\0\0\x20" + RULES + b"\0\0\0\x20" + root + b"\0\0\0\x05" + contributed
        + b"\0\0\0\x03\1\0\2" + b"\0\0\0\x20" + bound + b"\0\0\0\x20" + salt
    )  # fmt: skip

    assert bound == sha(stated)
    assert receipt_digest(RULES, root, contributed, positions, salt, bound) == sha(written)


def test_salts_are_a_separate_stream():
    key = hmac.new(SEED, b"M1", hashlib.sha256).digest()
    stream = hashlib.shake_256(key + b"salt").digest(96)

    assert SeededChance(SEED, "M1").salts(3) == [stream[:32], stream[32:64], stream[64:]]


def test_tree_of_five_cards_is_that_of_rfc_6962():
    """Section 2.1: four leaves in pairs, and the fifth moves up alone."""
    salts = [bytes([place]) * 32 for place in range(5)]
    cards = [3, 1, 4, 0, 70_000]
    a, b, c, d, e = (
        sha(b"\0" + place.to_bytes(4, "big") + salts[place] + card.to_bytes(4, "big"))
        for place, card in enumerate(cards)
    )
    four = sha(b"\1" + sha(b"\1" + a + b) + sha(b"\1" + c + d))

    assert merkle_root(salts, cards) == sha(b"\1" + four + e)
    assert merkle_root(salts[:1], [3]) == a
    assert merkle_root([], []) == sha(b"")


def rfc_root(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962, as it is written there: split at the largest power of two below the number."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\1" + rfc_root(leaves[:half]) + rfc_root(leaves[half:]))


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 54, 108, 255])
def test_trees_of_every_size_agree_with_the_recursive_definition(count):
    salts, cards = SeededChance(SEED, "M1").salts(count), list(range(count))
    leaves = [sha(b"\0" + i.to_bytes(4, "big") + salts[i] + i.to_bytes(4, "big")) for i in range(count)]

    assert merkle_root(salts, cards) == rfc_root(leaves)


def test_every_part_changes_its_hash():
    """No argument is left out."""
    parts = [b"a" * 32, b"b" * 32, b"c", b"d", b"e" * 32, b"f" * 32]

    digests = {receipt_digest(*parts)}
    for place in range(len(parts)):
        digests.add(receipt_digest(*(part + b"!" if i == place else part for i, part in enumerate(parts))))

    assert len({*digests, receipt_digest(*parts[:-1])}) == 8


SHUFFLES = 20_000
CARDS = 54


def test_every_card_falls_on_every_place_alike():
    """20 000 deals, each with its own seed: 54 cards against 54 places.

    Pearson's sum over the 54 x 54 counts. A shuffle fills each row and column once, so that, with the variance of a
    uniform permutation's entries, (n-1)/n of that sum goes to chi-square with (n-1)^2 = 2 809 degrees of freedom.
    Limits: 3.09 standard deviations to either side, once in 500 fair runs, by Wilson and Hilferty, "The distribution of
    chi-square", PNAS 17 (1931) 684. The seeds are fixed: the test has one outcome.
    """
    deck, counts = ChanceRequest("deck", 0, 0, CARDS), Counter[int]()
    for number in range(SHUFFLES):
        order = SeededChance(sha(number.to_bytes(4, "big")), "M1").draw(0, deck)
        counts.update([place * CARDS + card for place, card in enumerate(order)])

    expected = SHUFFLES / CARDS
    cells = itertools.product(range(CARDS), repeat=2)
    pearson = sum((counts[place * CARDS + card] - expected) ** 2 / expected for place, card in cells)
    low, high = limits((CARDS - 1) ** 2)

    assert low < pearson * (CARDS - 1) / CARDS < high


def limits(degrees: int) -> tuple[float, float]:
    """What chi-square stays between, but for one fair run in 500: 3.09 standard deviations to either side."""
    low, high = (degrees * (1 - 2 / (9 * degrees) + z * (2 / (9 * degrees)) ** 0.5) ** 3 for z in (-3.09, 3.09))
    return low, high


ROLLS = 20_000
DICE = SeededChance(SEED, "M1")


def roll_dice(purpose: str, turn: int, count: int, game: int = 0) -> tuple[int, ...]:
    """Roll the dice of CHEATER under the label that its rules use."""
    return tuple(DICE.draw(game, ChanceRequest(purpose, turn, 0, count, DIE_FACES)))


DICE_SEEN = {
    "both dice of a turn": (lambda n: roll_dice("dice", n, 2), 36),
    "dice of neighbouring turns": (lambda n: (roll_dice("dice", 2 * n, 2)[1], roll_dice("dice", 2 * n + 1, 2)[0]), 36),
    "dice of neighbouring games": (
        lambda n: (roll_dice("dice", 0, 2, n)[0], roll_dice("dice", 0, 2, n + ROLLS)[0]),
        36,
    ),
    "the die of a bust": (lambda n: roll_dice("die", n, 1), 6),
    "the die and the dice of a turn": (lambda n: roll_dice("die", n, 1) + roll_dice("dice", n, 2)[:1], 36),
    "the first and the last seat for the start": (lambda n: roll_dice("start", 0, 20, n)[::19], 36),
}
"""What is looked at, by label; and how many different outcomes it has, each as likely as the others."""


@pytest.mark.parametrize("seen", DICE_SEEN)
def test_dice_of_every_label_fall_alike(seen):
    """20 000 rolls under different labels.

    Pearson's sum over all outcomes, chi-square with one degree of freedom less than there are outcomes; limits and
    their source as above. The seed is fixed: the test has one outcome.
    """
    look, outcomes = DICE_SEEN[seen]
    counts, expected = Counter(look(number) for number in range(ROLLS)), ROLLS / outcomes

    pearson = sum((count - expected) ** 2 / expected for count in counts.values())
    low, high = limits(outcomes - 1)

    assert len(counts) == outcomes
    assert low < pearson < high
