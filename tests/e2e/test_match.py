"""`arena match` from the command line to the last process: results, failures, interruptions, other servers."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games
from arena.match.referee.facts import GameEnded
from arena.match.referee.orders import AnnounceFact
from arena.match.referee.replay import Replay
from arena.replays.library.journals import JournalReader, journal_files, journaled_matches, read_match_records
from arena.server.rpc.local_authority import LocalAuthority
from tests.support.bots import write_bots
from tests.support.commands import is_alive, run_arena, start_command

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are otherwise there")

PATIENT = ("--turn-ms", 60_000, "--call-ms", 60_000)
"""Nobody is late on a busy machine."""


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    return write_bots(tmp_path_factory.mktemp("bots"))


def test_match_prints_results_as_json(capsys, bots, tmp_path):
    """The JSON has everything that the table shows."""
    ended = run_arena(
        capsys, "match", "--bot", bots / "honest", "--bot", bots / "doubter", "--games", 2, "--data", tmp_path,
        *PATIENT, "--seed", "1", "--json",
    )  # fmt: skip

    assert ended.code == ExitCode.YES
    result = ended.json
    assert [entrant["name"] for entrant in result["entrants"]] == ["honest", "doubter"]
    assert result["termination"] == "finished"
    assert result["rated"] is False, "a match whose cards somebody chose"
    assert [sorted(game["places"]) for game in result["games"]] == [[1, 2], [1, 2]]
    honest, doubter = result["entrants"]
    assert doubter["counts"]["calls_right"] == honest["counts"]["lies_caught"]
    assert doubter["counts"]["calls_right"] + doubter["counts"]["calls_wrong"] > 0
    assert doubter["place_sum"] == sum(doubter["places"])
    assert 0 <= honest["think_s"] < 2, (
        "who is quick on a busy machine may seem to take no time (arena/server/node/event_loop.py)"
    )
    assert 0.001 < doubter["think_s"] < 2, "30 ms before it calls, 8 of which are given for the way"
    assert not any(honest["strikes"].values())
    assert result["bots"]["honest"]["ended"] is None
    assert "connected as honest" in (tmp_path / "bots" / "honest.log").read_text()


def test_match_prints_results_for_people(capsys, bots, tmp_path):
    """Numbers distinguish two copies of a bot; the last lines say where everything is."""
    ended = run_arena(capsys, "match", "--bot", bots / "honest", "--bot", bots / "honest", "--data", tmp_path)

    assert ended.code == ExitCode.YES
    assert "unrated" not in ended.out
    assert "honest#1" in ended.out
    assert "honest#2" in ended.out
    assert f"--data {tmp_path}" in ended.out
    assert str(tmp_path / "bots") in ended.out


@pytest.mark.slow
def test_empty_seats_are_filled(capsys, bots, tmp_path):
    ended = run_arena(
        capsys, "match", "--bot", bots / "doubter", "--fill", bots / "honest", "--seats", 3, "--data", tmp_path,
        "--no-deadlines", "--json",
    )  # fmt: skip

    assert [entrant["name"] for entrant in ended.json["entrants"]] == ["doubter", "honest#1", "honest#2"]
    assert ended.json["rated"] is False


@pytest.mark.slow
def test_same_seed_produces_same_games(capsys, bots, tmp_path):
    """Deterministic bots play the same game again, also on another server."""
    asked = ("match", "--bot", bots / "honest", "--bot", bots / "doubter", "--seed", "1", *PATIENT, "--json")

    first = run_arena(capsys, *asked, "--data", tmp_path / "a").json
    second = run_arena(capsys, *asked, "--data", tmp_path / "b").json

    assert [game | {"match_id": ""} for game in first["games"]] == [game | {"match_id": ""} for game in second["games"]]
    assert [each["counts"] for each in first["entrants"]] == [each["counts"] for each in second["entrants"]]


def test_bot_that_exits_at_once_is_named_with_its_last_lines(capsys, bots, tmp_path):
    ended = run_arena(capsys, "match", "--bot", bots / "honest", "--bot", bots / "broken", "--data", tmp_path)

    assert ended.code == ExitCode.BOT_FAILED
    first, *rest = ended.err.strip().splitlines()
    assert first == f"arena: broken ended with exit code 5; its output is in {tmp_path / 'bots' / 'broken.log'}"
    assert rest == ["  about to fail"]


def test_bot_that_does_not_connect_is_given_up_in_time(capsys, bots, tmp_path):
    """The limit is the manifest's."""
    ended = run_arena(capsys, "match", "--bot", bots / "honest", "--bot", bots / "mute", "--data", tmp_path)

    assert ended.code == ExitCode.BOT_FAILED
    assert "mute did not connect within 0.5 s" in ended.err


