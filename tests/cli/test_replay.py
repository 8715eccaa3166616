"""`arena replay`: what was acknowledged can be read, also after a SIGKILL; a seat's view holds what the seat knew."""

import re

import pytest

from arena.cli.exit_codes import ExitCode
from arena.match.referee.terms import Seating
from arena.server.store.data_folder import acquire_folder_lock
from tests.match.referee.driver import MS, S
from tests.support.commands import run_arena
from tests.support.recorded_matches import DataFolder, ManualMatch

OLD, NEW = "01JZ0000000000000000000AGE", "01K00000000000000000000NEW"
JOURNAL = "01HZ0000000000000000000NDE"


@pytest.fixture
def folder(tmp_path):
    return DataFolder(tmp_path / "data")


@pytest.fixture
def replay(capsys, folder):
    """Run a replay command on the folder."""

    def run(*arguments, code=ExitCode.YES):
        ended = run_arena(capsys, "replay", *arguments, "--data", folder.path)
        assert ended.code == code, ended.err
        return ended

    return run


def opening(match_id=NEW, **settings):
    """The first turn of a game: an honest ace, and a call that was wrong."""
    match = ManualMatch(match_id, **settings)
    match.answer(0, "1A AC", at=12 * MS, note="safe")
    match.answer(1, "decline", at=20 * MS)
    match.answer(2, "call", at=25 * MS, note="60% a lie")
    return match


# ---- list


def test_matches_are_listed_newest_first(replay, folder):
    first, second = ManualMatch(OLD, number=1).play_out(), opening(number=2)
    folder.write_journal(JOURNAL, first, second)
    folder.store_matches(JOURNAL, first)

    listed = replay("list", "--json").json

    assert [entry["match_id"] for entry in listed] == [NEW, OLD]
    assert [entry["state"] for entry in listed] == ["interrupted", "finished"]
    assert [entry["games_finished"] for entry in listed] == [0, 1]
    assert listed[1]["place_sums"] == [1, 1, 3]
    assert listed[1]["entrants"] == ["Ann", "Bob", "Cid"]


def test_match_missing_from_store_is_interrupted(replay, folder):
    """The server was killed with SIGKILL: only a journal exists."""
    folder.write_journal(JOURNAL, opening())

    out = replay("list").out

    assert re.search(rf"^{NEW}  2025-.* standard +games 0/1 +interrupted$", out, re.MULTILINE)
    assert "Ann, Bob, Cid" in out


def test_match_that_ended_before_reaching_the_store_is_not_interrupted(replay, folder):
    """Its end was announced, so it counts."""
    match = ManualMatch(NEW).play_out()
    folder.write_journal(JOURNAL, match)
    folder.store_matches(JOURNAL, match, ended=False)

    (entry,) = replay("list", "--json").json

    assert (entry["state"], entry["is_stored"], entry["games_finished"]) == ("finished", False, 1)
    assert "finished, not stored" in replay("list").out


def test_open_matches_of_running_server_are_running(replay, folder):
    folder.write_journal(JOURNAL, opening())
    folder.write_journal(OLD, opening(OLD))

    with acquire_folder_lock(folder.path):
        states = {entry["match_id"]: entry["state"] for entry in replay("list", "--json").json}

    assert states == {NEW: "interrupted", OLD: "running"}, "the newest journal is the running server's"


def test_matches_of_all_nodes_of_running_server_are_running(replay, folder):
    """The journals of one server start carry its number after their names."""
    ids = [f"01K00000000000000000000{n}01" for n in range(3)]
    for match_id, start in zip(ids, (1, 2, 2), strict=True):
        folder.write_journal(f"{match_id[:-1]}0-{start}", opening(match_id))

    with acquire_folder_lock(folder.path):
        states = [entry["state"] for entry in replay("list", "--json").json]

    assert states == ["running", "running", "interrupted"]


def test_newest_match_is_found_on_any_node(replay, folder):
    """The node that started first may have begun the last match."""
    first, second, third = (f"01K00000000000000000000{n}01" for n in (2, 3, 4))
    folder.write_journal("01K00000000000000000000000-1", opening(third))
    folder.write_journal("01K00000000000000000000100-1", opening(first), opening(second, number=2))

    assert [entry["match_id"] for entry in replay("list", "--limit", 1, "--json").json] == [third]


