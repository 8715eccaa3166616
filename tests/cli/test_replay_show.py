"""`arena replay show`: one line a move with names, lies and calls marked; a seat's view without what is unchanged."""

import os
import pty
import re
import subprocess
import sys
import threading

import pytest

from arena.cli.exit_codes import ExitCode
from arena.cli.replay import pager
from arena.games.cheater.rules.game import CHEATER
from arena.replays.narration.seat_names import SeatNames
from tests.match.referee.driver import MS, S
from tests.replays.narration.random_match import RandomMatch
from tests.support.commands import ARENA, run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

NEW = "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def show(capsys, folder):
    """Show the match that the folder holds."""

    def run(*arguments, code=ExitCode.YES):
        ended = run_arena(capsys, "replay", "show", NEW, *arguments, "--data", folder.path)
        assert ended.code == code, ended.err
        return ended

    return run


def two_moves():
    """A true ace that Cid calls, and a lie that Cid catches."""
    match = ManualMatch(NEW)
    match.answer(0, "1A AC", at=12 * MS, note="safe")
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "call", at=25 * MS, note="seat 0 lies")
    match.answer(1, "2A AD2C", at=40 * MS)
    match.answer(0, "decline", at=50 * MS)
    match.answer(2, "call", at=60 * MS)
    return match


def three_moves():
    """The two moves, and a true ace of Cid."""
    match = two_moves()
    match.answer(2, "1A AH", at=80 * MS)
    return match


def test_move_is_one_line_with_names_and_marks(show, folder):
    """The expected text is written by hand from the answers."""
    folder.write_journal(JOURNAL, three_moves())

    lines = [line.rstrip() for line in show().out.splitlines()]

    assert "in the margin: L a lie, C called rightly, X called wrongly" in lines
    assert "game 0: Ann, Bob, Cid" in lines
    assert [line for line in lines if re.match(r" +\d+ +\d+\.\d{3} ", line)] == [
        "   0     0.012  X  Ann: 1 x A, lays AC; Cid calls and takes 1",
        "   1     0.040  LC Bob: 2 x A, lays AD 2C; Cid calls, Bob takes 2",
        "   2     0.080     Cid: 1 x A, lays AH",
    ]
    assert "         0.025     note of Cid: seat 0 lies" in lines, "what a bot wrote stays as it is"
    assert not any("seat 0" in line for line in lines if "note" not in line)


def test_seat_sees_marks_only_for_what_it_knows(show, folder):
    """Bob knows his lie when he lays it. Ann learns of it only by the call."""
    match = ManualMatch(NEW)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "decline", at=25 * MS)
    match.answer(1, "1A 3H", at=40 * MS)
    folder.write_journal(JOURNAL, match)

    def margin(*view):
        (line,) = (line for line in show(*view).out.splitlines() if line.startswith("   1 "))
        return line[16:18]

    assert margin() == "L "
    assert margin("--entrant", "Bob") == "L "
    assert margin("--entrant", "Ann") == "  "


def entries(out):
    """Return the entries below `game 0` as they are before they are wrapped: their lines begin beside the margin."""
    _, _, below = out.partition("\ngame 0: Ann, Bob, Cid\n")
    return re.sub(r"\n {19}(?!knew |here the records end)", " ", below).splitlines()


def test_seat_reads_a_move_and_what_it_newly_knew_in_one_line(show, folder):
    """Its first question shows all that it knew. After that, neither the claim nor the own count is told twice."""
    folder.write_journal(JOURNAL, three_moves())

    assert entries(show("--entrant", "Cid").out)[:-1] == [
        "         0.000     the cards are dealt, Ann: 18, Bob: 18, Cid: 18",
        "         0.000     Ann begins",
        "         0.000     the own hand: AH 2D 3C 3S 4H 5D 6C 6S 7H 8D 9C 9S TH JD QC QS KH JK",
        "   0     0.012  X  Ann: 1 x A; Cid calls (13.0 ms) (AC) and takes 1; taken by this seat: AC",
        (
            "                   knew hand AH 2D 3C 3S 4H 5D 6C 6S 7H 8D 9C 9S TH JD QC QS KH JK (18)"
            " | sizes Ann: 17, Bob: 18, Cid: 18 (own) | pile 1 card, bottom first: Ann 1 x A"
            " | to call and to follow Ann: 1 x A | legal call or decline"
        ),
        "         0.025     note: seat 0 lies",
        (
            "   1     0.040  LC Bob: 2 x A; Cid calls (20.0 ms) (AD 2C), Bob takes 2"
            " | hand AC AH 2D 3C 3S 4H 5D 6C 6S 7H 8D 9C 9S TH JD QC QS KH JK (19) | sizes Bob: 16 | pile 2"
        ),
        (
            "   2     0.080     Cid: 1 x A, lays AH (20.0 ms)"
            " | sizes Bob: 18 | pile empty | legal 1 to 6 cards as A, 2 or K"
        ),
    ]


