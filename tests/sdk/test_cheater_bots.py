"""How a bot of CHEATER is asked, which choices it is offered, and how its answers are encoded."""

import asyncio
import logging
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.cheater.rules import actions
from arena.games.cheater.rules.actions import Attack as RulesAttack
from arena.games.cheater.wire.messages import read_action
from cheatarena import BotError, Client, NotationError, Offer, Settings
from cheatarena.cheater import (
    BUST,
    HIDE,
    SHOW,
    TAKE,
    WILD,
    Allow,
    Attack,
    Bust,
    Card,
    CheaterBot,
    Color,
    Demand,
    Discard,
    Draw,
    DrawTwo,
    Hand,
    Hide,
    Play,
    Take,
    TakeTop,
    cards,
)
from cheatarena.cheater.cards import CARDS, copies
from cheatarena.cheater.encoding import read_answer
from cheatarena.cheater.game import CHEATER
from cheatarena.encoding import DecisionWriter
from cheatarena.testing import CheaterScript, Rehearsal, Script, play_through
from cheatarena.v1 import decision_pb2, lobby_pb2, play_pb2
from tests.sdk.test_bots import refusal, seat_with_story, tell

OWN = "RC RH RE RA YT TAKE HIDE"
SHOWN = "PC PH PE RE YA BR SHOW"


class Drawer(CheaterBot):
    def act(self, table, options):
        return Draw()


def started_story(hand: str = OWN) -> CheaterScript:
    return CheaterScript(3).deal(hand).rolls(0)


def offered_options(method: str, story: CheaterScript):
    """Return the options that a bot is offered at the end of a story."""
    found = []

    def note(self, table, options):
        found.append(options)
        raise KeyError

    Noting = type("Noting", (Drawer,), {method: note})  # noqa: N806  a class
    with pytest.raises(KeyError):
        play_through(Noting, story)
    return found[-1]


# ---- asking


def test_each_question_reaches_its_method_and_its_answer_the_wire():
    class Busy(CheaterBot):
        def act(self, table, options):
            return Play(TAKE, options.targets[-1], note="now")

        def discard(self, table, options):
            return Discard.of("YT")

        def reaction(self, table, options):
            return Hide(options.hiding[0])

        async def pick(self, table, options):
            return Take(options.shown[4])

    story = started_story().asks_act("TAKE").asks_discard().asks_reaction(1, Attack.SHOW, "HIDE WILD")

    answers = play_through(Busy, story.asks_pick(Attack.TAKE, 2, SHOWN))

    assert answers == [Play(TAKE, 2, note="now"), Discard(cards("YT")), Hide(HIDE), Take(Card.of("PE"))]


def test_bot_with_only_an_act_method_plays():
    """It keeps the cards closest to the word, allows every attack, and picks the cards it needs."""
    story = started_story("RC RH RE RA RR YT BT WILD").asks_discard().asks_reaction(1, Attack.BUST, "WILD")

    answers = play_through(Drawer, story.asks_pick(Attack.TAKE, 2, SHOWN).asks_act())

    assert answers == [Discard.of("YT"), Allow(), Take(Card.of("RE")), Draw()]


@pytest.mark.parametrize("answer", [None, Allow(), "draw", Draw])
def test_answer_that_does_not_fit_the_question_is_refused(answer):
    class Confused(CheaterBot):
        def act(self, table, options):
            return answer

    with pytest.raises(BotError, match=r"act\(\) returned .* expected Draw, DrawTwo, TakeTop, Demand or Play"):
        play_through(Confused, started_story().asks_act())


def test_card_not_in_the_hand_is_not_sent(caplog):
    class Dreamer(CheaterBot):
        def act(self, table, options):
            return Play(BUST, 1)

    _, wire = seat_with_story(Dreamer(), started_story().asks_act())

    assert wire.decisions == []
    assert "act() broke a rule: BUST not in hand: the answer was BUST at seat 1, the hand is " in caplog.text
    assert "; legal: draw" in caplog.text
    assert "was refused" not in caplog.text


def test_refused_answer_may_be_corrected():
    class Learning(CheaterBot):
        is_warned = False

        def act(self, table, options):
            return Draw() if self.is_warned else DrawTwo()

        def on_refused(self, table, decision, reason):
            self.is_warned = reason == "NOT_CHEATER"

    seat, wire = seat_with_story(Learning(), started_story().asks_act())
    tell(seat, refusal(seat, wire.decisions[0], "NOT_CHEATER"))

    assert [read_answer(each) for each in wire.decisions] == [DrawTwo(), Draw()]


def test_facts_reach_hooks_and_are_logged_with_their_position(caplog):
    heard = []

    class Listening(Drawer):
        def saw(self, table, event):
            heard.append(type(event).__name__)
            table.log.info("now %s", table.hand)

    with caplog.at_level(logging.INFO):
        play_through(Listening, started_story().draws(0, "BA"))

    assert heard == ["CheaterDealt", "CheaterHand", "CheaterRolled", "CheaterDrew", "CheaterDrawn"]
    assert "match 1 game 0 turn 0: now RC RH RE RA YT BA TAKE HIDE" in caplog.text


