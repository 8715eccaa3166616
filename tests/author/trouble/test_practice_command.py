"""`arena practice` from the command line to the last process: what trouble happens, and what it costs.

The games are short, and most phases are played once for the whole module.
"""

import json
import shlex
import sys
from pathlib import Path

import pytest

from arena.author.trouble.trouble import KINDS
from arena.cli.exit_codes import ExitCode
from arena.games.catalogue import games
from arena.match.referee.facts import GameEnded
from arena.match.referee.orders import AnnounceFact
from arena.match.referee.replay import Replay
from arena.replays.library.journals import JournalReader, journal_files, journaled_matches, read_match_records
from tests.support.bots import SCRIPTS
from tests.support.commands import CommandResult, run_arena, start_command

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow]

RAW = Path(__file__).parents[2] / "e2e" / "raw_bot.py"
"""A sound bot without the SDK."""
BROKEN = Path(__file__).parents[2] / "author" / "check" / "broken_bot.py"
SHORT = ("--games", 2, "--seats", 3, "--set", "max_turns=80", "--seed", "5")


def command_of(*words: str | Path) -> str:
    return shlex.join([sys.executable, *map(str, words)])


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The exit code, the phases of a sound bot under all kinds of trouble, and the data folder."""
    data = tmp_path_factory.mktemp("practice")
    with start_command("practice", command_of(RAW), "--chaos", *SHORT, "--data", data, "--json") as command:
        code = command.wait_for_exit(280)
    assert command.err == [], "with --json there is no progress"
    return code, json.loads(command.out[0]), data


def test_a_sound_bot_passes_every_phase_and_each_kind_of_trouble_really_happens(sound):
    """Beside the counts, the trouble shows in what the server saw. One test, which no two workers share out."""
    code, result, _ = sound
    phases = {phase["trouble"]: phase for phase in result["phases"]}

    assert list(phases) == ["quiet", *KINDS]
    assert [phase["own_strikes"] for phase in result["phases"]] == [0] * len(result["phases"])
    assert all(phase["is_passed"] and phase["games_finished"] == 2 for phase in result["phases"])
    assert code == ExitCode.YES
    for kind in KINDS:
        assert sum(phases[kind]["counts"].values()) > 0, kind
    assert phases["quiet"]["counts"] == {}
    assert phases["quiet"]["reconnections"] == 0
    assert phases["delay"]["decision_p50_s"] >= 0.1, "50 ms in each direction"
    assert phases["jitter"]["decision_p50_s"] > 0.02
    assert phases["drops"]["connections_lost"] >= 1
    assert phases["drops"]["reconnections"] >= phases["drops"]["connections_lost"] - 1
    assert phases["tls"]["connections_lost"] >= 1
    restarts = phases["restarts"]["counts"]["restarts of the bot"]
    assert 1 <= phases["restarts"]["connections_lost"] <= restarts, "a bot may end before it has connected again"
    assert phases["restarts"]["away_s"] > 0
    assert phases["server"]["reconnections"] >= phases["server"]["counts"]["restarts of the server"]
    assert {"departures", "floods", "illegal answers"} & set(phases["neighbours"]["counts"])


@pytest.mark.long
def test_places_are_those_of_the_replays(sound):
    """All phases are in one data folder. A server that was restarted has moved its match to a newer journal."""
    _, result, data = sound
    found, seeds = dict[str, list[int]](), set[bytes]()
    for path in journal_files(data):
        reader = JournalReader(path)
        for match in journaled_matches(reader):
            replay = Replay(read_match_records(reader, [match.number])[match.number], games())
            orders = [order for moment in replay.moments() for order in moment.orders]
            places = [
                order.fact.places_by_entrant[0]
                for order in orders
                if isinstance(order, AnnounceFact) and isinstance(order.fact, GameEnded)
            ]
            found.setdefault(match.match_id, places)
            assert replay.secret is not None
            seeds.add(replay.secret.seed)

    assert {phase["match_id"]: phase["places"] for phase in result["phases"]} == {
        phase["match_id"]: found[phase["match_id"]] for phase in result["phases"]
    }
    assert seeds == {(5).to_bytes(32, "big")}, "all phases have the cards of --seed 5"


def test_a_bot_that_cannot_reconnect_is_told_so_by_its_cost(capsys, tmp_path):
    """It ends when its connection is lost, and gives up its seat at once. The quiet phase is the reference."""
    pace = ("--reconnect-grace-ms", 500, "--turn-ms", 500, "--call-ms", 200)
    ended = run_arena(
        capsys,
        "practice",
        command_of(BROKEN, "give_up_when_lost"),
        "--chaos",
        "drops",
        *SHORT,
        *pace,
        "--data",
        tmp_path,
    )

    assert ended.code == ExitCode.NO
    row = next(line for line in ended.out.splitlines() if line.startswith(" drops"))
    _, cuts, strikes, own, *_ = row.split()
    assert (cuts, own) == ("1", f"({strikes})")
    assert int(strikes) >= 1
    assert "drops (cuts: 1): it ended with exit code 69 and lost its seat: keep running, and dial again" in ended.out
    assert "quiet: nothing to do" in ended.out
    assert "has no faults of its own in 1 of 2 phases; --seed 5 repeats this practice" in ended.out


def test_without_chaos_there_is_one_quiet_phase(capsys, tmp_path):
    """Faults are the bot's own then, and the first one is quoted."""
    ended = run_arena(capsys, "practice", command_of(BROKEN, "claim_illegal_ranks"), *SHORT, "--data", tmp_path)

    assert ended.code == ExitCode.NO
    assert "quiet: it had " in ended.out
    assert "the first, in game 0 at turn" in ended.out
    assert "replay show" in ended.out
    assert all(len(line) <= 80 for line in table_of(ended)), "the table fits on a terminal"