@pytest.mark.parametrize("is_struck", [False, True], ids=["the records end", "an automatic move follows"])
def test_question_without_an_answer_keeps_its_own_line(show, folder, is_struck):
    match = two_moves()
    match.bench.catch_up(4 * S if is_struck else 0)
    folder.write_journal(JOURNAL, match)

    told = entries(show("--entrant", "Cid").out)

    assert f"{'':19}knew sizes Bob: 18 | pile empty | legal 1 to 6 cards as A, 2 or K" in told
    assert any("a strike: Cid gives no answer" in line for line in told) is is_struck


def test_turn_that_is_selected_shows_all_that_the_seat_knew(show, folder):
    folder.write_journal(JOURNAL, three_moves())

    first, second = entries(show("--entrant", "Cid", "--turn", 2).out)

    assert first.split(" | ")[2:4] == ["pile empty", "to call nothing"]
    assert second == "   2     0.080     Cid: 1 x A, lays AH (20.0 ms)"


def test_seat_view_does_not_hide_what_full_shows_of_faults(show, folder):
    match = ManualMatch(NEW)
    match.bench.run_until(3 * S)
    folder.write_journal(JOURNAL, match)

    assert "Bob gives no answer within 1 s" in " ".join(show().out.split())
    assert "a strike: Bob gives no answer within 1 s" in " ".join(show("--entrant", "Bob").out.split())


@pytest.mark.parametrize("view", [(), ("--seat", 1)])
def test_times_never_run_backwards(show, folder, view):
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=3, style="live").play_out())

    at = -1.0
    lines = show(*view).out.splitlines()
    for line in lines:
        if line.startswith("game "):
            at = -1.0
        elif found := re.match(r"[ \d]{4} +(\d+\.\d{3}) ", line):
            assert float(found[1]) >= at, line
            at = float(found[1])
    assert sum(line.startswith("game ") for line in lines) == 3


@pytest.mark.parametrize(
    ("turns", "shown"),
    [("1", {1}), ("0..1", {0, 1}), ("1..", {1, 2}), ("..1", {0, 1}), ("2..99", {2})],
)
@pytest.mark.parametrize("view", [(), ("--seat", 2)])
def test_turns_can_be_selected(show, folder, turns, shown, view):
    folder.write_journal(JOURNAL, three_moves())

    out = show("--turn", turns, *view).out

    assert {int(found) for found in re.findall(r"^ +(\d+) +\d+\.\d{3} ", out, re.MULTILINE)} == shown
    assert "game 0: Ann, Bob, Cid" in out


def test_selected_turn_includes_its_question_and_its_call_in_full(show, folder):
    """The call comes after the move is counted, but it is about this move."""
    folder.write_journal(JOURNAL, three_moves())

    lines = show("--turn", "1", "--json").json["lines"]

    assert [line["text"].split(":")[0] for line in lines if line["kind"] in ("ask", "event")] == [
        "seat 1 is to answer",
        "seat 1 claims 2 x A and lays AD 2C",
        "seat 2 calls seat 1 rightly",
    ]
    full = show("--turn", "1", "--full").out
    assert "seat 2 calls seat 1 rightly" in full
    assert "seat 2 calls seat 0 wrongly" not in full


@pytest.mark.parametrize(
    ("turns", "sentence"),
    [
        ("x", "--turn takes a turn or a range of turns, such as 30 or 30..37, not 'x'"),
        ("", "--turn takes a turn or a range of turns, such as 30 or 30..37, not ''"),
        ("..", "--turn takes a turn or a range of turns, such as 30 or 30..37, not '..'"),
        ("3-4", "--turn takes a turn or a range of turns, such as 30 or 30..37, not '3-4'"),
        ("7..3", "--turn 7..3 names no turn: 3 comes before 7"),
        ("900..", "there is no turn 900.. in what is shown"),
    ],
)
def test_bad_turns_are_refused_in_one_sentence(show, folder, turns, sentence):
    folder.write_journal(JOURNAL, three_moves())

    assert show("--turn", turns, code=ExitCode.USAGE).last_line == f"arena: {sentence}"