async def test_async_method_runs_in_a_task():
    class Slow(CheaterBot):
        async def act(self, table, options):
            await asyncio.sleep(0)
            return Draw(note=f"{table.clock.left_s:g}")

    _, wire = seat_with_story(Slow(), started_story().asks_act())
    await asyncio.sleep(0.01)

    assert [each.note for each in wire.decisions] == ["inf"]


def test_client_plays_only_the_game_of_its_class():
    class Choosy(Drawer):
        presets = ("cheater",)

        @classmethod
        def accepts(cls, offer: Offer) -> bool:
            return bool(offer.terms.ruleset.titles)

    client = Client(Choosy, Settings(address="localhost:1", token="t"))
    mine, other = (_offer(story) for story in (CheaterScript(), Script()))

    assert (client.game, client.presets) == ("cheater", ("cheater",))
    assert client.should_accept(mine)
    assert not client.should_accept(other)


def _offer(story) -> lobby_pb2.Offered:
    return lobby_pb2.Offered(match=1, terms=story.messages[0].events[0].match_started.terms)


def test_questions_of_another_game_are_ignored():
    (prompted,) = [message for message in Script().asks_turn() if message.prompts]
    prompted.sequence = 1

    assert Rehearsal(Drawer).take(prompted) == [None]


# ---- offered choices


def test_choices_of_a_turn():
    options = offered_options(
        "act", started_story("TAKE WILD RC RH RE RA YT").asks_act("TAKE WILD", [2], powers=[1, 3])
    )

    assert options.attacks == (Attack.TAKE, Attack.SHOW, Attack.BUST, Attack.DEMAND)
    assert options.attack(Attack.TAKE, 2) == Play(TAKE, 2)
    assert options.attack(Attack.BUST, 2) == Play(WILD, 2, Attack.BUST)
    assert options.attack(Attack.DEMAND, 2) == Demand(2)
    assert options.attack(Attack.TAKE, 1) is None
    assert (options.draw_two(), options.take_top()) == (DrawTwo(), None)
    assert set(options.choices()) == {
        Draw(), DrawTwo(), Demand(2), Play(TAKE, 2), Play(WILD, 2, Attack.TAKE), Play(WILD, 2, Attack.SHOW),
        Play(WILD, 2, Attack.BUST),
    }  # fmt: skip
    assert options.random_move(random.Random(1)) in options.choices()


def test_turn_with_only_a_draw():
    options = offered_options("act", started_story().asks_act())

    assert (options.attacks, options.choices(), options.draw_two()) == ((), [Draw()], None)
    assert options.attack(Attack.SHOW, 1) is options.attack(Attack.DEMAND, 1) is None
    assert options.targets == (1, 2)


def test_choices_of_a_discard():
    """Of the spare letters, the blue one is discarded first, because the hand has two yellow ones."""
    options = offered_options("discard", started_story("RC RH RE RE YA YT BR TAKE").asks_discard(1))

    assert options.least_useful() == Discard.of("BR")
    assert options.least_useful(Color.BLUE).cards[0] in cards("YA YT RC RH RE")
    assert len(options.choices()) == 7, "RE is there twice"
    assert options.random_discard(random.Random(1)) in options.choices()


def test_two_cards_are_discarded_after_power_one():
    options = offered_options("discard", started_story("RC RH RE RE RA RT RR YA TAKE").asks_discard(2))

    assert options.least_useful() == Discard.of("YA TAKE")
    assert len(options.choices()) == 29, "8 kinds: 28 pairs of two kinds, and RE RE"


def test_choices_of_a_victim():
    options = offered_options("reaction", started_story().asks_reaction(2, Attack.DEMAND, "HIDE WILD"))
    bare = offered_options("reaction", started_story().asks_reaction(2, Attack.TAKE))

    assert (options.attacker, options.attack, options.hide()) == (2, Attack.DEMAND, Hide(HIDE))
    assert options.choices() == [Allow(), Hide(HIDE), Hide(WILD)]
    assert (bare.hide(), bare.choices(), bare.random_reaction(random.Random(1))) == (None, [Allow()], Allow())


def test_choices_after_a_take():
    options = offered_options("pick", started_story().asks_pick(Attack.TAKE, 2, SHOWN))

    assert options.wanted() == cards("RE")
    assert options.wanted(Color.PURPLE) == cards("PC PH PE")
    assert options.best() == Take(Card.of("RE"))
    assert options.choices() == [Take(card) for card in cards("RE YA PC PH PE BR SHOW")]


def test_pick_hurts_the_target_where_no_card_helps():
    options = offered_options(
        "pick", started_story("RC RH RE RE RA RT TAKE").asks_pick(Attack.TAKE, 2, "YC YH YE BA BA BA SHOW")
    )

    assert options.best() == Take(Card.of("YC"))


