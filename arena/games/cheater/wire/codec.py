"""Assembles the wire codec of CHEATER."""

from typing import Final

from arena.games.cheater.rules import events, views
from arena.games.cheater.rules.game import CHEATER
from arena.games.cheater.wire import messages as cheater
from arena.games.cheater.wire import reader as cheater_reader
from arena.server.wire.game_codec import GameCodec

CHEATER_CODEC: Final = GameCodec(
    game=CHEATER,
    facts=cheater.FACT_ENCODERS,
    put_options=cheater.put_options,
    put_ruleset=cheater.put_ruleset,
    put_snapshot=cheater.put_snapshot,
    read_action=cheater.read_action,
    read_options=cheater_reader.read_options,
    read_fact=cheater_reader.read_fact,
    read_snapshot=cheater_reader.read_snapshot,
    hands=frozenset((views.HandDealt, events.HandShown)),
)