def test_entrants_of_one_name_are_told_apart():
    names = SeatNames(["Ann", "Ann", "C\x1bid"])

    assert [*names] == ["Ann (seat 0)", "Ann (seat 1)", r"C\x1bid"]
    assert names.put_in("seat 1 calls seat 2, seats 0, 1 and 2") == (
        r"Ann (seat 1) calls C\x1bid, Ann (seat 0), Ann (seat 1) and C\x1bid"
    )


def test_large_hand_is_counted_once_and_then_only_its_changes_are_told(show, folder):
    """Ann has half of the pack. The other half is Bob's."""
    match = ManualMatch(NEW, entrants=2)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS)
    match.answer(1, "1A AD", at=40 * MS)
    folder.write_journal(JOURNAL, match)

    out = " ".join(show("--entrant", "Ann").out.split("game 0")[1].split())
    full = " ".join(show("--entrant", "Ann", "--full").out.split())

    assert re.search(r"knew hand 27 cards: 2\*A 2\*2 ", out)
    assert "Bob: 1 x A | hand 26 cards, -AC | sizes Bob: 26 | pile 2" in out
    assert re.search(r"hand AH 2C( \w\w){24} \(26\)", full), "every card is there"


def test_hand_of_many_decks_is_counted(show, folder):
    """Half of 25 decks would be 16 lines of cards."""
    folder.write_journal(JOURNAL, ManualMatch(NEW, entrants=2, options={"decks": 25}))

    out = show().out

    assert re.search(r"Ann holds \d\d\*AC \d\d\*A", out)
    assert len(out.splitlines()) < 40


def test_turn_of_the_other_game_is_one_line(show, folder):
    match = RandomMatch(CHEATER, 3).play()
    folder.write_journal(JOURNAL, match)

    ended = show_first(folder)

    turns = [int(found) for found in re.findall(r"^ +(\d+) +\d+\.\d{3} +\S+ rolls ", ended, re.MULTILINE)]
    assert turns == list(range(len(turns)))
    assert len(turns) > 3


def show_first(folder):
    """Show the match whose id the driver made."""
    return subprocess.run(
        [*ARENA, "replay", "show", "M", "--data", folder.path], capture_output=True, text=True, check=True
    ).stdout


# ---- on a terminal


def run_on_terminal(*arguments, environment):
    """Run a command on a terminal of 24 lines, and return what it showed."""
    leader, follower = pty.openpty()
    chunks: list[bytes] = []

    def read():
        with open(leader, "rb", buffering=0) as stream:  # noqa: PTH123  a descriptor
            try:
                while chunk := stream.read(65536):
                    chunks.append(chunk)
            except OSError:  # the last writer has gone
                return

    reader = threading.Thread(target=read)
    reader.start()
    given = {name: value for name, value in os.environ.items() if name not in ("PAGER", "NO_COLOR", "COLUMNS", "LINES")}
    ended = subprocess.run(
        [*ARENA, *map(str, arguments)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=given | {"TERM": "xterm", "LINES": "24"} | environment,
        timeout=120,
        check=False,
    )
    os.close(follower)
    reader.join(10)
    return ended.returncode, b"".join(chunks).decode().replace("\r\n", "\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
@pytest.mark.parametrize("columns", [60, *(pytest.param(each, marks=pytest.mark.slow) for each in (80, 120))])
def test_output_fits_the_terminal(folder, columns):
    folder.write_journal(JOURNAL, ManualMatch(NEW, entrants=8).play_out())

    code, out = run_on_terminal(
        "replay", "show", NEW, "--data", folder.path, "--no-pager", environment={"COLUMNS": str(columns)}
    )

    plain = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert code == 0
    assert plain != out, "it has colours"
    assert columns - 25 < max(map(len, plain.splitlines())) <= columns


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_pager_gets_long_text_only(folder):
    folder.write_journal(JOURNAL, ManualMatch(NEW).play_out())
    paged = {"COLUMNS": "80", "PAGER": "sed s/^/PAGED/"}

    _, long = run_on_terminal("replay", "show", NEW, "--data", folder.path, environment=paged)
    _, short = run_on_terminal("replay", "show", NEW, "--turn", 1, "--data", folder.path, environment=paged)
    _, unpaged = run_on_terminal("replay", "show", NEW, "--no-pager", "--data", folder.path, environment=paged)

    assert all(line.startswith("PAGED") for line in long.splitlines())
    assert "PAGED" not in short
    assert "PAGED" not in unpaged
    assert "Ann" in unpaged


@pytest.mark.parametrize("chosen", ["cat", "", "no-such-program-anywhere", '"'])
def test_no_usable_pager_means_no_pager(monkeypatch, chosen):
    monkeypatch.setenv("PAGER", chosen)

    assert not pager.page_text("text\n")
