"""What `arena match` was asked for is checked whole, before anything is started."""

from typing import Any

import pytest

from arena.cli.match import order as plan
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


def test_bots_of_one_name_are_numbered(tmp_path):
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
def test_players_that_cannot_be_are_refused(bots, fill, seats, error):
    with pytest.raises(error):
        find_players(bots, fill, seats)


def test_every_fault_is_named_at_once():
    """Of pace, options, seed and match together."""
    asked = wishes(turn_ms=3, options=("decks", "colour=red"), seed="xyz", games=0)

    with pytest.raises(OptionsError) as caught:
        build_order(asked, PAIR)

    assert [fault.field for fault in caught.value.faults] == ["turn_ms", "set", "seed", "colour", "game_count"]


def test_an_unknown_preset_says_what_is_known():
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
def test_what_would_not_be_fair_is_unrated(changes, is_rated):
    assert build_order(wishes(**changes), PAIR).is_rated is is_rated


def test_a_seed_is_a_number_of_32_bytes():
    assert parse_seed("") == b""
    assert parse_seed("1ff") == bytes(30) + b"\x01\xff"
    for text in ("g", "1" * 65, "-1"):
        with pytest.raises(OptionError):
            parse_seed(text)


def test_options_are_text_until_the_rules_read_them():
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
def test_game_and_preset_name_each_other(game, preset, played):
    """What does not fit together is left as it is, and refused with the order."""
    assert resolve_game_and_preset(game, preset) == played


def test_an_unknown_game_is_refused():
    with pytest.raises(UnknownNameError, match="known: cheat, cheater"):
        resolve_game_and_preset("chess", "")


def test_a_preset_that_no_game_has_is_refused():
    with pytest.raises(UnknownNameError, match=r"known: standard, folk, rank_lock, ascending, cheater$"):
        resolve_game_and_preset("", "unheard-of")


LOCAL = find_players(["sample:honest", "sample:counter"])


def played_by(wanted, players=LOCAL, server="", port=0, **changes: Any) -> int:
    return choose_node_count(wanted, build_order(wishes(**changes), players), players, server, port)


@pytest.mark.parametrize(
    ("cores", "games", "expected"),
    [(1, 10_000, 1), (4, 10_000, 4), (4, 2 * MIN_GAMES_PER_NODE, 2), (4, 2 * MIN_GAMES_PER_NODE - 1, 1), (4, 1, 1)],
)
def test_all_cores_play_where_there_are_games_enough(monkeypatch, cores, games, expected):
    monkeypatch.setattr(plan, "count_usable_cores", lambda: cores)

    assert played_by(None, games=games) == expected


@pytest.mark.parametrize(("wanted", "games", "expected"), [(1, 1000, 1), (2, 4, 2), (5, 3, 3)])
def test_so_many_nodes_play_as_somebody_wants_and_there_are_games(wanted, games, expected):
    assert played_by(wanted, games=games) == expected


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seed": "1"}, "a seed decides the cards of one match"),
        ({"players": PAIR}, "a bot that dials in is on one node"),
        ({"server": "there:1"}, "the server at there:1 plays"),
        ({"port": 4711}, "a free port of its own"),
    ],
)
def test_what_one_node_alone_can_play_is_played_by_one(changes, why):
    """Unless somebody wants more: then it is refused."""
    assert played_by(None, games=10_000, **changes) == played_by(1, games=10_000, **changes) == 1
    with pytest.raises(OptionError, match=why):
        played_by(2, games=10_000, **changes)
