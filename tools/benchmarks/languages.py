"""Measures the sample bots of every language: two processes, each with two of the four seats of every match."""

import asyncio

from arena.bots.launch.programs import BotProgram, find_bot
from tests.sample_bots.other_languages import list_languages
from tools.benchmarks.row import Figure
from tools.benchmarks.site import Play, site

REFERENCE = "python"
"""The language of the SDK. Its sample `honest` plays as the samples in other languages do."""
COMPILED = ("cpp", "go", "java", "rust")
"""The languages whose bots let a server reach at least the rate that it reaches with bots in Python."""


def language_bots() -> dict[str, str]:
    """Return the bot of each language, as the command line names it. Bots that are not built are left out."""
    built = [each for each in list_languages() if not each.missing and each.is_built]
    return {REFERENCE: "sample:honest"} | {each.name: str(each.folder) for each in built}


async def language(name: str, bot: str, matches: int, seconds: float) -> list[Figure]:
    """Measure the rate with bots of one language, and what a decision costs the server and the bots."""
    program = find_bot(bot)
    assert isinstance(program, BotProgram)
    async with site(program=program) as place:
        await place.play(matches, Play())
        await asyncio.sleep(seconds)  # a virtual machine compiles the bot meanwhile
        span = await place.watch(seconds)
    return [
        Figure(f"{name} rate", "/s", span.rate, is_more_better=True, remark=span.remark),
        Figure(f"{name} server", "us", span.server_us),
        Figure(f"{name} bots", "us", span.bots_us),
    ]
