"""Builds the messages for the terms of stored matches. The part that many matches share is built only once."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from arena.errors import OptionError, OptionsError
from arena.match.referee.terms import REMEMBERED_TERMS, terms_from_plain
from arena.server.wire.game_codec import GameCodec
from arena.server.wire.proto_codec import terms_message
from cheatarena.v1 import ruleset_pb2


def stored_terms_message(values: Mapping[str, Any], codecs: Mapping[str, GameCodec]) -> ruleset_pb2.MatchTerms:
    """Everything but the names is cached, because a list has hundreds of matches.

    If this version does not know the game or its options, the message contains the preset, but no options and no pace.
    """
    message = ruleset_pb2.MatchTerms()
    shared = {name: values[name] for name in values if name not in ("entrants", "anonymous")}
    codec = codecs.get(values["game"])
    if codec is not None:
        message.CopyFrom(_terms_without_entrants(json.dumps(shared), codec))
    message.ruleset.preset, message.ruleset.version = values["preset"], values["rules_version"]
    message.game_count, message.rated = values["game_count"], values["rated"]
    names = values["entrants"]
    message.entrants.extend([""] * len(names) if values["anonymous"] else names)
    return message


@lru_cache(REMEMBERED_TERMS)
def _terms_without_entrants(shared: str, codec: GameCodec) -> ruleset_pb2.MatchTerms:
    values = {**json.loads(shared), "entrants": (), "anonymous": False}
    try:
        return terms_message(terms_from_plain(values, {codec.game.name: codec.game}), codec)
    except (KeyError, OptionError, OptionsError):
        return ruleset_pb2.MatchTerms()
