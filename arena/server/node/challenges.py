"""Decides about challenges: unrated matches that a bot asks for, against bots whose sessions accept them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from arena.errors import CapacityError, NotConnectedError, OptionError, RequestError, UnknownNameError
from arena.match.game import Game
from arena.match.referee.match_order import MAX_ITEMS, RequestedTerms, build_terms
from arena.match.referee.pace import Pace
from arena.match.referee.ports import MatchId
from arena.match.referee.scalars import SessionKey
from arena.plurals import format_count
from arena.server.node.match_organizer import CreationRequest, MatchOrganizer
from arena.server.node.rate_limits import HOUR_US, PeriodLimit
from arena.server.node.session import ChallengePolicy, Session
from arena.server.node.session_registry import SessionRegistry

HOUSE_OF_POOL: Final = "house:"
"""`house:POOL` names the least busy house bot of a pool."""
MAX_OPEN: Final = 4
"""The most matches that have not ended, of the challenges that a bot has made."""
MAX_AN_HOUR: Final = 30
"""The most challenges of a bot within an hour."""
MAX_GAMES: Final = 100
"""The most games of a challenge."""
MAX_TIME_MS: Final = 60_000
"""The longest of the times of a challenge that a bot may use up while others wait."""
_TIMES: Final = ("turn_ms", "call_ms", "intermission_ms", "reconnect_grace_ms")


class ChallengeRefusedError(RequestError):
    """A bot does not accept the challenge."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge as requested, unchecked."""

    challenger: str
    owner: str | None
    """Its owner; None if it has none."""
    instance: str
    """The instance of the bot that plays; empty for its only one."""
    opponents: Sequence[str]
    """Each is `name`, `name/instance` or `house:POOL`."""
    terms: RequestedTerms
    """What to play. Its entrants are ignored."""


