"""Reads the terms of a match from their message: the inverse of `proto_codec.terms_message`."""

from collections.abc import Mapping
from typing import Final

from arena.errors import OptionError, OptionsError, RequestError, UnknownNameError
from arena.match.referee.pace import Pace
from arena.match.referee.terms import Terms
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import PACE_STYLES, SEATINGS
from cheatarena.v1 import ruleset_pb2

_STYLES: Final = {number: style for style, number in PACE_STYLES.items()}
_SEATINGS: Final = {number: seating for seating, number in SEATINGS.items()}


def read_terms(message: ruleset_pb2.MatchTerms, codecs: Mapping[str, GameCodec]) -> Terms:
    """Return the terms in a message. The names of an anonymous match are empty.

    Raises RequestError if this version does not know the game, an option or the preset.
    """
    game = str(message.ruleset.WhichOneof("game") or "")
    codec = codecs.get(game)
    if codec is None:
        raise RequestError(f"this version of the arena does not know the game {game!r} that is played")
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
        raise RequestError(f"this version of the arena does not know the terms of the match: {error}") from error


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
