"""Whole games in one process: as over the network, but without deadlines, and exceptions of bots are raised."""

import asyncio
import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from arena.errors import BotFailureError, OptionError, OptionsError, UnknownNameError
from arena.games.catalogue import games, phrasing_of
from arena.match.referee.replay import Replay
from arena.practice import play
from arena.replays.narration.match_narration import narrate_match
from cheatarena import Bot, BotError, Call, Decline, Pass, Play
from tests.support.practice_bots import Chancer, Loser, Plain, StrangeLoser, Stubborn
from tests.support.practice_bots import Doubter as PlainDoubter


class Honest(Bot):
    """Plays true cards when it can, never calls."""

    def turn(self, table, options):
        return options.largest_honest() or options.smallest_lie()


class Doubter(Honest):
    """Calls what cannot be true."""

    def call_window(self, table, claim):
        return Call() if table.is_impossible(claim) else Decline()


class Gambler(Bot):
    """Makes every choice with its own random source."""

    def turn(self, table, options):
        return options.random_play(table.random)

    def call_window(self, table, claim):
        return Call() if table.random.random() < 0.2 else Decline()


def narrate(result):
    """Return the whole match as lines."""
    return narrate_match(Replay(result.records, games()), phrasing_of(result.terms.game))


def story(result):
    """Return all events, each as its game, its name and its value."""
    lines = narrate(result)
    return [(line.game, line.data["event"], line.data["value"]) for line in lines if line.kind == "event"]


def test_every_bot_gets_a_place_in_every_game():
    result = play([Honest, Doubter, Gambler], games=4, seed=1)

    assert len(result.places) == 4
    assert all(sorted(places) == [1, 2, 3] for places in result.places)


def test_same_seed_produces_same_games():
    """Cards and the bots' random sources follow from the seed, even if the match drew it."""
    drawn = play([Gambler, Gambler, Honest], games=2)

    again = play([Gambler, Gambler, Honest], games=2, seed=drawn.seed)

    assert story(again) == story(drawn)
    assert again.places == drawn.places


def test_cards_are_new_without_a_seed():
    assert play([Honest, Honest]).seed != play([Honest, Honest]).seed


def test_bots_of_one_class_are_numbered():
    assert play([Honest, Doubter, Honest], seed=1).names == ("Honest 1", "Doubter", "Honest 2")


def test_seats_rotate_with_the_games():
    seats = []

    class Watcher(Honest):
        def game_started(self, table):
            seats.append(table.seat)

    play([Watcher, Honest, Honest], games=4, seed=1)

    assert seats == [0, 1, 2, 0]


def test_bot_instance_may_be_given_instead_of_a_class():
    class Counting(Honest):
        ended = 0

        def game_ended(self, table):
            self.ended += 1

    bot = Counting()

    play([bot, Honest], games=3, seed=1)

    assert bot.ended == 3


def test_records_make_a_replay():
    """The replay code finds the same places."""
    result = play([Doubter, Gambler, Honest], games=2, seed=7)

    ends = [line for line in narrate(result) if line.kind == "end"]

    by_entrant = [tuple(dict(zip(e.data["seats"], e.data["places"], strict=True))[n] for n in range(3)) for e in ends]
    assert tuple(by_entrant) == result.places


def test_figures_are_available_on_request():
    result = play([Doubter, Gambler], games=2, seed=7)

    turns = [counts["turns"] for counts in result.statistics]

    moves = [event for _, event, _ in story(result) if event == "Played"]
    assert sum(turns) == len(moves)
    assert tuple(row.places for row in result.record.games) == result.places
    assert [sum(strikes.values()) for strikes in result.strikes] == [0, 0]


def test_result_can_be_copied_and_pickled():
    """So an author may play in processes of another package."""
    result = play([Honest, Honest], seed=1)

    for copied in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert copied.places == result.places
        assert copied.terms.ruleset == result.terms.ruleset
        assert copied.statistics == result.statistics


def test_numbers_of_other_packages_are_numbers_of_games_and_microseconds():
    """Such as those of numpy. The records contain plain numbers."""
    two: Any = np.int64(2)

    result = play([Honest, Honest], seed=1, games=two, clock=lambda: two)

    assert result.records == play([Honest, Honest], seed=1, games=2, clock=lambda: 2).records


@pytest.mark.parametrize("odd", [1.5, "2", None])
def test_other_values_are_no_numbers(odd: Any):
    for odd_arguments in ({"games": odd}, {"clock": lambda: odd}):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            play([Honest, Honest], **odd_arguments)


def test_rules_can_be_changed():
    rules = []

    class Reader(Honest):
        def match_started(self, table):
            rules.append((table.ruleset.decks, table.ruleset.check, table.pace.has_deadlines))

    play([Reader, Honest], options={"decks": 2, "check": "arbiter"}, seed=1)

    assert rules == [(2, "arbiter", False)]


def test_asynchronous_bots_run_to_completion():
    """Hooks precede the prompts that follow them, as in a match."""
    heard = []

    class Slow(Honest):
        async def game_started(self, table):
            await asyncio.sleep(0)
            heard.append("started")

        async def turn(self, table, options):
            await asyncio.sleep(0)
            heard.append("asked")
            return super().turn(table, options)

    result = play([Slow, Honest], seed=1)

    assert heard[:2] == ["started", "asked"]
    assert story(result) == story(play([Honest, Honest], seed=1))


