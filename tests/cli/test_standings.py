"""How many faults a bot may have, and how long games were."""

from collections import Counter
from pathlib import Path

import pytest

from arena.cli.match.recorded_play import FirstFault
from arena.cli.match.result import fault_lines
from arena.cli.match.standings import EntrantTotals, FaultLimit, length_text, lengths_as_dict
from arena.errors import OptionError
from arena.match.referee.game_lengths import GameLengths
from arena.match.referee.ports import MatchId

FIRST = FirstFault(MatchId("01AB"), 2, 31, "gave no answer to the question 'turn' within 2 s; nothing was done for it")


def bot(decisions: int, faults: int) -> EntrantTotals:
    return EntrantTotals("a", counts=Counter(decisions=decisions), strikes=Counter(missing=faults))


@pytest.mark.parametrize(
    ("decisions", "faults", "is_exceeded"),
    [(0, 0, False), (100, 0, False), (99, 1, False), (98, 2, True), (98, 1, True), (0, 1, True), (9900, 100, False)],
)
def test_more_than_one_in_a_hundred_is_too_many(decisions, faults, is_exceeded):
    """A decision with a fault counts too: 1 in 99 + 1 is exactly the limit, and allowed."""
    assert FaultLimit().is_exceeded(bot(decisions, faults)) is is_exceeded


@pytest.mark.parametrize(("faults", "is_exceeded"), [(3, False), (4, True)])
def test_number_of_faults_replaces_the_share(faults, is_exceeded):
    assert FaultLimit(max_strikes=3).is_exceeded(bot(1, faults)) is is_exceeded
    assert FaultLimit(max_strikes=3).is_exceeded(bot(10_000, faults)) is is_exceeded


def test_forgiving_accepts_any_number():
    assert not FaultLimit(is_forgiving=True).is_exceeded(bot(0, 1000))


def test_forgiving_and_a_limit_contradict_each_other():
    with pytest.raises(OptionError, match="--forgiving accepts any number: give only one of them"):
        FaultLimit(0, is_forgiving=True).check()


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        (FaultLimit(), "a has 2 faults in 40 decisions (5.0 %): more than 1 %, so the exit code is 3"),
        (FaultLimit(1), "a has 2 faults in 40 decisions (5.0 %): more than 1 (--max-strikes), so the exit code is 3"),
        (FaultLimit(2), "a has 2 faults in 40 decisions (5.0 %)"),
        (FaultLimit(None, is_forgiving=True), "a has 2 faults in 40 decisions (5.0 %), which --forgiving accepts"),
    ],
)
def test_sentence_says_what_follows_from_the_faults(limit, sentence):
    assert limit.verdict(bot(38, 2)) == sentence


def test_first_fault_is_quoted_within_the_width_and_its_replay_can_be_pasted():
    *quoted, command = fault_lines(bot(38, 2), FIRST, FaultLimit(), Path("some data"), 60)

    verdict, first = FaultLimit().verdict(bot(38, 2)), f"the first, in game 2 at turn 31: it {FIRST.text}"
    assert " ".join(" ".join(quoted).split()) == f"{verdict} {first}"
    assert all(len(line) <= 60 for line in quoted)
    assert command == "  to read it: arena replay show 01AB --entrant a --game 2 --data 'some data'"


def test_faults_without_records_are_only_counted():
    """A server elsewhere keeps the records."""
    assert len(list(fault_lines(bot(38, 2), None, FaultLimit(), Path("data"), 80))) == 1


@pytest.mark.parametrize(
    ("lengths", "text"),
    [
        (GameLengths(), ""),
        (GameLengths(10, 0, None, 2000), ""),
        (GameLengths(10, 0, 54.5, 2000), "54 a game (median)"),
        (GameLengths(10, 3, 1450, 2000), "1450 a game (median); 3 of 10 games ended at the limit of 2000 turns"),
        (GameLengths(1, 0, 54, 2000), "54"),
        (GameLengths(1, 1, 2000, 2000), "2000; the game ended at the limit of 2000 turns"),
        (GameLengths(2, 1, None, None), "1 of 2 games ended at the turn limit"),
    ],
)
def test_line_says_what_is_known(lengths, text):
    assert length_text(lengths) == text


def test_json_has_the_same_numbers():
    values = lengths_as_dict(GameLengths(10, 3, 1450, 2000))

    assert values == {"turn_limit": 2000, "games_at_turn_limit": 3, "median_turns": 1450}
