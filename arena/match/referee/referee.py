"""Referees a match: a series of games between the same entrants, with an optional break between games.

The referee takes timed inputs and returns orders; it has no clock, no randomness and no sockets. The same inputs
produce the same orders, so a journal of inputs is a complete record. After a `DrawChance` order, the next input must be
a `Drawn`.
"""

from dataclasses import replace
from typing import assert_never

from arena.match.game import GameSetup, Outcome, Seat
from arena.match.referee.entrant_record import EntrantRecord
from arena.match.referee.entropy import MISMATCH
from arena.match.referee.facts import (
    GameEnded,
    GameStarted,
    IntermissionStarted,
    MatchEnded,
    MatchStarted,
    StrikeIssued,
    StrikeKind,
)
from arena.match.referee.game_referee import GameReferee
from arena.match.referee.history import History
from arena.match.referee.inputs import (
    Answer,
    Begin,
    Cancel,
    Credit,
    Deal,
    Disconnect,
    Drawn,
    Input,
    Leave,
    NewRoundTrip,
    NoAnswer,
    Ready,
    Reconnect,
    Reject,
    Tick,
)
from arena.match.referee.orders import (
    AnnounceFact,
    DecisionResult,
    DecisionStatus,
    Handling,
    Order,
    PromptView,
    Refusal,
)
from arena.match.referee.pace import US_PER_MS
from arena.match.referee.prompt_log import PromptLog
from arena.match.referee.scalars import EntrantIndex, Instant
from arena.match.referee.strike_issuer import issue_strike, mark_gone
from arena.match.referee.terms import Seating, Terms

Orders = list[Order]
FORFEIT = "forfeit"


