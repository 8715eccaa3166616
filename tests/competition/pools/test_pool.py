"""The settings of pools are checked before a server starts, and each refusal names its setting."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.bots.launch.program_sets import find_house_programs
from arena.competition.pools.pool import HouseBot, Pool, build_pools
from arena.competition.pools.pool_settings import PoolSettings
from arena.errors import OptionsError
from arena.games.catalogue import games, resolve_game_and_preset

GOOD = PoolSettings(name="open")


def build(*settings: PoolSettings) -> Sequence[Pool]:
    house = {text: HouseBot(each.name, each.program.games) for text, each in find_house_programs(settings).items()}
    return list(build_pools(settings, games(), resolve_game_and_preset, house).values())


def test_settings_become_terms():
    pool = build(replace(GOOD, preset="folk", rules={"max_turns": 30, "count": ["same", "more"]}, seats=3, games=2))[0]
    requested = pool.request_terms(["a", "b", "c"])
    assert (requested.game, requested.preset, requested.game_count) == ("cheat", "folk", 2)
    assert dict(requested.options) == {"max_turns": "30", "count": "same,more"}
    assert requested.is_rated


def test_house_bots_get_names_that_say_what_they_are():
    (pool,) = build(replace(GOOD, house_bots=("sample:honest", "sample:counter")))
    assert pool.house_names == ("house-honest", "house-counter")


@pytest.mark.parametrize(
    ("changed", "setting", "sentence"),
    [
        ({"name": ""}, "pools[0].name", "1 to 32 letters and digits"),
        ({"name": "a/../b"}, "pools[0].name", "1 to 32 letters and digits"),
        ({"preset": "folklore"}, "pools[0].preset", "expected one of standard, folk"),
        ({"game": "chess"}, "pools[0].game", "expected one of cheat, cheater"),
        ({"rules": {"deks": 2}}, "pools[0].rules.deks", "unknown option"),
        ({"rules": {"decks": 2_000}}, "pools[0].rules.decks", "from 1 to 251"),
        ({"pace_settings": {"turn_ms": 1}}, "pools[0].pace_settings.turn_ms", "10"),
        ({"house_bots": ("sample:nobody",)}, "pools[0].house_bots", "unknown sample bot 'nobody'"),
        ({"house_bots": ("remote:ann",)}, "pools[0].house_bots", "the server starts house bots itself"),
        ({"house_bots": ("sample:denier",)}, "pools[0].house_bots", "it plays cheater, and the pool cheat"),
        ({"house_bots": ("sample:honest",) * 2}, "pools[0].house_bots", "each program once"),
        ({"season_ends": datetime(2030, 1, 1)}, "pools[0].season_ends", "with its offset"),  # noqa: DTZ001  that is the error
        (
            {"season_ends": datetime(2030, 1, 1, tzinfo=UTC), "season_days": 3.0},
            "pools[0].season_days",
            "set season_ends or season_days, not both",
        ),
    ],
)
def test_setting_that_makes_no_sense_is_refused(changed, setting, sentence):
    with pytest.raises(OptionsError) as refused:
        build(replace(GOOD, **changed))
    assert [fault.field for fault in refused.value.faults] == [setting]
    assert sentence in refused.value.faults[0].allowed


def test_pools_whose_names_look_alike_are_refused():
    with pytest.raises(OptionsError, match=r"pools\[1\]\.name.*looks like it"):
        build(GOOD, replace(GOOD, name="0pen"))


def test_all_faults_are_told_together():
    with pytest.raises(OptionsError) as refused:
        build(replace(GOOD, name=""), replace(GOOD, name="b", rules={"deks": 1, "max_turns": -1}))
    named = [fault.field for fault in refused.value.faults]
    assert named == ["pools[0].name", "pools[1].rules.max_turns", "pools[1].rules.deks"]


def test_rules_digest_changes_with_what_ratings_depend_on_and_with_nothing_else():
    digests = {
        build(replace(GOOD, **changed))[0].rules_digest
        for changed in (
            {},
            {"games": 5},
            {"house_bots": ("sample:honest",)},
            {"house_after_s": 9.0},
            {"season_days": 1.0},
        )
    }
    others = {
        build(replace(GOOD, **changed))[0].rules_digest
        for changed in ({"seats": 3}, {"rules": {"decks": 2}}, {"pace_settings": {"turn_ms": 500}}, {"preset": "folk"})
    }
    assert len(digests) == 1
    assert len(others) == 4
    assert not digests & others


def test_season_ends_after_its_days_or_at_its_date():
    (days,) = build(replace(GOOD, season_days=2.0))
    (date,) = build(replace(GOOD, season_ends=datetime.fromtimestamp(5_000, UTC)))
    assert days.season_end(1_000.0) == 1_000.0 + 2 * 86_400
    assert date.season_end(1_000.0) == 5_000.0
    assert build(GOOD)[0].season_end(1_000.0) is None
