"""What a seat is shown of its game depends on nothing that it could not know: twins that differ there read the same."""

import random

import pytest

from arena.cli.replay.text import line_texts
from arena.games.catalogue import games, phrasing_of
from arena.games.cheat.rules.cards import NAMES, cards_from_hand
from arena.match.game import ChanceRequest, Seat
from arena.match.referee.orders import DecisionResult, DecisionStatus
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.replays.narration.seat_narration import narrate_seat
from arena.replays.narration.strike_text import find_refusal
from tests.match.referee.driver import MS, S, start_match
from tests.support.prepared_cheat import live_cheat
from tests.support.recorded_matches import ManualMatch

MATCH_ID = "01K00000000000000000000NEW"


class StackedDeck:
    """A deck in the order given; seat 0 begins."""

    def __init__(self, deck: list[int]) -> None:
        self.deck = deck

    def draw(self, game: int, chance: ChanceRequest) -> list[int]:
        return self.deck if not chance.faces else [0]


def twins(viewer: int, luck: random.Random) -> tuple[list[int], list[int]]:
    """Two decks of 54 cards for three seats that give the viewer the same hand, and everything else differently."""
    deck = list(range(54))
    luck.shuffle(deck)
    twin = list(deck)
    unseen = [index for index in range(54) if index % 3 != viewer]
    moved = [deck[index] for index in unseen]
    luck.shuffle(moved)
    for index, card in zip(unseen, moved, strict=True):
        twin[index] = card
    return deck, twin


def play_match(deck: list[int], caller: int, check: str) -> ManualMatch:
    """Seven moves of one card, each called an ace, nobody doubts; then one seat calls the eighth move."""
    match = ManualMatch(MATCH_ID, chance=StackedDeck(deck), options={"check": check, "count": ["same", "more", "less"]})
    at = 0
    for turn in range(8):
        mover = turn % 3
        lowest = NAMES[cards_from_hand(match.bench.state.hands[mover])[0]]
        match.answer(mover, f"1A {lowest}", at := at + 11 * MS, note=f"laid {lowest}")
        for seat in range(3):
            if seat != mover:
                word = "call" if turn == 7 and seat == caller else "decline"
                match.answer(seat, word, at := at + 3 * MS, note="I see")
    return match


def split_seat_view(match: ManualMatch, viewer: int) -> list[str]:
    """The lines of one seat's view, up to the call and from it on."""
    replay = Replay(match.records, games())
    view = narrate_seat(replay, lambda _: Seat(viewer), phrasing_of(replay.terms.game))
    return [text for line in view for text in line_texts(line, line.turn)]


def find_call(lines: list[str]) -> int:
    """Where the call is told."""
    return next(index for index, text in enumerate(lines) if " calls seat " in text)


@pytest.mark.parametrize("check", ["arbiter", "caller", "public", "public+"])
@pytest.mark.parametrize("viewer", [0, 1, 2])
def test_twin_games_read_the_same_until_a_lawful_reveal(viewer, check):
    """They share own hand, claims and times and differ in all other cards: the text is the same up to the call."""
    for seed in range(4):
        deck, twin = twins(viewer, random.Random(f"{viewer} {check} {seed}"))
        caller = 0 if viewer != 0 else 2

        one, other = (
            split_seat_view(play_match(deck, caller, check), viewer),
            split_seat_view(play_match(twin, caller, check), viewer),
        )

        assert one[: find_call(one)] == other[: find_call(other)], f"seed {seed}"
        assert find_call(one) > 40


def test_public_call_is_a_lawful_reveal():
    """After it the twins may read differently, so the check above is not vacuous."""
    differs = 0
    for seed in range(4):
        deck, twin = twins(2, random.Random(seed))
        one, other = (
            split_seat_view(play_match(deck, 0, "public"), 2),
            split_seat_view(play_match(twin, 0, "public"), 2),
        )
        differs += one != other

    assert differs


def test_card_shown_only_to_caller_is_in_no_other_view():
    """Check `caller`: the other seats read the verdict and nothing else."""
    deck = list(range(54))  # seat 1 has AD, 2C and 2S, and lays each of them as an ace
    match = play_match(deck, 2, "caller")

    views = {viewer: " ".join(split_seat_view(match, viewer)[-12:]) for viewer in (0, 2)}

    assert "shown to this seat alone: 2S" in views[2]
    assert "seat 2 calls seat 1 rightly; seat 1 takes 8" in views[0]
    assert "2S" not in views[0]


@pytest.mark.parametrize("action_id", [6, 7])
def test_answer_of_another_seat_with_the_same_action_id_is_not_shown(action_id):
    """Bots choose action ids. An answer of seat 2 voids the held move of seat 1, and both have the same id."""
    bench = start_match(live_cheat("4D KS 5S", "QS 9D 6H", "2C 7C 8H", "AC AD 3S"), 4, "live")
    bench.send(0, "1K KS", 0)
    bench.send(1, "1Q QS", 1 * S, kind="turn", action_id=7)
    window = bench.prompt(2, "window").id
    call = bench.game.read_action("call")
    bench.put_answer(2, window, action_id, call, 1200 * MS, note="I hold 2C 7C 8H")
    bench.put_answer(2, window + 50, 7, bench.game.read_action("2K 2C7C"), 1200 * MS, note="I hold 2C 7C 8H")
    bench.run_until(3 * S)

    replay = Replay(bench.paper.records, {bench.game.name: bench.game})
    view = narrate_seat(replay, lambda seats: Seat(seats.index(1)), phrasing_of(bench.game))
    answers = [line for line in view if line.kind == "answer"]
    text = " ".join(text for line in answers for text in line_texts(line, line.turn))

    assert "seat 1 claims 1 x Q with QS, which was held and is void now" in text
    for secret in ("I hold", "2C", "7C", "2 x K", "calls"):
        assert secret not in text
    assert all("note" not in line.data or not line.data["note"] for line in answers)


def test_refused_answer_belongs_to_the_strike_of_its_own_seat():
    """One input can refuse the answer of one seat and report that another seat gave none."""
    late = DecisionResult(EntrantIndex(2), PromptId(5), 7, DecisionStatus.REFUSED, "late", 300)

    assert find_refusal([late], EntrantIndex(2)) == late
    assert find_refusal([late], EntrantIndex(1)) is None