class Challenges:
    def __init__(
        self,
        sessions: SessionRegistry,
        games: Mapping[str, Game],
        house_bots: Mapping[str, Sequence[str]],
        matches: MatchOrganizer,
        now: Callable[[], int],
    ) -> None:
        """`house_bots` has the names of each pool's house bots. `now` returns the present time in microseconds."""
        self._sessions = sessions
        self._games = games
        self._house_bots = house_bots
        self._matches = matches
        self._now = now
        self._hourly = PeriodLimit(MAX_AN_HOUR, HOUR_US)
        self._open: dict[str, set[MatchId]] = {}
        """The matches of each bot's challenges. Those that have ended are dropped at its next challenge."""
        self._in_creation: Counter[str] = Counter()
        """How many matches are being created for each bot."""

    async def make_match(self, asked: Challenge) -> MatchId:
        """Return the id when the seats are offered. Raises what `build_request` raises, CapacityError, StoreError."""
        request = self.build_request(asked)
        # Shielded, so that a match that is made counts, even if the caller has gone.
        return await asyncio.shield(asyncio.create_task(self._make_and_count(request)))

    async def _make_and_count(self, request: CreationRequest) -> MatchId:
        with self.admit(request.organizer):
            match, _ = await self._matches.create(request)
            self._open.setdefault(request.organizer, set()).add(match.match_id)
        return match.match_id

    def build_request(self, asked: Challenge) -> CreationRequest:
        """Return a request for a match that is withdrawn if an entrant does not accept its seat.

        Raises ChallengeRefusedError if a bot does not accept the challenge, NotConnectedError, UnknownNameError for an
        unknown pool, game or preset, and OptionError or OptionsError for any other bad value.
        """
        count = len(asked.opponents)
        if not 1 <= count < MAX_ITEMS:
            raise OptionError("opponents", count, f"expected 1 to {MAX_ITEMS - 1} names")
        keys = [self._find_own(asked).key]
        for opponent in asked.opponents:
            keys.append(self._find_opponent(asked, opponent, keys).key)
        terms = replace(asked.terms, entrants=name_entrants(keys), is_rated=False)
        built = build_terms(terms, self._games)
        if built.game_count > MAX_GAMES:
            raise OptionError("game_count", built.game_count, f"expected 1 to {MAX_GAMES} in a challenge")
        _check_pace(built.pace)
        built.check()
        instances = {name: instance for name, instance in keys if name in terms.entrants}
        return CreationRequest(terms, organizer=asked.challenger, instances=instances, needs_everybody=True)

    @contextmanager
    def admit(self, challenger: str) -> Iterator[None]:
        """Count the challenge while its match is created. Raises CapacityError if the bot has too many."""
        still_open = {match_id for match_id in self._open.pop(challenger, ()) if self._matches.is_open(match_id)}
        if still_open:
            self._open[challenger] = still_open
        if len(still_open) + self._in_creation[challenger] >= MAX_OPEN:
            held = format_count(MAX_OPEN, "challenge")
            raise CapacityError(f"bot {challenger!r} already has {held} that have not ended, the most allowed")
        if not self._hourly.admit(challenger, self._now()):
            made = format_count(MAX_AN_HOUR, "challenge")
            raise CapacityError(f"bot {challenger!r} has made {made} within an hour, the most allowed")
        self._in_creation[challenger] += 1
        try:
            yield
        finally:
            self._in_creation[challenger] -= 1
            if not self._in_creation[challenger]:
                del self._in_creation[challenger]

    # ---- who plays

    def _find_own(self, asked: Challenge) -> Session:
        wanted = f"{asked.challenger}/{asked.instance}" if asked.instance else asked.challenger
        found = self._sessions.find_all(wanted)
        if not found:
            raise NotConnectedError([wanted])
        if len(found) > 1:
            known = sorted(session.key[1] for session in found)
            raise OptionError("instance", "", f"bot {asked.challenger!r} has several: {', '.join(known)}")
        return found[0]

    def _find_opponent(self, asked: Challenge, opponent: str, taken: Sequence[SessionKey]) -> Session:
        """Return the least busy session that accepts and is free."""
        found = self._find_house(opponent) if opponent.startswith(HOUSE_OF_POOL) else self._sessions.find_all(opponent)
        if not found:
            raise NotConnectedError([opponent])
        willing = [session for session in found if self._accepts(session, asked)]
        if not willing:
            raise ChallengeRefusedError(_explain_refusal(found[0]))
        free = [session for session in willing if session.key not in taken]
        if not free:
            raise OptionError("opponents", opponent, "each program has one seat: name another bot or instance")
        rules = asked.terms.game, asked.terms.preset
        able = [session for session in free if session.can_play(*rules)] or free  # if none is, the refusal says so
        return min(able, key=lambda session: (self._sessions.count_seats(session.key), session.key))

    def _accepts(self, session: Session, asked: Challenge) -> bool:
        """House bots accept every challenge."""
        is_house = any(session.key[0] in names for names in self._house_bots.values())
        return is_house or accepts_challenge(session, asked.challenger, asked.owner)

    def _find_house(self, opponent: str) -> list[Session]:
        """`opponent` is `house:POOL`. Raises UnknownNameError."""
        pool = opponent.removeprefix(HOUSE_OF_POOL)
        if pool not in self._house_bots:
            raise UnknownNameError("pool", pool, list(self._house_bots))
        return [each for key, each in self._sessions.by_key.items() if key[0] in self._house_bots[pool]]


def accepts_challenge(session: Session, challenger: str, owner: str | None) -> bool:
    """`owner` is that of the challenger; None if it has none."""
    match session.challenges:
        case ChallengePolicy.EVERYBODY:
            return True
        case ChallengePolicy.OWN:
            is_of_owner = owner is not None and session.owner == owner
            return session.key[0] == challenger or is_of_owner
        case ChallengePolicy.NOBODY:
            return False


def name_entrants(keys: Sequence[SessionKey]) -> tuple[str, ...]:
    """Return the name of each entrant. A bot with several seats is named with its instances.

    >>> name_entrants([("ann", "one"), ("bob", "one"), ("ann", "two")])
    ('ann/one', 'bob', 'ann/two')
    """
    counts = Counter(name for name, _ in keys)
    return tuple(name if counts[name] == 1 else f"{name}/{instance}" for name, instance in keys)


def _explain_refusal(session: Session) -> str:
    whose = "of bots of its own owner" if session.challenges is ChallengePolicy.OWN else "of nobody"
    return f"bot {session.key[0]!r} does not accept this challenge: it accepts challenges {whose}"


def _check_pace(pace: Pace) -> None:
    """Raises OptionError for a pace with which a challenger could hold the seats of others without playing."""
    if pace.no_deadlines:
        raise OptionError("no_deadlines", True, "expected false in a challenge")
    if pace.max_auto_moves == 0:
        raise OptionError("max_auto_moves", 0, "expected 1 to 100 in a challenge")
    for name in _TIMES:
        if getattr(pace, name) > MAX_TIME_MS:
            raise OptionError(name, getattr(pace, name), f"expected at most {MAX_TIME_MS} in a challenge")
