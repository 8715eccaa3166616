"""`play`: a whole match of practice, and its result."""

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.author.practice.match import MATCH_ID, PracticeMatch
from arena.author.practice.processes import play_in_processes
from arena.errors import OptionError
from arena.games.catalogue import games as known_games
from arena.games.catalogue import pack_of
from arena.match.deal.practice_seed import practice_seed
from arena.match.deal.stream import SEED_BYTES, SeededChance
from arena.match.game import Game
from arena.match.referee.match_record import MatchRecord, derive_match_record, new_match_row
from arena.match.referee.pace import Pace
from arena.match.referee.scalars import Instant
from arena.match.referee.terms import Seating, Terms
from cheatarena.player import Player


@dataclass(frozen=True)
class PracticeResult:
    """The result of a practice match, with the entrants in the order of the bots."""

    names: tuple[str, ...]
    seed: bytes
    """The seed of the cards. If `play` gets this seed, it deals the same cards again."""
    places: tuple[tuple[int, ...], ...]
    """Places by game and entrant; 1 is best."""
    terms: Terms
    records: tuple[bytes, ...]
    """The journal records of the match, from which it can be replayed; empty if none were kept."""

    @cached_property
    def record(self) -> MatchRecord:
        """The match in the form that a store keeps. It is derived from `records` on first use."""
        return derive_match_record(new_match_row(MATCH_ID, 1, self.terms, "", 0.0), self.records, known_games())

    @property
    def statistics(self) -> tuple[Mapping[str, float], ...]:
        """Figures by entrant: turns, lies, calls, mean time to decide."""
        return self.record.match.statistics

    @property
    def strikes(self) -> tuple[Mapping[str, int], ...]:
        """Number of strikes by entrant and kind."""
        return self.record.match.strikes


def play(
    bots: Sequence[Player | type[Player]],
    preset: str = "",
    options: Mapping[str, object] | None = None,
    games: int = 1,
    seed: int | bytes | None = None,
    *,
    clock: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    keeps_records: bool = True,
    processes: int | None = None,
) -> PracticeResult:
    """Play a match between bots, with rotating seats, and return the result.

    * `bots` are instances or classes, all for the same game. A class is instantiated.
    * `preset` defaults to the first preset of the game.
    * The same `seed` gives the same cards. Without a seed, the cards are random.
    * `clock` returns microseconds and never goes back. It affects only the times in the replay.
    * If `keeps_records` is false, a long match takes little memory, but has no statistics.
    * If `processes` is a number, each game is a match of its own with new bots, and this many processes share the
      games. Cards and seats are the same as without processes. The results are in the order of the games, and the
      same for every number of processes. There are no records and no statistics. Bots must be classes that Python can
      import.

    Exceptions of bots are raised unchanged. Raises BotFailureError if a bot gives no answer that counts. Raises
    UnknownNameError, OptionError or OptionsError if the match cannot be played.
    """
    game = _common_game(bots)
    preset = preset or game.presets[0]
    if not isinstance(preset, str):
        raise OptionError("preset", preset, "expected a text")
    terms = Terms(
        game=game,
        preset=preset,
        ruleset=game.build_ruleset(preset, options or {}),
        pace=replace(Pace.sealed_defaults(), no_deadlines=True),
        entrants=_entrant_names(bots),
        game_count=index(games),
        seating=Seating.ROTATED,
        rated=False,
    ).check()
    secret = os.urandom(SEED_BYTES) if seed is None else practice_seed(seed)
    if processes is not None:
        return PracticeResult(terms.entrants, secret, play_in_processes(terms, secret, bots, processes), terms, ())
    with CoroutineRunner() as runner:
        places, records = PracticeMatch(
            terms,
            secret,
            SeededChance(secret, MATCH_ID),
            bots,
            runner,
            lambda: Instant(index(clock())),
            bool(keeps_records),
        ).play()
    return PracticeResult(terms.entrants, secret, places, terms, records)


def _common_game(bots: Sequence[Player | type[Player]]) -> Game:
    """Return the game of the bots. Raises OptionError unless all of them play the same game."""
    names = sorted({bot.game.name for bot in bots})
    if len(names) != 1:
        raise OptionError("bots", names, "expected bots of one game")
    return pack_of(names[0]).game


def _entrant_names(bots: Sequence[Player | type[Player]]) -> tuple[str, ...]:
    """Return the names of the bots' classes, numbered if several bots have the same class."""
    classes = [(bot if isinstance(bot, type) else type(bot)).__name__ for bot in bots]
    counts: Counter[str] = Counter()
    names = []
    for name in classes:
        counts[name] += 1
        names.append(f"{name} {counts[name]}" if classes.count(name) > 1 else name)
    return tuple(names)


__all__ = ["PracticeResult", "play"]
