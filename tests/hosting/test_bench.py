"""Who is at a node: bots come when a block needs them, and make room when nobody plays with them."""

import asyncio
from types import SimpleNamespace
from typing import Any

from arena.hosting.bench import Bench


class Node:
    """Starts nothing, and notes who would be there."""

    def __init__(self):
        self.there = set()
        self.on_lost = None

    async def start_bot(self, player, *_):
        await asyncio.sleep(0)
        self.there.add(player)

    async def stop_bot(self, name):
        self.there.remove(name)


def bench(most):
    terms: Any = SimpleNamespace(game=SimpleNamespace(name="cheat"), preset="standard")
    players: Any = {name: name for name in "abcdefgh"}
    node: Any = Node()
    return Bench(node, players, terms, most, crashed)


async def crashed(name, how):
    raise AssertionError(f"{name} {how}")


def there(at):
    return at.node.there


async def play(at, names, over):
    """A block of one table, until it is over."""
    at.hold(names, 1)
    await at.take(names)
    await over.wait()
    at.leave(names)


async def test_bots_that_only_wait_for_their_turn_make_room_for_those_whose_turn_it_is():
    at, over = bench(most=4), asyncio.Event()
    first = asyncio.ensure_future(play(at, "abcd", over))
    await asyncio.sleep(0.01)
    rest = [asyncio.ensure_future(play(at, names, over)) for names in ("efgh", "abcd", "efgh")]
    await asyncio.sleep(0.01)

    over.set()

    await asyncio.wait_for(asyncio.gather(first, *rest), 1)
    assert there(at) == set("efgh")
    assert at.tables == 0


async def test_nobody_is_stopped_who_plays():
    at, over = bench(most=4), asyncio.Event()
    playing = asyncio.ensure_future(play(at, "abcd", over))
    await asyncio.sleep(0.01)
    waiting = asyncio.ensure_future(play(at, "defg", over))
    await asyncio.sleep(0.01)

    assert there(at) == set("abcd")
    over.set()
    await asyncio.gather(playing, waiting)
    assert there(at) == set("defg")
