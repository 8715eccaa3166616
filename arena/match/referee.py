"""Referees a match: a series of games between the same entrants, seats fixed or rotated, with a break between games.

Timed inputs in, orders out; no clock, no randomness, no sockets. The same inputs give the same orders, so a journal of
inputs is the match. Whenever an order is a `Draw`, the values must come in by `drawn` before anything else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.deal.commitment import Contribution
from arena.match.conduct import Conduct
from arena.match.entropy import MISMATCH
from arena.match.facts import (
    FaultKind,
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    MatchStarted,
    Struck,
)
from arena.match.game_referee import GameReferee
from arena.match.history import History
from arena.match.orders import Announce, Answer, Order, PromptView, Refusal, Status, Strike
from arena.match.pace import MS
from arena.match.prompts import Desk
from arena.match.terms import Seating, Terms
from arena.rules.game import GameSetup, Outcome, Seat

Orders = list[Order]
FORFEIT = "forfeit"


class Referee:
    """The match. Every input comes with its instant (see `GameReferee`) and gives the orders that follow from it."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.conducts = [Conduct(e, terms.pace.reconnect_grace_ms * MS) for e in range(len(terms.entrants))]
        self.playing: GameReferee | None = None
        """The game that runs; None between games and when the match is over."""
        self.results: list[GameEnded] = []
        self.break_until: int | None = None
        """End of the intermission; None: there is none."""
        self.ended: MatchEnded | None = None
        self._desk = Desk(len(terms.entrants))
        self._ready: set[int] = set()
        self._departed: list[int] = []
        """Entrants in the order in which they gave up."""
        self._seats: tuple[int, ...] = ()
        self._seat_by_entrant: list[Seat] = []
        """Both of the running or latest game."""
        self._outcomes: list[Outcome] = []
        """Of the games played, with places by entrant."""
        self._last_at = 0

    # ---- inputs

    def begin(
        self, at: int, now: int, absent: Sequence[int] = (), contributions: Sequence[Contribution] = ()
    ) -> Orders:
        """Start the first game. `absent` entrants did not turn up and forfeit; a promise not kept is a strike."""
        orders: Orders = [Announce(MatchStarted())]
        self._strike_unkept(orders, contributions)
        for entrant in absent:
            self._give_up(orders, entrant)
            self._note_departures()
        self._next_game(orders, self._clamp(at), now)
        return orders

    def answer(self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, action: Any) -> Orders:
        """Judge a decision; an action id that is repeated for its prompt gets its first answer again.

        Ids belong to their prompt, so that a bot that lost its memory may begin to count anew.
        """
        orders: Orders = []
        conduct = self.conducts[entrant]
        known = conduct.repeated(prompt_id, action_id, action)
        if known is not None:
            orders.append(known)
            return orders
        at = self._clamp(at)
        playing = self.playing
        if playing is None:
            given = Answer(
                entrant, prompt_id, action_id, Status.REFUSED, *self._desk.why_closed(at, prompt_id, entrant)
            )
            orders.append(given)
        else:
            seat = self._seat_by_entrant[entrant]
            given = playing.answer(orders, at, now, seat, prompt_id, action_id, action)
            if playing.outcome is not None:
                self._after(orders, at, now)
        conduct.remember(given, action)
        return orders

    def reject(self, at: int, entrant: int, prompt_id: int, action_id: int, reason: str) -> Orders:
        """Refuse a decision that could not even be read; a strike."""
        conduct = self.conducts[entrant]
        conduct.strikes[FaultKind.ILLEGAL] += 1
        self._clamp(at)
        given = Answer(entrant, prompt_id, action_id, Status.REFUSED, reason)
        asked = None if self.playing is None else self.playing.asked_of(prompt_id, self._seat(entrant))
        return [given, Strike(Struck(entrant, FaultKind.ILLEGAL, prompt_id, reason, asked=asked))]

    def drawn(self, at: int, now: int, values: Sequence[int]) -> Orders:
        """Take the values of the last `Draw`."""
        orders: Orders = []
        playing = self.playing
        if playing is None:
            return orders
        at = self._clamp(at)
        playing.drawn(orders, at, values)
        playing.proceed(orders, at, now)
        self._after(orders, at, now)
        return orders

    @property
    def due(self) -> int | None:
        """When something happens by itself next, microseconds; None: never."""
        playing = self.playing
        return self.break_until if playing is None else playing.due

    def tick(self, at: int, now: int) -> Orders:
        """Do what is due at `at`, which is `due`. Call again while `due` has passed."""
        orders: Orders = []
        at = self._clamp(at)
        if self.playing is not None:
            self.playing.tick(orders, at, now)
            self._note_departures()
            self._after(orders, at, now)
        elif self.break_until is not None and at >= self.break_until:
            self._next_game(orders, at, now)
        return orders

    def ready(self, at: int, now: int, entrant: int) -> Orders:
        """An entrant does not need the rest of the intermission."""
        orders: Orders = []
        if self.break_until is not None:
            self._ready.add(entrant)
            if self._is_everyone_ready():
                self._next_game(orders, self._clamp(at), now)
        return orders

    def leave(self, at: int, now: int, entrant: int) -> Orders:
        """An entrant gives up for the rest of the match."""
        orders: Orders = []
        at = self._clamp(at)
        if self.conducts[entrant].gone or self.ended is not None:
            return orders
        if self.playing is not None:
            self.playing.leave(orders, at, now, self._seat(entrant))
            self._note_departures()
            self._after(orders, at, now)
        else:
            self._give_up(orders, entrant)
            self._note_departures()
            if self._present() < 2 or self._is_everyone_ready():
                self._next_game(orders, at, now)
        return orders

    def lost(self, at: int, entrant: int) -> Orders:
        """An entrant's connection is lost; its purse begins to run."""
        conduct = self.conducts[entrant]
        if conduct.lost_from is None:
            conduct.lost_from = self._clamp(at)
        return []

    def back(self, at: int, entrant: int) -> Orders:
        """An entrant's connection is back."""
        orders: Orders = []
        conduct = self.conducts[entrant]
        if conduct.lost_from is not None:
            at = self._clamp(at)
            if self.playing is not None:
                self.playing.back(orders, at, self._seat(entrant))
            conduct.lost_from = None
        return orders

    def credit(self, us: int, at: int) -> None:
        """The server stood still for so long: whatever is due is due that much later. Nobody is told, nobody pays."""
        self._last_at = max(self._last_at, min(self._last_at + us, at))  # what comes now has not come later than now
        if self.break_until is not None:
            self.break_until += us
        if self.playing is not None:
            self.playing.credit(us, at, self._last_at)
        for conduct in self.conducts:  # afterwards: until when a lost seat is waited for depends on it
            if conduct.lost_from is not None:
                conduct.lost_from += us

    def cancel(self, at: int, termination: str = "cancelled") -> Orders:
        """End the match now; the running game has no result."""
        orders: Orders = []
        if self.ended is None:
            self._clamp(at)
            self.playing = None
            self._end(orders, termination)
        return orders

    # ---- what others ask

    def seat_of(self, entrant: int) -> Seat | None:
        """The entrant's seat in the running game; None between games."""
        return None if self.playing is None else self._seat(entrant)

    def seats(self) -> tuple[int, ...]:
        """Entrant by seat of the running or latest game."""
        return self._seats

    def prompts_of(self, entrant: int) -> list[tuple[PromptView, bool]]:
        """An entrant's open prompts and whether it has answered each."""
        return [] if self.playing is None else self.playing.prompts_of(self._seat(entrant))

    def place_sums(self) -> tuple[int, ...]:
        """Sums of places so far, by entrant."""
        sums = [0] * len(self.conducts)
        for result in self.results:
            for entrant, place in zip(result.entrants, result.places, strict=True):
                sums[entrant] += place
        return tuple(sums)

    # ---- inside

    def _strike_unkept(self, orders: Orders, contributions: Sequence[Contribution]) -> None:
        for each in contributions:
            if each.fault:
                is_wrong = each.fault == MISMATCH
                kind = FaultKind.ILLEGAL if is_wrong else FaultKind.MISSING
                self.conducts[each.entrant].strikes[kind] += 1
                reason = Refusal.ENTROPY_MISMATCH if is_wrong else ""
                orders.append(Strike(Struck(each.entrant, kind, reason=reason)))

    def _clamp(self, at: int) -> int:
        """Time never runs backwards within a match."""
        if at > self._last_at:  # noqa: PLR1730  runs for every decision, a call costs more
            self._last_at = at
        return self._last_at

    def _seat(self, entrant: int) -> Seat:
        return self._seat_by_entrant[entrant]

    def _give_up(self, orders: Orders, entrant: int) -> None:
        conduct = self.conducts[entrant]
        if not conduct.gone:
            conduct.gone = True
            conduct.strikes[FaultKind.GONE] += 1
            orders.append(Strike(Struck(entrant, FaultKind.GONE)))

    def _present(self) -> int:
        return sum(not conduct.gone for conduct in self.conducts)

    def _is_everyone_ready(self) -> bool:
        return all(conduct.gone or conduct.entrant in self._ready for conduct in self.conducts)

    def _after(self, orders: Orders, at: int, now: int) -> None:
        """End the game if it is over and go on with the match."""
        playing = self.playing
        if playing is None:
            return
        outcome = playing.outcome
        if outcome is not None:
            self.playing = None
            self._keep_result(orders, outcome)
            self._go_on(orders, at, now)

    def _keep_result(self, orders: Orders, outcome: Outcome) -> None:
        result = GameEnded(len(self.results), outcome.places, outcome.termination, self._seats)
        places = dict(zip(self._seats, outcome.places, strict=True))
        self._outcomes.append(replace(outcome, places=tuple(places[entrant] for entrant in range(len(places)))))
        self.results.append(result)
        orders.append(Announce(result))

    def _go_on(self, orders: Orders, at: int, now: int) -> None:
        if len(self.results) >= self.terms.game_count:
            self._end(orders, "finished")
            return
        self._ready.clear()
        length = self.terms.pace.intermission_ms * MS
        if not length or self._present() < 2:
            self._next_game(orders, at, now)
            return
        self.break_until = now + length
        orders.append(Announce(IntermissionStarted(self.break_until)))

    def _next_game(self, orders: Orders, at: int, now: int) -> None:
        self.break_until = None
        if self._present() < 2:
            self._forfeit_rest(orders)
            return
        number = len(self.results)
        self._seats = self._seating(number)
        self._seat_by_entrant = [self.terms.seat_of(entrant, number) for entrant in range(len(self.conducts))]
        setup = GameSetup(
            len(self._seats),
            number,
            self.terms.pace.style,
            History(self._outcomes, self._seats),
            deal_moves=number if self.terms.seating is Seating.FIXED else 0,
        )
        conducts = [self.conducts[entrant] for entrant in self._seats]
        self.playing = GameReferee(self.terms.game, self.terms.ruleset, self.terms.pace, setup, conducts, self._desk)
        for entrant in self._departed:
            self.playing.send_away(self._seat(entrant))
        orders.append(Announce(GameStarted(number, self._seats)))
        self.playing.proceed(orders, at, now)

    def _seating(self, number: int) -> tuple[int, ...]:
        by_seat = {self.terms.seat_of(entrant, number): entrant for entrant in range(len(self.conducts))}
        return tuple(by_seat[Seat(seat)] for seat in range(len(by_seat)))

    def _note_departures(self) -> None:
        """Keep the order in which entrants give up; at most one does so at a time."""
        for conduct in self.conducts:
            if conduct.gone and conduct.entrant not in self._departed:
                self._departed.append(conduct.entrant)

    def _forfeit_rest(self, orders: Orders) -> None:
        """Fewer than two are left: who stayed is first in every game that was not played."""
        count = len(self.conducts)
        places = {entrant: count - order for order, entrant in enumerate(self._departed)}
        for number in range(len(self.results), self.terms.game_count):
            seats = self._seating(number)
            result = GameEnded(number, tuple(places.get(entrant, 1) for entrant in seats), FORFEIT, seats)
            self.results.append(result)
            orders.append(Announce(result))
        self._end(orders, "forfeited")

    def _end(self, orders: Orders, termination: str) -> None:
        self.break_until = None
        self.ended = MatchEnded(termination, self.place_sums())
        orders.append(Announce(self.ended))