class Referee:
    """Referees one match; only `apply` changes its state."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.entrant_records = [
            EntrantRecord(EntrantIndex(e), terms.pace.reconnect_grace_ms * US_PER_MS)
            for e in range(len(terms.entrants))
        ]
        self.current_game: GameReferee | None = None
        """The running game; None between games and after the match."""
        self.results: list[GameEnded] = []
        self.break_until: Instant | None = None
        """End of the intermission; None outside of one."""
        self.ended: MatchEnded | None = None
        self._prompt_log = PromptLog(len(terms.entrants))
        self._ready: set[EntrantIndex] = set()
        self._departed: list[EntrantIndex] = []
        """Entrants in the order in which they gave up."""
        self._seats: tuple[EntrantIndex, ...] = ()
        """The entrant of each seat in the running or latest game."""
        self._seat_by_entrant: list[Seat] = []
        """The seat of each entrant in the running or latest game."""
        self._outcomes: list[Outcome] = []
        """Outcomes of the games played, with places by entrant."""
        self._last_at = Instant(0)

    # ---- inputs

    def apply(self, entry: Input) -> Orders:  # noqa: C901, PLR0911, PLR0912  one line for each input
        """Apply an input and return the orders that follow from it.

        A `Tick` handles one thing that is due; while `due` has passed, apply further ticks. Raises ValueError for a
        `Deal`, which is recorded before the referee exists.
        """
        match entry:
            case Answer():
                return self._answer(entry)
            case Drawn():
                return self._apply_draw(entry)
            case NoAnswer():
                return self._go_without_answer(entry)
            case Tick():
                return self._tick(entry)
            case Reject():
                return self._reject(entry)
            case Ready():
                return self._mark_ready(entry)
            case Leave():
                return self._leave(entry)
            case Disconnect():
                return self._disconnect(entry)
            case Reconnect():
                return self._reconnect(entry)
            case NewRoundTrip():
                return self._note_round_trip(entry)
            case Credit():
                return self._credit(entry)
            case Cancel():
                return self._cancel(entry)
            case Begin():
                return self._begin(entry)
            case Deal():
                raise ValueError("a deal is no input of a match that runs")
            case _:
                assert_never(entry)

    def _begin(self, entry: Begin) -> Orders:
        """Start the first game. Absent entrants forfeit; a broken promise of entropy earns a strike."""
        handling = self._handle(entry)
        handling.orders.append(AnnounceFact(MatchStarted()))
        for record, round_trip_us in zip(self.entrant_records, entry.round_trips, strict=False):
            record.clock.round_trip_us = round_trip_us
        for each in entry.contributions:
            if each.fault:
                is_wrong = each.fault == MISMATCH
                kind = StrikeKind.ILLEGAL if is_wrong else StrikeKind.MISSING
                reason = Refusal.ENTROPY_MISMATCH if is_wrong else ""
                struck = StrikeIssued(EntrantIndex(each.entrant), kind, reason=reason)
                issue_strike(self.entrant_records[each.entrant], struck, handling.orders)
        for entrant in entry.absent:
            mark_gone(self.entrant_records[entrant], handling.orders)
            self._note_departures()
        self._start_next_game(handling)
        return handling.orders

    def _answer(self, entry: Answer) -> Orders:
        """Judge a decision, and return the orders that follow from it.

        A repeated decision gets its earlier result. A decision with a known action id and another action is refused.
        Each prompt has its own action ids, so that a restarted bot may count from the beginning again.
        """
        entrant, prompt_id, action_id, action = entry.entrant, entry.prompt_id, entry.action_id, entry.action
        record = self.entrant_records[entrant]
        known = record.find_previous_answer(prompt_id, action_id, action)
        if known is not None:
            return [known]
        handling = self._handle(entry)
        game_referee = self.current_game
        if game_referee is None:
            result = self._refuse_between_games(handling, entry)
        else:
            result = game_referee.answer(handling, self._seat_by_entrant[entrant], prompt_id, action_id, action)
            if game_referee.outcome is not None:
                self._finish_game_if_over(handling)
        record.remember(result, action)
        return handling.orders

    def _go_without_answer(self, entry: NoAnswer) -> Orders:
        """Go on without an entrant's answer. A repeated message gets its earlier result."""
        entrant, prompt_id, action_id, given = entry.entrant, entry.prompt_id, entry.action_id, entry.given
        record = self.entrant_records[entrant]
        known = record.find_previous_answer(prompt_id, action_id, given)
        if known is not None:
            return [known]
        handling = self._handle(entry)
        game_referee = self.current_game
        if game_referee is None:
            result = self._refuse_between_games(handling, entry)
        else:
            seat = self._seat_by_entrant[entrant]
            result = game_referee.go_without_answer(handling, seat, prompt_id, action_id, given)
            self._note_departures()
            self._finish_game_if_over(handling)
        record.remember(result, given)
        return handling.orders

    def _refuse_between_games(self, handling: Handling, entry: Answer | NoAnswer) -> DecisionResult:
        """Refuse an answer while no game runs. The result is among the orders."""
        entrant, prompt_id = entry.entrant, entry.prompt_id
        reason, late_us = self._prompt_log.why_closed(handling.at, prompt_id, entrant)
        result = DecisionResult(entrant, prompt_id, entry.action_id, DecisionStatus.REFUSED, reason, late_us)
        handling.orders.append(result)
        return result

    def _reject(self, entry: Reject) -> Orders:
        """Refuse a decision that could not be read, and add a strike."""
        self._clamp(entry.at)
        entrant, prompt_id, game_referee = entry.entrant, entry.prompt_id, self.current_game
        seat = self.seat_of(entrant)
        asked = None if game_referee is None or seat is None else game_referee.prompts.strike_prompt_of(prompt_id, seat)
        orders: Orders = [DecisionResult(entrant, prompt_id, entry.action_id, DecisionStatus.REFUSED, entry.reason)]
        struck = StrikeIssued(entrant, StrikeKind.ILLEGAL, prompt_id, entry.reason, asked=asked)
        issue_strike(self.entrant_records[entrant], struck, orders)
        return orders

    def _apply_draw(self, entry: Drawn) -> Orders:
        if self.current_game is None:
            return []
        handling = self._handle(entry)
        self.current_game.apply_draw(handling, entry.values)
        self.current_game.proceed(handling)
        self._finish_game_if_over(handling)
        return handling.orders

    def _tick(self, entry: Tick) -> Orders:
        handling = self._handle(entry)
        if self.current_game is not None:
            self.current_game.tick(handling)
            self._note_departures()
            self._finish_game_if_over(handling)
        elif self.break_until is not None and handling.at >= self.break_until:
            self._start_next_game(handling)
        return handling.orders

    def _mark_ready(self, entry: Ready) -> Orders:
        """Mark an entrant as ready. The next game starts when all entrants are ready."""
        if self.break_until is None:
            return []
        self._ready.add(entry.entrant)
        if not self._is_everyone_ready():
            return []
        handling = self._handle(entry)
        self._start_next_game(handling)
        return handling.orders

    def _leave(self, entry: Leave) -> Orders:
        """Let an entrant give up for the rest of the match."""
        handling, entrant = self._handle(entry), entry.entrant
        if self.entrant_records[entrant].gone or self.ended is not None:
            return []
        if self.current_game is not None:
            self.current_game.leave(handling, self._seat_by_entrant[entrant])
            self._note_departures()
            self._finish_game_if_over(handling)
        else:
            mark_gone(self.entrant_records[entrant], handling.orders)
            self._note_departures()
            if self._present_count() < 2 or self._is_everyone_ready():
                self._start_next_game(handling)
        return handling.orders

    def _disconnect(self, entry: Disconnect) -> Orders:
        """Note a lost connection. From now on the entrant uses up its reconnect allowance."""
        record = self.entrant_records[entry.entrant]
        if record.clock.disconnected_since is None:
            record.clock.disconnected_since = self._clamp(entry.at)
        return []

    def _reconnect(self, entry: Reconnect) -> Orders:
        """Note a restored connection and update the deadlines of the entrant's prompts."""
        record = self.entrant_records[entry.entrant]
        if record.clock.disconnected_since is None:
            return []
        handling = self._handle(entry)
        if self.current_game is not None:
            self.current_game.prompts.reconnect(handling, self._seat_by_entrant[entry.entrant])
        record.clock.disconnected_since = None
        return handling.orders

    def _note_round_trip(self, entry: NewRoundTrip) -> Orders:
        """Note an entrant's new round trip. It applies to prompts that open from now on."""
        self.entrant_records[entry.entrant].clock.round_trip_us = entry.us
        return []

    def _credit(self, entry: Credit) -> Orders:
        """Move every future deadline later by the length of a server stall. No message announces the new deadlines."""
        us, at = entry.us, entry.at
        # `_last_at` stays at or before the credit's own instant, because the next input may have that same instant.
        self._last_at = max(self._last_at, min(Instant(self._last_at + us), at))
        if self.break_until is not None:
            self.break_until = Instant(self.break_until + us)
        if self.current_game is not None:
            self.current_game.credit(us, at, self._last_at)
        for record in self.entrant_records:  # last: the deadlines of disconnected seats depend on `disconnected_since`
            if (since := record.clock.disconnected_since) is not None:
                record.clock.disconnected_since = Instant(since + us)
        return []

    def _cancel(self, entry: Cancel) -> Orders:
        """End the match now; the running game has no result."""
        orders: Orders = []
        if self.ended is None:
            self._clamp(entry.at)
            self.current_game = None
            self._end_match(orders, entry.termination)
        return orders

    # ---- queries

    @property
    def due(self) -> Instant | None:
        """The next instant at which something happens without input; None if there is none."""
        game_referee = self.current_game
        return self.break_until if game_referee is None else game_referee.due

    def seat_of(self, entrant: EntrantIndex) -> Seat | None:
        """Return the entrant's seat in the running game; None between games."""
        return None if self.current_game is None else self._seat_by_entrant[entrant]

    def prompts_of(self, entrant: EntrantIndex) -> list[tuple[PromptView, bool]]:
        """Return an entrant's open prompts, and whether each is answered."""
        return [] if self.current_game is None else self.current_game.prompts.views_of(self._seat_by_entrant[entrant])

    def place_sums(self) -> tuple[int, ...]:
        """Return the sums of places so far, by entrant."""
        sums = [0] * len(self.entrant_records)
        for result in self.results:
            for entrant, place in zip(result.entrants, result.places, strict=True):
                sums[entrant] += place
        return tuple(sums)

    # ---- internals

    def _handle(self, entry: Input) -> Handling:
        """Return a `Handling` for an input, with no orders yet.

        The `at` of this `Handling` is never before the latest instant so far.
        """
        return Handling(self._clamp(entry.at), entry.now, [])

    def _clamp(self, at: Instant) -> Instant:
        """Return `at`, or the latest instant so far if that is later: time never runs backwards in a match."""
        if at > self._last_at:  # noqa: PLR1730  runs for every decision, a call costs more
            self._last_at = at
        return self._last_at

    def _present_count(self) -> int:
        return sum(not record.gone for record in self.entrant_records)

    def _is_everyone_ready(self) -> bool:
        return all(record.gone or record.entrant in self._ready for record in self.entrant_records)

    def _finish_game_if_over(self, handling: Handling) -> None:
        """If the game has ended, record its result and start the intermission or the next game, or end the match."""
        if self.current_game is None or (outcome := self.current_game.outcome) is None:
            return
        self.current_game = None
        result = GameEnded(len(self.results), outcome.places, outcome.termination, self._seats)
        self._outcomes.append(replace(outcome, places=result.places_by_entrant))
        self.results.append(result)
        handling.orders.append(AnnounceFact(result))
        if len(self.results) == self.terms.game_count:
            self._end_match(handling.orders, "finished")
            return
        self._ready.clear()
        break_us = self.terms.pace.intermission_ms * US_PER_MS
        if not break_us or self._present_count() < 2:
            self._start_next_game(handling)
            return
        self.break_until = Instant(handling.now + break_us)
        handling.orders.append(AnnounceFact(IntermissionStarted(self.break_until)))

    def _start_next_game(self, handling: Handling) -> None:
        """Start the next game, or forfeit the rest of the match if fewer than two entrants are left."""
        self.break_until = None
        if self._present_count() < 2:
            self._forfeit_rest(handling.orders)
            return
        number = len(self.results)
        self._seats = self.terms.seating_of(number)
        self._seat_by_entrant = [self.terms.seat_of(each.entrant, number) for each in self.entrant_records]
        setup = GameSetup(
            len(self._seats),
            number,
            self.terms.pace.style,
            History(self._outcomes, self._seats),
            deal_moves=number if self.terms.seating is Seating.FIXED else 0,
        )
        entrant_records = [self.entrant_records[entrant] for entrant in self._seats]
        self.current_game = GameReferee(
            self.terms.game, self.terms.ruleset, self.terms.pace, setup, entrant_records, self._prompt_log
        )
        for entrant in self._departed:
            self.current_game.queue_leave(self._seat_by_entrant[entrant])
        handling.orders.append(AnnounceFact(GameStarted(number, self._seats)))
        self.current_game.proceed(handling)

    def _note_departures(self) -> None:
        """Add to `_departed` the entrant that has just given up, if one has."""
        for record in self.entrant_records:
            if record.gone and record.entrant not in self._departed:
                self._departed.append(record.entrant)

    def _forfeit_rest(self, orders: Orders) -> None:
        """End a match with fewer than two entrants left. An entrant that stayed gets place 1 in every unplayed game."""
        count = len(self.entrant_records)
        places = {entrant: count - order for order, entrant in enumerate(self._departed)}
        for number in range(len(self.results), self.terms.game_count):
            seats = self.terms.seating_of(number)
            result = GameEnded(number, tuple(places.get(entrant, 1) for entrant in seats), FORFEIT, seats)
            self.results.append(result)
            orders.append(AnnounceFact(result))
        self._end_match(orders, "forfeited")

    def _end_match(self, orders: Orders, termination: str) -> None:
        self.break_until = None
        self.ended = MatchEnded(termination, self.place_sums())
        orders.append(AnnounceFact(self.ended))
