"""Twin games look alike to a viewer, and planted leaks are detected in every place where one could hide."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from arena.games.catalogue import PACKS, pack_of
from arena.games.cheat.rules import events, views
from arena.games.cheat.rules.cards import cards_from_hand
from arena.games.cheat.rules.game import CheatGame
from arena.games.cheat.rules.presets import PRESETS
from arena.games.cheater.rules import events as cheater_events
from arena.games.cheater.rules import views as cheater_views
from arena.games.cheater.rules.game import CheaterGame
from arena.games.secrecy import SurveyedGame, run_survey
from arena.games.secrecy.in_memory_match import InMemoryMatch
from arena.games.secrecy.survey import render_lines
from arena.match.feed.match_feed import SPECTATOR
from arena.match.referee.deadlines import Deadlines
from arena.match.referee.game_referee import GameReferee
from arena.match.referee.prompt_log import PromptLog
from arena.match.referee.scalars import Instant, PromptId, StreamSequence
from arena.server.wire.proto_codec import ProtoCodec

PAIRS = 120
"""Number of pairs that shows each planted leak several times."""


def surveyed(*games: str) -> list[SurveyedGame]:
    """Return these games for a survey."""
    return [SurveyedGame(pack_of(game).load_knowledge_model(), pack_of(game).load_codec()) for game in games]


@pytest.mark.slow
@pytest.mark.parametrize("game", PACKS)
def test_no_viewer_can_tell_its_twins_apart(game):
    found = run_survey(300, seed=11, games=surveyed(game))

    assert found.leaks == [], "\n".join(render_lines(found))
    assert found.pairs == 300
    assert found.compared > 1000


@pytest.mark.slow
@pytest.mark.long
def test_pairs_diverge_throughout_a_game_and_in_every_ruleset():
    """Most of what can leak does not exist yet when the cards are dealt."""
    found = run_survey(400, seed=12, games=surveyed("cheat"))

    assert min(found.by_turn[turn] for turn in range(0, 60, 10)) >= 20
    assert {f"{preset} {pace}" for preset in PRESETS for pace in ("live", "sealed")} == set(found.by_ruleset)
    assert found.endings["reveal"] > 100
    assert found.endings["length"] > 50


@pytest.mark.slow
def test_same_seed_draws_the_same_pairs():
    first, again = (run_survey(30, seed=5, games=surveyed(*PACKS)) for _ in range(2))

    assert first.as_dict() == again.as_dict()


# ---- planted leaks


def hidden_bit(state: Any) -> int:
    """Return a bit that depends on cards that hardly any viewer knows."""
    held = Counter[int]({seat: sum(cards_from_hand(hand)[:3]) for seat, hand in enumerate(state.hands)})
    return sum(seat * value for seat, value in held.items()) % 2


def watch_states(monkeypatch) -> list[Any]:
    """Return a list to which every state is added before its questions are asked."""

    def look(self: GameReferee, *rest: Any) -> None:
        states.append(self.state)
        plain(self, *rest)

    states: list[Any] = []
    plain = GameReferee.proceed
    monkeypatch.setattr(GameReferee, "proceed", look)
    return states


def a_card_in_a_public_field(monkeypatch):
    """Add one to the claimed number if the lowest card played is red."""

    def leak(event: events.Played) -> Any:
        seen = plain(event)
        return seen._replace(public=replace(seen.public, count=seen.public.count + sum(event.cards[:1]) % 2))

    plain = views._REDACTIONS[events.Played]
    monkeypatch.setitem(views._REDACTIONS, events.Played, leak)


def the_order_of_cards(monkeypatch):
    """Publish the called cards in reverse order, whatever the check mode."""

    def leak(event: events.Called) -> Any:
        seen = plain(event)
        return seen._replace(public=replace(seen.public, cards=bytes(reversed(event.cards))))

    plain = views._REDACTIONS[events.Called]
    monkeypatch.setitem(views._REDACTIONS, events.Called, leak)


def a_hidden_size(monkeypatch):
    """Publish the number of cards played, though it may be a lie."""

    def leak(event: events.Played) -> Any:
        seen = plain(event)
        return seen._replace(public=replace(seen.public, laid=len(event.cards)))

    plain = views._REDACTIONS[events.Played]
    monkeypatch.setitem(views._REDACTIONS, events.Played, leak)


def an_id_drawn_from_the_deck(monkeypatch):
    """Shift prompt ids by a bit of the hidden cards."""

    def leak(self: PromptLog) -> PromptId:
        self.last_id = PromptId(self.last_id + hidden_bit(seen[-1]))
        return plain(self)

    seen = watch_states(monkeypatch)
    plain = PromptLog.next_id
    monkeypatch.setattr(PromptLog, "next_id", leak)


def a_field_of_a_snapshot(monkeypatch):
    """Add a bit of the hidden cards to a field of the snapshot."""

    def leak(state: Any, viewer: Any) -> Any:
        return replace(plain(state, viewer), landed=state.landed + hidden_bit(state))

    plain = CheatGame.snapshot
    monkeypatch.setattr(CheatGame, "snapshot", staticmethod(leak))


def the_length_of_a_message(monkeypatch):
    """Pad some prompts by a bit of the hidden cards."""

    def leak(self: ProtoCodec, view: Any) -> bytes:
        padding = b"\xf8\x07\x00" if getattr(view.options, "final", None) is False and view.id % 2 else b""
        return plain(self, view) + (padding if seen and hidden_bit(seen[-1]) else b"")

    seen = watch_states(monkeypatch)
    plain = ProtoCodec.encode_prompt
    monkeypatch.setattr(ProtoCodec, "encode_prompt", leak)


def a_deadline(monkeypatch):
    """Make the time limit of a turn a microsecond longer with some hands."""

    def leak(self: Deadlines, group: Any, now: Instant) -> None:
        plain(self, group, now)
        if group.deadline is not None and seen:
            group.deadline += hidden_bit(seen[-1])

    seen = watch_states(monkeypatch)
    plain = Deadlines.set_times
    monkeypatch.setattr(Deadlines, "set_times", leak)


def a_drawn_card(monkeypatch):
    """CHEATER: report one card too many to all seats if the first card drawn has an odd code."""

    def leak(event: cheater_events.Drew) -> Any:
        seen = plain(event)
        return seen._replace(public=replace(seen.public, count=seen.public.count + event.cards[0] % 2))

    plain = cheater_views._REDACTIONS[cheater_events.Drew]
    monkeypatch.setitem(cheater_views._REDACTIONS, cheater_events.Drew, leak)


def the_next_card(monkeypatch):
    """CHEATER: make the draw count of a snapshot depend on the top of the draw pile."""

    def leak(state: Any, viewer: Any) -> Any:
        return replace(plain(state, viewer), draw_count=len(state.draw_pile) + sum(state.draw_pile[:1]) % 2)

    plain = CheaterGame.snapshot
    monkeypatch.setattr(CheaterGame, "snapshot", staticmethod(leak))


@pytest.mark.slow
@pytest.mark.parametrize("plant", [a_drawn_card, the_next_card], ids=lambda plant: plant.__name__)
def test_leak_planted_in_cheater_is_detected(plant, monkeypatch):
    plant(monkeypatch)

    assert len(run_survey(PAIRS, seed=13, games=surveyed("cheater")).leaks) >= 2


@pytest.mark.slow
@pytest.mark.replaces_code
@pytest.mark.parametrize(
    "plant",
    [
        a_card_in_a_public_field,
        the_order_of_cards,
        a_hidden_size,
        an_id_drawn_from_the_deck,
        a_field_of_a_snapshot,
        the_length_of_a_message,
        a_deadline,
    ],
    ids=lambda plant: plant.__name__,
)
def test_planted_leak_is_detected(plant, monkeypatch):
    plant(monkeypatch)

    found = run_survey(PAIRS, seed=13, games=surveyed("cheat"))

    assert len(found.leaks) >= 2
    assert "LEAK" in "\n".join(render_lines(found))


@pytest.mark.slow
@pytest.mark.parametrize("game", PACKS)
def test_viewer_of_joined_acceptances_can_tell_no_twins_apart(game, monkeypatch):
    """An acceptance waits for the seat's next message; when that comes must not depend on anything hidden."""

    def take_joined(self: InMemoryMatch, after: StreamSequence | None) -> None:
        self._outbox.takes_joined_acceptances = True
        attach_viewer(self, after)

    attach_viewer = InMemoryMatch.reconnect_viewer
    monkeypatch.setattr(InMemoryMatch, "reconnect_viewer", take_joined)

    found = run_survey(PAIRS, seed=15, games=surveyed(game))

    assert found.leaks == [], "\n".join(render_lines(found))
    assert found.compared > 300


@pytest.mark.slow
@pytest.mark.parametrize("game", PACKS)
def test_nobody_who_reads_along_can_tell_twins_apart(game, monkeypatch):
    """The author of a bot watches the bot's seat: from the start, or late with a snapshot."""

    def watch_viewer(self: InMemoryMatch, after: StreamSequence | None) -> None:
        if self.viewer == SPECTATOR:
            attach_viewer(self, after)
        else:
            self._feed.unwatch(self._outbox)
            self._feed.watch_entrant(self.table.referee, self.viewer, self._outbox, after)

    attach_viewer = InMemoryMatch.reconnect_viewer
    monkeypatch.setattr(InMemoryMatch, "reconnect_viewer", watch_viewer)

    found = run_survey(PAIRS, seed=14, games=surveyed(game))

    assert found.leaks == [], "\n".join(render_lines(found))
    assert found.compared > 500
