"""The guide of pools lists every setting, and the sample settings make two pools."""

import re
from dataclasses import fields
from pathlib import Path

from arena.bots.launch.program_sets import find_house_programs
from arena.competition.pools.pool import HouseBot, build_pools
from arena.competition.pools.pool_settings import PoolSettings
from arena.games.catalogue import games, resolve_game_and_preset
from arena.server.config.read_config import read_config

DOCS = Path(__file__).parents[3] / "docs"


def test_guide_lists_every_setting_of_a_pool():
    _, _, chapter = (DOCS / "pools.md").read_text(encoding="utf-8").partition("| key of `[[pools]]` |")
    table = chapter.partition("\n\n")[0]
    listed = [
        name
        for row in table.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]

    assert sorted(listed) == sorted(each.name for each in fields(PoolSettings))


def test_sample_settings_make_two_pools_with_house_bots_at_half_a_second():
    config = read_config(DOCS / "arena.toml")
    house = find_house_programs(config.pools)

    pools = build_pools(
        config.pools,
        games(),
        resolve_game_and_preset,
        {text: HouseBot(each.name, each.program.games) for text, each in house.items()},
    )

    assert [(pool.terms.game.name, pool.terms.pace.turn_ms) for pool in pools.values()] == [
        ("cheat", 500),
        ("cheater", 500),
    ]
    for pool in pools.values():
        assert len(pool.house_names) >= pool.seats - 1, "a single bot gets a full table"