def test_missing_remote_bot_is_named(capsys, bots, tmp_path):
    """The connection details it needed are shown before."""
    ended = run_arena(
        capsys, "match", "--bot", bots / "honest", "--bot", "remote:far", "--join-time", 0.2, "--data", tmp_path
    )

    assert ended.code == ExitCode.BOT_FAILED
    assert "far did not connect within 0.2 s" in ended.last_line
    assert "export CHEATARENA_ADDRESS=127.0.0.1:" in ended.err
    assert "export CHEATARENA_TOKEN=cat_" in ended.err


@pytest.mark.slow
def test_remote_bot_connects_with_the_printed_lines(bots, tmp_path):
    """They can be pasted into another terminal."""
    options = ["--no-fixed-window", "--data", tmp_path, "--json"]
    with start_command("match", "--bot", bots / "honest", "--bot", "remote:far", *options) as match:
        match.wait_for_line("export CHEATARENA_INSTANCE")
        lines = [line.removeprefix("export ").strip() for line in match.err if line.startswith("export ")]
        environment = os.environ | dict(line.split("=", 1) for line in lines)
        with subprocess.Popen([sys.executable, bots / "honest" / "bot.py"], env=environment) as bot:
            try:
                assert match.wait_for_exit() == ExitCode.YES
            finally:
                bot.terminate()
    result = json.loads(match.out[0])
    assert [entrant["name"] for entrant in result["entrants"]] == ["honest", "far"]
    assert result["bots"]["far"]["output"] is None


@pytest.mark.slow
def test_bot_that_dies_loses_its_seat_and_is_reported(capsys, bots, tmp_path):
    """The match continues by the rules, and the exit code says that a bot failed, whatever limit was asked for."""
    asked = (
        "match", "--bot", bots / "honest", "--bot", bots / "dier", "--data", tmp_path, "--turn-ms", 200,
        "--reconnect-grace-ms", 100, "--max-auto-moves", 1, "--call-ms", 100,
    )  # fmt: skip

    ended = run_arena(capsys, *asked, "--json", "--max-strikes", 0)

    assert ended.code == ExitCode.BOT_FAILED
    assert ended.json["bots"]["dier"]["ended"] == "ended with exit code 7"
    assert ended.json["bots"]["dier"]["last_lines"][-1] == "I had enough"
    assert ended.json["entrants"][0]["places"] == [1]
    assert run_arena(capsys, *asked).code == ExitCode.BOT_FAILED
    assert run_arena(capsys, *asked, "--max-strikes", 1000).code == ExitCode.YES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "how", "options"),
    [
        pytest.param("dier", "ended with exit code 7", ["--no-deadlines"], marks=pytest.mark.long),
        ("quitter", "ended with exit code 0", ["--no-deadlines", "--nodes", 1]),
        ("victim", "was killed by SIGKILL", [*PATIENT]),
    ],
)
def test_bot_that_has_ended_gives_up_its_seat_at_once(bots, tmp_path, bot, how, options):
    """Nobody waits for a program that will not be started again. The command says at once how it ended."""
    asked = ["--bot", bots / "honest", "--bot", bots / "honest", "--bot", bots / bot, "--games", 2, *options]
    with start_command("match", *asked, "--data", tmp_path, "--json") as command:
        said = command.wait_for_line(f"{bot} {how}")

        assert command.wait_for_exit(60) == ExitCode.BOT_FAILED
    assert said.endswith("; it gives up its seat")
    result = json.loads(command.out[0])
    assert result["bots"][bot]["ended"] == how
    assert [entrant["strikes"]["missing"] for entrant in result["entrants"]] == [0, 0, 0]
    assert [entrant["strikes"]["gone"] for entrant in result["entrants"]] == [0, 0, 1]