def table_of(ended: CommandResult) -> list[str]:
    lines = ended.out.splitlines()
    return [line.rstrip() for line in lines[: next(i for i, line in enumerate(lines) if line.startswith("times:"))]]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sample:honest", "--chaos", "dely"], "unknown kind of trouble 'dely'; known: delay,"),
        (["remote:mine"], "practice starts the bot many times, so it has to run on this machine"),
        (["sample:honest", "--against", "remote:mine"], "a remote bot cannot be started again for each phase"),
        (["sample:honest", "--seats", "2", "--against", "sample:honest", "--against", "sample:gambler"],
         "--against sample:gambler: with --seats 2 there is no seat left for it"),
        (["sample:honest", "--games", "0"], "--games 0"),
    ],
)  # fmt: skip
def test_a_wrong_request_gets_a_sentence_and_starts_nothing(words, sentence, capsys, tmp_path):
    ended = run_arena(capsys, "practice", *words, "--data", tmp_path / "data")

    assert ended.code == ExitCode.USAGE
    assert sentence in ended.err
    assert not (tmp_path / "data").exists()


def test_a_bot_that_does_not_start_is_named(capsys, tmp_path):
    ended = run_arena(capsys, "practice", "nothere.py", "--data", tmp_path / "data")

    assert ended.code == ExitCode.BOT_FAILED
    assert "nothere.py" in ended.err


def test_a_bot_that_does_not_start_again_keeps_its_finished_phases(capsys, tmp_path):
    """The first process of the bot plays, the second one ends at once."""
    bot = tmp_path / "once.py"
    bot.write_text(
        "import os, pathlib, sys\n"
        "mark = pathlib.Path(__file__).with_suffix('.started')\n"
        "if mark.exists(): sys.exit('only once')\n"
        "mark.touch()\n"
        f"os.execv(sys.executable, [sys.executable, {str(RAW)!r}])\n"
    )

    ended = run_arena(capsys, "practice", bot, "--chaos", "delay", *SHORT, "--json", "--data", tmp_path / "data")

    assert ended.code == ExitCode.BOT_FAILED
    assert "only once" in ended.err
    assert [phase["trouble"] for phase in json.loads(ended.out)["phases"]] == ["quiet"]


def test_a_bot_that_ends_in_a_phase_gives_up_its_seat_at_once(capsys, tmp_path):
    """Its neighbours need not wait for its reconnect allowance and for its clocks."""
    bot = tmp_path / "dier.py"
    bot.write_text(SCRIPTS["dier"])

    ended = run_arena(capsys, "practice", bot, "--chaos", "jitter", *SHORT, "--json", "--data", tmp_path / "data")

    assert ended.code == ExitCode.NO
    for phase in json.loads(ended.out)["phases"]:
        assert phase["ended"] == "ended with exit code 7"
        assert (phase["is_gone"], phase["automatic_moves"]) == (True, 0)
