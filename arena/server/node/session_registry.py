"""The connected sessions of a node and the seats that each session holds or is offered."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from operator import itemgetter
from types import MappingProxyType

from arena.errors import CapacityError, OptionError, RequestError, UnknownNameError
from arena.match.referee.scalars import EntrantIndex, SessionKey
from arena.match.referee.terms import Terms
from arena.plurals import format_count
from arena.server.node.hosted_match import HostedMatch, MatchStage
from arena.server.node.identity import LEAGUE_INSTANCE_PREFIX
from arena.server.node.session import Session

_NO_SEATS: Mapping[tuple[int, EntrantIndex], HostedMatch] = MappingProxyType({})


class SessionRegistry:
    """Tracks connected sessions and all held seats.

    A disconnected session keeps its seats: `MatchRegistry.on_session_connected` gives them back.
    """

    def __init__(self) -> None:
        self.by_key: dict[SessionKey, Session] = {}
        self._seats_by_key: dict[SessionKey, dict[tuple[int, EntrantIndex], HostedMatch]] = {}
        """The seats that each session holds or is offered, by match number and entrant."""
        self.awaited: Counter[SessionKey] = Counter()
        """How many tables of leagues wait for a free seat of each session. Pools leave these seats to them."""

    def find(self, name: str) -> Session:
        """`name` may be `name/instance`. Raises UnknownNameError unless exactly one is connected."""
        found = self.find_all(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError("bot", name, [f"{g.key[0]}/{g.key[1]}" for g in found])
        open_to_all = {key[0] for key in self.by_key if not key[1].startswith(LEAGUE_INSTANCE_PREFIX)}
        raise UnknownNameError("connected bot", name, sorted(open_to_all))

    def find_all(self, name: str) -> list[Session]:
        """Return the sessions of `name` or `name/instance`, except those that take no more seats.

        A program that plays in a league alone has to be named with its instance.
        """
        wanted, _, instance = name.partition("/")
        named = [
            each
            for key, each in self.by_key.items()
            if key[0] == wanted and (key[1] == instance if instance else not key[1].startswith(LEAGUE_INSTANCE_PREFIX))
        ]
        return [session for session in named if session.capacity]

    def resolve_session_keys(
        self, terms: Terms, away: Collection[str], instances: Mapping[str, str]
    ) -> tuple[SessionKey, ...]:
        """Return the session key of each entrant of a future match.

        `instances` has, by name, the instance that an entrant's session must have. Entrants in `away` need no session.
        Raises RequestError if any other entrant is not connected or cannot play.
        """
        full_names = {name: f"{name}/{instance}" for name, instance in instances.items()}
        keys = tuple(
            (name, "") if name in away else self.find(full_names.get(name, name)).key for name in terms.entrants
        )
        if terms.rated and len({key[0] for key in keys}) < len(keys):
            raise OptionError("entrants", list(terms.entrants), "each bot has one seat in a rated match")
        sessions = [self.by_key[key] for key in keys if key in self.by_key]
        for session in sessions:
            if not session.can_play(terms.game.name, terms.preset):
                wanted_rules = f"{terms.game.name}/{terms.preset}"
                played = session.describe_games()
                raise RequestError(f"bot {session.key[0]!r} does not play {wanted_rules}: it plays {played}")
            wanted = sum(each is session for each in sessions)
            if self.count_seats(session.key) + wanted > session.capacity:
                most = format_count(session.capacity, "seat")
                raise CapacityError(f"bot {session.key[0]!r} takes at most {most}, those on offer included")
        return keys

    def connected_entrants(self, hosted: HostedMatch) -> Iterator[tuple[EntrantIndex, Session]]:
        for entrant, key in zip(hosted.terms.entrant_indices, hosted.keys, strict=True):
            if (session := self.by_key.get(key)) is not None:
                yield entrant, session

    # ---- seats

    def hold_seats(self, hosted: HostedMatch) -> None:
        for entrant, key in zip(hosted.terms.entrant_indices, hosted.keys, strict=True):
            self._seats_by_key.setdefault(key, {})[hosted.number, entrant] = hosted

    def release_seat(self, hosted: HostedMatch, entrant: EntrantIndex) -> None:
        """Release one seat, so that its session has room for another."""
        key = hosted.keys[entrant]
        held = self._seats_by_key.get(key, {})
        held.pop((hosted.number, entrant), None)
        if not held:
            self._seats_by_key.pop(key, None)

    def release_all_seats(self, hosted: HostedMatch) -> None:
        for entrant in hosted.terms.entrant_indices:
            self.release_seat(hosted, entrant)

    def count_seats(self, key: SessionKey) -> int:
        """Return how many seats a session holds or is about to be offered."""
        return len(self._seats_by_key.get(key, _NO_SEATS))

    def seats_of(self, key: SessionKey) -> list[tuple[HostedMatch, EntrantIndex]]:
        """Return the seats of a session, each as match and entrant. In an unrated match a session may have several."""
        held = sorted(self._seats_by_key.get(key, _NO_SEATS).items(), key=itemgetter(0))
        return [(hosted, entrant) for (_, entrant), hosted in held if hosted.stage is not MatchStage.RESERVED]

    def find_running(self, key: SessionKey, number: int, entrant: EntrantIndex) -> HostedMatch | None:
        hosted = self._seats_by_key.get(key, _NO_SEATS).get((number, entrant))
        return hosted if hosted is not None and hosted.is_running else None

    def find_in_stage(
        self, key: SessionKey, number: int, entrant: EntrantIndex, stage: MatchStage
    ) -> HostedMatch | None:
        hosted = self._seats_by_key.get(key, _NO_SEATS).get((number, entrant))
        return hosted if hosted is not None and hosted.stage is stage else None
