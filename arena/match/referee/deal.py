"""The deal of a match, from its commitment to its reveal.

    DealSecret   created with the match, journaled before a seat is offered
       + contributions, fixed before any is revealed ──▶ prepare_deal ──▶ PreparedDeal   key, hash of the deck, receipts
    MatchDeal    draws for the table, and reveals everything when the last game has ended

After the match, `MatchDeal.reveal` returns the secrets for the bots and the store.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from arena.match.deal.commitment import Contribution, commitment_hash, rules_hash, transcript
from arena.match.deal.receipt import merkle_root, receipt_digest, terms_hash
from arena.match.deal.stream import SeededChance, entrant_seed
from arena.match.game import ChanceRequest, GameSetup
from arena.match.referee.facts import DealReceipt, DealRevealed
from arena.match.referee.ports import BackgroundRunner, MatchId, Signer
from arena.match.referee.terms import REMEMBERED_TERMS, Terms, describe_terms
from arena.match.value_class import value_class

GIVEN_DEAL_ID = "given"
"""The deal id if the user gave the seed: a fixed id, so that the same seed produces the same cards again."""
SHARED_DEAL_PREFIX = "block:"
"""The id prefix of a deal played at several tables. Such a deal is revealed when the last of these tables has ended."""
LONG_DECK_CARDS = 128
"""A deck with more cards than this is long. It takes over a millisecond to prepare, so a thread does this."""
DECK_PURPOSE = "deck"
"""The purpose of the draw that determines a deck's order."""

T = TypeVar("T")


@value_class()
class DealSecret:
    """The secret that determines all randomness of a match, before the bots contribute to it."""

    deal_id: str
    rules_hash: bytes
    seed: bytes = field(repr=False)
    """S, 32 bytes."""
    salts: tuple[bytes, ...] = field(repr=False)
    """The salt r of each entrant's receipt, 32 bytes."""
    table: int = 0
    """The number of this table among the tables of a shared deal, from 0. Bots at other tables get other seeds."""
    terms_salt: bytes = field(default=b"", repr=False)
    """The salt t of the terms hash, 32 bytes; empty in deals of release 0.1.0, whose receipts do not bind the terms."""

    @property
    def commitment(self) -> bytes:
        """The published commitment C."""
        return commitment_hash(self.deal_id, self.rules_hash, self.seed)

    @property
    def has_chosen_seed(self) -> bool:
        """Whether the user gave the seed and so chose the cards."""
        return self.deal_id == GIVEN_DEAL_ID

    @property
    def is_shared(self) -> bool:
        """Whether other tables play the same deal."""
        return self.deal_id.startswith(SHARED_DEAL_PREFIX)

    @property
    def takes_entropy(self) -> bool:
        """Whether bots may contribute entropy.

        Bots may not contribute if the user gave the seed. Nor may they contribute to a shared deal, which has
        to be fixed before the first of its tables begins.
        """
        return not (self.has_chosen_seed or self.is_shared)

    def entrant_seeds(self) -> tuple[bytes, ...]:
        """Return each entrant's own seed. Seeds differ by table, so that no bot can notice that tables share a deal."""
        label = f"{self.deal_id}.{self.table}" if self.is_shared else self.deal_id
        return tuple(entrant_seed(self.seed, label, entrant) for entrant in range(len(self.salts)))


def rules_hash_from_plain(terms: Mapping[str, Any]) -> bytes:
    return rules_hash(terms["game"], terms["rules_version"], terms["ruleset"])


def new_secret(match_id: str, terms: Terms, new_seed: Callable[[], bytes], given: bytes = b"") -> DealSecret:
    """Return the secret of a new match; `given` is a seed chosen by the user, empty if there is none."""
    salts = tuple(new_seed() for _ in terms.entrants)
    deal_id, seed = (GIVEN_DEAL_ID, given) if given else (match_id, new_seed())
    return DealSecret(deal_id, rules_hash_of_terms(terms), seed, salts, terms_salt=new_seed())


@lru_cache(REMEMBERED_TERMS)
def rules_hash_of_terms(terms: Terms) -> bytes:
    return rules_hash_from_plain(describe_terms(terms))


@value_class()
class ReceiptIssuer:
    signer: Signer
    match_id: MatchId
    terms: Mapping[str, Any]
    """The terms as plain values, as recorded when the match began. A later version may describe them differently."""

    def issue(self, secret: DealSecret, prepared: "PreparedDeal") -> "PreparedDeal":
        """Return a prepared deal with the receipts of this match. A deal that has them is returned unchanged."""
        bound = terms_hash(secret.terms_salt, self.match_id, self.terms) if secret.terms_salt else b""
        if prepared.receipts and prepared.terms_hash == bound:
            return prepared
        fields = (secret.commitment, prepared.root, transcript(prepared.contributions), prepared.positions)
        digests = [receipt_digest(*fields, salt, bound) for salt in secret.salts]
        signer = self.signer
        receipts = [DealReceipt(digest, signer.sign(digest), signer.public_key) for digest in digests]
        return replace(prepared, receipts=tuple(receipts), terms_hash=bound)


