"""Who is connected to a node, and which seats each session has or is offered."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import itemgetter
from types import MappingProxyType

from arena.errors import CapacityError, OptionError, RequestError, UnknownNameError
from arena.match.scalars import EntrantIndex
from arena.match.terms import Terms
from arena.node.hosted_match import BotSession, HostedMatch, LobbyStage, SessionKey

_NO_SEATS: Mapping[tuple[int, EntrantIndex], HostedMatch] = MappingProxyType({})


class SessionRegistry:
    """Those who are connected, and the seats of all sessions; they stay held while a session is away."""

    def __init__(self) -> None:
        self.by_key: dict[SessionKey, BotSession] = {}
        """Whoever is connected."""
        self._seats_by_key: dict[SessionKey, dict[tuple[int, EntrantIndex], HostedMatch]] = {}
        """The seats that a session has or is offered, by match number and entrant."""

    def find(self, name: str) -> BotSession:
        """The guest of a name, or of `name/instance`. Raises UnknownNameError unless exactly one is connected."""
        wanted, _, instance = name.partition("/")
        found = [g for key, g in self.by_key.items() if key[0] == wanted and instance in ("", key[1])]
        if len(found) == 1:
            return found[0]
        if found:
            raise UnknownNameError("bot", name, [f"{g.key[0]}/{g.key[1]}" for g in found])
        raise UnknownNameError("connected bot", name, sorted({key[0] for key in self.by_key}))

    def resolve_session_keys(
        self, terms: Terms, away: Collection[str] = (), instance: str = ""
    ) -> tuple[SessionKey, ...]:
        """The sessions of a match to come, by entrant, all of an instance if one is named; those `away` need none.

        Raises RequestError where one of the others is not there or cannot play it.
        """
        end = f"/{instance}" if instance else ""
        keys = tuple((name, "") if name in away else self.find(name + end).key for name in terms.entrants)
        if terms.rated and len({key[0] for key in keys}) < len(keys):
            raise OptionError("entrants", list(terms.entrants), "each bot has one seat in a rated match")
        self._check_can_play(terms, [self.by_key[key] for key in keys if key in self.by_key])
        return keys

    def _check_can_play(self, terms: Terms, guests: Sequence[BotSession]) -> None:
        """Raise RequestError for a guest that does not play this, or wants no more seats."""
        for guest in guests:
            if not guest.can_play(terms.game.name, terms.preset):
                raise RequestError(f"bot {guest.key[0]!r} does not play {terms.game.name}/{terms.preset}")
            wanted = sum(each is guest for each in guests)
            if len(self._seats_by_key.get(guest.key, _NO_SEATS)) + wanted > guest.capacity:
                raise CapacityError(f"bot {guest.key[0]!r} wants {guest.capacity} seats at most, offers counted")

    def connected_entrants(self, booking: HostedMatch) -> Iterator[tuple[EntrantIndex, BotSession]]:
        """The entrants of a match whose sessions are connected, each with its guest."""
        for entrant, key in zip(booking.terms.entrant_indices, booking.keys, strict=True):
            if (guest := self.by_key.get(key)) is not None:
                yield entrant, guest

    # ---- seats

    def hold_seats(self, booking: HostedMatch) -> None:
        """Keep all seats of a match for its sessions."""
        for entrant, key in zip(booking.terms.entrant_indices, booking.keys, strict=True):
            self._seats_by_key.setdefault(key, {})[booking.number, entrant] = booking

    def release_seat(self, booking: HostedMatch, entrant: EntrantIndex) -> None:
        """A session that holds a seat no more has room for another."""
        key = booking.keys[entrant]
        held = self._seats_by_key.get(key, {})
        held.pop((booking.number, entrant), None)
        if not held:
            self._seats_by_key.pop(key, None)

    def release_all_seats(self, booking: HostedMatch) -> None:
        """Nobody holds a seat of this match any more."""
        for entrant in booking.terms.entrant_indices:
            self.release_seat(booking, entrant)

    def seats_of(self, key: SessionKey) -> list[tuple[HostedMatch, EntrantIndex]]:
        """The matches of a session, with its entrant number in each; an unrated match may have it twice."""
        held = sorted(self._seats_by_key.get(key, _NO_SEATS).items(), key=itemgetter(0))
        return [(booking, entrant) for (_, entrant), booking in held if booking.stage is not LobbyStage.RESERVED]

    def find_running(self, key: SessionKey, number: int, entrant: EntrantIndex) -> HostedMatch | None:
        """The running match in which this session has this seat; None when there is none."""
        booking = self._seats_by_key.get(key, _NO_SEATS).get((number, entrant))
        return booking if booking is not None and booking.is_running else None

    def find_in_stage(
        self, key: SessionKey, number: int, entrant: EntrantIndex, stage: LobbyStage
    ) -> HostedMatch | None:
        """The match in which this session has this seat, if that is what the match waits for."""
        booking = self._seats_by_key.get(key, _NO_SEATS).get((number, entrant))
        return booking if booking is not None and booking.stage is stage else None
