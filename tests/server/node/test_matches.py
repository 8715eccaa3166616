"""A match over the wire, from its offers to its result."""

import asyncio

from tests.support.server import LocalServer
from tests.support.wire_bot import play_lowest


async def test_match_is_played_by_bots_using_raw_messages(site: LocalServer):
    """Offers, prompts, answers and the end reach bots that know only the contract; the result is stored."""
    match, bots = await site.seat_bots("ann", "bob", "cid", "dot", game_count=2)

    await asyncio.gather(*(bot.play(play_lowest) for bot in bots))
    ended = await site.wait_for_result(match)

    assert ended.termination == "finished"
    assert [(game.game, len(game.places), min(game.places)) for game in ended.games] == [(0, 4, 1), (1, 4, 1)]
    assert [each.missing + each.late + each.illegal for each in ended.strikes] == [0] * 4