@pytest.mark.slow
def test_bot_that_has_ended_gives_up_its_seat_on_a_server_elsewhere(bots, tmp_path):
    with start_command("serve", "--data", tmp_path) as server:
        address = server.wait_for_line("READY").split()[1]
        asked = ("--bot", bots / "honest", "--bot", bots / "dier", "--server", address, "--data", tmp_path)
        with start_command("match", *asked, "--no-deadlines", "--json") as command:
            assert command.wait_for_exit(60) == ExitCode.BOT_FAILED
    assert [entrant["places"] for entrant in json.loads(command.out[0])["entrants"]] == [[1], [2]]


@pytest.mark.slow
def test_faults_fail_the_command_and_the_first_one_is_quoted(capsys, bots, tmp_path):
    """The sentence names the bot, the share of its faults, and what was wrong with its answer."""
    asked = ("match", "--bot", bots / "honest", "--bot", bots / "stubborn", "--data", tmp_path, *PATIENT)

    told = run_arena(capsys, *asked)
    allowed = run_arena(capsys, *asked, "--max-strikes", 1000, "--json")

    assert told.code == ExitCode.BOT_FAILED
    lines = told.out.splitlines()
    (start,) = (index for index, line in enumerate(lines) if line.startswith("stubborn has ") and "decisions" in line)
    assert lines[start].endswith("more than 1 %, so the exit code is 3")
    quoted = " ".join(" ".join(lines[start + 1 : start + 5]).split())
    assert quoted.startswith("the first, in game 0 at turn ")
    assert "may not be claimed now (illegal_" in quoted, "the rank or the number of cards"
    assert "--entrant stubborn --game 0" in quoted
    assert allowed.code == ExitCode.YES
    honest, stubborn = allowed.json["entrants"]
    assert (honest["first_fault"], honest["fault_share"]) == (None, 0)
    assert "illegal_" in stubborn["first_fault"]["text"]
    assert 0.01 < stubborn["fault_share"] <= 1


@pytest.mark.slow
def test_forgiving_match_plays_on_after_faults(capsys, bots, tmp_path):
    """No seat is given up for automatic moves, and the exit code is 0."""
    asked = ("match", "--bot", bots / "honest", "--bot", bots / "dreamer", "--data", tmp_path)

    forgiven = run_arena(capsys, *asked, "--turn-ms", 50, "--call-ms", 50, "--forgiving", "--json")

    assert forgiven.code == ExitCode.YES, forgiven.err
    assert forgiven.json["termination"] == "finished"
    strikes = forgiven.json["entrants"][1]["strikes"]
    assert strikes["gone"] == 0
    assert strikes["missing"] > 3, "more than the three in a row that usually cost a seat"


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        (("--max-strikes", 3), "--max-strikes 3: --forgiving accepts any number"),
        (("--max-auto-moves", 2), "--max-auto-moves 2: --forgiving lets a bot miss any number"),
    ],
)
def test_forgiving_is_refused_beside_a_limit(capsys, bots, tmp_path, limit, sentence):
    asked = ("match", "--bot", bots / "honest", "--bot", bots / "honest", "--data", tmp_path / "data", "--forgiving")

    ended = run_arena(capsys, *asked, *limit)

    assert ended.code == ExitCode.USAGE
    assert sentence in ended.last_line
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_interruption_ends_everything(capsys, bots, tmp_path, number):
    """No process is left, the exit code says what happened, and the game has its replay."""
    thinker = bots / "thinker"
    with start_command(
        "match", "--bot", thinker, "--bot", thinker, "--data", tmp_path, "--no-deadlines", "--show-output", "thinker"
    ) as command:
        pids = [int(command.wait_for_line(f"thinker#{which}: pid").split()[-1]) for which in (1, 2)]
        assert all(map(is_alive, pids))

        command.signal(number)

        assert command.wait_for_exit() == ExitCode.INTERRUPTED
        assert not any(map(is_alive, pids))
        assert command.out == []
        told, _, hint = command.err[-1].strip().partition(": arena replay show ")
        assert told == "arena: stopped; the first game was not finished, but its moves are saved"
    shown = run_arena(capsys, "replay", "show", *hint.split(), "--json").json
    assert any(line["kind"] == "ask" for line in shown["lines"]), "the question that nobody had answered yet"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "table"])