def test_strikes_are_listed(replay, folder):
    match = ManualMatch(NEW)
    match.bench.run_until(2 * S)
    folder.write_journal(JOURNAL, match)

    assert "Ann (1 missing), Bob, Cid" in replay("list").out


def test_list_can_be_limited(replay, folder):
    ids = [f"01K000000000000000000000{n:02}" for n in range(5)]
    folder.write_journal(JOURNAL, *(opening(match_id, number=n) for n, match_id in enumerate(ids, start=1)))

    assert [entry["match_id"] for entry in replay("list", "--limit", 2, "--json").json] == ids[:-3:-1]


def test_torn_journal_is_listed_up_to_its_intact_part(replay, folder):
    path = folder.write_journal(JOURNAL, opening())
    path.write_bytes(path.read_bytes()[:-3])

    assert replay("list", "--json").json[0]["state"] == "interrupted"


@pytest.mark.parametrize("output", [(), ("--json",)], ids=["text", "json"])
def test_file_that_is_no_journal_is_named(replay, folder, output):
    """The other matches are listed; a result on stdout stays as it is."""
    folder.write_journal(JOURNAL, opening())
    (folder.path / "journals" / f"{NEW}.journal").write_bytes(b"garbage" * 9)

    listed = replay("list", *output)

    assert NEW in listed.out
    assert f"{NEW}.journal is not a journal that this version reads" in listed.err


def test_empty_folder_has_no_matches(replay):
    assert replay("list").out == "no matches yet\n"


def test_missing_folder_is_refused_in_one_sentence_and_not_created(capsys, tmp_path):
    ended = run_arena(capsys, "replay", "list", "--data", tmp_path / "nowhere")

    assert ended.code == ExitCode.USAGE
    assert "there is no data folder at" in ended.last_line
    assert not (tmp_path / "nowhere").exists()


# ---- show


def test_game_is_narrated_in_table_language(replay, folder):
    """The expected text is written by hand: each prompt, answer and time, the outcome of the call and its cost."""
    folder.write_journal(JOURNAL, opening())

    lines = replay("show", NEW, "--full").out.splitlines()

    assert [line.rstrip() for line in lines[4:]] == [
        "         0.000  seat 0 holds AC AS 2H 3D 4C 4S 5H 6D 7C 7S 8H 9D TC TS JH QD KC KS; seat 1 holds AD",
        "                2C 2S 3H 4D 5C 5S 6H 7D 8C 8S 9H TD JC JS QH KD JK; seat 2 holds AH 2D 3C 3S 4H 5D",
        "                6C 6S 7H 8D 9C 9S TH JD QC QS KH JK; seat 0 begins",
        "   0     0.000  seat 0 is to answer: 1 to 6 cards as any rank; a trick starts",
        "         0.012  seat 0 claims 1 x A and lays AC: true (after 12.0 ms)",
        "         0.012  note of seat 0: safe",
        "   0     0.025  asked: seat 1 declines after 8.0 ms, seat 2 calls after 13.0 ms",
        "         0.025  seat 2 calls seat 0 wrongly: AC; seat 2 takes 1",
        "   1     0.025  seat 1 is to answer: 1 to 6 cards as A, 2 or K",
        "         0.025  note of seat 2: 60% a lie",
        "         0.025  here the records end, after 0 of 1 game; the match had not ended",
    ]


def test_places_come_at_the_end(replay, folder):
    match = ManualMatch(NEW, games=2).play_out()
    folder.write_journal(JOURNAL, match)

    lines = replay("show", NEW, "--json").json["lines"]

    ends = [line for line in lines if line["kind"] == "end"]
    assert [end["places"] for end in ends] == [list(result.places) for result in match.bench.referee.results]
    assert ends[0]["text"] == "game 0 is over, max_turns: 1 Ann (seat 0), 1 Bob (seat 1), 3 Cid (seat 2)"
    assert lines[-1]["text"] == "the match is over, finished; sums of places: Ann 2, Bob 2, Cid 6"


