"""A process of hostile clients: `python -m tests.faults.hostile_process ADDRESS TOKEN,TOKEN PAUSE_MS KIND...`.

It attacks until stdin ends, and says what it has done so far when it is asked for its `count`.
"""

import asyncio
import os
import sys
from typing import Any

from tests.faults.hostile import Attack, attack_forever
from tools.benchmarks.child import obey

NICENESS = 10
"""Attackers have machines of their own. Here they take what honest programs leave of the cores."""


async def main(address: str, tokens: str, pause_ms: str, *kinds: str) -> None:
    """Attack until stdin ends."""
    attack = Attack(address, tokens.split(","), pause_s=float(pause_ms) / 1000)
    tasks = [asyncio.create_task(attack_forever(kind, attack)) for kind in kinds]

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        failed = [repr(task.exception()) for task in tasks if task.done()]
        return {"counts": attack.counts, "failed": failed}

    await obey({}, answer)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    os.nice(NICENESS)
    asyncio.run(main(*sys.argv[1:]))