def test_interruption_shows_finished_games(bots, tmp_path, form):
    with start_command(
        "match", "--bot", bots / "waiter", "--bot", bots / "honest", "--data", tmp_path, "--games", 4, "--nodes", 1,
        "--no-deadlines", "--show-output", "waiter", *["--json"] * (form == "json"),
    ) as command:  # fmt: skip
        command.wait_for_line("waiter: third game")

        command.signal(signal.SIGINT)

        assert command.wait_for_exit() == ExitCode.INTERRUPTED
    assert command.err[-1].startswith("arena: stopped; saved 2 finished games: arena replay show ")
    if form == "json":
        result = json.loads(command.out[0])
        assert result["termination"] == "cancelled"
        assert [len(entrant["places"]) for entrant in result["entrants"]] == [2, 2]
        assert [game["match_id"] for game in result["games"]] == [result["match_id"]] * 2
    else:
        assert any(line.split()[:1] == ["waiter"] for line in command.out)
        assert "The match did not end as planned: cancelled.\n" in command.out


@pytest.mark.slow
def test_results_of_several_matches_are_the_sum_of_their_replays(capsys, bots, tmp_path):
    """Two at a time; the rotation goes on from match to match, and another run with the same seed repeats them."""
    asked = ("match", "--bot", bots / "honest", "--bot", bots / "doubter", "--matches", 3, "--at-once", 2, "--seed", 1)

    first = run_arena(capsys, *asked, *PATIENT, "--data", tmp_path / "a", "--json").json
    second = run_arena(capsys, *asked, *PATIENT, "--data", tmp_path / "b", "--json").json

    replayed = replayed_places(tmp_path / "a")
    assert len(first["matches"]) == len(replayed) == 3
    assert {entrant["name"]: entrant["places"] for entrant in first["entrants"]} == {
        name: [replayed[match["match_id"]][name] for match in first["matches"]] for name in ("honest", "doubter")
    }
    played = [[game | {"match_id": ""} for game in each["games"]] for each in (first, second)]
    assert played[0] == played[1]
    assert len({game["turn_count"] for game in played[0]}) > 1, "each match has its own cards"


def replayed_places(data):
    """The places of each match with one game, by its id and the bot's name, from the journal alone."""
    reader, places = JournalReader(*journal_files(data)), {}
    for match in journaled_matches(reader):
        replay = Replay(read_match_records(reader, [match.number])[match.number], games())
        for order in (order for moment in replay.moments() for order in moment.orders):
            if isinstance(order, AnnounceFact) and isinstance(order.fact, GameEnded):
                ended = order.fact.places_by_entrant
                places[match.match_id] = dict(zip(replay.terms.entrants, ended, strict=True))
    return places


@pytest.mark.slow
def test_interruption_keeps_the_finished_matches_of_a_series(bots, tmp_path):
    with start_command(
        "match", "--bot", bots / "waiter", "--bot", bots / "honest", "--data", tmp_path, "--matches", 4, "--at-once", 1,
        "--no-deadlines", "--show-output", "waiter", "--json",
    ) as command:  # fmt: skip
        command.wait_for_line("waiter: third game")

        command.signal(signal.SIGINT)

        assert command.wait_for_exit() == ExitCode.INTERRUPTED
    assert command.err[-1].startswith("arena: stopped; saved 2 finished games: arena replay show ")
    result = json.loads(command.out[0])
    assert [(match["termination"], match["game_count"]) for match in result["matches"]] == [
        ("finished", 1),
        ("finished", 1),
        ("cancelled", 0),
    ]
    assert [len(entrant["places"]) for entrant in result["entrants"]] == [2, 2]


