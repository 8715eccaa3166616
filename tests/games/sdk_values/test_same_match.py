"""A bot in practice knows, at every moment, exactly what it would know over the wire."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.author.practice.match import MATCH_ID, PracticeMatch
from arena.games.catalogue import PACKS, pack_of
from arena.match.deal.stream import SeededChance
from arena.match.referee.orders import TellEvent
from arena.match.referee.pace import Pace
from arena.match.referee.replay import Replay
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Terms
from cheatarena import Believe, Bot, Call, Decline, Pass, Play
from cheatarena.cheat.facts import CheatDealt, CheatHand, CheatLaid, CheatPlayed, CheatShown, CheatTaken
from cheatarena.cheater import CheaterBot, TakeTop
from cheatarena.cheater.facts import CheaterDrawn, CheaterDrew, CheaterHand
from tests.games.sdk_values.differences import comparable
from tests.support.toy_bot import RaidBot
from tests.support.toy_pack import RAID_PACK
from tests.support.wire_match import WireMatch

WRONG = 0.1
"""How often a bot first gives an answer that may be illegal."""
MAX_TURNS = 24
RANDOM_RULES = int(os.environ.get("RANDOM_RULES", "8"))
"""Number of random rulesets of Cheat."""
HIDDEN_FIELDS = {"_game", "_server_clock", "_pending", "_log", "_old_question", "queued_s", "question"}
"""Attributes of a table that say nothing about the match, or differ from run to run."""


class Diary:
    """What a bot knew at each moment: mixed into a bot of any game."""

    pages: list[Any]
    is_refused = False
    """Whether the last answer was refused; the next one is then legal."""

    def errs(self, table: Any) -> bool:
        """Return whether to give an answer that may be illegal."""
        was_refused, self.is_refused = self.is_refused, False
        return not was_refused and table.random.random() < WRONG

    def write(self, moment: str, table: Any, *told: Any) -> None:
        _ = table._current_state  # over the wire, facts wait until the table is read
        known = {name: comparable(each) for name, each in vars(table).items() if name not in HIDDEN_FIELDS}
        self.pages.append((moment, known, [comparable(each) for each in told], str(table), table._logged_turn))

    def match_started(self, table):
        self.write("match started", table)

    def game_started(self, table):
        self.write("game started", table)

    def game_ended(self, table):
        self.write("game ended", table)

    def match_ended(self, table):
        self.write("match ended", table)

    def on_refused(self, table, decision, reason):
        self.is_refused = True
        self.write(f"refused: {reason}", table, decision)


class CheatDiary(Diary, Bot):
    def __init__(self):
        self.pages = []

    def turn(self, table, options):
        rng = table.random
        self.write("turn", table, options._legal)
        if self.errs(table):
            return rng.choice([Pass(), Play(tuple(table.hand)[:1], rng.choice(options.ranks or (0,)), count=9)])
        choices = [options.random_play(rng), options.smallest_lie(), options.largest_honest(), options.pass_()]
        return rng.choice([choice for choice in choices if choice is not None])

    def call_window(self, table, claim):
        self.write("window", table, claim)
        chance = table.random.random()
        if table.can_believe and chance < 0.2:
            return Believe("so be it")
        return Call() if chance > 0.8 else Decline()

    def cut(self, table, options):
        self.write("cut", table, options)
        return options.random_cut(table.random)

    def choose(self, table, options):
        self.write("choose", table, options)
        return options.random_choice(table.random)


class CheaterDiary(Diary, CheaterBot):
    def __init__(self):
        self.pages = []

    def act(self, table, options):
        self.write("act", table, options)
        return TakeTop() if self.errs(table) else options.random_move(table.random)

    def discard(self, table, options):
        self.write("discard", table, options)
        return options.random_discard(table.random)

    def reaction(self, table, options):
        self.write("reaction", table, options)
        return options.random_reaction(table.random)

    def pick(self, table, options):
        self.write("pick", table, options)
        return options.random_pick(table.random)


class CheatReader(CheatDiary):
    """Also reads every fact, after its table has applied it."""

    def saw(self, table, event):
        self.write("saw", table, event)


class CheaterReader(CheaterDiary):
    """Also reads every fact, after its table has applied it."""

    def saw(self, table, event):
        self.write("saw", table, event)


class RaidDiary(Diary, RaidBot):
    def __init__(self):
        self.pages = []

    def write(self, moment, table, *told):
        self.pages.append((moment, table.game, table.seat, table.places, table.terms, told))

    def answer(self, table, kind, options):
        self.write("asked", table, kind, options)
        return super().answer(table, kind, options)


def build_terms(game: str, preset: str, options: Mapping[str, object], seat_count: int) -> Terms:
    rules = pack_of(game).game
    return Terms(
        game=rules,
        preset=preset,
        ruleset=rules.build_ruleset(preset, options),
        pace=replace(Pace.sealed_defaults(), no_deadlines=True),
        entrants=tuple(f"bot {index}" for index in range(seat_count)),
        game_count=2,
        rated=False,
    ).check()


def play(terms: Terms, seed: bytes, bots: list[Any], *, over_wire: bool) -> tuple[Any, tuple[bytes, ...]]:
    """Play a match while the clock stands still, and return the places and records."""
    with CoroutineRunner() as runner:
        clock = partial(Instant, 0)
        if over_wire:
            return WireMatch(terms, seed, bots, runner, clock).play()
        chance = SeededChance(seed, MATCH_ID)
        return PracticeMatch(terms, seed, chance, bots, runner, clock, keeps_records=True).play()


def cases(game: str, count: int) -> Iterator[Any]:
    """Yield every preset, and random rulesets with random numbers of seats, most of them for a long test."""
    pack = pack_of(game)
    for preset in pack.game.presets:
        yield pytest.param(preset, {"max_turns": MAX_TURNS}, 4, id=preset)
    for seed in range(count):
        preset, options, seat_count = pack.load_knowledge_model().draw_ruleset(Random(seed))
        marks = [pytest.mark.long] if seed > 1 else []
        yield pytest.param(preset, {**options, "max_turns": MAX_TURNS}, seat_count, id=f"random {seed}", marks=marks)


def compare(terms: Terms, bot: type) -> None:
    seed = bytes(32)
    direct, wired = [bot() for _ in terms.entrants], [bot() for _ in terms.entrants]

    played = play(terms, seed, direct, over_wire=False)

    assert played == play(terms, seed, wired, over_wire=True)
    for one, other in zip(direct, wired, strict=True):
        for page, expected in zip(one.pages, other.pages, strict=True):
            assert page == expected


@pytest.mark.slow
@pytest.mark.parametrize("bot", [CheatDiary, CheatReader])
@pytest.mark.parametrize(("preset", "options", "seat_count"), [*cases("cheat", RANDOM_RULES)])
def test_tables_of_cheat_equal_those_over_the_wire(bot, preset, options, seat_count):
    """Field by field, at every question, and with `saw` after every fact. Decisions and records are equal too."""
    compare(build_terms("cheat", preset, options, seat_count), bot)


@pytest.mark.slow
@pytest.mark.parametrize("bot", [CheaterDiary, CheaterReader])
@pytest.mark.parametrize(("preset", "options", "seat_count"), [*cases("cheater", RANDOM_RULES // 2)])
def test_tables_of_cheater_equal_those_over_the_wire(bot, preset, options, seat_count):
    compare(build_terms("cheater", preset, options, seat_count), bot)


def test_tables_of_a_new_game_equal_those_over_the_wire(monkeypatch):
    monkeypatch.setitem(PACKS, "raid", RAID_PACK)

    compare(build_terms("raid", "plain", {}, 3), RaidDiary)


# ---- secrecy


class CheatWitness(CheatDiary):
    """Notes the facts that only this seat may know, beside what it follows from."""

    def __init__(self):
        super().__init__()
        self.hands = []
        self.last = None

    def saw(self, table, event):
        if type(event) is CheatDealt:
            self.hands.append(None)
        elif type(event) is CheatHand:
            assert self.hands.pop() is None  # one hand a game
            self.hands.append(tuple(event.cards))
        elif type(event) is CheatLaid:
            assert type(self.last) is CheatPlayed
            assert self.last.seat == table.seat
        elif type(event) is CheatTaken:
            assert table.seat in {getattr(self.last, name, None) for name in ("taker", "believer", "seat")}
        elif type(event) is CheatShown:
            assert table.seat in {getattr(self.last, name, None) for name in ("caller", "believer")}
        if type(event) not in (CheatShown, CheatLaid):
            self.last = event


class CheaterWitness(CheaterDiary):
    """Notes the facts that only this seat may know, beside what it follows from."""

    def __init__(self):
        super().__init__()
        self.hands = []
        self.last = None

    def saw(self, table, event):
        if type(event) is CheaterHand:
            self.hands.append(tuple(event.cards))
        elif type(event) is CheaterDrawn:
            assert type(self.last) is CheaterDrew
            assert self.last.seat == table.seat
        self.last = event


@pytest.mark.parametrize(
    ("bot", "options"),
    [
        (CheatWitness, {}),
        (CheatWitness, {"check": "caller"}),
        (CheatWitness, {"check": "arbiter", "sizes_visible": False}),
        (CheaterWitness, {}),
    ],
)
def test_nobody_gets_cards_of_another_seat(bot, options):
    """Each seat gets one hand a game, its own; later it gets only the cards that it lays, takes, draws or calls."""
    game = bot.game.name
    terms = build_terms(game, pack_of(game).game.presets[0], {**options, "max_turns": MAX_TURNS}, 4)
    bots = [bot() for _ in range(4)]

    _, records = play(terms, bytes(range(32)), bots, over_wire=False)

    dealt = [
        order.event.hands
        for moment in Replay(records, {game: terms.game}).moments()
        for order in moment.orders
        if isinstance(order, TellEvent) and hasattr(order.event, "hands")
    ]
    assert len(dealt) == terms.game_count
    for number, hands in enumerate(dealt):
        for entrant in terms.entrant_indices:
            own = hands[terms.seat_of(entrant, number)]
            cards = own if game == "cheater" else [code for code, held in enumerate(own) for _ in range(held)]
            assert list(bots[entrant].hands[number]) == list(cards)
