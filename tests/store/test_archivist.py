"""The archivist: when is a match over and kept."""

import asyncio

from arena.match.ports import MatchId
from arena.store.archivist import Archivist


async def test_one_waits_for_a_match_whose_seats_are_only_offered(store):
    """Whoever asks for the result right after making the match must not be told that there is none."""
    archivist = Archivist(store.results, games={}, journal="j")
    archivist.expect(MatchId("M"))

    waiting = asyncio.ensure_future(archivist.kept(MatchId("M")))
    done, _ = await asyncio.wait({waiting}, timeout=0.01)
    waiting.cancel()

    assert not done
    await archivist.kept(MatchId("never made"))
