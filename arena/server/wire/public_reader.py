"""Decodes the messages of a match's public stream, as a spectator receives them.

`read_terms` is the inverse of `proto_codec.terms_message`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from arena.errors import OptionError, OptionsError, RequestError, UnknownNameError
from arena.match.feed.public_message import PublicMessage
from arena.match.referee.facts import GameEnded, GameStarted, IntermissionStarted, MatchEnded
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import PACE_STYLES, SEATINGS
from cheatarena.v1 import event_pb2, play_pb2, ruleset_pb2


class PublicReader:
    """Reads the messages of one match. They must come in order, because only the first has the terms."""

    def __init__(self, codecs: Mapping[str, GameCodec]) -> None:
        """`codecs` are those of all games, by name."""
        self._codecs = codecs
        self._terms: Terms | None = None

    def read(self, message: play_pb2.SeatMessage) -> PublicMessage:
        """Facts that this version does not know are left out.

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
        """Return None for any event that is not the match's."""
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
            raise RequestError("the first message about the match must have its terms, got none")
        return self._terms


_STYLES: Final = {number: style for style, number in PACE_STYLES.items()}
_SEATINGS: Final = {number: seating for seating, number in SEATINGS.items()}


def read_terms(message: ruleset_pb2.MatchTerms, codecs: Mapping[str, GameCodec]) -> Terms:
    """The names of an anonymous match are empty.

    Raises RequestError if this version does not know the game, an option or the preset.
    """
    game = str(message.ruleset.WhichOneof("game") or "")
    codec = codecs.get(game)
    if codec is None:
        raise RequestError(f"this version of the arena does not know the game {game!r} of the match")
    try:
        return Terms(
            game=codec.game,
            preset=message.ruleset.preset,
            ruleset=codec.game.build_ruleset(message.ruleset.preset, codec.read_options(message.ruleset)),
            pace=_read_pace(message.pace),
            entrants=tuple(message.entrants),
            game_count=message.game_count,
            seating=_SEATINGS[message.seating],
            rated=message.rated,
            anonymous=not any(message.entrants),
        )
    except (KeyError, OptionError, OptionsError, UnknownNameError) as error:
        fault = f"unknown number {error}" if isinstance(error, KeyError) else error
        raise RequestError(f"this version of the arena does not know the terms of the match: {fault}") from error


def _read_pace(message: ruleset_pb2.Pace) -> Pace:
    return Pace(
        style=_STYLES[message.style],
        turn_ms=message.turn_ms,
        call_ms=message.call_ms,
        min_call_ms=message.min_call_ms,
        dispute_ms=message.dispute_ms,
        intermission_ms=message.intermission_ms,
        fixed_window=message.fixed_window,
        max_auto_moves=message.max_auto_moves,
        reconnect_grace_ms=message.reconnect_grace_ms,
        no_deadlines=message.no_deadlines,
        lag_purse=message.lag_purse,
    )