def receipt_issuer(signer: Signer | None, match_id: MatchId, terms: Terms) -> ReceiptIssuer | None:
    """Return the issuer of a new match's receipts; None without a signer."""
    return None if signer is None else ReceiptIssuer(signer, match_id, describe_terms(terms))


def signs_elsewhere(signer: Signer | None) -> bool:
    """Return whether the event loop cannot have a receipt signed, unless the deal is shared."""
    return signer is not None and signer.signs_elsewhere


@value_class()
class PreparedDeal:
    """A deal with everything that is computed before its first card."""

    contributions: tuple[Contribution, ...]
    source: SeededChance
    deck: ChanceRequest | None
    """The draw of the first game's deck; None if the game has no deck."""
    order: tuple[int, ...]
    """The values that the draw of the deck gives; empty if the game has no deck."""
    root: bytes
    positions: bytes
    """The entrant of each seat of the first game, one byte per seat."""
    terms_hash: bytes = b""
    """The hash of match id and terms that the receipts bind; empty if they bind none."""
    receipts: tuple[DealReceipt, ...] = ()
    """The receipts by entrant; empty if there was no issuer."""


def prepare_deal(
    secret: DealSecret, contributions: tuple[Contribution, ...], terms: Terms, issuer: ReceiptIssuer | None
) -> PreparedDeal:
    """Return a deal with its key, its deck and its receipts.

    For a long deck this takes long, so it may run in a thread.
    """
    source = SeededChance(secret.seed, secret.deal_id, transcript(contributions))
    deck, order = _draw_first_deck(terms, source)
    root = merkle_root(source.salts(len(order)), order)
    prepared = PreparedDeal(contributions, source, deck, order, root, seat_positions(terms))
    return prepared if issuer is None else issuer.issue(secret, prepared)


def seat_positions(terms: Terms) -> bytes:
    """Return the entrant of each seat of the first game, one byte per seat."""
    by_seat = {terms.seat_of(entrant, 0): entrant for entrant in terms.entrant_indices}
    return bytes([by_seat[seat] for seat in sorted(by_seat)])


def _draw_first_deck(terms: Terms, source: SeededChance) -> tuple[ChanceRequest | None, tuple[int, ...]]:
    """Make the first game's draws up to its deck. Return the deck's draw and order; None and () if it has no deck."""
    game, state = terms.game, _first_state(terms)
    while (chance := game.chance_request(state)) is not None:
        values = source.draw(0, chance)
        if chance.purpose == DECK_PURPOSE and not chance.faces:
            return chance, values
        state = game.apply_chance(state, values).state
    return None, ()


def _first_state(terms: Terms) -> Any:
    return terms.game.initial_state(terms.ruleset, GameSetup(len(terms.entrants), 0, terms.pace.style))


def has_long_deck(terms: Terms) -> bool:
    """Return whether preparing the deal takes too long for the event loop."""
    chance = terms.game.chance_request(_first_state(terms))
    return chance is not None and chance.count > LONG_DECK_CARDS


def reveal_deal(secret: DealSecret, prepared: PreparedDeal | None) -> DealRevealed:
    """Return everything about a deal; `prepared` is None if no card of it was dealt."""
    return DealRevealed(
        deal_id=secret.deal_id,
        rules_hash=secret.rules_hash,
        seed=secret.seed,
        commitment=secret.commitment,
        root=b"" if prepared is None else prepared.root,
        contributions=() if prepared is None else prepared.contributions,
        salts=secret.salts,
        receipts=() if prepared is None else prepared.receipts,
        terms_salt=secret.terms_salt,
        terms_hash=b"" if prepared is None else prepared.terms_hash,
    )


class MatchDeal:
    """The deal of one match; serves as a `ChanceSource` once it is prepared."""

    def __init__(self, secret: DealSecret, game_count: int, background: BackgroundRunner) -> None:
        self.secret = secret
        self.prepared: PreparedDeal | None = None
        self._game_count = game_count
        self._background = background
        self._ahead: dict[tuple[int, ChanceRequest], Sequence[int]] = {}

    def load(self, prepared: PreparedDeal) -> None:
        """Take the prepared deal, so that cards can be drawn. The deck's order is kept until the deck is dealt."""
        self.prepared = replace(prepared, deck=None, order=())
        if prepared.deck is not None:
            self._ahead[0, prepared.deck] = prepared.order

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        """Return the values of a draw. Raises RuntimeError if the deal is not prepared yet.

        While a game with a long deck runs, the next game's deck is shuffled in the background. A draw depends only on
        its label, so making it early does not change its values.
        """
        if self.prepared is None:
            raise RuntimeError(f"cannot draw from deal {self.secret.deal_id!r} before it is prepared")
        source = self.prepared.source
        values = self._ahead.pop((game, chance), None)
        if chance.count > LONG_DECK_CARDS and not chance.faces and game + 1 < self._game_count:
            self._background(
                partial(source.draw, game + 1, chance), partial(self._ahead.__setitem__, (game + 1, chance))
            )
        return source.draw(game, chance) if values is None else values

    def reveal(self) -> DealRevealed:
        """Return everything about the deal. Must not be called before the last game has ended."""
        return reveal_deal(self.secret, self.prepared)