def test_choices_after_a_demand():
    """The discarded card may be the one that was taken."""
    options = offered_options("pick", started_story().asks_pick(Attack.DEMAND, 2, SHOWN))

    assert options.best() == Take(Card.of("RE"), Card.of("YT"))
    assert len(options.choices()) == 7 * 8 - 1, "with RE there are two equal ones to discard"
    assert Take(SHOW, SHOW) in options.choices()


def test_choices_after_a_bust():
    """Up to two of seven different cards: 1 + 7 + 21."""
    options = offered_options("pick", started_story().asks_pick(Attack.BUST, 2, SHOWN, most=2))

    assert options.best() == Bust.of("PC PH")
    assert len(options.choices()) == 29
    assert options.choices()[0] == Bust(())


# ---- cards


def test_pack_has_seventy_cards():
    assert sum(map(copies, CARDS)) == 70
    assert [copies(card) for card in cards("RC YE BUST TAKE")] == [2, 4, 1, 4]


def test_hand_reports_which_letters_its_words_lack():
    hand = Hand(cards("WILD RH RE YC RA RC YE"))

    assert str(hand) == "RC RH RE RA YC YE WILD"
    assert hand.missing(Color.RED) == cards("RE RT RR")
    assert [hand.distance(color) for color in Color] == [3, 5, 7, 7]
    assert hand.colors == (Color.RED, Color.YELLOW, Color.PURPLE, Color.BLUE)
    assert hand.letters(Color.YELLOW) == cards("YC YE")
    assert hand.spare(Color.RED) == cards("YC YE WILD")
    assert hand.actions == (WILD,)
    assert hand.plus(cards("RT RR RE")).minus(cards("YC YE WILD")).missing(Color.RED) == ()


def test_equal_cards_are_counted_separately():
    hand = Hand(cards("RE RE RE"))

    assert hand.has(cards("RE RE RE"))
    assert not hand.has(cards("RE RE RE RE"))
    assert hand.letters(Color.RED) == cards("RE RE")
    assert hand.spare(Color.RED) == cards("RE")
    assert hand.minus(cards("RE YC")) == Hand(cards("RE RE"))


@pytest.mark.parametrize("text", ["R", "re", "TAKEN", "YX"])
def test_text_that_names_no_card_is_refused(text):
    with pytest.raises(NotationError):
        Card.of(text)


# ---- encoding

card = st.sampled_from(CARDS)
laid = st.lists(card, max_size=9).map(tuple)
note = st.text(max_size=60)
answers = st.one_of(
    st.builds(Draw, note), st.builds(DrawTwo, note), st.builds(TakeTop, note),
    st.builds(Demand, st.integers(0, 9), note), st.builds(Bust, laid, note),
    st.builds(Play, card, st.integers(0, 9), st.none() | st.sampled_from(Attack), note), st.builds(Discard, laid, note),
    st.builds(Allow, note), st.builds(Hide, card, note), st.builds(Take, card, st.none() | card, note),
)  # fmt: skip


@pytest.mark.slow
@given(answers)
def test_answer_reaches_the_server_unchanged(answer):
    """The generated code and the server's codec decode what the SDK encodes."""
    raw = DecisionWriter(3, 2, CHEATER.write_action).write(300, 7, answer)
    (decision,) = play_pb2.PlayRequest.FromString(raw).decisions

    assert (decision.match, decision.entrant, decision.prompt_id, decision.action_id) == (3, 2, 300, 7)
    assert decision.note == answer.note
    assert read_answer(decision) == answer
    assert read_action(decision) == to_rules_value(answer)


def to_rules_value(answer):
    """Return the action of the rules that has the same name and fields."""
    kind = getattr(actions, type(answer).__name__)
    values = {name: getattr(answer, name) for name in answer.__dataclass_fields__ if name != "note"}
    values = {name: bytes(value) if isinstance(value, tuple) else value for name, value in values.items()}
    if values.get("wild_as") is not None:
        values["wild_as"] = RulesAttack[values["wild_as"].name]
    return kind(**values)


def test_answers_have_a_text():
    texts = [Draw(), DrawTwo(), TakeTop(), Demand(1), Play(WILD, 2, Attack.SHOW), Play(TAKE, 0), Discard.of("RC YT")]
    more = [Allow(), Hide(WILD), Take(SHOW), Take(SHOW, HIDE), Bust(())]

    assert list(map(str, texts)) == [
        "draw", "draw two", "take the top", "demand seat 1", "WILD as SHOW at seat 2", "TAKE at seat 0",
        "discard RC YT",
    ]  # fmt: skip
    assert list(map(str, more)) == ["allow", "hide by WILD", "take SHOW", "take SHOW for HIDE", "bust no cards"]


def test_decision_of_another_game_has_no_answer_here():
    with pytest.raises(KeyError):
        read_answer(decision_pb2.Decision())
