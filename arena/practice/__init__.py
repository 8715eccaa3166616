"""Whole games in one process, without sockets and deadlines: a breakpoint in a bot stops everything, nothing is late.

    table ──orders──▶ feed ──the bytes of the wire──▶ seats of the SDK ──▶ bots
      ▲                                                                     │
      └──────────────────────── decisions, as they are sent ────────────────┘

Bots see what they see in a match over the network, by the same code. What a bot raises comes out of `play`.
"""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from arena.deal.stream import SEED_BYTES
from arena.errors import OptionError
from arena.games.catalogue import games as known_games
from arena.games.catalogue import pack_of
from arena.match.match_record import MatchRecord, derive_match_record, new_match_row
from arena.match.pace import Pace
from arena.match.scalars import Instant
from arena.match.terms import Seating, Terms
from arena.practice.match import MATCH_ID, PracticeMatch
from arena.practice.practice_line import CoroutineRunner
from arena.rules.game import Game
from cheatarena.player import Player


@dataclass(frozen=True)
class PracticeResult:
    """How a practice match went. Entrants are in the order in which the bots were given."""

    names: tuple[str, ...]
    seed: bytes
    """Given to `play` again, it brings the same cards."""
    places: tuple[tuple[int, ...], ...]
    """By game, then by entrant; 1 is best."""
    terms: Terms
    records: tuple[bytes, ...]
    """The match as a journal keeps it: what a replay is made of."""

    @cached_property
    def record(self) -> MatchRecord:
        """What a store would keep of the match; worked out from the records when it is asked for first."""
        return derive_match_record(new_match_row(MATCH_ID, 1, self.terms, "", 0.0), self.records, known_games())

    @property
    def statistics(self) -> tuple[Mapping[str, float], ...]:
        """Figures by entrant: turns, lies, calls, mean time to decide."""
        return self.record.match.statistics

    @property
    def strikes(self) -> tuple[Mapping[str, int], ...]:
        """Strikes by entrant and kind: answers that were refused."""
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
) -> PracticeResult:
    """Play a match of so many games between these bots, seats rotating; a class makes a fresh bot.

    The game is that of the bots; `preset`: by default its first one.

    `seed`: same seed, same cards; none, new cards. `clock` gives microseconds and never goes back; nothing depends on
    it but the times in the replay. Without records a long match takes little memory, and has no statistics.

    Raises what a bot raises, ConductError where one has no answer that counts, and UnknownNameError, OptionError or
    OptionsError for what cannot be played.
    """
    game = _common_game(bots)
    preset = preset or game.presets[0]
    terms = Terms(
        game=game,
        preset=preset,
        ruleset=game.build_ruleset(preset, options or {}),
        pace=replace(Pace.sealed_defaults(), no_deadlines=True),
        entrants=_entrant_names(bots),
        game_count=games,
        seating=Seating.ROTATED,
        rated=False,
    ).check()
    secret = _seed_bytes(seed)
    with CoroutineRunner() as workshop:
        places, records = PracticeMatch(terms, secret, bots, workshop, lambda: Instant(clock()), keeps_records).play()
    return PracticeResult(terms.entrants, secret, places, terms, records)


def _common_game(bots: Sequence[Player | type[Player]]) -> Game:
    """Give the game that all of them play. Raises OptionError where there are several."""
    names = sorted({bot.game.name for bot in bots})
    if len(names) != 1:
        raise OptionError("bots", names, "expected bots of one game")
    return pack_of(names[0]).game


def _entrant_names(bots: Sequence[Player | type[Player]]) -> tuple[str, ...]:
    """Name bots after their classes; those of one class are numbered."""
    classes = [(bot if isinstance(bot, type) else type(bot)).__name__ for bot in bots]
    seen: Counter[str] = Counter()
    names = []
    for name in classes:
        seen[name] += 1
        names.append(f"{name} {seen[name]}" if classes.count(name) > 1 else name)
    return tuple(names)


def _seed_bytes(seed: int | bytes | None) -> bytes:
    if seed is None:
        return os.urandom(SEED_BYTES)
    return seed if isinstance(seed, bytes) else hashlib.sha256(str(seed).encode()).digest()


__all__ = ["PracticeResult", "play"]
