"""A request of `arena match` is validated completely before anything starts."""

from typing import Any

import pytest

from arena.cli.match.options import GamesOptions, MatchRequest, PaceOptions
from arena.cli.match.order import (
    MIN_GAMES_PER_NODE,
    build_order,
    choose_node_count,
    find_players,
    parse_seed,
)
from arena.cli.options import RulesOptions
from arena.errors import BotStartError, OptionError, OptionsError, UnknownNameError
from arena.games.catalogue import resolve_game_and_preset
from tests.support.bots import write_bots


def wishes(*, options: tuple[str, ...] = (), preset: str = "standard", **changes: Any) -> MatchRequest:
    """Return a request; `changes` are options of the games or of the pace."""
    games = {name: value for name, value in changes.items() if name in GamesOptions.__dataclass_fields__}
    pace = {name: value for name, value in changes.items() if name not in games}
    return MatchRequest(GamesOptions(**games), RulesOptions("cheat", preset, list(options)), PaceOptions(**pace))


PAIR = find_players(["remote:a", "remote:b"])


def test_bots_with_same_name_are_numbered(tmp_path):
    bots = write_bots(tmp_path)

    players = find_players([str(bots / "honest"), str(bots / "dier")], fill=str(bots / "honest"), seats=4)

    assert [player.name for player in players] == ["honest#1", "dier", "honest#2", "honest#3"]


@pytest.mark.parametrize(
    ("bots", "fill", "seats", "error"),
    [
        pytest.param(["remote:a"], "", 0, OptionError, id="alone"),
        pytest.param(["remote:a", "remote:b"], "", 3, OptionError, id="seats-without-fill"),
        pytest.param(["remote:a", "remote:b"], "remote:c", 0, OptionError, id="fill-without-seats"),
        pytest.param(["remote:a", "remote:b"], "remote:c", 1, OptionError, id="too-few-seats"),
        pytest.param(["remote:a", "remote:a"], "", 0, OptionError, id="remote-twice"),
        pytest.param(["remote:a", "no/such/bot.py"], "", 0, BotStartError, id="missing"),
        pytest.param(["remote:a", "sample:nobody"], "", 0, UnknownNameError, id="sample"),
    ],
)
def test_invalid_players_are_refused(bots, fill, seats, error):
    with pytest.raises(error):
        find_players(bots, fill, seats)


def test_every_error_is_reported_at_once():
    """The errors concern pace, options, seed and match together."""
    asked = wishes(turn_ms=3, options=("decks", "colour=red"), seed="xyz", games=0)

    with pytest.raises(OptionsError) as caught:
        build_order(asked, PAIR)

    assert [fault.field for fault in caught.value.faults] == ["turn_ms", "set", "seed", "colour", "game_count"]


def test_unknown_preset_lists_known_ones():
    with pytest.raises(UnknownNameError, match="standard"):
        build_order(wishes(preset="folklore"), PAIR)


@pytest.mark.parametrize(
    ("changes", "is_rated"),
    [
        pytest.param({}, True, id="as-it-is"),
        pytest.param({"unrated": True}, False, id="asked-for"),
        pytest.param({"seed": "1"}, False, id="chosen-cards"),
        pytest.param({"no_deadlines": True}, False, id="no-deadlines"),
    ],
)
def test_unfair_match_is_unrated(changes, is_rated):
    assert build_order(wishes(**changes), PAIR).is_rated is is_rated


def test_seed_is_a_number_of_32_bytes():
    assert parse_seed("") == b""
    assert parse_seed("1ff") == bytes(30) + b"\x01\xff"
    for text in ("g", "1" * 65, "-1"):
        with pytest.raises(OptionError):
            parse_seed(text)


def test_options_stay_text_until_the_rules_parse_them():
    order = build_order(wishes(options=("decks=2", "count=same,more")), PAIR)

    assert order.options == {"decks": "2", "count": "same,more"}


@pytest.mark.parametrize(
    ("game", "preset", "played"),
    [
        ("", "", ("cheat", "standard")),
        ("cheater", "", ("cheater", "cheater")),
        ("", "cheater", ("cheater", "cheater")),
        ("", "standard", ("cheat", "standard")),
        ("cheater", "standard", ("cheater", "standard")),
        ("cheat", "unheard-of", ("cheat", "unheard-of")),
    ],
)
def test_game_and_preset_imply_each_other(game, preset, played):
    """An inconsistent pair is left unchanged, and refused with the order."""
    assert resolve_game_and_preset(game, preset) == played


def test_unknown_game_is_refused():
    with pytest.raises(UnknownNameError, match="known: cheat, cheater"):
        resolve_game_and_preset("chess", "")


def test_preset_of_no_game_is_refused():
    with pytest.raises(UnknownNameError, match=r"known: standard, folk, rank_lock, ascending, cheater$"):
        resolve_game_and_preset("", "unheard-of")


LOCAL = find_players(["sample:honest", "sample:counter"])


def played_by(wanted, players=LOCAL, server="", port=0, cores=2, **changes: Any) -> int:
    return choose_node_count(wanted, build_order(wishes(**changes), players), players, server, port, cores=cores)


@pytest.mark.parametrize(
    ("cores", "games", "expected"),
    [(1, 10_000, 1), (4, 10_000, 4), (4, 2 * MIN_GAMES_PER_NODE, 2), (4, 2 * MIN_GAMES_PER_NODE - 1, 1), (4, 1, 1)],
)
def test_all_cores_are_used_when_there_are_enough_games(cores, games, expected):
    assert played_by(None, games=games, cores=cores) == expected


@pytest.mark.parametrize(("wanted", "games", "expected"), [(1, 1000, 1), (2, 4, 2), (5, 3, 3)])
def test_requested_number_of_nodes_is_limited_by_games(wanted, games, expected):
    assert played_by(wanted, games=games) == expected


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seed": "1"}, "a seed determines the cards of a single match"),
        ({"players": PAIR}, "a remote bot connects to a single node"),
        ({"server": "there:1"}, "the server at there:1 is a single node"),
        ({"port": 4711}, "names the port of a single node"),
    ],
)
def test_match_only_one_node_can_play_uses_one(changes, why):
    """A request for more nodes is refused."""
    assert played_by(None, games=10_000, **changes) == played_by(1, games=10_000, **changes) == 1
    with pytest.raises(OptionError, match=why):
        played_by(2, games=10_000, **changes)


@pytest.mark.parametrize(
    ("players", "changes", "is_fixed"),
    [
        pytest.param(PAIR, {}, True, id="remote"),
        pytest.param(find_players(["sample:honest", "remote:a"]), {}, True, id="one-remote"),
        pytest.param(LOCAL, {}, False, id="local"),
        pytest.param(PAIR, {"unrated": True}, False, id="unrated"),
        pytest.param(PAIR, {"fixed_window": False}, False, id="refused"),
        pytest.param(LOCAL, {"fixed_window": True}, True, id="asked-for"),
        pytest.param(PAIR, {"pace": "live"}, False, id="live"),
    ],
)
def test_rated_match_with_a_remote_bot_has_fixed_windows(players, changes, is_fixed):
    assert build_order(wishes(**changes), players).pace.fixed_window is is_fixed


def test_lag_purse_is_for_the_sealed_pace():
    assert build_order(wishes(lag_purse=True), LOCAL).pace.lag_purse
    with pytest.raises(OptionsError, match="sealed only"):
        build_order(wishes(lag_purse=True, pace="live"), LOCAL)
