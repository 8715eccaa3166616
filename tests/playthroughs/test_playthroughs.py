"""Golden texts of whole games: whoever changes rules or views sees at once what has become different, and for whom."""

import re

import pytest

from tests.playthroughs import cheater
from tests.playthroughs.playthrough import SEATS, file, text


@pytest.mark.parametrize("preset", SEATS)
def test_the_game_reads_as_it_did(preset):
    """Write it anew with `python -m tests.playthroughs.playthrough --write`, and look at what has changed."""
    assert text(preset) == file(preset).read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", SEATS)
def test_a_seat_is_never_told_another_seats_hand(preset):
    """Checked on the text itself: the cards behind `hand:` are in no other seat's view of the same step."""
    steps = file(preset).read_text(encoding="utf-8").split("\nstep ")
    checked = 0
    for step in steps:
        seen = " ".join(step.partition("\n  seen\n")[2].split())
        hands = dict(re.findall(r"seat (\d) hand: ([0-9A-Z ]+) \(", seen))
        for seat, hand in hands.items():
            for other in hands.keys() - {seat}:
                assert not set(hand.split()) - {"JK"} & set(hands[other].split()), step
                checked += 1
        spectator = seen.partition("spectator ")[2]
        if preset != "folk":
            assert "[" not in spectator, "a spectator is shown no laid cards but face-up openings"

    assert checked > 50


def test_the_game_of_cheater_reads_as_it_did():
    """Write it anew with `python -m tests.playthroughs.cheater --write`, and look at what has changed."""
    assert cheater.text() == cheater.FILE.read_text(encoding="utf-8")


def test_a_drawn_card_is_told_to_its_seat_alone():
    """Checked on the text itself: who else is told of a draw is told a number."""
    told = cheater.FILE.read_text(encoding="utf-8").splitlines()
    draws = [index for index, line in enumerate(told) if re.match(r"  event +seat \d draws", line)]
    for index in draws:
        seat = re.findall(r"seat (\d) draws", told[index])[0]
        assert re.fullmatch(rf"    everybody +seat {seat} draws \d cards?", told[index + 1])
        assert told[index + 2].startswith(f"    seat {seat}     drawn by this seat: ")
        assert not told[index + 3].startswith("    ")

    assert len(draws) > 10
