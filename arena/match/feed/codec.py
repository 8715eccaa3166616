"""The interface that encodes facts as bytes; the package that knows the message format implements it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.match.referee.facts import DealReceipt, StrikeIssued
from arena.match.referee.orders import DecisionResult, PromptView
from arena.match.referee.scalars import EntrantIndex, PromptId, StreamSequence
from arena.match.referee.terms import Terms


@dataclass(frozen=True, slots=True)
class ViewerSnapshot:
    """Everything that one viewer may know, before it is encoded."""

    facts: Sequence[bytes]
    """The facts of the match, as `Codec` encoded them for the stream."""
    game: Any
    """The game's snapshot for this viewer; None between games."""
    prompts: Sequence[tuple[PromptView, bool]]
    """Open prompts, and whether each is answered."""
    answers: Sequence[DecisionResult]


class Codec(Protocol):
    """Encodes messages. A message is a header and a *body*: facts and other parts, one after the other."""

    def encode_match_started(self, terms: Terms) -> bytes: ...

    def encode_entrant_seed(self, seed: bytes) -> bytes:
        """Return the encoded private fact that contains the receiver's own seed."""

    def encode_receipt(self, receipt: DealReceipt) -> bytes:
        """Return the encoded private fact that contains the receipt for the deal."""

    def encode_announcement(self, fact: Any) -> bytes:
        """Return the encoded fact of an announcement about the match (see `arena.match.referee.facts`)."""

    def encode_strike(self, struck: StrikeIssued) -> bytes:
        """Return the encoded private fact that reports a strike."""

    def encode_game_fact(self, part: Any) -> bytes:
        """Return an encoded fact of the game. `part` is a part of an event, as the game's `redact` returned it."""

    def encode_prompt(self, view: PromptView) -> bytes: ...

    def encode_withdrawal(self, prompt_id: PromptId) -> bytes: ...

    def encode_answer(self, answer: DecisionResult) -> bytes: ...

    def encode_joined_count(self, count: int) -> bytes:
        """Return the body part that says how many earlier messages are joined to a message."""

    def encode_snapshot(self, snapshot: ViewerSnapshot) -> bytes:
        """Return the body part with everything that the receiver may know."""

    def encode_header(self, match: int, entrant: EntrantIndex) -> bytes:
        """Return the header of every message to one viewer."""

    def encode_message(self, header: bytes, sequence: StreamSequence, body: bytes) -> bytes:
        """Return a message as it is written in a frame."""
