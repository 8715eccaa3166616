"""Nothing that a viewer of a running match is sent depends on a hidden card."""

import re

import pytest

from arena.games.catalogue import PACKS, games, load_codecs, pack_of, watched_game_of
from arena.games.cheat.rules.cards import NAMES
from arena.games.secrecy import SurveyedGame, run_survey, twin_run
from arena.games.secrecy.in_memory_match import InMemoryMatch
from arena.match.referee.replay import Replay
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages, snapshot_message
from arena.web.live.event import LiveStatus, LiveView, render_live_view
from tests.support.recorded_matches import ManualMatch
from tests.web.live_viewers import MATCH

CARD = re.compile(rf"\b({'|'.join(NAMES)})\b")


def render(match: InMemoryMatch) -> bytes:
    """Return what a new viewer of a match is sent."""
    table, message = LiveTable(watched_game_of), snapshot_message(match.table.referee)
    assert message is not None
    lines = table.add(message)
    return render_live_view(LiveView(LiveStatus.LIVE, table.drawing, lines), MATCH, table.faces).event_since(None).plain


@pytest.mark.slow
@pytest.mark.parametrize("game", PACKS)
def test_twins_give_the_same_bytes(game, monkeypatch):
    """Two matches that differ only in what a spectator may not know have the same events at every step."""
    compared = []

    def find_difference(first: InMemoryMatch, second: InMemoryMatch) -> str:
        one, other = render(first), render(second)
        compared.append(one)
        return "" if one == other else f"{one!r}\n{other!r}"

    monkeypatch.setattr(twin_run, "_find_difference", find_difference)

    found = run_survey(60, 5, [SurveyedGame(pack_of(game).load_knowledge_model(), load_codecs()[game])])

    assert found.leaks == []
    assert len({*compared}) > 100


def test_no_card_is_named_before_it_is_revealed():
    """Six moves of two hidden cards, and nobody calls: no byte of any update names a card."""
    match = ManualMatch("M", options={"max_turns": 40})
    for move in range(6):
        hand = match.bench.state.hands[move % 3]
        cards = [NAMES[code] for code, count in enumerate(hand) if count][:2]
        match.answer(move % 3, f"2{'A23456'[move]} {''.join(cards)}", 100 * move + 10)
        for other in {0, 1, 2} - {move % 3}:
            match.answer(other, "decline", 100 * move + 20 + other)
    table, lines, shown = LiveTable(watched_game_of), [], None
    for message in recorded_messages(Replay(match.records, games())):
        lines += table.add(message)
        earlier, shown = shown, render_live_view(LiveView(LiveStatus.LIVE, table.drawing, lines), MATCH, table.faces)
        assert not CARD.search(shown.event_since(earlier).plain.decode())

    assert shown is not None
    assert shown.fragments["table"].count("<i></i>") > 40, "the backs are drawn"
