"""A game without words of its own is told in names and values: replays know a game only through its contract."""

from arena.match.game import Seat
from arena.match.referee.replay import Replay
from arena.replays.narration.match_narration import narrate_match
from arena.replays.narration.phrasing import PlainPhrasing
from arena.replays.narration.seat_narration import narrate_seat
from tests.match.referee.driver import RAID, start_match


def narrate_raid() -> list[bytes]:
    """A game of the second game, played by itself."""
    bench = start_match(RAID, 3, games=2)
    bench.play_until(lambda: bench.referee.ended is not None)
    return bench.paper.records


def test_game_without_wording_is_narrated_completely():
    lines = list(narrate_match(Replay(narrate_raid(), {RAID.name: RAID}), PlainPhrasing(RAID)))

    kinds = [line.kind for line in lines]
    assert kinds.count("game") == kinds.count("end") == 2
    assert lines[-1].text.startswith("the match is over, finished")


def test_game_without_wording_is_narrated_by_seat():
    lines = list(narrate_seat(Replay(narrate_raid(), {RAID.name: RAID}), lambda _: Seat(1), PlainPhrasing(RAID)))

    decisions = [line for line in lines if line.kind == "decision"]
    answers = [line for line in lines if line.kind == "answer"]
    assert decisions
    assert len(answers) == len(decisions)
    assert all(dict(line.rows)["legal"] for line in decisions)
