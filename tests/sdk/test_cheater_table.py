"""A seat of CHEATER derives exactly what the server's snapshots contain from the facts that it receives."""

from random import Random
from typing import Any

import pytest

from arena.games.cheater.rules.game import CHEATER as RULES
from arena.games.cheater.wire.messages import FACT_ENCODERS, put_snapshot
from arena.match.game import GameSetup, Seat, Style
from cheatarena.cheater import Attack, Card, CheaterBot, Color, Hand, Table, cards
from cheatarena.cheater.game import CHEATER
from cheatarena.cheater.state import CheaterState
from cheatarena.clock import ServerClock
from cheatarena.testing import CheaterScript, Rehearsal
from cheatarena.v1 import event_pb2, snapshot_pb2
from tests.games.cheater.rules.random_game import RandomGame

OWN = "RC RH RE RA YT TAKE HIDE"


class ToldGame(RandomGame):
    """A random game whose facts every seat receives. At each question, their tables are compared with snapshots."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.tables = [self.table(Seat(seat)) for seat in range(self.setup.seat_count)]
        self.compared_count = 0

    def table(self, seat: Seat) -> Table:
        table = Table(CHEATER, 1, seat, ServerClock())
        table.add([self.start_messages.SerializeToString()])
        return table

    @property
    def start_messages(self) -> event_pb2.Event:
        entrants = bytes(range(self.setup.seat_count))
        return event_pb2.Event(game_started=event_pb2.GameStarted(game=0, entrants=entrants))

    def put(self, what: str, value: Any) -> None:
        told = len(self.events)
        super().put(what, value)
        for event in self.events[told:]:
            public, private = RULES.redact(event)
            for seat, table in enumerate(self.tables):
                parts = (public, *private.get(Seat(seat), ()))
                table.add([FACT_ENCODERS[type(part)](part).SerializeToString() for part in parts])

    def answer(self) -> None:
        for seat, table in enumerate(self.tables):
            assert table_state(table) == table_state(self.restore_table(Seat(seat)))
            self.compared_count += 1
        super().answer()

    def restore_table(self, seat: Seat) -> Table:
        """Return a table built only from the snapshot."""
        message = snapshot_pb2.SeatSnapshot(events=[self.start_messages])
        put_snapshot(message, RULES.snapshot(self.state, seat))
        table = Table(CHEATER, 1, seat, ServerClock())
        table.restore(message)
        return table


def table_state(table: Table) -> dict[str, Any]:
    """Return the whole state of a table."""
    state = table._current_state
    names = [name for kind in CheaterState.__mro__ for name in getattr(kind, "__slots__", ())]
    return {name: getattr(state, name) for name in names}


@pytest.mark.parametrize("seed", range(12))
def test_table_built_from_facts_equals_the_servers_snapshot_at_every_question(seed):
    random = Random(seed)
    setup = GameSetup(random.randint(2, 10), 0, Style.SEALED)
    leaves = random.choice([0.0, 0.003, 0.03])
    game = ToldGame({"max_turns": 150}, setup, random, leave_chance=leaves, skill=random.choice([0.0, 0.9]))

    game.play()

    assert game.compared_count > 5


class Still(CheaterBot):
    """A bot that only answers prompts."""


def table_after(story: CheaterScript) -> Table:
    rehearsal = Rehearsal(Still)
    for message in story:
        rehearsal.take(message)
    table: Table = rehearsal.table
    return table


def started_story(**settings: Any) -> CheaterScript:
    return CheaterScript(3, **settings).deal(OWN, top="SHOW").rolls(0)


def test_deal_is_visible():
    table = table_after(started_story())

    assert str(table.hand) == OWN
    assert (table.hand_sizes, table.draw_count, table.discards) == ((7, 7, 7), 48, cards("SHOW"))
    assert (table.to_move, table.dice, table.turn, table.cheater) == (0, (1, 2), 0, None)
    assert table.others == (1, 2)


def test_own_draw_and_discard():
    table = table_after(started_story().draws(0, "BA").discards(0, "YT").rolls(1))

    assert str(table.hand) == "RC RH RE RA BA TAKE HIDE"
    assert (table.top, table.draw_count, table.turn) == (Card.of("YT"), 47, 1)
    assert table.known_cards(0) == Hand()


def test_shown_hand_is_known_until_its_cards_are_laid():
    story = started_story().attacks(0, 1, Attack.TAKE)
    story = story.shows(1, "PC PH PE PE PA BR SHOW").takes(0, 1, "PE").draws(1, 1).rolls(1).attacks(1, 2, Attack.SHOW)

    table = table_after(story)

    assert str(table.known_cards(1)) == "PC PH PE PA BR"
    assert str(table.known_cards(0)) == "PE", "what all others know of the own hand"
    assert str(table.hand) == "RC RH RE RA YT PE HIDE"
    assert table.hand_sizes == (7, 6, 7)
    assert (table.danger(1), table.danger(2)) == (4, 0)


def test_marker_moves_with_doubles_and_returns_to_the_centre():
    assert table_after(started_story().rolls(1, 4, 4)).cheater == 1
    assert table_after(started_story().rolls(0, 4, 4)).is_cheater
    assert table_after(started_story().rolls(1, 4, 4).rolls(2).rolls(0, 3, 3)).cheater == 0
    assert table_after(started_story().rolls(1, 4, 4).rolls(1, 3, 3)).cheater is None
    assert table_after(started_story().rolls(1, 4, 4).leaves(1)).cheater is None


def test_unseen_copies_are_neither_shown_nor_laid_open():
    """A pack has four RE, of which one is in this hand and two are shown, and one WILD."""
    table = table_after(started_story().shows(1, "RE RE WILD PA PC PH PR").takes_top(2, "SHOW"))

    assert (table.unseen(Card.of("RE")), table.unseen(Card.of("WILD")), table.unseen(Card.of("SHOW"))) == (1, 0, 3)
    assert table.is_possible(Color.RED)


def test_two_packs_are_used_from_five_seats_on():
    table = table_after(CheaterScript(5).deal(OWN))

    assert table.unseen(Card.of("RE")) == 7


def test_word_is_impossible_while_its_cards_are_in_the_discards():
    story = started_story().draws(1, 2).discards(1, "RT RT")

    assert not table_after(story).is_possible(Color.RED)


def test_departed_seat_is_no_rival():
    table = table_after(started_story().leaves(1, 7, 3))

    assert (table.others, table.hand_sizes, table.draw_count, table.places) == ((2,), (7, 0, 7), 55, (0, 3, 0))


def test_result_of_the_game():
    story = started_story().wins(1, Color.BLUE).ends_game([2, 1, 2])

    table = table_after(story)

    assert (table.winner, table.color, table.titles, table.is_over, table.places) == (
        1,
        Color.BLUE,
        (),
        True,
        (2, 1, 2),
    )
    assert table.ruleset.titles
