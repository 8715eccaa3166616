"""Lists all measurements and their comparisons, and runs them in rounds."""

import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tools.benchmarks import engine, practice, whole_table
from tools.benchmarks.alone import ANSWER, alone, answer_goal_ms
from tools.benchmarks.boxes import NotPossibleError, box_starts, boxed
from tools.benchmarks.cold_start import cold_start
from tools.benchmarks.creation import creation
from tools.benchmarks.deadlines import deadlines
from tools.benchmarks.languages import COMPILED, REFERENCE, language, language_bots
from tools.benchmarks.league import QUICK, SAMPLES, comparison, league
from tools.benchmarks.memory import idle, live
from tools.benchmarks.neighbours import neighbours
from tools.benchmarks.nodes import nodes
from tools.benchmarks.noise import with_noise
from tools.benchmarks.restart import restart
from tools.benchmarks.row import Figure, Noise, Row, rows_of
from tools.benchmarks.site import Play
from tools.benchmarks.transport import ECHO_P50, echo
from tools.benchmarks.wire import decisions, far_away, on_disk, over_tls, ruleset, single

GROWTH_GOAL = 1.3
"""How many times more a decision may cost with the most matches than with the common number of matches."""
DECKS_GOAL = 1.5
"""How many times more a decision may cost with many decks than with one."""
MESSAGE_GOAL = 1.0
"""How many times more a message may cost with other rules than with `standard`. Other rules need more messages."""
SINGLE_GOAL = 6.0
"""The wanted rate, as a multiple of the rate with one stream per seat."""
LANGUAGE_GOAL = 1.0
"""The wanted rate with bots in a compiled language, as a multiple of the rate with bots in Python."""
TLS_GOAL = 0.85
"""The share of the rate that must be left with TLS."""
BOXED_BOT = "sample:honest"
"""The bot that is measured in a box and without one."""
NO_GOAL = "no goal: it follows from the row echo-single, which was not asked for"
SELDOM = 2
"""The number of rounds for measurements that take long and hardly vary."""

Measure = Callable[[], Awaitable[list[Figure]]]


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of all measurements. `make bench` uses the defaults."""

    seconds: float = 2.0
    """How long a row is measured, in seconds."""
    matches: tuple[int, ...] = (1, 8, 64, 256, 1000)
    far: tuple[int, ...] = (1, 64, 1000)
    """Numbers of matches with bots far away."""
    few: int = 8
    """Number of matches for measurements in which a match takes long to begin; one of `matches`."""
    common: int = 64
    """Number of matches for all other measurements; one of `matches`."""
    alone: int = 20
    """Number of matches that are created one after another."""
    at_once: int = 200
    interrupted: int = 1000
    """Number of matches on a server that is killed."""
    entrants: int = 8
    """Number of entrants of a league. With eight, two tables of four share a deal."""
    seats: int = 4
    """Seats at a table of a comparison. It starts two times as many processes as the square of this number."""
    max_turns: int = 2_000
    """Turns after which a game of a league or a comparison ends. 2 000 is the preset's number."""
    idle: int = 5_000
    idle_connections: int = 500
    live: int = 256
    live_answers: int = 128
    """Answers per seat after which the messages that a match keeps no longer grow."""
    box_starts: int = 4
    """Number of starts of a bot in a box. Five rounds have 20."""
    box_turns: int = 4
    """Number of turns that boxed and unboxed bots take in a round."""
    probes: int = 48
    """Number of matches with answers around deadlines. They give about 2 000 answers in two and a half seconds."""

    @property
    def many(self) -> tuple[int, ...]:
        """The numbers of matches above `common`, which fill a server."""
        return tuple(number for number in self.matches if number > self.common)


