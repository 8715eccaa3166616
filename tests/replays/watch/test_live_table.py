"""A live table tells and draws a match from what spectators are sent, whenever they come."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from arena.games.catalogue import PACKS, games, watched_game_of
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.referee.replay import Replay
from arena.match.referee.terms import Terms
from arena.replays.narration.phrasing import Mark
from arena.replays.watch.drawing import Drawing, DrawnCards, DrawnScore, MatchPhase
from arena.replays.watch.live_table import LiveTable
from arena.replays.watch.recorded_match import recorded_messages, snapshot_message
from tests.games.cheat.rules.strategies import LISTS, OPTIONS, playable
from tests.replays.watch.spectators import Broadcast, play_match
from tests.support.recorded_matches import ManualMatch

PRESETS = [(pack.game, preset) for pack in PACKS.values() for preset in pack.game.presets]


def seats_for(preset: str, seed: int) -> int:
    return 4 if preset == "ascending" else 2 + seed % 4


def draw_now(referee: Any) -> Drawing:
    """Return the table as the rules show it to spectators now."""
    message = snapshot_message(referee)
    assert message is not None
    table = LiveTable(watched_game_of)
    table.add(message)
    return table.drawing


def without_verdict(drawing: Drawing) -> Drawing:
    return replace(drawing, verdict=None)


# ---- one state, whatever the way


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_table_followed_from_its_first_message_is_that_of_a_snapshot(game, preset, seed):
    """Whenever a seat is asked something. After the next verdict, nothing is missing for those who came late."""
    style = "live" if seed == 1 else "sealed"
    records = play_match(game, preset, seats_for(preset, seed), seed, games=2, leaving=0.003, style=style)
    broadcast = Broadcast(records)
    first = broadcast.admit(after=0)
    late, compared = [], 0

    for moment, is_asked in enumerate(broadcast.play()):
        if not is_asked:
            continue
        assert without_verdict(first.table.drawing) == draw_now(broadcast.replay.referee)
        if moment % 30 == 7:
            late.append(broadcast.admit())
            assert late[-1].table.drawing == without_verdict(first.table.drawing)
        for spectator in late[-2:]:
            drawing = spectator.table.drawing
            assert without_verdict(drawing) == without_verdict(first.table.drawing)
            if drawing.verdict is not None and game is CHEAT:  # an attack in CHEATER has several parts
                assert drawing == first.table.drawing
        compared += 1

    assert compared >= 20
    assert late
    assert first.table.is_over
    assert {each.table.drawing.scores for each in late} == {first.table.drawing.scores}


@pytest.mark.parametrize("style", ["sealed", "live"])
@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_seats_that_are_drawn_as_asked_are_those_that_have_a_question(game, preset, style):
    """With the presets, everybody knows who is asked."""
    broadcast = Broadcast(play_match(game, preset, 4, 8, style=style))
    spectator, compared = broadcast.admit(after=0), 0

    for is_asked in broadcast.play():
        playing = broadcast.replay.referee.current_game
        if is_asked and playing is not None:
            groups = [group.group for group in playing.prompts.groups.values()]
            expected = {question.seat for group in groups for question in group.questions}
            drawn = {seat.seat for seat in spectator.table.drawing.seats if seat.is_asked}
            assert drawn == expected, spectator.table.drawing
            compared += 1

    assert compared >= 20


@pytest.mark.parametrize("seed", range(40))
def test_every_ruleset_of_cheat_is_followed(seed):
    """Also with hidden sizes, a cut deck, calls in turn, beliefs and checked hands."""
    random = Random(seed)
    preset = random.choice(CHEAT.presets)
    chosen = {
        name: random.sample(OPTIONS[name], random.randint(1, len(OPTIONS[name]))) if name in LISTS
        else random.choice(OPTIONS[name])
        for name in random.sample(list(OPTIONS), 5)
    }  # fmt: skip
    options = {**playable(preset, chosen), "max_turns": 40}
    style = random.choice(("live", "sealed"))
    records = play_match(CHEAT, preset, 4, seed, options=options, leaving=0.005, style=style)
    broadcast = Broadcast(records)
    first = broadcast.admit(after=0)

    for is_asked in broadcast.play():
        if is_asked:
            assert without_verdict(first.table.drawing) == draw_now(broadcast.replay.referee)

    (started, *rest), (sent, *others) = recorded_messages(Replay(records, games())), first.messages
    assert rest == others, "every number that the ruleset hides is unknown, and no other"
    assert started.facts[1:] == sent.facts[1:]


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_recorded_match_gives_the_messages_that_were_sent(game, preset):
    records = play_match(game, preset, seats_for(preset, 1), 5, games=2)
    broadcast = Broadcast(records)
    spectator = broadcast.admit(after=0)
    for _ in broadcast.play():
        pass

    told = []
    table = LiveTable(watched_game_of)
    for message, sent in zip(recorded_messages(Replay(records, games())), spectator.messages, strict=True):
        assert message == sent
        told += table.add(message)

    assert told == spectator.lines
    assert table.drawing == spectator.table.drawing


def test_spectator_resumes_after_what_it_has():
    """Nothing is told twice, and nothing is missing."""
    broadcast = Broadcast(play_match(CHEAT, "standard", 3, 2))
    whole, cut = broadcast.admit(after=0), broadcast.admit(after=0)

    for moment, _ in enumerate(broadcast.play()):
        if moment == 40:
            broadcast.disconnect(cut)
        elif moment == 60:
            broadcast.connect(cut, after=cut.table.sequence - 2)

    assert cut.table.sequence == whole.table.sequence
    assert cut.lines == whole.lines
    assert cut.table.drawing == whole.table.drawing


def test_snapshot_replaces_what_a_spectator_had():
    """The server no longer has what was missed. One line says where the match is now."""
    broadcast = Broadcast(play_match(CHEAT, "standard", 3, 2, games=2))
    whole, cut = broadcast.admit(after=0), broadcast.admit(after=0)

    for moment, _ in enumerate(broadcast.play()):
        if moment == 20:
            broadcast.disconnect(cut)
            before = len(cut.lines)
        elif moment == 60:
            broadcast.connect(cut, after=None)
            (position,) = cut.lines[before:]
            turn = whole.table.drawing.turn
            assert position.text.startswith(f"game {whole.table.drawing.game}, from turn {turn} on: ")

    assert cut.table.drawing.scores == whole.table.drawing.scores


# ---- what is drawn


@pytest.fixture
def lie() -> ManualMatch:
    """Seat 0 begins with a lie about kings. Nobody has answered yet."""
    match = ManualMatch("M", games=2)
    match.answer(0, "2K 4C4S", 10)
    return match


def watch(match: ManualMatch) -> tuple[list[str], LiveTable]:
    """Return what is told of a match so far, and its table."""
    table = LiveTable(watched_game_of)
    lines = [line.text for each in recorded_messages(Replay(match.records, games())) for line in table.add(each)]
    return lines, table


def test_nothing_is_drawn_before_the_match():
    assert LiveTable(watched_game_of).drawing == Drawing()


def test_claim_is_told_and_drawn(lie):
    lines, table = watch(lie)
    drawing = table.drawing

    assert lines == ["game 0: Ann, Bob, Cid", "Ann claims 2 x K"]
    assert (drawing.phase, drawing.rules) == (MatchPhase.PLAYING, "cheat standard")
    assert (drawing.game, drawing.game_count, drawing.games_ended, drawing.turn) == (0, 2, 0, 1)
    assert [seat.name for seat in drawing.seats] == ["Ann", "Bob", "Cid"]
    assert [seat.hand for seat in drawing.seats] == [
        DrawnCards(back_count=16),
        DrawnCards(back_count=18),
        DrawnCards(back_count=18),
    ]
    assert [seat.is_asked for seat in drawing.seats] == [False, True, True]
    assert [seat.is_to_move for seat in drawing.seats] == [False, True, False]
    rows = {row.label: row for row in drawing.centre}
    assert rows["pile"].text == "2 cards from 1 move"
    assert rows["pile"].cards == (DrawnCards(back_count=2, seat=0, claim="2 x K"),)
    assert rows["to call"].text == "Ann: 2 x K"
    assert drawing.verdict is None


def test_verdict_is_told_and_drawn_with_its_cards(lie):
    lie.answer(1, "decline", 20)
    lie.answer(2, "call", 30)
    lines, table = watch(lie)
    drawing = table.drawing

    assert lines[-1] == "Cid calls Ann rightly: 4C 4S; Ann takes 2"
    assert drawing.verdict is not None
    assert (drawing.verdict.label, drawing.verdict.text) == ("last call", lines[-1])
    assert drawing.verdict.cards == (DrawnCards(("4C", "4S")),)
    assert [seat.hand.count for seat in drawing.seats] == [18, 18, 18]
    assert {row.label: row.text for row in drawing.centre}["pile"] == "empty"


def test_right_call_is_marked(lie):
    lie.answer(1, "decline", 20)
    lie.answer(2, "call", 30)
    table = LiveTable(watched_game_of)

    told = [line for each in recorded_messages(Replay(lie.records, games())) for line in table.add(each)]

    assert [(line.turn, line.marks) for line in told[1:]] == [(0, ()), (0, (Mark.RIGHT_CALL,))]


def test_score_counts_finished_games_and_the_next_game_begins(lie):
    """Without a break, the next game begins in the message that ends the last one. Its table is fresh."""
    lie.play_out()
    table = LiveTable(watched_game_of)
    ends = []
    for message in recorded_messages(Replay(lie.records, games())):
        told = [line.kind for line in table.add(message)]
        if "end" in told:
            ends.append((told, table.drawing))

    (first, between), (_, last) = ends
    assert first[-2:] == ["end", "game"]
    assert (between.game, between.games_ended, between.turn) == (1, 1, 0)
    assert sum(score.place_sum for score in between.scores) == 6
    assert [score.win_count for score in between.scores].count(1) == 1
    assert last.phase is MatchPhase.OVER
    assert last.termination == "finished"
    assert [seat.place for seat in last.seats] == [1, 1, 3], "as all moves of the second game are automatic"
    assert sum(score.place_sum for score in last.scores) == 6 + 5


def test_places_of_cheater_are_shown_when_its_game_is_over():
    """While it runs, only seats that have left have a place."""
    table = LiveTable(watched_game_of)
    for message in recorded_messages(Replay(play_match(CHEATER, "cheater", 3, 4, options={"max_turns": 8}), games())):
        table.add(message)

    assert [seat.place for seat in table.drawing.seats] == [1, 1, 1]
    assert table.drawing.scores == tuple(DrawnScore(name, 1, 1) for name in ("Ann", "Bob", "Cid"))


def test_attack_of_cheater_shows_the_hand():
    """Cards that everybody has seen lie open in the hand, and the row of the attack says what came of it."""
    table = LiveTable(watched_game_of)
    messages = recorded_messages(Replay(play_match(CHEATER, "cheater", 4, 3), games()))
    told = ((line.text, table) for message in messages for line in table.add(message))

    text = next(text for text, _ in told if " shows " in text and not text.startswith("the die"))

    drawing = table.drawing
    name, _, cards = text.partition(" shows ")
    assert drawing.verdict is not None
    assert drawing.verdict.text.endswith(text) or text in drawing.verdict.text
    assert tuple(cards.split()) in [each.faces for each in drawing.verdict.cards]
    seat = next(seat for seat in drawing.seats if seat.name == name)
    assert set(seat.hand.faces) <= set(cards.split())
    assert seat.hand.faces


# ---- names


def watch_with(**changes: Any) -> tuple[list[str], Drawing]:
    """Return what is told of a match, and its last table, if its terms have these changes."""
    table, lines = LiveTable(watched_game_of), list[str]()
    for message in recorded_messages(Replay(play_match(CHEAT, "standard", 4, 1), games())):
        facts = tuple(replace(each, **changes) if isinstance(each, Terms) else each for each in message.facts)
        lines += [line.text for line in table.add(replace(message, facts=facts))]
    return lines, table.drawing


def test_hostile_names_are_escaped_and_told_apart():
    lines, drawing = watch_with(entrants=("\x1b[2Jeve\n", "seat 1", "[red]bob[/]", "[red]bob[/]"), rated=False)

    assert [seat.name for seat in drawing.seats] == [
        r"\x1b[2Jeve\n", "seat 1", "[red]bob[/] entrant 2", "[red]bob[/] entrant 3",
    ]  # fmt: skip
    assert all(text.isprintable() for text in (*lines, *(row.text for row in drawing.centre)))
    assert any(text.startswith("seat 1 claims ") for text in lines)


def test_names_of_an_anonymous_match_stay_hidden():
    lines, drawing = watch_with(anonymous=True)

    assert "entrant 2" in " ".join(lines)
    assert not any(name in text for name in ("Ann", "Bob", "Cid", "Dot") for text in lines)
    assert [seat.name for seat in drawing.seats] == ["entrant 0", "entrant 1", "entrant 2", "entrant 3"]