def test_a_bot_that_dies_in_a_series_loses_no_result(capsys, bots, tmp_path):
    """It loses its seat in the first match, and the second cannot begin."""
    ended = run_arena(
        capsys, "match", "--bot", bots / "honest", "--bot", bots / "dier", "--data", tmp_path, "--matches", 2,
        "--at-once", 1, "--turn-ms", 200, "--reconnect-grace-ms", 100, "--max-auto-moves", 1, "--call-ms", 100,
        "--json",
    )  # fmt: skip

    assert ended.code == ExitCode.BOT_FAILED
    assert [match["game_count"] for match in ended.json["matches"]] == [1]
    assert "arena: dier ended with exit code 7" in ended.err


@pytest.mark.slow
def test_interruption_while_bots_start_ends_everything(bots, tmp_path):
    with start_command("match", "--bot", "remote:far", "--bot", bots / "honest", "--data", tmp_path) as command:
        command.wait_for_line("export CHEATARENA_INSTANCE")

        command.signal(signal.SIGINT)

        assert command.wait_for_exit() == ExitCode.INTERRUPTED


@pytest.mark.slow
def test_match_runs_on_another_server(capsys, bots, tmp_path):
    """With access to the server's folder, tokens are created for the bots; the server keeps the results."""
    with start_command("serve", "--data", tmp_path) as server:
        address = server.wait_for_line("READY").split()[1]

        ended = run_arena(
            capsys, "match", "--bot", bots / "honest", "--bot", bots / "doubter", "--server", address, "--data",
            tmp_path, "--json",
        )  # fmt: skip

        assert ended.code == ExitCode.YES
        assert ended.json["games"][0]["termination"] in ("finished", "max_turns")
        assert ended.json["entrants"][0]["counts"]["decisions"] > 0
        server.signal(signal.SIGTERM)
        assert server.wait_for_exit() == 0


@pytest.mark.slow
def test_local_bots_trust_the_authority_that_the_command_trusts(capsys, monkeypatch, bots, tmp_path):
    authority = LocalAuthority(tmp_path / "tls")
    pair = authority.issue_server_certificate(["127.0.0.1"])
    certificate = ("--tls-cert", pair.certificate, "--tls-key", pair.key, "--tls-on-loopback")
    monkeypatch.setenv("CHEATARENA_CA", str(authority.certificate))
    with start_command("serve", "--data", tmp_path, "--port", 0, *certificate) as server:
        address = server.wait_for_line("READY").split()[1]
        asked = ("--server", address, "--data", tmp_path, "--json")

        ended = run_arena(capsys, "match", "--bot", bots / "honest", "--bot", bots / "doubter", *asked)

    assert ended.code == ExitCode.YES, ended.err


