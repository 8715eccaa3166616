"""How facts become bytes. The feed declares it; the room that knows the message format implements it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.match.facts import DealReceipt, StrikeIssued
from arena.match.orders import DecisionResult, PromptView
from arena.match.scalars import EntrantIndex, PromptId, StreamSequence
from arena.match.terms import Terms


@dataclass(frozen=True, slots=True)
class ViewerSnapshot:
    """All that one viewer may know, before it is encoded."""

    facts: Sequence[bytes]
    """Those of the match, as `Codec` encoded them first."""
    game: Any
    """The game's snapshot for this viewer; None between games."""
    prompts: Sequence[tuple[PromptView, bool]]
    """Open prompts and whether they are answered."""
    answers: Sequence[DecisionResult]


class Codec(Protocol):
    """Encodes facts. A *body* is what follows a message's header: facts and other parts, joined as they are."""

    def encode_match_started(self, terms: Terms) -> bytes:
        """Fact: the match begins."""

    def encode_entrant_seed(self, seed: bytes) -> bytes:
        """Private fact: the receiver's own seed."""

    def encode_receipt(self, receipt: DealReceipt) -> bytes:
        """Private fact: what the receiver may keep to check the deal later."""

    def encode_announcement(self, fact: Any) -> bytes:
        """Fact of a match other than its start (see `arena.match.facts`)."""

    def encode_strike(self, struck: StrikeIssued) -> bytes:
        """Private fact: a strike."""

    def encode_game_fact(self, part: Any) -> bytes:
        """Fact of a game: the public or a private part of an event, as the game's `redact` gave it."""

    def encode_prompt(self, view: PromptView) -> bytes:
        """Body part: a prompt."""

    def encode_withdrawal(self, prompt_id: PromptId) -> bytes:
        """Body part: a closed prompt."""

    def encode_answer(self, answer: DecisionResult) -> bytes:
        """Body part: what became of a decision."""

    def encode_snapshot(self, snapshot: ViewerSnapshot) -> bytes:
        """Body part: all that the receiver may know."""

    def encode_header(self, match: int, entrant: EntrantIndex) -> bytes:
        """What begins every message to one viewer."""

    def encode_message(self, header: bytes, sequence: StreamSequence, body: bytes) -> bytes:
        """A message as it stands in a frame."""