async def test_practice_works_inside_a_running_loop():
    """A notebook runs one."""

    class Slow(Honest):
        async def turn(self, table, options):
            await asyncio.sleep(0)
            return super().turn(table, options)

    assert len(play([Slow, Honest], seed=1).places) == 1


def test_asynchronous_bot_is_asked_again_after_playing_cards_it_lacks():
    """The second prompt arrives while the first answer is still being handled."""
    tries = []

    class Clumsy(Honest):
        async def turn(self, table, options):
            await asyncio.sleep(0)
            tries.append(table.turn)
            honest = super().turn(table, options)
            missing = next(code for code in range(52) if not table.hand.has([code]))
            return Play.of([missing], honest.rank) if tries.count(table.turn) == 1 else honest

    play([Clumsy, Honest], seed=1)

    assert tries[0] == tries[1]


@pytest.mark.parametrize("method", ["turn", "call_window", "match_started", "saw"])
def test_exception_of_a_bot_propagates(method):
    def fail(self, *_):
        raise LookupError("lost my cards")

    broken = type("Broken", (Doubter,), {method: fail})

    with pytest.raises(LookupError, match="lost my cards"):
        play([broken, Honest], seed=1)


def test_exception_of_an_asynchronous_bot_propagates():
    class Broken(Honest):
        async def turn(self, table, options):
            await asyncio.sleep(0)
            raise LookupError("lost my cards")

    with pytest.raises(LookupError, match="lost my cards"):
        play([Broken, Honest], seed=1)


def test_invalid_answer_is_raised():
    class Mute(Honest):
        def turn(self, table, options):
            return None

    with pytest.raises(BotError, match="returned None"):
        play([Mute, Honest], seed=1)


def test_bot_without_a_legal_answer_ends_the_match():
    """Without a deadline, nothing else would end it. The error names the bot and the rule."""

    class Obstinate(Honest):
        def turn(self, table, options):
            return Pass()

    with pytest.raises(BotFailureError, match=r"Obstinate gives no answer that counts in game 0: .* pass_not_allowed"):
        play([Obstinate, Honest], seed=1)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"preset": "nobody"}, UnknownNameError),
        ({"options": {"decks": 0}}, OptionsError),
        ({"games": 0}, OptionsError),
    ],
)
def test_impossible_match_is_refused(given, error):
    with pytest.raises(error):
        play([Honest, Honest], **given)


# ---- several processes


def test_preset_that_is_no_text_is_refused():
    with pytest.raises(OptionError, match="preset must be a text, got 5"):
        play([Honest, Honest], 5)  # type: ignore[arg-type]  # the point of the test


def test_games_are_those_of_one_match():
    """For bots without memory and random choices, only the number of processes differs."""
    bots = [Plain, PlainDoubter, Plain]

    spread = play(bots, options={"max_turns": 60}, games=5, seed=3, processes=2)

    assert spread.places == play(bots, options={"max_turns": 60}, games=5, seed=3).places
    assert spread.names == ("Plain 1", "Doubter", "Plain 2")
    assert spread.records == ()


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_results_do_not_depend_on_the_number_of_processes(processes):
    bots = [Chancer, PlainDoubter, Chancer, Chancer]

    places = [play(bots, games=7, seed=b"x" * 32, processes=number).places for number in (1, processes)]

    assert places[0] == places[1]
    assert len(set(places[0])) > 1  # the games differ


@pytest.mark.slow
def test_program_may_start_processes_by_itself(tmp_path):
    """Its bots are in the program's own file, as with every author."""
    program = tmp_path / "program.py"
    program.write_text(
        "from arena.practice import play\n"
        "from cheatarena import Bot\n"
        "class Own(Bot):\n"
        "    def turn(self, table, options):\n"
        "        return options.largest_honest() or options.smallest_lie()\n"
        "if __name__ == '__main__':\n"
        "    print(play([Own, Own], games=3, seed=1, processes=2).places)\n"
    )

    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == (f"{play([Honest, Honest], games=3, seed=1).places}\n", "")


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_exception_of_a_bot_in_a_process_propagates(processes):
    with pytest.raises(LookupError, match="lost my cards"):
        play([Loser, Plain], games=2, seed=1, processes=processes)


@pytest.mark.parametrize(
    ("bot", "text"),
    [(StrangeLoser, "LostError: lost my cards in the sofa"), (Stubborn, "gives no answer that counts in game 0")],
)
def test_other_failures_in_a_process_say_what_happened(bot, text):
    with pytest.raises(BotFailureError, match=text):
        play([bot, Plain], games=2, seed=1, processes=2)


def test_bots_that_another_process_cannot_import_are_refused():
    class Local(Honest):
        pass

    nameless = type("Nameless", (Honest,), {"__module__": "nowhere"})

    for bot in (Local, nameless, Plain()):
        with pytest.raises(OptionError, match="expected classes at the top level of a file that Python can import"):
            play([bot, Plain], processes=2)


def test_practice_needs_at_least_one_process():
    with pytest.raises(OptionError, match="processes must be 1 or more"):
        play([Plain, Plain], processes=0)
