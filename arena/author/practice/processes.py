"""Plays the games of a practice in several processes. Each game is a match of its own, with new bots.

So a result depends on the seed and the number of the game, and not on how the games are spread. The cards are those of
one long match, since a draw depends on the same two.
"""

import hashlib
import pickle
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

from arena.author.practice.bot_runtime import CoroutineRunner
from arena.author.practice.match import MATCH_ID, PracticeMatch
from arena.errors import BotFailureError, OptionError
from arena.games.catalogue import games as known_games
from arena.match.deal.stream import SeededChance
from arena.match.game import ChanceRequest
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.terms import Terms, describe_terms, terms_from_plain
from cheatarena.missing_run import note_play
from cheatarena.player import Player

_PARTS_PER_PROCESS = 4
"""For each process, the games are split into this many parts. So a process with long games holds up no other one."""

Places = tuple[int, ...]
"""The places of one game, by entrant."""


def play_in_processes(
    terms: Terms, seed: bytes, bots: Sequence[Player | type[Player]], processes: int
) -> tuple[Places, ...]:
    """Play each game as a match of its own, in this many processes. Return the places by game and entrant.

    The results are the same for every number of processes. Raises OptionError if the number is below 1 or another
    process cannot import a bot, and BotFailureError if a process ends early or a bot gives no answer that counts. Other
    exceptions of bots are raised unchanged.
    """
    if processes < 1:
        raise OptionError("processes", processes, "expected 1 or more")
    classes = _check_classes(bots)
    note_play()
    if processes == 1:
        return tuple(_play_games(_Part(describe_terms(terms), seed, classes, range(terms.game_count))))
    parts = [
        _Part(describe_terms(terms), seed, classes, numbers)
        for numbers in _split(terms.game_count, processes * _PARTS_PER_PROCESS)
    ]
    try:
        with ProcessPoolExecutor(min(processes, len(parts)), get_context("spawn")) as pool:
            return tuple(places for played in pool.map(_play_part, parts) for places in played)
    except BrokenProcessPool as error:
        raise BotFailureError(
            'a process of the practice ended early; a program that uses processes needs if __name__ == "__main__":'
        ) from error


@dataclass(frozen=True, slots=True)
class _Part:
    """Games that one process plays."""

    terms: Mapping[str, Any]
    """The terms of all games, as `describe_terms` returns them."""
    seed: bytes
    bots: tuple[type[Player], ...]
    numbers: range


class _GameChance:
    """Draws for the only game of a match what the game with this number would draw in one long match."""

    def __init__(self, chance: SeededChance, number: int) -> None:
        self._chance = chance
        self._number = number

    def draw(self, game: int, chance: ChanceRequest) -> tuple[int, ...]:
        return self._chance.draw(self._number + game, chance)


def _split(count: int, part_count: int) -> Iterable[range]:
    """Split the numbers from 0 to `count` - 1 into at most `part_count` ranges of nearly equal length."""
    length = -(-count // part_count)
    return (range(first, min(first + length, count)) for first in range(0, count, length))


def _check_classes(bots: Sequence[Player | type[Player]]) -> tuple[type[Player], ...]:
    """Return the bots if another process can import them. Raises OptionError."""
    classes = tuple(bot for bot in bots if isinstance(bot, type) and _is_importable(bot))
    if len(classes) < len(bots):
        refused = [repr(bot) for bot in bots if bot not in classes]
        raise OptionError(
            "bots", refused, "with processes, expected classes at the top level of a file that Python can import"
        )
    return classes


def _is_importable(bot: type[Player]) -> bool:
    try:
        pickle.dumps(bot)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    module = bot.__module__
    if module == "__main__":
        return hasattr(sys.modules[module], "__file__")  # a notebook has no file
    package = module.partition(".")[0]
    return any(finder.find_spec(package, None) for finder in sys.meta_path)


def _play_part(part: _Part) -> list[Places]:
    """Play a part in a process of its own. An exception that cannot be sent to the first process becomes text."""
    try:
        return list(_play_games(part))
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
        except Exception:  # noqa: BLE001  any error says that the exception cannot be sent
            raise BotFailureError(f"{type(error).__name__}: {error}") from None
        raise


def _play_games(part: _Part) -> Iterable[Places]:
    terms = terms_from_plain(part.terms, known_games())
    with CoroutineRunner() as runner:
        for number in part.numbers:
            yield _play_game(terms, part.seed, part.bots, number, runner)


def _play_game(terms: Terms, seed: bytes, bots: Sequence[type[Player]], number: int, runner: CoroutineRunner) -> Places:
    """Play the game with this number as a match of its own. Return the places by entrant."""
    entrants = terms.entrant_indices
    seats = [terms.seat_of(entrant, number) for entrant in entrants]
    by_seat: list[EntrantIndex] = sorted(entrants, key=lambda entrant: seats[entrant])
    match = PracticeMatch(
        replace(terms, entrants=tuple(terms.entrants[entrant] for entrant in by_seat), game_count=1),
        hashlib.sha256(seed + number.to_bytes(4, "big")).digest(),
        _GameChance(SeededChance(seed, MATCH_ID), number),
        [bots[entrant] for entrant in by_seat],
        runner,
        lambda: Instant(time.monotonic_ns() // 1000),
        keeps_records=False,
    )
    (places,), _ = match.play()
    return tuple(places[seat] for seat in seats)
