"""A league without dates over real processes: remote bots keep their token and address when the league is killed."""

import os
import signal
import socket
from contextlib import closing

import pytest

from tests.e2e.remote_bots import access_of, running_bot, wait_for
from tests.organizer.leagues import STEADY
from tests.support.commands import run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="nodes are there on POSIX alone")

LEAGUE = """\
name = "far"
format = "season"
games = 12
seats = 2
preset = "standard"
entrants = [{ bot = "remote:ann" }, { bot = "remote:bob" }]

[rules]
max_turns = 20

[pace_settings]
fixed_window = false
"""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_token_and_address_last_for_the_league_and_the_token_ends_with_it(capsys, tmp_path):
    program, file = tmp_path / "bot.py", tmp_path / "far.toml"
    program.write_text(STEADY.format(think=0.05, nerve=1))
    file.write_text(LEAGUE)
    options = [file, "--data", tmp_path / "data"]

    with start_command("league", "run", *options) as league:
        first = {name: access_of(league, name) for name in ("ann", "bob")}
        awaited = wait_for(lambda: run_arena(capsys, "league", "status", *options, "--json").json["awaited"], 60)
        assert awaited == [{"name": "ann", "tables": 12}, {"name": "bob", "tables": 12}]
        league.signal(signal.SIGKILL)
        league.wait_for_exit()
    port = int(first["ann"]["CHEATARENA_ADDRESS"].rpartition(":")[2])

    with closing(socket.socket()) as other:
        wait_for(lambda: bind(other, port), 30)
        with start_command("league", "resume", *options) as league:
            league.wait_for_line(f"port {port}, which the bots of this league dialled, is taken: their address has")
            moved = access_of(league, "bob")
            assert "CHEATARENA_TOKEN" not in moved, "it has one"
            assert moved["CHEATARENA_ADDRESS"] != first["ann"]["CHEATARENA_ADDRESS"]
            league.signal(signal.SIGKILL)
            league.wait_for_exit()

    access = {name: first[name] | {"CHEATARENA_ADDRESS": moved["CHEATARENA_ADDRESS"]} for name in first}
    with running_bot(program, access["ann"]), running_bot(program, access["bob"]):
        with start_command("league", "resume", *options) as league:
            wait_for(lambda: run_arena(capsys, "league", "games", *options, "--json").json, 60)
            league.signal(signal.SIGKILL)
            league.wait_for_exit()
        with start_command("league", "resume", *options) as league:
            assert access_of(league, "ann")["CHEATARENA_ADDRESS"] == moved["CHEATARENA_ADDRESS"]
            assert league.wait_for_exit(120) == 0, league.err

    games = run_arena(capsys, "league", "games", *options, "--json").json
    assert len(games) == 12
    assert not any(game["forfeits"] for game in games)
    tokens = run_arena(capsys, "token", "list", "--all", "--json", *options[1:]).json
    assert [(each["name"], each["state"]) for each in tokens] == [("ann", "revoked"), ("bob", "revoked")]


def bind(held: socket.socket, port: int) -> bool:
    """Take a port. Return whether it was free."""
    try:
        held.bind(("127.0.0.1", port))
        held.listen()
    except OSError:
        return False
    return True
