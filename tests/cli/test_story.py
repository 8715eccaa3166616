"""One game of a demo, told in words while the standings run."""

import time

import pytest

from arena.cli.match import story
from arena.cli.match.story import StoryTeller, tell_first_game
from arena.games.catalogue import games
from arena.match.referee.match_order import MatchReport
from arena.match.referee.ports import GameSummary, MatchId
from arena.replays.watch.drawing import DrawnCards
from tests.support.recorded_matches import ManualMatch

MATCH_ID = "01J0000000000000000000000A"


@pytest.fixture(scope="module")
def records() -> list[bytes]:
    """The records of two games. Seat 0 begins the first with a lie about kings, which entrant 2 calls."""
    match = ManualMatch(MATCH_ID, games=2)
    match.answer(0, "2K 4C4S", 10)
    match.answer(1, "decline", 20)
    match.answer(2, "call", 30)
    return match.play_out().records


def texts_of(lines) -> list[str]:
    return [line.text.plain for line in lines]


def test_first_game_is_told_with_names(records):
    lines = [*tell_first_game(records, games())]
    texts = texts_of(lines)

    assert texts[0] == "One table, move by move: Ann, Bob and Cid"
    assert texts[1] == "Ann claims 2 x K and lays 4C 4S: a lie"
    assert texts[2] == "Cid calls Ann rightly: 4C 4S; Ann takes 2"
    end = "The game ended at the limit of 23 turns: 1"
    assert texts[-1].startswith((f"{end} Ann", f"{end} Bob", f"{end} Cid"))
    assert not any("seat" in text or "nobody calls" in text for text in texts)
    assert sum(text.startswith("One table") for text in texts) == 1, "the second game is not told"


def test_lies_and_calls_are_marked_and_moves_are_numbered(records):
    _, lie, call, move, *_ = tell_first_game(records, games())

    assert (lie.number, call.number, move.number) == (0, 0, 1)
    assert lie.text.style
    assert call.text.style
    assert lie.text.style != call.text.style


def test_table_is_drawn_at_each_line(records):
    """As spectators see it: the lie is told with its cards, but the table shows only backs."""
    lines = tell_first_game(records, games())

    next(lines)
    after_lie = next(lines).table.drawing
    after_call = next(lines).table.drawing
    *_, last = lines

    assert [seat.hand for seat in after_lie.seats] == [DrawnCards(back_count=count) for count in (16, 18, 18)]
    assert after_call.verdict is not None
    assert after_call.verdict.cards == (DrawnCards(("4C", "4S")),)
    assert last.table.drawing.game == 0
    assert min(seat.place for seat in last.table.drawing.seats) == 1


class Terminal(list[str]):
    """The lines that were told."""

    def put(self, text) -> None:
        self.append(text.plain)


@pytest.fixture
def told(monkeypatch, records) -> Terminal:
    monkeypatch.setattr(story, "_read_records", lambda _data, _match_id: records)
    monkeypatch.setattr(story, "LINE_INTERVAL_S", 0)
    return Terminal()


def report(game_count: int) -> MatchReport:
    played = tuple(GameSummary(game, (1, 2, 3), "finished", 23) for game in range(game_count))
    return MatchReport(MatchId(MATCH_ID), "running", played, "", (), ())


def test_nothing_is_told_before_a_game_has_ended(told, tmp_path):
    reports: list[MatchReport] = [report(0)]
    teller = StoryTeller(tmp_path, lambda: reports, told.put)

    teller.tell_next()
    assert told == []
    assert teller.match_id is None

    reports[:] = [report(1)]
    teller.tell_next()
    assert len(told) == 1, "one line at a time, so that a person can follow"
    assert teller.match_id == MATCH_ID


async def test_end_of_the_game_is_told_when_time_is_up(told, tmp_path, records):
    """What lies between is counted, not told."""
    teller = StoryTeller(tmp_path, lambda: [report(1)], told.put)
    for _ in range(6):
        teller.tell_next()

    await teller.finish(until=time.monotonic())

    whole = texts_of(tell_first_game(records, games()))
    assert [line.strip().removeprefix("0  ") for line in told[:3]] == whole[:3]
    assert "moves later" in told[6]
    assert told[-1] == whole[-1]
    assert len(told) == 6 + 1 + 4


async def test_short_run_on_a_slow_machine_has_its_story(told, tmp_path, records):
    """All games ended before the first line, and there is no time left: the beginning and the end are told."""
    teller = StoryTeller(tmp_path, lambda: [report(1)], told.put)

    await teller.finish(until=time.monotonic())

    whole = texts_of(tell_first_game(records, games()))
    assert told[0] == whole[0]
    assert told[1].endswith(whole[1])
    assert told[-1] == whole[-1]
    assert sum("later" in line for line in told) == 1


async def test_story_goes_on_after_the_games_while_there_is_time(told, tmp_path):
    teller = StoryTeller(tmp_path, lambda: [report(1)], told.put)

    await teller.finish(until=time.monotonic() + 60)

    assert len(told) >= 20


async def test_demo_without_games_has_no_story(told, tmp_path):
    teller = StoryTeller(tmp_path, list, told.put)

    await teller.finish(until=time.monotonic())

    assert told == []
