"""The file with what the matchmaker knew in a round, from which anybody can compute the tables of the round again."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from arena.web.errors import RefusedError
from arena.web.page import SETTLED, Asked, File, PageRoute, Parameter
from arena.web.pages.pool import NAME

_PRIVATE: Final = "instance"
"""The field of a seeker that is left out: how its owner names its processes. The tables do not depend on it."""


async def read_round(asked: Asked) -> File:
    """Return the inputs of a round, unless they may tell who plays in an anonymous match. Raises RefusedError."""
    pool, round_id, store = asked.part("name"), asked.part("round_id"), asked.sources.store
    found = (await store.pool_reader.rounds([round_id])).get(round_id)
    if found is None or found.pool != pool:
        raise RefusedError(404, f"there is no round {round_id[:64]!r} of a pool {pool[:64]!r} here")
    if await store.pool_reader.is_round_secret(found, asked.sources.clock()):
        raise RefusedError(403, "this round is shown once the anonymous matches of its time are over")
    values = {"pool": pool, "at": found.at, **_without_instances(found.inputs)}
    return File(msgspec.json.encode(values), "application/json", caching=SETTLED)


def _without_instances(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    hidden = {
        name: [{key: value for key, value in seeker.items() if key != _PRIVATE} for seeker in inputs.get(name, ())]
        for name in ("seekers", "house")
    }
    return {**inputs, **hidden}


ROUND = PageRoute(
    "/pools/{name}/rounds/{round_id}",
    read_round,
    "What the matchmaker knew in a round: the tables of the round follow from it",
    parameters=(NAME, Parameter("round_id", "The id of the round.", in_path=True)),
    media_type="application/json",
)
