"""What runs beside a server by default."""

import pytest

from arena.bots.launch.program_sets import find_house_programs
from arena.cli.beside_server import add_own_listener, choose_house_bots, has_house_bots
from arena.competition.pools.pool_settings import PoolSettings
from arena.server.config.server_config import ServerConfig


def choose(*pools: PoolSettings, tls_on_loopback: bool = False) -> ServerConfig:
    return choose_house_bots(ServerConfig(pools=pools, tls_on_loopback=tls_on_loopback))


@pytest.mark.parametrize("game", ["", "cheat", "cheater"])
def test_pool_that_names_no_house_bots_has_samples_that_fill_a_table(game: str):
    settings = choose(PoolSettings(name="four", game=game), PoolSettings(name="two", game=game, seats=2))

    programs = find_house_programs(settings.pools).values()

    assert [len(pool.house_bots or ()) for pool in settings.pools] == [3, 1]
    assert all((game or "cheat") in each.program.games for each in programs)


def test_pool_has_the_house_bots_that_it_names_or_none():
    named = PoolSettings(name="named", house_bots=("sample:honest",))
    empty = PoolSettings(name="empty", house_bots=())
    assert choose(named, empty).pools == (named, empty)
    assert not has_house_bots(choose(empty))


def test_server_without_plaintext_on_loopback_starts_without_house_bots():
    settings = choose(PoolSettings(name="open"), tls_on_loopback=True)
    assert add_own_listener(settings) == settings


def test_unknown_game_is_left_to_those_who_check_pools():
    pool = PoolSettings(name="open", game="chess")
    assert choose(pool).pools == (pool,)
