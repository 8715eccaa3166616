"""Nothing that is told or drawn depends on what spectators may not know."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from arena.games.catalogue import PACKS, games, load_codecs, pack_of, watched_game_of
from arena.games.cheat.rules.cards import NAMES, cards_from_hand
from arena.games.cheat.rules.game import CheatGame
from arena.games.cheat.rules.state import State
from arena.games.cheat.rules.view_types import CheatSnapshot
from arena.games.secrecy import SurveyedGame, run_survey, twin_run
from arena.games.secrecy.in_memory_match import InMemoryMatch
from arena.match.game import ChanceRequest, Seat
from arena.match.referee.replay import Replay
from arena.plain_data import to_plain
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages, snapshot_message
from tests.support.recorded_matches import ManualMatch

CARD = re.compile(rf"\b({'|'.join(NAMES)})\b")


def draw(match: InMemoryMatch) -> str:
    """Return the table of a match as text."""
    table, message = LiveTable(watched_game_of), snapshot_message(match.table.referee)
    assert message is not None
    lines = table.add(message)
    return f"{[line.text for line in lines]} {to_plain(table.drawing)}"


@pytest.mark.parametrize("game", [pytest.param("cheat", marks=pytest.mark.slow), *(PACKS.keys() - {"cheat"})])
def test_twins_look_alike(game, monkeypatch):
    """Two matches that differ only in what a viewer may not know have the same table at every step."""
    compared = []

    def find_difference(first: InMemoryMatch, second: InMemoryMatch) -> str:
        one, other = draw(first), draw(second)
        compared.append(one)
        return "" if one == other else f"{one}\n{other}"

    monkeypatch.setattr(twin_run, "_find_difference", find_difference)

    found = run_survey(60, 5, [SurveyedGame(pack_of(game).load_knowledge_model(), load_codecs()[game])])

    assert found.leaks == []
    assert len(compared) > 200
    assert len(set(compared)) > 150


class ReversedDeck:
    """The deck from the other end, so that every hand differs."""

    def draw(self, game: int, chance: ChanceRequest) -> Sequence[int]:
        """Return the last card first."""
        return [0] * chance.count if chance.faces else range(chance.count)[::-1]


def play_unseen(*, chance: ReversedDeck | None) -> LiveTable:
    """Play six moves, each of two cards from the hand with the next claim, and nobody calls. Return the table."""
    match = ManualMatch("M", options={"max_turns": 40}, chance=chance)
    for move in range(6):
        seat = move % 3
        hand = match.bench.state.hands[seat]
        cards = [NAMES[code] for code, count in enumerate(hand) if count][:2]
        rank = "A23456"[move]
        match.answer(seat, f"2{rank} {''.join(cards)}", 100 * move + 10)
        for other in {0, 1, 2} - {seat}:
            match.answer(other, "decline", 100 * move + 20 + other)
    table = LiveTable(watched_game_of)
    lines = [line.text for each in recorded_messages(Replay(match.records, games())) for line in table.add(each)]
    assert len(lines) == 1 + 6
    assert not any(CARD.search(line) for line in lines), lines
    return table


def test_no_card_is_named_before_it_is_revealed():
    """Whatever is dealt: the same claims give the same table, and no text of it names a card."""
    first, other = play_unseen(chance=None), play_unseen(chance=ReversedDeck())

    assert first.drawing == other.drawing
    assert not CARD.search(str(to_plain(first.drawing)))
    assert sum(seat.hand.count or 0 for seat in first.drawing.seats) == 54 - 12


def test_planted_leak_is_found(monkeypatch):
    """The twins would show it if the rules told spectators anything about a hidden hand."""
    honest = CheatGame.snapshot

    def leak(state: State, viewer: Seat | None) -> CheatSnapshot:
        return replace(honest(state, viewer), landed=cards_from_hand(state.hands[0])[0] if any(state.hands[0]) else 0)

    monkeypatch.setattr(CheatGame, "snapshot", staticmethod(leak))
    monkeypatch.setattr(twin_run, "_find_difference", lambda first, second: "" if draw(first) == draw(second) else "x")

    assert run_survey(30, 5, [SurveyedGame(pack_of("cheat").load_knowledge_model(), load_codecs()["cheat"])]).leaks