FULL = Size()


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement, which starts and ends its own processes."""

    measure: Measure
    most_rounds: int = sys.maxsize


def measurements(size: Size) -> dict[str, Measurement]:
    """Return all measurements by name, in the order of the table."""
    seconds, common = size.seconds, size.common
    found: dict[str, Measure] = {
        "start": cold_start,
        "echo-single": partial(echo, "echo-single", 1, 1, seconds / 2),
        "echo-batched": partial(echo, "echo-batched", 2, 25, seconds / 2),
        f"single-{common}": partial(single, f"single-{common}", common, seconds),
    }
    found |= {f"wire-{n}": partial(decisions, f"wire-{n}", n, seconds) for n in size.matches}
    found |= {f"disk-{n}": partial(on_disk, f"disk-{n}", n, seconds) for n in size.many}
    found |= {f"tls-{n}": partial(over_tls, f"tls-{n}", n, seconds) for n in (common, *size.many[-1:])}
    found |= {f"far-{n}": partial(far_away, f"far-{n}", n, seconds) for n in size.far}
    found |= {name: partial(ruleset, name, number, seconds, play) for name, (number, play) in rulesets(size).items()}
    found |= {
        f"{name}-{common}": partial(language, f"{name}-{common}", bot, common, seconds)
        for name, bot in language_bots().items()
    }
    found |= {
        "box": partial(box_starts, size.box_starts),
        f"boxed-{common}": partial(boxed, f"boxed-{common}", BOXED_BOT, common, seconds / 2, size.box_turns),
    }
    found |= {
        "alone": partial(alone, seconds),
        "creation": partial(creation, size.alone, size.at_once),
        "rules": partial(_at_once, engine.rules, seconds / 5),
        "table": partial(_at_once, whole_table.table, seconds / 5),
        "practice": partial(_at_once, practice.practice, seconds / 5),
        "deadlines": partial(deadlines, common, size.probes, 1.25 * seconds),
        "neighbours": partial(neighbours, common, 0.75 * seconds),
    }
    found |= {f"nodes-{n}": partial(nodes, f"nodes-{n}", n, seconds) for n in (common, *size.many[:1])}
    leagues = {"league": (QUICK,), "league-samples": SAMPLES}
    compared = {"compare": (QUICK,) * 3, "compare-samples": SAMPLES[:2]}
    found |= {
        name: partial(comparison, name, bots, common, 3 * seconds, size.seats, size.max_turns)
        for name, bots in compared.items()
    }
    found |= {
        name: partial(league, name, bots, size.entrants, common, 3 * seconds, size.max_turns)
        for name, bots in leagues.items()
    }
    seldom: dict[str, Measure] = {
        "idle": partial(idle, size.idle, size.idle_connections),
        "live": partial(live, size.live, size.live_answers),
        f"restart-{size.interrupted}": partial(restart, size.interrupted, 2 * seconds),
    }
    often = {name: Measurement(measure) for name, measure in found.items()}
    return often | {name: Measurement(measure, most_rounds=SELDOM) for name, measure in seldom.items()}


def rulesets(size: Size) -> dict[str, tuple[int, Play]]:
    """Return, by name of the row, the number of matches and the other rules with which they are played."""
    games = {"folk": "cheat", "rank_lock": "cheat", "ascending": "cheat", "cheater": "cheater"}
    played = {f"{preset}-{size.common}": (size.common, Play(preset, game)) for preset, game in games.items()}
    decks = Play(options={"decks": engine.MAX_DECKS})
    return played | {f"{engine.MAX_DECKS}-decks-{size.few}": (size.few, decks)}


async def _at_once(measure: Callable[[float], list[Figure]], seconds: float) -> list[Figure]:
    """Measure in this process. Nothing else runs meanwhile."""
    return measure(seconds)


async def run(size: Size, names: Collection[str], rounds: int, tell: Callable[[str], None]) -> list[Row]:
    """Measure all names in each round, so that a slower machine affects all alike.

    `tell` reports the progress, and what this machine cannot measure.
    """
    wanted = {name: each for name, each in measurements(size).items() if name in names}
    runs = []
    for number in range(1, rounds + 1):
        measured: list[tuple[Figure, Noise]] = []
        for name, each in wanted.items():
            if number <= each.most_rounds:
                tell(f"round {number} of {rounds}: {name}")
                try:
                    figures, noise = await with_noise(each.measure)
                except NotPossibleError as reason:
                    tell(f"{name} is left out: {reason}")
                    continue
                measured += [(figure, noise) for figure in figures]
        runs.append(add_ratios(measured, size))
    return rows_of(runs)


def add_ratios(measured: Sequence[tuple[Figure, Noise]], size: Size) -> list[tuple[Figure, Noise]]:
    """Add the goals and ratios that follow from several measurements of one round."""
    values = {figure.name: figure.value for figure, _ in measured}
    noises = {figure.name: noise for figure, noise in measured}
    with_goals = [(_with_goal(figure, values), noise) for figure, noise in measured]
    ratios = [
        (Figure(f"{above} / {below}", "x", values[above] / values[below], goal, is_more_better), noises[above])
        for above, below, goal, is_more_better in _ratios(size)
        if above in values and values.get(below)
    ]
    return with_goals + ratios


def _ratios(size: Size) -> list[tuple[str, str, float, bool]]:
    """Return the ratios: the names of numerator and denominator, the goal, and whether more is better."""
    common, most = f"wire-{size.common}", f"wire-{size.matches[-1]}"
    return [
        (f"{common} rate", f"single-{size.common} rate", SINGLE_GOAL, True),
        (f"{most} server", f"{common} server", GROWTH_GOAL, False),
        *((f"tls-{n} rate", f"wire-{n} rate", TLS_GOAL, True) for n in (size.common, *size.many[-1:])),
        *(
            (f"{name} {figure}", f"wire-{number} {figure}", goal, False)
            for name, (number, play) in rulesets(size).items()
            for figure, goal in [("server", DECKS_GOAL) if play.options else ("server a message", MESSAGE_GOAL)]
        ),
        *((f"{name}-{size.common} rate", f"{REFERENCE}-{size.common} rate", LANGUAGE_GOAL, True) for name in COMPILED),
    ]


def _with_goal(figure: Figure, values: Mapping[str, float]) -> Figure:
    """Return the figure; the figure of `alone` gets its goal from the echo of the same round."""
    if figure.name != ANSWER:
        return figure
    if ECHO_P50 not in values:
        return replace(figure, remark=f"{figure.remark}; {NO_GOAL}" if figure.remark else NO_GOAL)
    return replace(figure, goal=answer_goal_ms(values[ECHO_P50]))
