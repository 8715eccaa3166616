"""The journal's record that a match is offered: who is to play it and on which terms.

The record is not an input of the match, so replays ignore it. A restarted server needs the record to take the match up.
A bot may have several processes, and only the record says which of them hold the seats.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from arena.errors import JournalError
from arena.ids import WallTime
from arena.match.referee.inputs import match_number_of, pack_record, record_content
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import Instant, SessionKey
from arena.match.value_class import value_class
from arena.plain_data import canonical_json

_OFFER_KIND: Final = 13
"""The kind of an offer among the kinds of inputs (`InputKind`)."""


@value_class()
class MatchOffer:
    """The seats of a match are offered to sessions."""

    match_id: MatchId
    terms: Mapping[str, Any]
    """The terms as `describe_terms` returns them."""
    sessions: tuple[SessionKey, ...]
    """By entrant."""
    created_at: WallTime
    needs_everybody: bool = False
    """Whether the match is withdrawn if an entrant does not accept its offer. Old journals do not say: no."""


def write_offer(match: int, at: Instant, offer: MatchOffer) -> bytes:
    """Return the record of an offer; `match` is the match's number on its node."""
    return pack_record(_OFFER_KIND, match, at, canonical_json(offer))


def read_offers(records: Iterable[bytes]) -> dict[int, MatchOffer]:
    """Return the offers of a journal by match number. Raises JournalError for one that cannot be read."""
    return {match_number_of(each): _read_offer(each) for each in records if is_offer(each)}


def is_offer(record: bytes) -> bool:
    return record[:1] == bytes([_OFFER_KIND])


def _read_offer(record: bytes) -> MatchOffer:
    try:
        values = json.loads(record_content(record))
        sessions = tuple((str(name), str(instance)) for name, instance in values["sessions"])
        match_id, created_at = MatchId(values["match_id"]), float(values["created_at"])
        return MatchOffer(match_id, values["terms"], sessions, created_at, bool(values.get("needs_everybody", False)))
    except (ValueError, LookupError, TypeError) as error:
        raise JournalError(f"an offer in the journal cannot be read ({error}): it is of another version") from error
