"""Golden texts of whole games: whoever changes rules or views sees at once what has become different, and for whom."""

import re

import pytest

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
