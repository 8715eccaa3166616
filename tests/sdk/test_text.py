"""Tables and options as text, and answers that a person or a language model wrote."""

import pytest

from cheatarena import Believe, Bot, Call, Decline, NotationError, Pass, Play
from cheatarena.cheater import Attack, CheaterBot
from cheatarena.testing import CheaterScript, Rehearsal, Script


class Keeping(Bot):
    """Keeps the options of its last turn."""

    def turn(self, table, options):
        self.options = options
        return options.pass_() or options.smallest_lie()

    def call_window(self, table, claim):
        return Decline()


def ask(hand="KS KD 7H 7S 2C", *, script=None, after_a_move=False, **turn):
    """Return the table and the options of a turn after a deal."""
    bot = Keeping()
    rehearsal = Rehearsal(bot)
    story = (script or Script(seats=3, seat=0)).deal(hand)
    if after_a_move:
        story.plays(1, "A", 1)
    for message in story:
        rehearsal.take(message)
    ranks, counts = turn.pop("ranks", "7 K"), turn.pop("counts", (1, 2))
    rehearsal.take(story.asks_turn(ranks, counts, **turn).messages[-1])
    return rehearsal.table, bot.options


# ---- tables


def test_table_before_its_match_has_a_text():
    table = Rehearsal(Keeping).table

    assert "before the first game" in str(table)
    assert table.describe() == str(table)


def test_line_of_a_table_has_place_hand_pile_and_claim():
    script = Script(seats=3, seat=0)
    table, _ = ask(script=script)
    rehearsal = Rehearsal(Keeping)
    for message in script.plays(1, "K", 2):
        rehearsal.take(message)
    line = str(rehearsal.table)

    assert "\n" not in line
    assert "2C 7H 7S KD KS" in line
    assert "pile 2" in line
    assert "seat 1: 2 x K" in line
    assert "seat 0 of 3" in str(table)


def test_description_tells_seats_pile_and_what_is_certain():
    rehearsal = Rehearsal(Keeping)
    story = Script(seats=3, seat=0, jokers=0).deal("KS KD KH 7S 2C").plays(1, "K", 2)
    for message in story:
        rehearsal.take(message)
    said = rehearsal.table.describe()

    assert "seat 0 (you) bot 0: 5 cards: 2C 7S KD KH KS" in said
    assert "seat 1 bot 1: 3 cards" in said
    assert "pile: 2 cards" in said
    assert "the last claim cannot be true" in said


def test_description_of_a_hidden_size_says_so():
    table, _ = ask(script=Script(seats=3, seat=0, rules={"sizes_visible": False}))

    assert "seat 1 bot 1: ? cards" in table.describe()


def test_description_of_thousands_of_cards_is_short():
    table, options = ask(" ".join(["KS", "7H", "2C", "JK"] * 500), script=Script(seats=3, decks=251), counts=(1, 1000))

    assert len(table.describe()) < 2000
    assert "500 x K" in table.describe()
    assert len(options.plausible_lies()) <= 10


# ---- answers as text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("play 2 7H 7S as 7", Play.of("7H 7S", "7")),
        ("7h, 7s AS 7", Play.of("7H 7S", "7")),
        ("Play KD as 7.", Play.of("KD", "7")),
        ("pass", Pass()),
        ("CALL", Call()),
        ("believe", Believe()),
    ],
)
def test_legal_action_is_read(text, expected):
    _, options = ask(can_pass=True, can_call=True, can_believe=True, after_a_move=True)

    assert options.parse(text) == expected


def test_ten_may_be_written_with_digits():
    _, options = ask("TD KS", ranks="T")

    assert options.parse("10D as 10") == Play.of("TD", "T")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fly", "'fly' is not an action"),
        ("pass", "'pass' is not an action"),
        ("call", "'call' is not an action"),
        ("QS as K", "your hand does not have QS; it has 2C 7H 7S KD KS"),
        ("KS KS as K", "your hand does not have KS"),
        ("KS as Q", "Q may not be claimed, only 7 or K"),
        ("KS KD 2C as K", "3 cards may not be claimed, only 1 to 2"),
        ("play 2 KS as K", "it claims 2 cards and lays 1, but must lay as many as it claims"),
        ("play 1 KS KD as K", "it claims 1 card and lays 2, but must lay as many as it claims"),
        ("play as K", "0 cards may not be claimed, only 1 to 2"),
        ("play ZZ as K", "'ZZ' is not a card"),
        ("play KS as Z", "'Z' is not a rank"),
        ("", "'' is not an action"),
    ],
)
def test_other_text_is_refused_with_what_is_legal(text, reason):
    _, options = ask()

    with pytest.raises(NotationError) as caught:
        options.parse(text)
    assert reason in str(caught.value)
    assert "number: 1 to 2; rank: 7 K" in str(caught.value)
    assert "pass" not in str(caught.value).partition("; legal: ")[2]


