"""What `python -m cheatarena watch` and `show` print, worked out by hand."""

from datetime import UTC, datetime

from cheatarena.author import OwnMatch, OwnResult, ReplayLine
from cheatarena.cheater import Attack
from cheatarena.commands.output import escape
from cheatarena.commands.seat_text import SeatTeller
from cheatarena.commands.show import describe_replay
from cheatarena.known_games import GAMES
from cheatarena.testing import CheaterScript, Script
from cheatarena.testing.story import Story

MATCH = OwnMatch(
    "01K00000000000000000000000", datetime(2026, 1, 1, tzinfo=UTC), True, "finished", "cheat", "standard", "1",
    "sealed", 2000, 1000, True, ("mine", "other"), 1, False, (OwnResult(0, (2,), 0.0, {}),),
)  # fmt: skip


def told(game: str, story: Story) -> list[str]:
    """Return what is told of the messages to a seat."""
    teller = SeatTeller(GAMES[game], story.messages[0].entrant)
    return [line.text for message in story for line in teller.tell(message)]


def line(kind: str, text: str, turn: int | None = 0, prompt: str = "", **rows: str) -> ReplayLine:
    """Return a line of a replay, a second after its game began."""
    data = {"prompt": prompt} if prompt else {}
    return ReplayLine(kind, None if turn is None else 0, turn, 1_000_000, text, tuple(rows.items()), data)


def shown(*lines: ReplayLine, remark: str = "") -> list[str]:
    """Return the lines of a replay without those above it."""
    return [each.text for each in describe_replay(MATCH, lines, remark).lines][2:]


# ---- watch


def test_each_fact_and_each_question_of_cheat_is_a_line():
    story = Script(seats=3, seat=0, jokers=0).deal("KS KD 2C").plays(1, "K", 2).asks_window()
    story.calls(2, lie=True, shown="3C 4D").asks_turn("2 K").ends_game([1, 2, 3])

    assert told("cheat", story) == [
        "game 0: seat 0 bot 0, seat 1 bot 1, seat 2 bot 2; your seat is 0",
        "  dealt: hand sizes 3 3 3, to move 0, dealer 0",
        "  hand: cards 2C KD KS",
        "  played: seat 1, rank K, count 2, not emptied, to move 2",
        "asked: call_window, legal: call or decline",
        "  called: caller 2, accused 1, right, taker 1, taken count 2, to move 2, shown 3C 4D",
        "asked: turn, legal: play CARDS as RANK (number: 1 to 4; rank: 2 K)",
        "game 0 is over, finished: seat 0 place 1, seat 1 place 2, seat 2 place 3",
    ]


def test_each_fact_and_each_question_of_cheater_is_a_line():
    story = CheaterScript(seats=2, seat=1).deal("RC RH YE BA").rolls(0).draws(0, 2).discards(0, "RT")
    story.attacks(0, 1, Attack.TAKE).asks_reaction(0, Attack.TAKE).takes(0, 1, "RC").wins(0)

    assert told("cheater", story)[1:] == [
        "  dealt: seat count 2, top BT, draw count 55",
        "  hand: cards RC RH YE BA",
        "  rolled: seat 0, dice 1 2, not lost",
        "  drew: seat 0, count 2",
        "  discarded: seat 0, cards RT",
        "  attacked: seat 0, target 1, attack TAKE, card TAKE",
        "asked: reaction, legal: allow",
        "  taken: seat 0, target 1, card RC",
        "  won: seat 0, titles none",
    ]


# ---- show


def test_question_has_its_turn_and_what_the_seat_newly_knew():
    """A call window belongs to the move before it."""
    assert shown(
        line("decision", "you are asked", 3, "turn", hand="KS 2C", pile="empty"),
        line("event", "seat 1 claims 2 x K", 5),
        line("decision", "you are asked", 5, "window", hand="KS 2C", pile="2 cards"),
    ) == [
        "   3     1.000  you are asked",
        "                hand       KS 2C",
        "                pile       empty",
        "         1.000  seat 1 claims 2 x K",
        "   4     1.000  you are asked",
        "                pile       2 cards",
    ]


def test_each_game_begins_with_all_that_the_seat_knew():
    hand = line("decision", "you are asked", 0, "turn", hand="KS")

    assert shown(hand, line("game", "game 1"), hand).count("                hand       KS") == 2


def test_long_texts_are_wrapped_beside_the_margin():
    text = "word " * 30

    assert shown(line("event", text)) == [f"         1.000  {'word ' * 16}word", f"{' ' * 16}{'word ' * 12}word"]


def test_remark_says_what_is_missing():
    assert shown(line("match", "the match is over", None), remark="game 0 is not stored") == [
        "         1.000  the match is over",
        "",
        "game 0 is not stored",
    ]


def test_replay_for_programs_has_the_data_of_each_line():
    (plain,) = describe_replay(MATCH, [line("decision", "asked", 3, "turn", hand="KS")], "").value["lines"]

    assert plain == {
        "kind": "decision", "game": 0, "turn": 3, "at_us": 1_000_000, "text": "asked", "rows": {"hand": "KS"},
        "prompt": "turn",
    }  # fmt: skip


def test_text_of_others_cannot_act_on_a_terminal():
    assert escape("a\x1b[2Jb\u202e") == "a\\x1b[2Jb\\u202e"
