"""Random inputs at random times: nothing breaks, each decision gets one answer, and the records replay it all."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.cheat.rules.actions import BELIEVE, CALL, DECLINE, PASS, Choose, Cut, Play
from arena.games.cheat.rules.game import CHEAT
from arena.games.cheater.rules.game import CHEATER
from arena.match.deal.stream import SeededChance
from arena.match.game import Game, Seat
from arena.match.referee.orders import Ask, DecisionResult, DecisionStatus, Order
from arena.match.referee.scalars import EntrantIndex, PromptId
from arena.match.referee.terms import Seating
from tests.games.cheater.rules.random_game import RandomPlayer
from tests.match.referee.driver import MS, RAID, MatchDriver, S, make_driver
from tests.support.toy_game import ALLOW, BLOCK, Aim, Take

FIRST = {DecisionStatus.ACCEPTED, DecisionStatus.HELD, DecisionStatus.REFUSED}
LATER = {DecisionStatus.LANDED, DecisionStatus.HOLD_CANCELLED}


def some_action(random: Random, game: Game) -> Any:
    """An action that may or may not make sense."""
    if game is RAID:
        return random.choice([Aim(Seat(random.randrange(5))), Take(random.randrange(8)), BLOCK, ALLOW])
    if game is CHEATER:
        card, seat = random.choice(["RC", "YT", "TAKE", "HIDE", "WILD", "??"]), random.randrange(5)
        texts = [
            "draw2",
            "top",
            f"demand {seat}",
            f"play {card} {seat}",
            f"discard {card}",
            f"hide {card}",
            f"take {card}",
        ]
        return game.read_action(random.choice(texts))
    cards = bytes(sorted(random.randrange(53) for _ in range(random.randrange(4))))
    play = Play(cards, random.choice([len(cards), random.randrange(9)]), random.randrange(13))
    return random.choice([CALL, BELIEVE, DECLINE, PASS, Cut((26, 26)), Choose(random.randrange(4)), play])


def house_rules(random: Random) -> dict[str, object]:
    """Draw options of Cheat that change which seats get prompts, and when."""
    choices: dict[str, list[object]] = {
        "passing": ["forced", "pass_turn", "pass_trick", "single_turn"],
        "caller_priority": ["first", "nearest_clockwise"],
        "deal": ["round_robin", "cut_and_choose"],
        "any_caller": [False],
        "believe": [True, False],
        "win_resets_trick": [True, False],
        "honest_win": [True, False],
        "objective": ["places", "first_out_wins", "last_in_loses"],
        "banish_on_new_trick": [True, False],
    }
    return {"max_turns": 60} | {name: random.choice(of) for name, of in choices.items() if random.random() < 0.4}


def make_random_match(random: Random, game: Game, style: str) -> MatchDriver:
    """Make a match with random terms of every kind."""
    live = style == "live"
    pace: dict[str, Any] = {
        "turn_ms": random.choice([5_000, 20_000] if live else [50, 2_000]),
        "call_ms": random.choice([2_000, 8_000] if live else [10, 1_000]),
        "intermission_ms": random.choice([0, 3_000]),
        "max_auto_moves": random.choice([0, 1, 3]),
        "reconnect_grace_ms": random.choice([0, 500, 10_000]),
        "fixed_window": not live and random.random() < 0.3,
        "lag_purse": not live and random.random() < 0.3,
    }
    options: dict[str, object] = {"rounds": random.choice([1, 4])} if game is RAID else {}
    preset = game.presets[0]
    if game is CHEAT:
        preset = random.choice(game.presets)
        options = house_rules(random)
        pace["dispute_ms"] = random.choice([0, 200, 1000])
    if game is CHEATER:
        options = {"max_turns": 25}
    return make_driver(
        game,
        4 if preset == "ascending" else random.choice([2, 3, 4]),
        style,
        preset=preset,
        games=random.choice([1, 3]),
        seating=random.choice(list(Seating)),
        options=options,
        chance=SeededChance(random.randbytes(32), "M"),
        **pace,
    )


class RandomInputs:
    """Random inputs for one match, in a plausible mix."""

    def __init__(self, random: Random, game: MatchDriver) -> None:
        self.random = random
        self.game = game
        self.sent: list[tuple[int, int, int, Any]] = []
        """Entrant, prompt, action id, action of all that was sent."""
        self.given: dict[tuple[int, int], DecisionResult] = {}
        """By entrant and action id: the answer to a decision when it was last a new one."""
        self.first_answers: Counter[tuple[int, int]] = Counter()
        self.repeated = 0
        count = len(game.terms.entrants)
        self.game.begin(absent=[e for e in range(count) if random.random() < 0.05])

    def step(self) -> None:
        """Let one thing happen."""
        random, game = self.random, self.game
        entrant = random.randrange(len(game.terms.entrants))
        at = game.clock + random.choice([0, 0, 1, MS, 100 * MS, random.randrange(3 * S)])
        kinds = (
            ["answer"] * 30
            + ["due"] * 4
            + ["nonsense", "again", "disconnect", "reconnect", "ready", "stall", "reject", "measure"]
        )
        match random.choice([*kinds, "leave"] if random.random() < 0.1 else kinds):
            case "answer":
                self._answer(at)
            case "due":
                if game.due is not None:
                    game.run_until(game.due)
            case "nonsense":
                prompt = random.choice([0, 1, 2**32 - 1, random.randrange(60)])
                self._send(entrant, prompt, len(self.sent) + 1, some_action(random, game.game), at)
            case "again":
                if self.sent:
                    self._repeat(at)
            case "stall":
                game.stall(at, random.randrange(2 * S))
            case "measure":
                game.measure(entrant, random.randrange(300 * MS), at)
            case "reject":
                game.reject(entrant, random.randrange(40), 0, "malformed", at)
            case "ready":
                for one in game.entrants():
                    game.mark_ready(one, at)
            case name:
                getattr(game, name)(entrant, at)

    def _answer(self, at: int) -> None:
        """Answer for a prompted seat, sensibly or not."""
        random, game = self.random, self.game
        asked = game.asked_entrants()
        if not asked:
            return
        entrant = random.choice(asked)
        view = random.choice(game.prompts(entrant))
        seat = game.referee.seat_of(EntrantIndex(entrant))
        assert seat is not None
        action = game.game.automatic_action(game.state, seat, view.kind)
        if view.kind == "window" and random.random() < 0.3:
            action = BELIEVE if getattr(view.options, "can_believe", False) and random.random() < 0.5 else CALL
        elif getattr(view.options, "can_call", False) and random.random() < 0.2:
            action = CALL
        elif random.random() < 0.2:
            action = some_action(random, game.game)
        elif game.game is CHEAT and view.kind == "turn":
            action = self._play(seat, view.options) or action
        elif game.game is CHEATER:
            action = RandomPlayer(random, 0.5).choose(game.state.hands[seat], view.options)
        self._send(entrant, view.id, len(self.sent) + 1, action, at)

    def _play(self, seat: Seat, options: Any) -> Play | None:
        """Random cards of the hand with a random claim."""
        hand = [card for card, count in enumerate(self.game.state.hands[seat]) for _ in range(count)]
        low, high = self.random.choice(options.counts)
        cards = bytes(sorted(self.random.sample(hand, min(self.random.randint(low, high), len(hand)))))
        return Play(cards, len(cards), self.random.choice(options.ranks)) if cards else None

    def _repeat(self, at: int) -> None:
        entrant, prompt, action_id, action = self.random.choice(self.sent)
        is_known = (
            self.game.referee.entrant_records[entrant].find_previous_answer(PromptId(prompt), action_id, action)
            is not None
        )
        given = self.game.send(entrant, action, at, prompt=prompt, action_id=action_id)
        if is_known:
            assert given == self.given[entrant, action_id], "a repeated action id gets its first answer again"
        self.given[entrant, action_id] = given
        self.repeated += 1

    def _send(self, entrant: int, prompt: int, action_id: int, action: Any, at: int) -> None:
        start = len(self.game.orders)
        is_read_first = self.random.random() < 0.2
        given = self.game.send(entrant, action, at, prompt=prompt, action_id=action_id, is_read_first=is_read_first)
        self.sent.append((entrant, prompt, action_id, action))
        self.given[entrant, action_id] = given
        answers = [
            order
            for order in self.game.orders[start:]
            if isinstance(order, DecisionResult) and (order.entrant, order.action_id) == (entrant, action_id)
        ]
        assert [order.status for order in answers if order.status in FIRST] == [given.status]
        self.first_answers[entrant, action_id] += 1


def check_answers(orders: list[Order]) -> None:
    """What was held lands once or is cancelled once; nothing else does either."""
    held, ended = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for order in orders:
        if isinstance(order, DecisionResult):
            key = (order.entrant, order.action_id)
            if order.status is DecisionStatus.HELD:
                held[key] = 1
            elif order.status in LATER:
                ended[key] += 1
                assert held[key], "it lands or is cancelled after it was held"
    assert all(count == 1 for count in ended.values())


def check_prompts(orders: list[Order]) -> None:
    """Prompt ids never go back, and no prompt's deadline is before an earlier one's of the same id."""
    known: dict[tuple[int, int], int] = {}
    latest = 0
    for order in orders:
        if isinstance(order, Ask):
            key = (order.entrant, order.prompt.id)
            if key not in known:
                assert order.prompt.id >= latest
                latest = order.prompt.id
            if order.prompt.deadline is not None:
                assert order.prompt.deadline >= known.get(key, 0)
            known[key] = order.prompt.deadline or 0


@pytest.mark.parametrize("style", ["sealed", "live"])
@pytest.mark.parametrize("rules", [RAID, CHEAT, CHEATER], ids=["raid", "cheat", "cheater"])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_referee_survives_random_input_and_its_records_replay(rules, style, seed):
    random = Random(seed)
    game = make_random_match(random, rules, style)
    storm = RandomInputs(random, game)
    clocks = [0]

    for _ in range(random.choice([30, 150])):
        storm.step()
        clocks.append(game.clock)
        assert game.due is None or game.due >= 0

    assert clocks == sorted(clocks)
    assert set(storm.first_answers.values()) <= {1}
    check_answers(game.orders)
    check_prompts(game.orders)
    game.check_replay()


@pytest.mark.parametrize("style", ["sealed", "live"])
@pytest.mark.parametrize("rules", [RAID, CHEAT, CHEATER], ids=["raid", "cheat", "cheater"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_match_of_sleeping_bots_ends_by_itself(rules, style, seed):
    """Automatic moves, windows and intermissions lead to the last game without any input."""
    game = make_random_match(Random(seed), rules, style)
    game.begin()

    while game.due is not None:
        game.run_until(game.due)

    assert game.referee.ended is not None
    assert len(game.referee.results) == game.terms.game_count
    game.check_replay()


@pytest.mark.parametrize("style", ["sealed", "live"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_transition_instants_never_run_backwards(style, seed):
    """Stamps may arrive slightly out of order; the match's own time does not."""
    random = Random(seed)
    game = make_random_match(random, CHEAT, style)
    storm = RandomInputs(random, game)
    last = 0

    for _ in range(80):
        storm.step()
        game.clock = max(0, game.clock - random.choice([0, 0, 5]))
        assert game.referee._last_at >= last
        last = game.referee._last_at
        playing = game.referee.current_game
        if playing is not None and playing._deadlines._step_at:
            instants = [playing._deadlines._step_at[step] for step in sorted(playing._deadlines._step_at)]
            assert instants == sorted(instants)

    game.check_replay()