def test_one_game_can_be_shown(replay, folder):
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=3).play_out())

    lines = replay("show", NEW, "--game", 1, "--json").json["lines"]

    assert {line["game"] for line in lines} == {1}
    assert [line["kind"] for line in lines if line["kind"] in ("game", "end")] == ["game", "end"]


def fault_lines(replay, *arguments):
    return [line["text"] for line in replay("show", NEW, *arguments, "--json").json["lines"] if line["kind"] == "fault"]


def test_late_answer_is_explained(replay, folder):
    match = ManualMatch(NEW)
    match.bench.send(0, "1A AC", at=2 * S + 3200, is_read_first=True)
    folder.write_journal(JOURNAL, match)

    assert fault_lines(replay) == [
        "seat 0 claims 1 x A with AC, which does not count: it came too late by 3.2 ms (late)"
    ]


def test_illegal_answer_names_the_rule(replay, folder):
    match = opening()
    match.answer(1, "17 7D", at=30 * MS)
    folder.write_journal(JOURNAL, match)

    assert fault_lines(replay) == [
        "seat 1 claims 1 x 7 with 7D, which does not count: that rank may not be claimed now (illegal_rank)"
    ]


def test_unreadable_answer_is_a_fault(replay, folder):
    match = ManualMatch(NEW)
    match.bench.reject(0, 1, 99, "malformed", at=5 * MS)
    folder.write_journal(JOURNAL, match)

    assert fault_lines(replay) == [
        "seat 0 sends what cannot be read, which does not count: it cannot be read (malformed)"
    ]


def test_missing_answer_names_the_automatic_move(replay, folder):
    match = ManualMatch(NEW)
    match.bench.run_until(3 * S)
    folder.write_journal(JOURNAL, match)

    assert fault_lines(replay) == [
        "seat 0 gives no answer within 2 s; the automatic move is made for it: it claims 1 x A with AC",
        "seat 1 gives no answer within 1 s; the game goes on without it",
        "seat 2 gives no answer within 1 s; the game goes on without it",
    ]


def test_answer_at_end_of_records_is_shown(replay, folder):
    """It was acknowledged, so it is shown, although its window never closed."""
    match = ManualMatch(NEW)
    match.answer(0, "1A AC", at=12 * MS)
    match.answer(1, "decline", at=20 * MS, note="hm")
    folder.write_journal(JOURNAL, match)

    texts = [line["text"] for line in replay("show", NEW, "--json").json["lines"]][-3:]

    assert texts[:2] == ["asked: seat 1 declines after 8.0 ms, no answer yet from seat 2", "note of seat 1: hm"]


def test_held_move_is_shown_when_made_and_when_it_takes_effect(replay, folder):
    """In the live pace, the next move waits for its time."""
    match = ManualMatch(NEW, style="live")
    match.answer(0, "1A AC", at=1 * S)
    match.bench.send(1, "1A AD", at=1 * S + 200 * MS, kind="turn")
    match.bench.run_until(4 * S)
    folder.write_journal(JOURNAL, match)

    texts = [line["text"] for line in replay("show", NEW, "--json").json["lines"]]

    assert "seat 1 claims 1 x A with AD after 200 ms, held until its time" in texts
    assert "seat 1 claims 1 x A and lays AD: true (decided after 200 ms, held until now)" in texts


def test_departures_and_lost_connections_are_shown(replay, folder):
    match = ManualMatch(NEW)
    match.bench.disconnect(2, at=5 * MS)
    match.bench.reconnect(2, at=8 * MS)
    match.bench.leave(1, at=9 * MS)
    folder.write_journal(JOURNAL, match)

    texts = [line["text"] for line in replay("show", NEW, "--json").json["lines"]]

    assert texts[3:7] == [
        "seat 2 loses its connection",
        "seat 2 is connected again",
        "seat 1 gives up",
        "seat 1 is gone for the rest of the match",
    ]