def test_face_up_cards_must_be_true():
    _, options = ask(face_up=True)

    assert options.parse("KS KD as K") == Play.of("KS KD", "K")
    with pytest.raises(NotationError, match="the cards lie face up and must be true"):
        options.parse("2C as K")


def test_every_ready_made_answer_survives_its_text():
    _, options = ask(can_pass=True, zero=True, laid=(1, 3), script=Script(seats=3, rules={"count_lies": True}))
    answers = [*options.honest_plays(), *options.plausible_lies(), options.smallest_lie(), options.zero_play(), Pass()]
    answers += options.plays_of(options.hand.of(12))

    assert [options.parse(str(each)) for each in answers] == answers


def test_answers_to_a_window_are_read():
    table, _ = ask()

    assert table.parse_doubt(" Call ") == Call()
    assert table.parse_doubt("decline") == Decline()
    with pytest.raises(NotationError, match="expected call or decline"):
        table.parse_doubt("believe")
    table.can_believe = True
    assert table.parse_doubt("believe") == Believe()


# ---- lies worth considering


def test_plausible_lies_are_legal_lies_without_repeats():
    _, options = ask(ranks="A 2 3 4 5 6 7 8 9 T J Q K", counts=(1, 4))
    lies = options.plausible_lies(100)

    assert lies
    assert not any(lie.is_honest for lie in lies)
    assert len({(lie.rank, lie.claimed) for lie in lies}) == len(lies)
    assert all(options.hand.has(lie.cards) for lie in lies)
    assert len(options.plausible_lies(3)) == 3
    assert options.plausible_lies(3) == lies[:3]


def test_lie_about_the_rank_that_the_bot_holds_comes_first():
    """Nobody else can have many of these."""
    _, options = ask("KS KD KH 2C", ranks="3 K", counts=(1, 1))

    assert [str(lie) for lie in options.plausible_lies()] == ["2C as K", "2C as 3"]


def test_lie_that_a_seat_certainly_refutes_is_left_out():
    """Seat 1 has picked up three kings that all have seen, and there are no jokers: two kings are one too many."""
    script = Script(seats=3, seat=0, jokers=0).deal("2C 3D 4H 5S").plays(1, "A", 3)
    script.calls(2, lie=True, shown="KS KD KH")
    bot = Keeping()
    rehearsal = Rehearsal(bot)
    for message in script.asks_turn("K", (1, 2)):
        rehearsal.take(message)

    assert [lie.claimed for lie in bot.options.plausible_lies()] == [1]


def test_face_up_moves_have_no_lies():
    _, options = ask(face_up=True)

    assert options.plausible_lies() == []


# ---- CHEATER


class KeepingCheater(CheaterBot):
    def act(self, table, options):
        self.options = options
        return options.choices()[0]

    def discard(self, table, options):
        self.options = options
        return options.least_useful()

    def reaction(self, table, options):
        self.options = options
        return options.choices()[0]

    def pick(self, table, options):
        self.options = options
        return options.best()


def ask_cheater(asks):
    bot = KeepingCheater()
    rehearsal = Rehearsal(bot)
    for message in asks(CheaterScript(3, 0).deal("RC RH RE WILD YC YA TAKE HIDE").rolls(0, 3, 3)):
        rehearsal.take(message)
    return rehearsal.table, bot.options


CHEATER_QUESTIONS = {
    "act": lambda story: story.asks_act("WILD TAKE", powers=(1, 2, 3)),
    "discard": lambda story: story.asks_discard(2),
    "reaction": lambda story: story.asks_reaction(1, Attack.TAKE, "HIDE WILD"),
    "take": lambda story: story.asks_pick(Attack.TAKE, 1, "RA RT YC"),
    "demand": lambda story: story.asks_pick(Attack.DEMAND, 1, "RA RT YC"),
    "bust": lambda story: story.asks_pick(Attack.BUST, 1, "RA RT YC", 2),
}


@pytest.mark.parametrize("question", CHEATER_QUESTIONS)
def test_every_answer_of_cheater_survives_its_text(question):
    _, options = ask_cheater(CHEATER_QUESTIONS[question])

    assert options.choices()
    assert [options.parse(str(each).lower()) for each in options.choices()] == options.choices()
    with pytest.raises(NotationError, match="'fly' is not a legal answer; legal: "):
        options.parse("fly")
    assert len(str(options)) < 1500


def test_cards_of_a_discard_may_be_named_in_any_order():
    _, options = ask_cheater(CHEATER_QUESTIONS["discard"])

    assert set(options.parse("discard YC, RC").cards) == set(options.parse("discard RC YC").cards)


def test_description_of_cheater_tells_hand_dice_and_piles():
    table, _ = ask_cheater(CHEATER_QUESTIONS["act"])
    said = table.describe()

    assert "RC RH RE YC YA TAKE HIDE WILD, the CHEATER" in said
    assert "dice: 3 and 3" in said
    assert "BT on top" in said
    assert "nearest word: red, missing RE RA RT RR" in said
    assert "\n" not in str(table)
