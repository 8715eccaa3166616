"""Assembles the wire codec of Cheat."""

from typing import Final

from arena.games.cheat.rules import view_types
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheat.wire import messages as cheat
from arena.games.cheat.wire import reader as cheat_reader
from arena.games.cheat.wire import ruleset as cheat_ruleset
from arena.server.wire.game_codec import GameCodec

CHEAT_CODEC: Final = GameCodec(
    game=CHEAT,
    facts=cheat.FACT_ENCODERS,
    put_options=cheat.put_options,
    put_ruleset=cheat_ruleset.put_ruleset,
    put_snapshot=cheat.put_snapshot,
    read_action=cheat.read_action,
    read_options=cheat_ruleset.read_options,
    read_fact=cheat_reader.read_fact,
    read_snapshot=cheat_reader.read_snapshot,
    hands=frozenset((view_types.HandDealt, view_types.CardsTaken)),
)