def test_output_fits_a_hundred_columns_and_has_no_colours_on_paper(replay, folder):
    folder.write_journal(JOURNAL, ManualMatch(NEW, entrants=8, games=2).play_out())

    for view in ((), ("--seat", 3), ("--full",), ("--seat", 3, "--full")):
        out = replay("show", NEW, *view).out
        assert max(map(len, out.splitlines())) <= 100
        assert "\x1b" not in out


def test_note_cannot_control_the_terminal(replay, folder):
    match = ManualMatch(NEW)
    match.answer(0, "1A AC", at=12 * MS, note="\x1b[2J\nseat 1 wins")
    folder.write_journal(JOURNAL, match)

    for view in ((), ("--seat", 0), ("--full",), ("--seat", 0, "--full")):
        assert r"\x1b[2J\nseat 1 wins" in replay("show", NEW, *view).out


def test_torn_journal_is_read_to_its_last_whole_group_and_reports_the_rest(replay, folder):
    match = opening()
    path = folder.write_journal(JOURNAL, match)
    whole_size = path.stat().st_size
    match.answer(1, "1A AD", at=30 * MS)
    path.unlink()
    folder.write_journal(JOURNAL, match)
    torn = path.read_bytes()[: whole_size + 20]
    path.write_bytes(torn)

    shown = replay("show", NEW, "--json").json

    assert any("seat 2 calls seat 0" in line["text"] for line in shown["lines"])
    assert re.fullmatch(
        rf"{JOURNAL}.journal ends in the middle of a group: its last \d+ bytes are dropped", shown["remark"]
    )
    assert shown["remark"] in replay("show", NEW).out


def test_dropped_records_are_reported_after_later_server_closed_the_match(replay, folder):
    """The store lists it as interrupted by then."""
    match = opening()
    path = folder.write_journal(JOURNAL, match)
    path.write_bytes(path.read_bytes()[:-3])
    folder.store_matches(JOURNAL, match)

    shown = replay("show", NEW, "--json").json

    assert (shown["state"], shown["is_stored"]) == ("interrupted", True)
    assert "are dropped" in shown["remark"]


def test_damaged_journal_is_narrated_up_to_the_damage(replay, folder):
    path = folder.write_journal(JOURNAL, opening())
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data + path.read_bytes()[12:])

    shown = replay("show", NEW, "--json").json

    assert "is damaged at byte" in shown["remark"]
    assert shown["lines"][0]["kind"] == "game"


def test_id_prefix_is_enough_in_either_case(replay, folder):
    folder.write_journal(JOURNAL, opening(OLD, number=1), opening(NEW, number=2))

    assert replay("show", "01j", "--json").json["match_id"] == OLD


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("01X",), "unknown match '01X'"),
        (("",), "unknown match ''"),
        (("01",), f"several matches begin with '01', such as {OLD} and {NEW}"),
        ((NEW, "--game", "1"), f"match {NEW} has no game 1: its games are 0 to 0"),
        ((NEW, "--seat", "3"), f"match {NEW} has no seat 3: its seats are 0 to 2"),
        ((NEW, "--entrant", "Zoe"), "unknown entrant 'Zoe'; known: Ann, Bob, Cid"),
        ((NEW, "--entrant", "Ann", "--seat", "0"), "--seat and --entrant both select a seat: give one of them"),
    ],
)
def test_unshowable_request_is_refused_in_one_sentence(replay, folder, arguments, sentence):
    folder.write_journal(JOURNAL, opening(OLD, number=1), opening(NEW, number=2))
    folder.store_matches(JOURNAL, ManualMatch(OLD).play_out())

    assert replay("show", *arguments, code=ExitCode.USAGE).last_line == f"arena: {sentence}"


# ---- other rules


def test_game_under_other_rules_is_narrated_from_stored_events(replay, folder):
    """It lists plain facts, since this version does not know their meaning."""
    match = ManualMatch(NEW).play_out()
    folder.write_journal(JOURNAL, match)
    folder.store_matches(JOURNAL, match, version="0.9")

    shown = replay("show", NEW, "--json").json

    events = [line for line in shown["lines"] if line["kind"] == "event"]
    assert [event["event"] for event in events[:4]] == ["MatchStarted", "GameStarted", "Dealt", "Played"]
    assert events[3]["text"].startswith("Played  cards [0], count 1, emptied false, face_up false, rank 0, seat 0")
    assert shown["lines"][-1]["places"] == list(match.bench.referee.results[0].places)
    assert "rules version 0.9" in replay("show", NEW).out


