"""Reads and validates a bot's first frame, its Hello."""

import unicodedata

from google.protobuf.message import DecodeError

from arena.competition.pools.pool_settings import MAX_POOLS
from arena.errors import ProtocolError, describe_refused_option
from arena.names import MAX_NAME_LENGTH, has_hidden_characters
from arena.server.node.derived_instances import MAX_INSTANCE
from cheatarena.v1 import play_pb2, session_pb2

MAX_GAMES = 32
"""The most games in a Hello. Games and presets together may be up to eight times this number."""
MAX_POOL_SEATS = 1_000
"""The most seats that a bot may want in one pool at once."""
MAX_POSITIONS = 20_000
"""The most resume positions in a Hello, so that reading the Hello takes little time."""


def read_hello(raw: bytes) -> session_pb2.Hello:
    """Raises ProtocolError, which says what was expected."""
    try:
        request = play_pb2.PlayRequest.FromString(raw)
    except DecodeError as error:
        raise ProtocolError("the first frame is not a PlayRequest") from error
    is_alone = len(request.notices) == 1 and not request.decisions
    if not is_alone or request.notices[0].WhichOneof("notice") != "hello":
        raise ProtocolError("the first frame must hold one Hello and nothing else")
    hello = request.notices[0].hello
    if not 1 <= len(hello.instance) <= MAX_INSTANCE or not hello.instance.isprintable():
        raise _field_error("instance", hello.instance, f"1 to {MAX_INSTANCE} printable characters")
    if len(hello.label) > 64 or not (hello.label.isprintable() or not hello.label):
        raise _field_error("label", hello.label, "at most 64 printable characters")
    hello.version = unicodedata.normalize("NFKC", hello.version).strip()  # " 1" would look like the version "1"
    _check_pools(hello)
    if not 1 <= hello.capacity <= 10_000:
        raise _field_error("capacity", hello.capacity, "1 to 10000")
    if not 1 <= len(hello.games) <= MAX_GAMES:
        raise _field_error("games", len(hello.games), f"1 to {MAX_GAMES}")
    if (named := len(hello.games) + sum(len(support.presets) for support in hello.games)) > MAX_GAMES * 8:
        raise _field_error("games", named, f"at most {MAX_GAMES * 8} with their presets")
    if len(hello.positions) > MAX_POSITIONS:
        raise _field_error("positions", len(hello.positions), f"at most {MAX_POSITIONS}")
    return hello


def _field_error(field: str, value: object, expected: str) -> ProtocolError:
    return ProtocolError(describe_refused_option(f"Hello.{field}", value, f"expected {expected}"))


def _check_pools(hello: session_pb2.Hello) -> None:
    """Raises ProtocolError if a Hello enters pools in a way that makes no sense."""
    if len(hello.version) > MAX_NAME_LENGTH or has_hidden_characters(hello.version):
        raise _field_error("version", hello.version, f"at most {MAX_NAME_LENGTH} printable characters")
    if len(hello.pools) > MAX_POOLS:
        raise _field_error("pools", len(hello.pools), f"at most {MAX_POOLS}")
    for entry in hello.pools:
        if not 1 <= len(entry.pool) <= MAX_NAME_LENGTH or not entry.pool.isprintable():
            raise _field_error("pools.pool", entry.pool, f"1 to {MAX_NAME_LENGTH} printable characters")
        if entry.seats > MAX_POOL_SEATS:
            raise _field_error("pools.seats", entry.seats, f"at most {MAX_POOL_SEATS}")