@pytest.mark.slow
def test_connected_bot_is_not_told_how_to_connect(capsys, bots, tmp_path):
    """Only the missing bot gets a token."""
    with start_command("serve", "--data", tmp_path) as server:
        address = server.wait_for_line("READY").split()[1]
        token = run_arena(capsys, "token", "create", "ann", "--data", tmp_path).out.strip()
        environment = os.environ | {"CHEATARENA_ADDRESS": address, "CHEATARENA_TOKEN": token}
        command = [sys.executable, bots / "honest" / "bot.py"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as bot:
            try:
                assert bot.stderr is not None
                assert any("connected as ann" in line for line in bot.stderr)
                players = ("--bot", "remote:ann", "--bot", "remote:bob")
                with start_command("match", "--server", address, "--data", tmp_path, *players) as match:
                    match.wait_for_line("export CHEATARENA_INSTANCE")
                    printed = list(match.err)
            finally:
                bot.terminate()

    assert [line for line in printed if "may dial in" in line] == ["bob may dial in within 60 s:\n"]


@pytest.mark.slow
def test_remote_bots_are_told_the_public_address_of_the_server(tmp_path):
    """Not the address that the organizer dials, which may be a loopback one."""
    public = ("--listen", "127.0.0.1:0", "--public-address", "arena.example:443")
    with start_command("serve", "--data", tmp_path, *public) as server:
        server.wait_for_line("READY")
        address = next(line for line in server.out if line.startswith("LISTENING")).split()[1]
        asked = ("--server", address, "--data", tmp_path, "--bot", "remote:ann", "--bot", "remote:bob")
        with start_command("match", *asked) as match:
            printed = match.wait_for_line("export CHEATARENA_ADDRESS")

    assert printed.split("=")[1] == "arena.example:443"


@pytest.mark.slow
def test_stopping_server_grants_grace_and_ends_at_once_on_second_signal(bots, tmp_path):
    """The first signal waits for running matches; the second leaves them to the next server."""
    thinker = bots / "thinker"
    with start_command("serve", "--data", tmp_path, "--grace", 600) as server:
        address = server.wait_for_line("READY").split()[1]
        with start_command(
            "match", "--bot", thinker, "--bot", thinker, "--server", address, "--data", tmp_path, "--no-deadlines",
            "--show-output", "thinker",
        ) as match:  # fmt: skip
            match.wait_for_line("thinker#1: pid")

            server.signal(signal.SIGTERM)
            time.sleep(0.5)
            is_patient = server.is_running
            server.signal(signal.SIGTERM)

            assert server.wait_for_exit() == ExitCode.YES
            assert match.is_running, "it waits for the next server, which takes the match up"
    assert is_patient


@pytest.mark.slow
def test_play_token_cannot_create_matches(capsys, monkeypatch, tmp_path):
    """A missing token cannot either; an organizer's can, once the bots are there."""
    asked = ("match", "--bot", "remote:a", "--bot", "remote:b", "--join-time", 0)
    with start_command("serve", "--data", tmp_path) as server:
        address = server.wait_for_line("READY").split()[1]

        def ask_with(scope):
            secret = run_arena(capsys, "token", "create", "somebody", "--scope", scope, "--data", tmp_path).out.strip()
            monkeypatch.setenv("ARENA_TOKEN", secret)
            return run_arena(capsys, *asked, "--server", address)

        assert run_arena(capsys, *asked, "--server", address).code == ExitCode.USAGE
        played = ask_with("play")
        organized = ask_with("organize")

    assert played.code == ExitCode.USAGE
    assert "this call needs organize" in played.last_line
    assert organized.code == ExitCode.BOT_FAILED
    assert "a did not connect within 0 s" in organized.err
    assert "b did not connect within 0 s" in organized.err


def test_bot_without_possible_token_is_refused_before_others_are_invited(capsys, bots, monkeypatch):
    """A bot author who followed the invitation would connect in vain. No server is contacted."""
    monkeypatch.setenv("ARENA_TOKEN", "cat_x")

    ended = run_arena(
        capsys, "match", "--bot", "remote:x", "--bot", bots / "honest", "--server", "127.0.0.1:1", "--join-time", 0
    )

    assert ended.code == ExitCode.USAGE
    assert ended.err.splitlines() == [ended.last_line]
    assert "option bot = 'honest' is refused: no token can be created for 'honest'" in ended.last_line


def test_sample_without_possible_token_is_named_although_another_bot_was_typed(capsys, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "cat_x")

    ended = run_arena(
        capsys, "match", "--bot", "remote:x", "--fill", "sample:honest", "--seats", 2, "--server", "127.0.0.1:1"
    )

    assert ended.code == ExitCode.USAGE
    assert "no token can be created for 'honest'" in ended.last_line


def test_missing_server_is_reported(capsys, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "cat_x")

    ended = run_arena(capsys, "match", "--bot", "remote:a", "--bot", "remote:b", "--server", "127.0.0.1:1")

    assert ended.code == ExitCode.UNSTEADY
    assert ended.last_line == "arena: no answer from 127.0.0.1:1: nothing listens there"