def test_seat_view_under_other_rules_is_refused(replay, folder):
    match = ManualMatch(NEW).play_out()
    folder.write_journal(JOURNAL, match)
    folder.store_matches(JOURNAL, match, version="0.9")

    line = replay("show", NEW, "--seat", "0", code=ExitCode.USAGE).last_line

    assert "was played under version 0.9 of cheat" in line


def test_stored_match_without_journal_is_narrated_from_its_events(replay, folder):
    match = ManualMatch(NEW).play_out()
    folder.store_matches(JOURNAL, match)

    shown = replay("show", NEW, "--json").json

    assert shown["remark"] == f"the journal {JOURNAL}.journal is not in this data folder"
    assert shown["lines"][-1]["kind"] == "end"


# ---- one seat


def test_seat_view_shows_what_the_seat_knew_and_learned(replay, folder):
    """The expected text is written by hand: hand, sizes, claim, legal actions, the answer and its note.

    Then the reveal.
    """
    folder.write_journal(JOURNAL, opening())

    lines = replay("show", NEW, "--seat", 2, "--full").out.splitlines()

    assert lines[4:] == [
        "         0.000  the cards are dealt, seat 0: 18, seat 1: 18, seat 2: 18; seat 0 begins",
        "         0.000  the own hand: AH 2D 3C 3S 4H 5D 6C 6S 7H 8D 9C 9S TH JD QC QS KH JK",
        "         0.012  seat 0 claims 1 x A",
        "   0     0.012  seat 2 is asked (window) within 1 s",
        "                hand       AH 2D 3C 3S 4H 5D 6C 6S 7H 8D 9C 9S TH JD QC QS KH JK (18)",
        "                sizes      seat 0: 17, seat 1: 18, seat 2: 18 (own)",
        "                pile       1 card, bottom first: seat 0 1 x A",
        "                to call    seat 0: 1 x A",
        "                to follow  seat 0: 1 x A",
        "                legal      call or decline",
        "         0.025  seat 2 calls after 13.0 ms",
        "                note       60% a lie",
        "         0.025  seat 2 calls seat 0 wrongly: AC; seat 2 takes 1",
        "         0.025  taken by this seat: AC",
        "         0.025  here the records end, after 0 of 1 game; the match had not ended",
    ]


def test_notes_and_answers_of_other_seats_stay_hidden(replay, folder):
    match = ManualMatch(NEW)
    match.answer(0, "1A 3D", at=12 * MS, note="a lie")
    match.answer(1, "decline", at=20 * MS, note="hm")
    folder.write_journal(JOURNAL, match)

    out = replay("show", NEW, "--seat", 2).out

    assert "3D" not in out.replace("(3D)", "")
    assert "lie" not in out
    assert "hm" not in out
    assert "declines" not in out
    assert "0.020" not in out


def test_entrant_is_followed_from_seat_to_seat(replay, folder):
    folder.write_journal(JOURNAL, ManualMatch(NEW, games=3, seating=Seating.ROTATED).play_out())

    lines = replay("show", NEW, "--entrant", "Bob", "--json").json["lines"]

    asked = {(line["game"], line["text"].split()[1]) for line in lines if line["kind"] == "decision"}
    assert asked == {(0, "1"), (1, "2"), (2, "0")}


def test_seat_view_shows_only_its_own_faults(replay, folder):
    match = opening()
    match.answer(1, "17 7D", at=30 * MS)
    match.bench.run_until(3 * S)
    folder.write_journal(JOURNAL, match)

    assert fault_lines(replay, "--seat", 1) == [
        "the refused answer of seat 1 is a strike: illegal",
        "a strike: seat 1 gives no answer within 2 s; the automatic move is made for it: it claims 1 x A with AD",
    ]
    assert fault_lines(replay, "--seat", 0) == []
