"""Decodes the messages of a match's public stream, as a spectator receives them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arena.errors import RequestError
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.terms_reader import read_terms
from cheatarena.v1 import event_pb2, play_pb2


class PublicReader:
    """Decodes the messages of one match in their order. It remembers the terms, which only the first message has."""

    def __init__(self, codecs: Mapping[str, GameCodec]) -> None:
        """`codecs` are those of all games, by name."""
        self._codecs = codecs
        self._terms: Terms | None = None

    def read(self, message: play_pb2.SeatMessage) -> PublicMessage:
        """Return the next message. Facts that this version does not know are left out.

        Raises RequestError for terms that this version does not know, or if there are none.
        """
        if not message.HasField("snapshot"):
            return PublicMessage(message.sequence, tuple(self._read_facts(message.events)))
        snapshot = message.snapshot
        facts = tuple(self._read_facts(snapshot.events))
        terms = self._known_terms()
        state = self._codecs[terms.game.name].read_snapshot(snapshot, terms.ruleset)
        return PublicMessage(message.sequence, facts, is_snapshot=True, state=state)

    def _read_facts(self, events: Iterable[event_pb2.Event]) -> Iterator[Any]:
        for event in events:
            fact = self._read_match_fact(event) or self._read_game_fact(event)
            if fact is not None:
                yield fact

    def _read_match_fact(self, event: event_pb2.Event) -> Any:
        """Return a fact of the match; None for any other event."""
        match event.WhichOneof("fact"):
            case "match_started":
                self._terms = read_terms(event.match_started.terms, self._codecs)
                return self._terms
            case "game_started":
                started = event.game_started
                return GameStarted(started.game, tuple(map(EntrantIndex, started.entrants)))
            case "game_ended":
                ended = event.game_ended
                seats = self._known_terms().seating_of(ended.game)
                return GameEnded(ended.game, tuple(ended.places), ended.termination, seats)
            case "intermission_started":
                return IntermissionStarted(Instant(event.intermission_started.until_us))
            case "match_ended":
                return MatchEnded(event.match_ended.termination, tuple(event.match_ended.place_sums))
            case _:
                return None

    def _read_game_fact(self, event: event_pb2.Event) -> Any:
        if event.WhichOneof("fact") is None or self._terms is None:
            return None
        return self._codecs[self._terms.game.name].read_fact(event, self._terms.ruleset)

    def _known_terms(self) -> Terms:
        if self._terms is None:
            raise RequestError("what the server sends about the match does not begin with its terms")
        return self._terms
