"""Golden texts of whole games: a change of rules or views shows at once what differs, and for which viewer."""

import re

import pytest

from tests.playthroughs import cheater
from tests.playthroughs.playthrough import SEATS, file, text


@pytest.mark.parametrize("preset", SEATS)
def test_game_reads_as_before(preset):
    """Rewrite it with `python -m tests.playthroughs.playthrough --write`, and review the changes."""
    assert text(preset) == file(preset).read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", SEATS)
def test_seat_never_sees_another_seats_hand(preset):
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


def test_cheater_game_reads_as_before():
    """Rewrite it with `python -m tests.playthroughs.cheater --write`, and review the changes."""
    assert cheater.text() == cheater.FILE.read_text(encoding="utf-8")


def test_drawn_card_is_visible_to_its_seat_only():
    """Checked on the text itself: other viewers see only the number of cards drawn."""
    told = cheater.FILE.read_text(encoding="utf-8").splitlines()
    draws = [index for index, line in enumerate(told) if re.match(r"  event +seat \d draws", line)]
    for index in draws:
        seat = re.findall(r"seat (\d) draws", told[index])[0]
        assert re.fullmatch(rf"    everybody +seat {seat} draws \d cards?", told[index + 1])
        assert told[index + 2].startswith(f"    seat {seat}     drawn by this seat: ")
        assert not told[index + 3].startswith("    ")

    assert len(draws) > 10
