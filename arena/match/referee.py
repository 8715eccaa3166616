"""Referees a match: a series of games between the same entrants, seats fixed or rotated, with a break between games.

Timed inputs in, orders out; no clock, no randomness, no sockets. The same inputs give the same orders, so a journal of
inputs is the match. Whenever an order is a `DrawChance`, the values must come in by `drawn` before anything else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.deal.commitment import Contribution
from arena.match.entrant_record import EntrantRecord
from arena.match.entropy import MISMATCH
from arena.match.facts import (
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    MatchStarted,
    StrikeIssued,
    StrikeKind,
)
from arena.match.game_referee import GameReferee
from arena.match.history import History
from arena.match.orders import AnnounceFact, DecisionResult, DecisionStatus, Order, PromptView, Refusal, TellStrike
from arena.match.pace import US_PER_MS
from arena.match.prompts import PromptLog
from arena.match.terms import Seating, Terms
from arena.rules.game import GameSetup, Outcome, Seat

Orders = list[Order]
FORFEIT = "forfeit"


class Referee:
    """The match. Every input comes with its instant (see `GameReferee`) and gives the orders that follow from it."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.entrant_records = [
            EntrantRecord(e, terms.pace.reconnect_grace_ms * US_PER_MS) for e in range(len(terms.entrants))
        ]
        self.current_game: GameReferee | None = None
        """The game that runs; None between games and when the match is over."""
        self.results: list[GameEnded] = []
        self.break_until: int | None = None
        """End of the intermission; None: there is none."""
        self.ended: MatchEnded | None = None
        self._prompt_log = PromptLog(len(terms.entrants))
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
        orders: Orders = [AnnounceFact(MatchStarted())]
        self._strike_broken_promises(orders, contributions)
        for entrant in absent:
            self._give_up(orders, entrant)
            self._note_departures()
        self._start_next_game(orders, self._clamp(at), now)
        return orders

    def answer(self, at: int, now: int, entrant: int, prompt_id: int, action_id: int, action: Any) -> Orders:
        """Judge a decision; an action id that is repeated for its prompt gets its first answer again.

        Ids belong to their prompt, so that a bot that lost its memory may begin to count anew.
        """
        orders: Orders = []
        conduct = self.entrant_records[entrant]
        known = conduct.find_previous_answer(prompt_id, action_id, action)
        if known is not None:
            orders.append(known)
            return orders
        at = self._clamp(at)
        playing = self.current_game
        if playing is None:
            given = DecisionResult(
                entrant,
                prompt_id,
                action_id,
                DecisionStatus.REFUSED,
                *self._prompt_log.why_closed(at, prompt_id, entrant),
            )
            orders.append(given)
        else:
            seat = self._seat_by_entrant[entrant]
            given = playing.answer(orders, at, now, seat, prompt_id, action_id, action)
            if playing.outcome is not None:
                self._finish_game_if_over(orders, at, now)
        conduct.remember(given, action)
        return orders

    def reject(self, at: int, entrant: int, prompt_id: int, action_id: int, reason: str) -> Orders:
        """Refuse a decision that could not even be read; a strike."""
        conduct = self.entrant_records[entrant]
        conduct.strikes[StrikeKind.ILLEGAL] += 1
        self._clamp(at)
        given = DecisionResult(entrant, prompt_id, action_id, DecisionStatus.REFUSED, reason)
        asked = (
            None if self.current_game is None else self.current_game.strike_prompt_of(prompt_id, self._seat(entrant))
        )
        return [given, TellStrike(StrikeIssued(entrant, StrikeKind.ILLEGAL, prompt_id, reason, asked=asked))]

    def apply_draw(self, at: int, now: int, values: Sequence[int]) -> Orders:
        """Take the values of the last `DrawChance`."""
        orders: Orders = []
        playing = self.current_game
        if playing is None:
            return orders
        at = self._clamp(at)
        playing.apply_draw(orders, at, values)
        playing.proceed(orders, at, now)
        self._finish_game_if_over(orders, at, now)
        return orders

    @property
    def due(self) -> int | None:
        """When something happens by itself next, microseconds; None: never."""
        playing = self.current_game
        return self.break_until if playing is None else playing.due

    def tick(self, at: int, now: int) -> Orders:
        """Do what is due at `at`, which is `due`. Call again while `due` has passed."""
        orders: Orders = []
        at = self._clamp(at)
        if self.current_game is not None:
            self.current_game.tick(orders, at, now)
            self._note_departures()
            self._finish_game_if_over(orders, at, now)
        elif self.break_until is not None and at >= self.break_until:
            self._start_next_game(orders, at, now)
        return orders

    def mark_ready(self, at: int, now: int, entrant: int) -> Orders:
        """An entrant does not need the rest of the intermission."""
        orders: Orders = []
        if self.break_until is not None:
            self._ready.add(entrant)
            if self._is_everyone_ready():
                self._start_next_game(orders, self._clamp(at), now)
        return orders

    def leave(self, at: int, now: int, entrant: int) -> Orders:
        """An entrant gives up for the rest of the match."""
        orders: Orders = []
        at = self._clamp(at)
        if self.entrant_records[entrant].gone or self.ended is not None:
            return orders
        if self.current_game is not None:
            self.current_game.leave(orders, at, now, self._seat(entrant))
            self._note_departures()
            self._finish_game_if_over(orders, at, now)
        else:
            self._give_up(orders, entrant)
            self._note_departures()
            if self._present_count() < 2 or self._is_everyone_ready():
                self._start_next_game(orders, at, now)
        return orders

    def disconnect(self, at: int, entrant: int) -> Orders:
        """An entrant's connection is lost; its purse begins to run."""
        conduct = self.entrant_records[entrant]
        if conduct.disconnected_since is None:
            conduct.disconnected_since = self._clamp(at)
        return []

    def reconnect(self, at: int, entrant: int) -> Orders:
        """An entrant's connection is back."""
        orders: Orders = []
        conduct = self.entrant_records[entrant]
        if conduct.disconnected_since is not None:
            at = self._clamp(at)
            if self.current_game is not None:
                self.current_game.reconnect(orders, at, self._seat(entrant))
            conduct.disconnected_since = None
        return orders

    def credit(self, us: int, at: int) -> None:
        """The server stood still for so long: whatever is due is due that much later. Nobody is told, nobody pays."""
        self._last_at = max(self._last_at, min(self._last_at + us, at))  # what comes now has not come later than now
        if self.break_until is not None:
            self.break_until += us
        if self.current_game is not None:
            self.current_game.credit(us, at, self._last_at)
        for conduct in self.entrant_records:  # afterwards: until when a lost seat is waited for depends on it
            if conduct.disconnected_since is not None:
                conduct.disconnected_since += us

    def cancel(self, at: int, termination: str = "cancelled") -> Orders:
        """End the match now; the running game has no result."""
        orders: Orders = []
        if self.ended is None:
            self._clamp(at)
            self.current_game = None
            self._end_match(orders, termination)
        return orders

    # ---- what others ask

    def seat_of(self, entrant: int) -> Seat | None:
        """The entrant's seat in the running game; None between games."""
        return None if self.current_game is None else self._seat(entrant)

    def entrants_by_seat(self) -> tuple[int, ...]:
        """Entrant by seat of the running or latest game."""
        return self._seats

    def prompts_of(self, entrant: int) -> list[tuple[PromptView, bool]]:
        """An entrant's open prompts and whether it has answered each."""
        return [] if self.current_game is None else self.current_game.prompts_of(self._seat(entrant))

    def place_sums(self) -> tuple[int, ...]:
        """Sums of places so far, by entrant."""
        sums = [0] * len(self.entrant_records)
        for result in self.results:
            for entrant, place in zip(result.entrants, result.places, strict=True):
                sums[entrant] += place
        return tuple(sums)

    # ---- inside

    def _strike_broken_promises(self, orders: Orders, contributions: Sequence[Contribution]) -> None:
        for each in contributions:
            if each.fault:
                is_wrong = each.fault == MISMATCH
                kind = StrikeKind.ILLEGAL if is_wrong else StrikeKind.MISSING
                self.entrant_records[each.entrant].strikes[kind] += 1
                reason = Refusal.ENTROPY_MISMATCH if is_wrong else ""
                orders.append(TellStrike(StrikeIssued(each.entrant, kind, reason=reason)))

    def _clamp(self, at: int) -> int:
        """Time never runs backwards within a match."""
        if at > self._last_at:  # noqa: PLR1730  runs for every decision, a call costs more
            self._last_at = at
        return self._last_at

    def _seat(self, entrant: int) -> Seat:
        return self._seat_by_entrant[entrant]

    def _give_up(self, orders: Orders, entrant: int) -> None:
        conduct = self.entrant_records[entrant]
        if not conduct.gone:
            conduct.gone = True
            conduct.strikes[StrikeKind.GONE] += 1
            orders.append(TellStrike(StrikeIssued(entrant, StrikeKind.GONE)))

    def _present_count(self) -> int:
        return sum(not conduct.gone for conduct in self.entrant_records)

    def _is_everyone_ready(self) -> bool:
        return all(conduct.gone or conduct.entrant in self._ready for conduct in self.entrant_records)

    def _finish_game_if_over(self, orders: Orders, at: int, now: int) -> None:
        """End the game if it is over and go on with the match."""
        playing = self.current_game
        if playing is None:
            return
        outcome = playing.outcome
        if outcome is not None:
            self.current_game = None
            self._record_result(orders, outcome)
            self._continue_match(orders, at, now)

    def _record_result(self, orders: Orders, outcome: Outcome) -> None:
        result = GameEnded(len(self.results), outcome.places, outcome.termination, self._seats)
        places = dict(zip(self._seats, outcome.places, strict=True))
        self._outcomes.append(replace(outcome, places=tuple(places[entrant] for entrant in range(len(places)))))
        self.results.append(result)
        orders.append(AnnounceFact(result))

    def _continue_match(self, orders: Orders, at: int, now: int) -> None:
        if len(self.results) >= self.terms.game_count:
            self._end_match(orders, "finished")
            return
        self._ready.clear()
        length = self.terms.pace.intermission_ms * US_PER_MS
        if not length or self._present_count() < 2:
            self._start_next_game(orders, at, now)
            return
        self.break_until = now + length
        orders.append(AnnounceFact(IntermissionStarted(self.break_until)))

    def _start_next_game(self, orders: Orders, at: int, now: int) -> None:
        self.break_until = None
        if self._present_count() < 2:
            self._forfeit_rest(orders)
            return
        number = len(self.results)
        self._seats = self._seating(number)
        self._seat_by_entrant = [self.terms.seat_of(entrant, number) for entrant in range(len(self.entrant_records))]
        setup = GameSetup(
            len(self._seats),
            number,
            self.terms.pace.style,
            History(self._outcomes, self._seats),
            deal_moves=number if self.terms.seating is Seating.FIXED else 0,
        )
        conducts = [self.entrant_records[entrant] for entrant in self._seats]
        self.current_game = GameReferee(
            self.terms.game, self.terms.ruleset, self.terms.pace, setup, conducts, self._prompt_log
        )
        for entrant in self._departed:
            self.current_game.queue_leave(self._seat(entrant))
        orders.append(AnnounceFact(GameStarted(number, self._seats)))
        self.current_game.proceed(orders, at, now)

    def _seating(self, number: int) -> tuple[int, ...]:
        by_seat = {self.terms.seat_of(entrant, number): entrant for entrant in range(len(self.entrant_records))}
        return tuple(by_seat[Seat(seat)] for seat in range(len(by_seat)))

    def _note_departures(self) -> None:
        """Keep the order in which entrants give up; at most one does so at a time."""
        for conduct in self.entrant_records:
            if conduct.gone and conduct.entrant not in self._departed:
                self._departed.append(conduct.entrant)

    def _forfeit_rest(self, orders: Orders) -> None:
        """Fewer than two are left: who stayed is first in every game that was not played."""
        count = len(self.entrant_records)
        places = {entrant: count - order for order, entrant in enumerate(self._departed)}
        for number in range(len(self.results), self.terms.game_count):
            seats = self._seating(number)
            result = GameEnded(number, tuple(places.get(entrant, 1) for entrant in seats), FORFEIT, seats)
            self.results.append(result)
            orders.append(AnnounceFact(result))
        self._end_match(orders, "forfeited")

    def _end_match(self, orders: Orders, termination: str) -> None:
        self.break_until = None
        self.ended = MatchEnded(termination, self.place_sums())
        orders.append(AnnounceFact(self.ended))
