"""Matches of any rules with real deals, played at random, and their replay files."""

import contextlib
import hashlib
import io
import json
import runpy
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from arena.games.catalogue import games
from arena.games.cheat.rules.game import CHEAT
from arena.match.deal.commitment import GENESIS_LINK, Contribution, next_link
from arena.match.game import Game
from arena.match.referee import deal as deals
from arena.match.referee import deal_serialization
from arena.match.referee.inputs import Deal, write_record
from arena.match.referee.ports import DealRow, MatchId, run_inline
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import describe_terms
from arena.replays.library.library_entry import LibraryEntry
from arena.replays.proof.export import build_document
from arena.replays.proof.replay_document import decode_document, document_digest, encode_document
from arena.replays.proof.verification import verify_replay
from arena.server.store.receipt_key import ReceiptKey
from tests.games.cheat.rules.random_game import RandomPlayer as CheatPlayer
from tests.games.cheater.rules.random_game import RandomPlayer as CheaterPlayer
from tests.match.referee.driver import MS, S, make_driver
from tests.support.recorded_matches import CREATED_AT

ROOT = Path(__file__).resolve().parents[3]
STANDALONE = ROOT / "arena" / "verify" / "verify_deal.py"
KEY = ReceiptKey(bytes([9]) * 32)
MATCH = MatchId("M")
"""What a bench calls its match."""

Doc = dict[str, Any]


def secret_source(seed: int = 0) -> Callable[[], bytes]:
    """Secrets as they would come from the system, the same each time."""
    start = seed * 10**6
    return iter(hashlib.sha256(b"%d" % number).digest() for number in range(start, start + 10**6)).__next__


class RandomMatch:
    """A match at which everybody plays at random; some stay silent, some leave, some do not turn up."""

    def __init__(
        self,
        game: Game,
        seats: int,
        seed: int = 0,
        *,
        leaving: float = 0.0,
        absent: tuple[int, ...] = (),
        contributions: tuple[Contribution, ...] = (),
        binds_terms: bool = True,
        match_id: MatchId = MATCH,
        **settings: Any,
    ) -> None:
        """`leaving`: how likely somebody leaves at each step. `settings`: those of a bench.

        Without `binds_terms` the deal is one of release 0.1.0.
        """
        self.random, self.leaving = Random(seed), leaving
        terms = make_driver(game, seats, **settings).terms
        secret = deals.new_secret(match_id, terms, secret_source(seed))
        secret = secret if binds_terms else replace(secret, terms_salt=b"")
        self.deal = deals.MatchDeal(secret, terms.game_count, run_inline)
        issuer = deals.receipt_issuer(KEY, match_id, terms)
        self.deal.load(deals.prepare_deal(self.deal.secret, contributions, terms, issuer))
        self.bench = make_driver(game, seats, chance=self.deal, match_id=match_id, **settings)
        self.player = CheatPlayer(self.random) if game is CHEAT else CheaterPlayer(self.random, 0.9)
        self.bench.begin(absent=absent)

    def play(self, steps: int = 20_000) -> "RandomMatch":
        """Play this many steps, or until the match is over."""
        for _ in range(steps):
            if self.bench.referee.ended is not None:
                return self
            self._step()
        assert steps < 20_000, "the match does not end"
        return self

    def _step(self) -> None:
        """Somebody answers, in time or never, or leaves."""
        table, random = self.bench, self.random
        asked = table.asked_entrants()
        if asked and random.random() < self.leaving:
            table.leave(random.choice(list(table.entrants())), table.clock + 1)
        elif asked and random.random() < 0.95:
            self._answer(random.choice(asked))
        elif table.due is not None:
            table.run_until(table.due)

    def _answer(self, entrant: int) -> None:
        table = self.bench
        view = self.random.choice(table.prompts(entrant))
        seat = table.referee.seat_of(EntrantIndex(entrant))
        assert seat is not None
        action = self.player.choose(table.state.hands[seat], view.options)
        table.send(entrant, action, at=table.clock + self.random.randrange(20) * MS, prompt=view.id)

    def cancel(self) -> "RandomMatch":
        """End the match as an organizer does."""
        self.bench.cancel(self.bench.clock + S)
        return self

    @property
    def records(self) -> list[bytes]:
        """What the journal holds."""
        deal = Deal(Instant(0), Instant(0), self.deal.secret)
        return [write_record(self.bench.table.number, deal), *self.bench.paper.records]

    def row(self) -> DealRow:
        """The deal as a store keeps it."""
        row = deal_serialization.new_deal_row(self.deal.secret, MATCH, self.bench.table.number, "j.journal", CREATED_AT)
        link = next_link(GENESIS_LINK, row.commitment)
        return replace(row, number=1, link=link, revealed=deal_serialization.describe_revealed_deal(self.deal.reveal()))

    def file(self) -> bytes:
        """The replay as it is exported."""
        terms = self.bench.terms
        entry = LibraryEntry(
            match_id=MATCH,
            created_at=CREATED_AT,
            preset=terms.preset,
            terms=json.loads(json.dumps(describe_terms(terms))),
            entrants=terms.entrants,
            journal=Path("j.journal"),
            number=self.bench.table.number,
            state="interrupted" if self.bench.referee.ended is None else self.bench.referee.ended.termination,
            is_stored=False,
        )
        return encode_document(build_document(entry, self.records, self.row(), GENESIS_LINK, games()))


def with_fresh_digest(document: Doc) -> bytes:
    """A changed document as a file, its digest made right."""
    return encode_document(document | {"digest": document_digest(document)})


def faults(file: bytes) -> list[str]:
    """What `arena replay verify` says against a file."""
    return [found.sentence for found in verify_replay(decode_document(file), games()) if not found.is_true]


_ALONE = runpy.run_path(str(STANDALONE))
_REFUSED = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, struct.error)


def fault_alone(file: bytes) -> str:
    """What the program without the arena says against a file; empty where it says nothing."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            _ALONE["verify"](file)
        except _REFUSED as fault:
            return f"{type(fault).__name__}: {fault}"
    return ""
